"""RULES M: shapes of tools, names, schemas, references, patterns."""

import json
from typing import Any

import pytest

from data.canonical import canonical_bytes
from data.records import Verdict
from verifiers import menu as menu_module
from verifiers.menu import Menu, read_menu

CITY = {"type": "string", "description": "City"}
SCHEMA = {"type": "object", "properties": {"city": CITY}, "required": ["city"]}


def tool(**parts: Any) -> dict[str, Any]:
    return {"name": "weather", "description": "Weather.", **parts}


def code(tools: Any) -> str | None:
    """The code that a menu is refused with, or None."""
    read = read_menu(tools)
    if isinstance(read, Menu):
        return None
    assert read.check == "menu"
    return read.code


def parameters(written: dict[str, Any]) -> Any:
    """The normal form of one tool's parameters."""
    read = read_menu([written])
    assert isinstance(read, Menu), read
    return read.tools[0]["parameters"]


def schema_code(schema: Any) -> str | None:
    return code([tool(inputSchema=schema)])


@pytest.mark.parametrize(
    "written",
    [
        tool(parameters=SCHEMA),
        tool(inputSchema=SCHEMA),
        tool(input_schema=SCHEMA),
        tool(parameters={"city": CITY}, required=["city"]),
        tool(parameters={"city": CITY, "required": ["city"]}),
        tool(parameters={"city": {**CITY, "required": True}}),
        tool(parameters={**SCHEMA, "type": "dict"}),
        tool(parameters={**SCHEMA, "type": "OBJECT"}),
        tool(parameters={key: value for key, value in SCHEMA.items() if key != "type"}),
        {"type": "function", "function": tool(parameters=SCHEMA)},
        {"type": "function", "function": tool(parameters={"city": CITY}, required=["city"])},
        {"type": "function", **tool(parameters=SCHEMA, strict=True)},
        tool(inputSchema={**SCHEMA, "$schema": "http://json-schema.org/draft-07/schema#"}),
    ],
)
def test_every_shape_has_one_normal_form(written: dict[str, Any]) -> None:
    read = read_menu([written])
    assert isinstance(read, Menu)
    assert read.tools == (tool(parameters=SCHEMA),)


def test_shapes_may_be_mixed_in_one_menu() -> None:
    others: list[Any] = [
        {"type": "function", "function": {"name": "a", "parameters": SCHEMA}},
        {"name": "b", "parameters": {}},
    ]
    others.append({"name": "c", "inputSchema": SCHEMA})
    read = read_menu(others)
    assert isinstance(read, Menu)
    assert [one["name"] for one in read.tools] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"parameters": None},
        {"parameters": {}},
        {"parameters": {"properties": {}}},
        {"parameters": {"type": "object", "properties": {}}},
        {"inputSchema": {}},
        {"inputSchema": {"type": "object"}},
    ],
)
def test_a_tool_may_take_nothing(parts: dict[str, Any]) -> None:
    assert parameters(tool(**parts)) == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("flat", "names"),
    [
        ({"item": "int", "properties": {"type": "array", "items": {"type": "string"}}}, ["item", "properties"]),
        ({"type": "string", "size": "int"}, ["type", "size"]),
        ({"type": {"type": "string"}, "properties": {"type": "object"}}, ["type", "properties"]),
        ({"required": {"type": "boolean"}}, ["required"]),
    ],
)
def test_parameters_may_be_named_like_keywords(flat: dict[str, Any], names: list[str]) -> None:
    assert list(parameters(tool(parameters=flat))["properties"]) == names


def test_an_mcp_schema_is_a_schema_whatever_its_parameters_are_called() -> None:
    schema = {"properties": {"type": {"type": "string"}, "properties": {"type": "array"}}}
    assert list(parameters(tool(inputSchema=schema))["properties"]) == ["type", "properties"]


def test_a_string_in_flat_parameters_is_a_type_name() -> None:
    assert parameters(tool(parameters={"days": "int"}))["properties"] == {"days": {"type": "integer"}}


def test_required_inside_a_flat_property_counts_at_any_depth() -> None:
    street = {"type": "object", "properties": {"street": {"type": "string", "required": True}}}
    normal = parameters(tool(parameters={"address": street}))
    assert normal["properties"]["address"]["required"] == ["street"]
    assert "required" not in normal["properties"]["address"]["properties"]["street"]


def test_required_beside_and_inside_flat_properties_adds_up() -> None:
    flat = {"a": {"type": "string", "required": True}, "b": {"type": "string", "required": False}}
    assert parameters(tool(parameters=flat, required=["b"]))["required"] == ["b", "a"]


