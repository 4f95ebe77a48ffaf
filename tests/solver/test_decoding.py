"""The decoding schema: made of what every engine understands, and never narrower than what is correct."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from data.records import Json, JsonObject
from solver.decoding import answer_schema
from tests.solver.solver_cases import task
from verifiers.menu import Menu, read_menu

REAL = Path(__file__).parents[3] / "shared" / "real"
COMMON = {"type", "const", "enum", "anyOf", "properties", "required", "additionalProperties"} | {
    *("items", "prefixItems", "pattern", "format", "x-guidance")
}
real = pytest.mark.skipif(not REAL.is_dir(), reason="the real inputs are not beside this checkout")


def menu_of(tools: Json) -> tuple[JsonObject, ...]:
    menu = read_menu(tools)
    assert isinstance(menu, Menu), menu
    return menu.tools


def one_tool(parameters: Json) -> tuple[JsonObject, ...]:
    return menu_of([{"name": "f", "description": "", "parameters": parameters}])


def accepts(tools: tuple[JsonObject, ...], *calls: Json) -> bool:
    return bool(Draft202012Validator(answer_schema(tools)).is_valid(list(calls)))


def call(**arguments: Json) -> JsonObject:
    return {"name": "f", "arguments": arguments}


def keywords(schema: Json) -> Iterator[str]:
    if not isinstance(schema, Mapping):
        return
    yield from schema
    for word in ("anyOf", "prefixItems"):
        for branch in schema.get(word, ()):  # type: ignore[union-attr]
            yield from keywords(branch)
    for part in (schema.get("properties") or {}).values():  # type: ignore[union-attr]
        yield from keywords(part)
    yield from keywords(schema.get("items"))


@real
@pytest.mark.parametrize("name", ["aws_dynamodb", "filesystem", "git", "notion", "playwright"])
def test_real_tools_become_common_keywords_alone(name: str) -> None:
    listed = json.loads((REAL / "tools" / f"{name}.json").read_text(encoding="utf-8"))
    usable = [menu for tool in listed["tools"] if isinstance(menu := read_menu([tool]), Menu)]
    assert usable
    for menu in usable:
        schema = answer_schema(menu.tools)
        Draft202012Validator.check_schema(schema)
        assert set(keywords(schema)) <= COMMON


@real
@pytest.mark.parametrize("kind", ["simple_python", "multiple", "parallel"])
def test_every_human_gold_stays_expressible(kind: str) -> None:
    rows = [json.loads(line) for line in (REAL / "bfcl" / f"BFCL_v4_{kind}.json").open(encoding="utf-8")]
    answers = (REAL / "bfcl" / "possible_answer" / f"BFCL_v4_{kind}.json").open(encoding="utf-8")
    golds = {row["id"]: row["ground_truth"] for row in map(json.loads, answers)}
    for row in rows:
        if isinstance(menu := read_menu(row["function"]), Menu):
            calls = [
                {"name": name, "arguments": {key: values[0] for key, values in given.items() if values[0] != ""}}
                for gold in golds[row["id"]]
                for name, given in gold.items()
            ]
            if all(menu.validator(one["name"]).first_cause(one["arguments"]) is None for one in calls):
                assert accepts(menu.tools, *calls), row["id"]


def test_an_answer_may_hold_no_call() -> None:
    assert accepts(task().tools)


@pytest.mark.parametrize("kind", ["integer", "boolean", "array", "object"])
def test_a_reference_may_stand_for_any_type_from_the_second_call_on(kind: str) -> None:
    tools = one_tool({"type": "object", "properties": {"x": {"type": kind}}, "required": ["x"]})
    plain: dict[str, Json] = {"integer": 1, "boolean": True, "array": [], "object": {}}
    assert accepts(tools, call(x=plain[kind]), call(x="$var_1.items[0].id"))
    assert not accepts(tools, call(x="$var_1.id"))


def test_a_reference_may_stand_deep_inside() -> None:
    tools = one_tool({"type": "object", "properties": {"ids": {"type": "array", "items": {"type": "integer"}}}})
    assert accepts(tools, call(ids=[1]), call(ids=[1, "$var_1.id"]))


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "default": None}, None),
        ({"type": "integer", "enum": [1, 2], "default": 0}, 0),
        ({"type": "string", "format": "date", "default": "today"}, "today"),
        ({"type": "string", "format": "date-time"}, "2026-03-05T10:00:00"),
        ({"type": ["string", "null"]}, None),
        ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, "x"),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}}, ["x", 1]),
        ({"type": "object"}, {"free": 1}),
        ({"type": "object", "properties": {"a": {}}, "anyOf": [{"properties": {"b": {}}}, {}]}, {"b": 1}),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"any": 1}),
        ({"allOf": [{"type": "object", "properties": {"a": {"type": "integer"}}}]}, {"a": 1}),
        ({"type": "string", "pattern": "^[a-z]+$", "minLength": 2}, "ab"),
        ({"anyOf": [{"type": "object", "properties": {"a": {}}}, {"type": "null"}]}, {"more": 1}),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": True}, {"more": 1}),
        ({"not": {"type": "string"}}, 3),
        ({}, [None]),
    ],
    ids=str,
)
def test_what_the_menu_accepts_is_expressible(schema: JsonObject, value: Json) -> None:
    assert accepts(one_tool({"type": "object", "properties": {"x": schema}}), call(x=value))


def test_what_no_schema_of_the_menu_allows_is_excluded() -> None:
    tools = one_tool({"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]})
    assert not accepts(tools, call())
    assert not accepts(tools, call(x="1"))
    assert not accepts(tools, call(x=1, y=2))
    assert not accepts(tools, {"name": "g", "arguments": {}})


def test_references_inside_the_schema_are_followed() -> None:
    tools = one_tool(
        {
            "type": "object",
            "properties": {"x": {"$ref": "#/$defs/size"}},
            "$defs": {"size": {"enum": ["small", "large"]}},
        }
    )
    assert accepts(tools, call(x="small"))
    assert not accepts(tools, call(x="huge"))


def test_a_recursive_schema_stays_small() -> None:
    branches: JsonObject = {f"child{i}": {"$ref": "#/$defs/tree"} for i in range(9)}
    tree: JsonObject = {"type": "object", "properties": branches}
    tools = one_tool({"type": "object", "properties": {"x": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": tree}})
    assert len(json.dumps(answer_schema(tools))) < 1_000_000
    assert accepts(tools, call(x={"child0": {"child1": {}}}))
