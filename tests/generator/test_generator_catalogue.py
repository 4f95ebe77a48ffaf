"""The shipped catalogue, and other people's tool files."""

import json
from itertools import combinations
from pathlib import Path

import pytest

from data.errors import UsageError
from data.records import JsonObject
from generator.catalogue import build_catalogue, load_catalogue, without_values
from generator.domains import DOMAINS, check_domains
from generator.tools_file import tools_in

REAL = Path(__file__).parents[3] / "shared" / "real" / "tools"
FLAT: JsonObject = {"name": "a", "description": "Turn a.", "parameters": {"x": {"type": "int"}}, "required": ["x"]}
SCHEMA: JsonObject = {"name": "b", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}
OPENAI: JsonObject = {"type": "function", "function": {"name": "c", "parameters": {"type": "object", "properties": {}}}}
MCP: JsonObject = {"name": "d", "inputSchema": {"type": "object", "properties": {"x": {"type": "string"}}}}


def test_there_are_32_different_domains() -> None:
    assert len(set(DOMAINS)) == len(DOMAINS) == 32


def test_a_near_miss_of_a_domain_is_named_with_what_was_meant() -> None:
    with pytest.raises(UsageError, match="'wether'") as raised:
        check_domains(["wether"])
    assert "weather" in raised.value.hint


def test_the_shipped_catalogue_is_whole_and_broad() -> None:
    catalogue = load_catalogue()
    assert catalogue.refused == ()
    assert len(catalogue.entries) >= 60
    assert set(catalogue.domains) == set(DOMAINS)


def words(text: str) -> set[str]:
    return set(text.lower().replace("_", " ").strip(".").split())


def test_no_two_shipped_tools_can_be_confused() -> None:
    for one, other in combinations(load_catalogue().entries, 2):
        for field in ("name", "description"):
            mine, yours = words(str(one.tool[field])), words(str(other.tool[field]))
            assert len(mine & yours) / len(mine | yours) < 0.7, (one.name, other.name)


def test_no_two_shipped_tools_have_equal_descriptions() -> None:
    descriptions = [entry.tool["description"] for entry in load_catalogue().entries]
    assert len(set(map(str, descriptions))) == len(descriptions)


@pytest.mark.parametrize("keyword", ["enum", "minimum", "format", "pattern", "items", "default", "multipleOf"])
def test_shipped_schemas_are_varied(keyword: str) -> None:
    assert any(f'"{keyword}"' in json.dumps(entry.tool["parameters"]) for entry in load_catalogue().entries)


def test_the_shipped_catalogue_has_tools_without_parameters_and_with_nested_ones() -> None:
    schemas = [entry.tool["parameters"] for entry in load_catalogue().entries]
    assert any(not schema["properties"] for schema in schemas)  # type: ignore[index, call-overload]
    assert any('"object"' in json.dumps(schema["properties"]) for schema in schemas)  # type: ignore[index, call-overload]


def test_results_chain_into_parameters_of_the_same_name_and_type() -> None:
    chains = {(chain.producer.name, chain.consumer.name, chain.value) for chain in load_catalogue().chains}
    assert ("find_contact", "send_text", "contact_id") in chains
    assert len(chains) >= 8


def test_the_menu_does_not_show_the_values_that_briefs_draw_from() -> None:
    for entry in load_catalogue().entries:
        assert '"examples"' not in json.dumps(entry.tool)
    assert any('"examples"' in json.dumps(entry.parameters) for entry in load_catalogue().entries)


def test_a_property_called_examples_is_no_annotation() -> None:
    schema: JsonObject = {"type": "object", "properties": {"examples": {"type": "string", "examples": ["x"]}}}
    assert without_values(schema) == {"type": "object", "properties": {"examples": {"type": "string"}}}


@pytest.mark.parametrize("tool", [FLAT, SCHEMA, OPENAI, MCP], ids=["flat", "schema", "openai", "mcp"])
def test_each_shape_of_tool_is_read(tool: JsonObject) -> None:
    (entry,) = build_catalogue([tool], "test").entries
    assert entry.tool["parameters"]["type"] == "object"  # type: ignore[index, call-overload]


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: {"tools": x}, lambda x: {"result": {"tools": x}}])
def test_each_shape_of_file_is_read(wrap) -> None:  # type: ignore[no-untyped-def]
    assert tools_in(json.dumps(wrap([FLAT, MCP])), "test").tools == (FLAT, MCP)


def test_two_tools_of_one_name_are_the_users_fault_and_named() -> None:
    with pytest.raises(UsageError, match="'a'"):
        build_catalogue([FLAT, MCP, {**SCHEMA, "name": " a "}], "mine.json")


def test_one_bad_tool_is_named_and_does_not_sink_the_file() -> None:
    bad: JsonObject = {"name": "bad", "parameters": {"x": {"type": "spline"}}}
    catalogue = build_catalogue([FLAT, bad, 7], "mine.json")
    assert [entry.name for entry in catalogue.entries] == ["a"]
    assert [(one.name, one.verdict.code) for one in catalogue.refused] == [("bad", "unknown_type"), ("#3", "bad_tool")]


def test_a_file_without_a_usable_tool_is_refused_with_the_reason() -> None:
    with pytest.raises(UsageError, match="'bad': unknown_type"):
        build_catalogue([{"name": "bad", "parameters": {"x": {"type": "spline"}}}], "mine.json")


@pytest.mark.parametrize("text", ["", "{", "{}", "[]", "7", '{"tools": {}}', '{"tools": [], "tools": []}', "[NaN]"])
def test_what_is_no_list_of_tools_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match=r"mine\.json"):
        tools_in(text, "mine.json")


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no-such"):
        load_catalogue(tmp_path / "no-such.json")


def test_the_catalogue_digest_follows_its_content() -> None:
    assert build_catalogue([FLAT], "x").digest == build_catalogue([FLAT], "y").digest
    assert build_catalogue([FLAT], "x").digest != build_catalogue([MCP], "x").digest


@pytest.mark.skipif(not REAL.exists(), reason="the real inputs are not beside the checkout")
@pytest.mark.parametrize(
    ("name", "tools"), [("filesystem", 14), ("notion", 24), ("aws_dynamodb", 30), ("playwright", 50), ("git", 12)]
)
def test_every_tool_of_the_real_lists_is_usable(name: str, tools: int) -> None:
    catalogue = load_catalogue(REAL / f"{name}.json")
    assert (len(catalogue.entries), catalogue.refused) == (tools, ())