def test_a_boolean_required_has_no_meaning_in_a_schema() -> None:
    assert schema_code({"type": "object", "properties": {"a": {"type": "string", "required": True}}}) == "bad_schema"


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        ({"tools": []}, "not_a_list"),
        ("weather", "not_a_list"),
        (None, "not_a_list"),
        ([], "empty_menu"),
        (["weather"], "bad_tool"),
        ([None], "bad_tool"),
        ([{"description": "no name"}], "bad_tool"),
        ([{"name": "  "}], "bad_tool"),
        ([{"name": 5}], "bad_tool"),
        ([{"type": "function", "function": "weather"}], "bad_tool"),
        ([{"name": "a"}, {"name": " a "}], "duplicate_tool"),
        ([{"name": "a"}, {"type": "function", "function": {"name": "a"}}], "duplicate_tool"),
        ([tool(parameters=["city"])], "bad_schema"),
        ([tool(parameters="city")], "bad_schema"),
        ([tool(parameters={"city": 5})], "bad_schema"),
        ([tool(parameters={"city": CITY}, required="city")], "bad_schema"),
        ([tool(parameters={"city": CITY}, required=["town"])], "undeclared_required"),
    ],
)
def test_a_menu_is_refused_by_name(tools: Any, expected: str) -> None:
    assert code(tools) == expected


def test_the_first_rule_decides_not_the_first_tool() -> None:
    assert code([{"name": "a", "parameters": {"x": "path-ish"}}, {"name": "b"}, {"name": "b"}]) == "duplicate_tool"


def test_names_are_trimmed() -> None:
    read = read_menu([{"name": " a "}])
    assert isinstance(read, Menu)
    assert read.tool("a") == {"name": "a", "description": "", "parameters": {"type": "object", "properties": {}}}


def test_the_normal_form_is_read_as_itself() -> None:
    flat = tool(parameters={"days": "Optional[List[int]]", "when": "date", "mode": {"type": "list", "enum": ["a"]}})
    read = read_menu([flat])
    assert isinstance(read, Menu)
    again = read_menu(list(read.tools))
    assert isinstance(again, Menu)
    assert again.tools == read.tools


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ({"type": "date", "format": "email"}, {"type": "string", "format": "email"}),
        ({"type": "datetime", "format": 5}, {"type": "string", "format": "date-time"}),
        ({"type": "list[int]", "items": {"type": "str"}}, {"type": "array", "items": {"type": "string"}}),
        ({"type": "array", "enum": ["a", "b"]}, {"type": "array", "items": {"enum": ["a", "b"]}}),
        (
            {"type": "array", "items": {"type": "str"}, "enum": ["a"]},
            {"type": "array", "items": {"enum": ["a"], "type": "string"}},
        ),
        ({"type": "array", "enum": [["a"], ["b"]]}, {"type": "array", "enum": [["a"], ["b"]]}),
        ({"type": "any", "description": "x"}, {"description": "x"}),
        ({"type": "str", "title": 5, "description": None, "examples": "x"}, {"type": "string"}),
        ({"type": "string", "default": 5}, {"type": "string", "default": 5}),
        ({"anyOf": [{"type": "str"}, {"type": "none"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ],
)
def test_a_property_becomes(written: dict[str, Any], normal: dict[str, Any]) -> None:
    assert parameters(tool(parameters={"type": "object", "properties": {"x": written}}))["properties"]["x"] == normal


def test_types_are_read_at_every_depth() -> None:
    deep = {"$defs": {"d": {"type": "int"}}, "properties": {"a": {"items": {"anyOf": [{"type": "str"}]}}}}
    normal = parameters(tool(inputSchema=deep))
    assert normal["$defs"]["d"] == {"type": "integer"}
    assert normal["properties"]["a"]["items"]["anyOf"] == [{"type": "string"}]


@pytest.mark.parametrize(
    "broken",
    [
        {"type": 5},
        {"type": []},
        {"type": ["string", 5]},
        {"minimum": "3"},
        {"minLength": -1},
        {"minItems": 1.5},
        {"multipleOf": 0},
        {"enum": "a"},
        {"required": "a"},
        {"required": ["a", "a"]},
        {"properties": ["a"]},
        {"properties": {"a": "string"}},
        {"items": [{"type": "string"}]},
        {"items": "string"},
        {"anyOf": []},
        {"anyOf": {"type": "string"}},
        {"allOf": [5]},
        {"additionalProperties": "no"},
        {"exclusiveMinimum": True},
        {"uniqueItems": "yes"},
        {"pattern": 5},
        {"dependentRequired": {"a": "b"}},
        {"$ref": 5},
        {"$anchor": "5"},
        {"$defs": {"d": {"type": {"a": 1}}}},
    ],
)
def test_what_is_no_json_schema_is_refused(broken: dict[str, Any]) -> None:
    assert schema_code({"type": "object", "properties": {"x": broken}}) == "bad_schema"


@pytest.mark.parametrize("name", ["path-ish", "List[path]", "", "string or null"])
def test_an_unknown_type_is_refused_at_any_depth(name: str) -> None:
    assert schema_code({"properties": {"x": {"items": {"oneOf": [{"type": name}]}}}}) == "unknown_type"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"$ref": "http://127.0.0.1:9/schema.json"}, "external_ref"),
        ({"properties": {"x": {"$ref": "other.json#/a"}}}, "external_ref"),
        ({"properties": {"x": {"$ref": "file:///etc/passwd"}}}, "external_ref"),
        ({"properties": {"x": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}}, "external_ref"),
        ({"properties": {"x": {"$dynamicRef": "https://example.org/#meta"}}}, "external_ref"),
        ({"properties": {"x": {"$ref": "http://["}}}, "external_ref"),
        ({"$id": "http://example.org/a", "properties": {"x": {"$ref": "b"}}}, "external_ref"),
        ({"$defs": {"unused": {"$ref": "urn:x"}}}, "external_ref"),
        ({"properties": {"x": {"$ref": "#/$defs/nowhere"}}}, "bad_schema"),
        ({"properties": {"x": {"$ref": "#nowhere"}}}, "bad_schema"),
        ({"properties": {"x": {"$ref": "#/title/0"}}, "title": "t"}, "bad_schema"),
        ({"properties": {"x": {"$ref": "#/required"}}, "required": ["x"]}, "bad_schema"),
        ({"properties": {"x": {"$ref": "#/properties/x"}}}, "ref_cycle"),
        ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}}, "ref_cycle"),
        ({"properties": {"x": {"anyOf": [{"type": "null"}, {"$ref": "#/properties/x"}]}}}, "ref_cycle"),
        ({"properties": {"x": {"not": {"$ref": "#/properties/x"}}}}, "ref_cycle"),
        ({"$ref": "#"}, "ref_cycle"),
        ({"$defs": {"d": {}}, "properties": {"x": {"$ref": "#/$defs/d"}}}, None),
        ({"$defs": {"d": {"$anchor": "here"}}, "properties": {"x": {"$ref": "#here"}}}, None),
        ({"$defs": {"d": {"$dynamicAnchor": "here"}}, "properties": {"x": {"$dynamicRef": "#here"}}}, None),
        ({"definitions": {"d": {"type": "int"}}, "properties": {"x": {"$ref": "#/definitions/d"}}}, None),
        ({"$defs": {"a/b": {}}, "properties": {"x": {"$ref": "#/$defs/a~1b"}}}, None),
        (
            {
                "$id": "http://example.org/a",
                "properties": {"x": {"$ref": "http://example.org/a#/properties/y"}, "y": {}},
            },
            None,
        ),
        ({"$defs": {"d": {"$id": "d.json"}}, "properties": {"x": {"$ref": "d.json"}}}, None),
        (
            {
                "components": {"schemas": {"d": {"type": "int"}}},
                "properties": {"x": {"$ref": "#/components/schemas/d"}},
            },
            None,
        ),
        ({"components": {"d": {"type": "path-ish"}}, "properties": {"x": {"$ref": "#/components/d"}}}, "unknown_type"),
        ({"$defs": {"n": {"properties": {"kids": {"items": {"$ref": "#/$defs/n"}}}}}, "$ref": "#/$defs/n"}, None),
        ({"properties": {"x": {"$ref": "#"}}}, None),
    ],
)
def test_references(schema: dict[str, Any], expected: str | None) -> None:
    assert schema_code(schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"properties": {"a": {}}, "required": ["b"]}, "undeclared_required"),
        ({"properties": {"x": {"properties": {"a": {}}, "required": ["b"]}}}, "undeclared_required"),
        ({"properties": {"a": {}}, "required": ["b"], "additionalProperties": False}, "undeclared_required"),
        ({"properties": {}, "required": ["b"]}, "undeclared_required"),
        ({"properties": {"a": {}}, "required": ["b"], "additionalProperties": True}, None),
        ({"properties": {"x": {"type": "object", "required": ["b"]}}}, None),
        ({"properties": {"a": {}}, "required": ["b"], "allOf": [{"properties": {"b": {}}}]}, None),
        ({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, None),
        ({"$defs": {"d": {"properties": {"b": {}}}}, "$ref": "#/$defs/d", "required": ["b"]}, None),
        ({"properties": {"a": {}}, "patternProperties": {"^b": {}}, "required": ["b1"]}, None),
    ],
)
def test_required_names_what_is_declared(schema: dict[str, Any], expected: str | None) -> None:
    assert schema_code(schema) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^(a+)+$", None),
        (r"^[\w.+-]+@[\w-]+\.\w+$", None),
        (r"^\u0041\/$", None),
        (r"^\p{L}+$", None),
        (r"^(?=.*\d).+$", "unsupported_pattern"),
        (r"(?<!a)b", "unsupported_pattern"),
        (r"(a)\1", "unsupported_pattern"),
        ("((a{900}){900}){900}", "unsupported_pattern"),
        (r"[\p{L}]{1,900}", "unsupported_pattern"),
        ("(", "unsupported_pattern"),
    ],
)
def test_patterns_are_what_re2_can_say(pattern: str, expected: str | None) -> None:
    assert schema_code({"properties": {"x": {"type": "string", "pattern": pattern}}}) == expected
    assert schema_code({"patternProperties": {pattern: {}}}) == expected


def test_many_patterns_have_a_limit_together() -> None:
    many = {f"p{size}": {"type": "string", "pattern": rf"\p{{L}}{{1,{size}}}"} for size in range(60, 100)}
    assert schema_code({"properties": many}) == "unsupported_pattern"


def test_deep_tools_are_too_large() -> None:
    deep: dict[str, Any] = {}
    for _ in range(20_000):
        deep = {"items": deep}
    assert read_menu([tool(inputSchema=deep)]) == Verdict("format", "too_large", "tools of more than 64 levels")


def test_many_schemas_are_too_large() -> None:
    read = read_menu([tool(inputSchema={"anyOf": [{}] * 300_000})])
    assert isinstance(read, Verdict)
    assert (read.check, read.code) == ("format", "too_large")


def test_too_many_schemas_before_a_tool_are_too_large_and_no_fault_of_ours() -> None:
    whole = {"properties": {f"p{n}": {"type": "integer"} for n in range(6_000)}}
    read = read_menu([tool(name=f"f{n}", inputSchema=whole) for n in range(4)])
    assert isinstance(read, Verdict)
    assert (read.check, read.code) == ("format", "too_large")


def test_data_that_a_reference_makes_a_schema_stays_as_it_was() -> None:
    schema = {"properties": {"x": {"$ref": "#/properties/y/default"}, "y": {"default": {"type": "INT"}}}}
    assert parameters(tool(inputSchema=schema))["properties"]["y"] == {"default": {"type": "INT"}}


def test_what_was_given_is_not_changed() -> None:
    given = [tool(parameters={"days": {"type": "int", "required": True}})]
    read_menu(given)
    assert given == [tool(parameters={"days": {"type": "int", "required": True}})]


SOUND = tool(parameters={"a": {"type": "int", "pattern": "^a"}})


@pytest.mark.parametrize(
    "tools",
    [
        [SOUND, tool(name="other")],
        [SOUND, SOUND],
        [SOUND, tool(name=" spaced ", parameters={"b": {"type": "Optional[int]"}})],
        [SOUND, tool(name="bad", parameters={"b": {"type": "colour"}})],
        [SOUND, {"name": ""}],
        [SOUND, tool(name="big", parameters={"a": {"default": 10**30}})],
        [SOUND, tool(name="nothing", parameters={"a": {"enum": [None, "null"]}})],
        [tool(name=f"t{n}", parameters={"a": {"pattern": "[a-z]{1,1000}" + str(n)}}) for n in range(400)],
    ],
)
def test_tools_known_by_their_text_make_the_menu_that_a_reading_of_all_makes(tools: Any) -> None:
    careful = menu_module._read(json.dumps(tools))
    for _ in range(2):
        quick = read_menu(tools)
        assert quick == (careful if isinstance(careful, Menu) else careful[0])
        if isinstance(quick, Menu) and isinstance(careful, Menu):
            assert quick.canonical == careful.canonical == canonical_bytes(careful.tools)
