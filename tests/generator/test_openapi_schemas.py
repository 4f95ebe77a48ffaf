"""Schemas of documents stand alone as JSON Schema: references, `allOf`, `nullable`, unions, recursion, files."""

import json
from typing import Any

import pytest

from data.errors import UsageError
from data.records import Json, JsonObject
from tests.generator.openapi_cases import left_out, parameters, sending, taking, usable
from verifiers.menu import Menu, read_menu

TEXT: JsonObject = {"type": "string"}
NUMBER: JsonObject = {"type": "integer"}


def schemas(**named: Json) -> dict[str, Any]:
    return {"components": {"schemas": named}}


def ref(name: str) -> dict[str, Json]:
    return {"$ref": f"#/components/schemas/{name}"}


def of_q(schema: Json, **more: Json) -> Any:
    return parameters(taking(schema, **more))["properties"]["q"]


@pytest.mark.parametrize(
    ("schema", "read"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"type": "string", "nullable": True, "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"nullable": True, "oneOf": [TEXT, NUMBER]}, {"anyOf": [{"oneOf": [TEXT, NUMBER]}, {"type": "null"}]}),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, {"type": "integer", "exclusiveMinimum": 1}),
        ({"type": "integer", "maximum": 9, "exclusiveMaximum": False}, {"type": "integer", "maximum": 9}),
        ({"type": "integer", "exclusiveMaximum": 9}, {"type": "integer", "exclusiveMaximum": 9}),
        ({"type": "string", "example": "a"}, {"type": "string", "examples": ["a"]}),
        ({"type": "string", "x-go-name": "Q", "title": "Q", "xml": {}, "externalDocs": {}}, {"type": "string"}),
        ({"properties": {"a": TEXT}}, {"type": "object", "properties": {"a": TEXT}}),
        ({"items": TEXT}, {"type": "array", "items": TEXT}),
        (True, True),
        ({}, {}),
    ],
)
def test_openapi_is_said_in_json_schema(schema: Json, read: Json) -> None:
    assert of_q(schema) == read


def test_references_are_resolved_through_one_another() -> None:
    assert of_q(ref("A"), **schemas(A=ref("B"), B={"type": "string", "maxLength": 3})) == {
        "type": "string",
        "maxLength": 3,
    }


def test_what_stands_beside_a_reference_counts() -> None:
    read = of_q({**ref("A"), "description": "Mine."}, **schemas(A={"type": "string", "description": "Its."}))
    assert read == {"type": "string", "description": "Mine."}


@pytest.mark.parametrize("pointer", ["#/components/schemas/a~1b%20~0c", "#/components/schemas/a~1b ~0c"])
def test_pointers_are_unescaped(pointer: str) -> None:
    assert of_q({"$ref": pointer}, **schemas(**{"a/b ~c": TEXT})) == TEXT


def test_a_property_may_be_called_like_a_keyword() -> None:
    inner: JsonObject = dict.fromkeys(("$ref", "allOf", "example", "nullable", "readOnly", "type", "xml"), TEXT)
    assert of_q({"type": "object", "properties": inner})["properties"] == inner


@pytest.mark.parametrize(
    ("branches", "joined"),
    [
        (
            [
                {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
                {"properties": {"b": NUMBER}, "required": ["b"]},
            ],
            {"type": "object", "properties": {"a": TEXT, "b": NUMBER}, "required": ["a", "b"]},
        ),
        (
            [{"properties": {"a": {"minLength": 1}}}, {"properties": {"a": {"minLength": 2}}}],
            {"type": "object", "properties": {"a": {"minLength": 2}}},
        ),
        ([{"maximum": 9}, {"maximum": 5, "minimum": 1}], {"maximum": 5, "minimum": 1}),
        ([{"type": "number"}, {"type": "integer"}], {"type": "integer"}),
        ([{"enum": ["a", "b"]}, {"enum": ["b", "c"]}], {"enum": ["b"]}),
        ([{"enum": [1, True]}, {"enum": [True]}], {"enum": [True]}),
        ([{"pattern": "a"}, {"pattern": "b"}], {"pattern": "a", "allOf": [{"pattern": "b"}]}),
        ([{"type": "string"}, {"type": "integer"}], {"type": "string", "allOf": [{"type": "integer"}]}),
        (
            [
                {"type": "object", "properties": {"a": TEXT}, "additionalProperties": False},
                {"type": "object", "properties": {"b": TEXT}, "additionalProperties": False},
            ],
            {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "additionalProperties": False},
        ),
    ],
)  # fmt: skip
def test_all_of_is_joined_where_one_schema_says_the_same(branches: Json, joined: Json) -> None:
    assert of_q({"allOf": branches}) == joined


def test_a_schema_that_contains_itself_stands_once() -> None:
    tree: JsonObject = {"type": "object", "properties": {"v": NUMBER, "kids": {"type": "array", "items": ref("Tree")}}}
    listed = sending(ref("Tree"), **schemas(Tree=tree))
    inner = {"$ref": "#/$defs/Tree"}
    defined = {"type": "object", "properties": {"v": NUMBER, "kids": {"type": "array", "items": inner}}}
    assert parameters(listed) == {**defined, "$defs": {"Tree": defined}}
    menu = read_menu(list(listed.tools))
    assert isinstance(menu, Menu)
    check = menu.validator("op")
    assert check.first_cause({"v": 1, "kids": [{"v": 2, "kids": [{"v": 3}]}]}) is None
    assert check.first_cause({"v": 1, "kids": [{"v": 2, "kids": [{"v": "3"}]}]}) is not None


def test_schemas_that_contain_each_other_are_usable() -> None:
    one: JsonObject = {"type": "object", "properties": {"x": ref("Other")}}
    other: JsonObject = {"type": "object", "properties": {"x": ref("One")}}
    listed = sending(
        {"type": "object", "properties": {"a": ref("One"), "b": ref("Other")}}, **schemas(One=one, Other=other)
    )
    (entry,) = usable(listed).entries
    menu = read_menu([entry.tool])
    assert isinstance(menu, Menu)
    assert menu.validator("op").first_cause({"a": {"x": {"x": {}}}, "b": {"x": {"x": {"x": {}}}}}) is None
    assert menu.validator("op").first_cause({"b": {"x": {"y": {}}}}) is not None


@pytest.mark.parametrize(
    "named",
    [
        {"A": {"$ref": "#/components/schemas/A"}},
        {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}},
        {"A": {"allOf": [{"$ref": "#/components/schemas/A"}]}},
        {"A": {"oneOf": [{"$ref": "#/components/schemas/A"}, {"type": "string"}]}},
    ],
)
def test_a_circle_that_consumes_nothing_is_named(named: dict[str, Json]) -> None:
    listed = taking(ref("A"), **schemas(**named))
    with pytest.raises(UsageError, match="ref_cycle"):
        usable(listed)


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("common.yaml#/Q", "external_ref"),
        ("http://127.0.0.1:9/schema.json", "external_ref"),
        ("file:///etc/passwd", "external_ref"),
        ("//host/x#/y", "external_ref"),
        ("", "external_ref"),
        ("#/components/schemas/None", "dangling_ref"),
        ("#anchor", "dangling_ref"),
        ("#/paths/~1op/get/parameters/7", "dangling_ref"),
    ],
)
def test_an_operation_whose_reference_leads_nowhere_here_is_named(reference: str, code: str) -> None:
    with pytest.raises(UsageError, match="op: ") as caught:
        taking({"type": "object", "properties": {"a": {"$ref": reference}}})
    assert ("nothing is fetched" in str(caught.value)) == (code == "external_ref")


@pytest.mark.parametrize("width", [1, 10])
@pytest.mark.parametrize("keyword", ["properties", "allOf", "anyOf"])
def test_references_that_multiply_are_bounded(keyword: str, width: int) -> None:
    def level(n: int) -> JsonObject:
        inner = ref(f"S{n + 1}")
        return {keyword: {f"p{at}": inner for at in range(width)} if keyword == "properties" else [inner] * width}

    with pytest.raises(UsageError, match=r"op: its schemas nest|op: it takes more than"):
        taking(ref("S0"), **schemas(**{f"S{n}": level(n) for n in range(200)}, S200=TEXT))


def test_a_discriminator_tells_the_branches_apart() -> None:
    base: JsonObject = {"type": "object", "properties": {"kind": TEXT}, "required": ["kind"]}
    cat: JsonObject = {"allOf": [ref("Base"), {"type": "object", "properties": {"lives": NUMBER}}]}
    dog: JsonObject = {"allOf": [ref("Base"), {"type": "object", "properties": {"bark": {"type": "boolean"}}}]}
    mapping: JsonObject = {"kitty": "#/components/schemas/Cat"}
    union: JsonObject = {
        "oneOf": [ref("Cat"), ref("Dog")], "discriminator": {"propertyName": "kind", "mapping": mapping}
    }  # fmt: skip
    (entry,) = usable(sending(union, **schemas(Base=base, Cat=cat, Dog=dog))).entries
    menu = read_menu([entry.tool])
    assert isinstance(menu, Menu)
    check = menu.validator("op")
    assert check.first_cause({"body": {"kind": "kitty"}}) is None
    assert check.first_cause({"body": {"kind": "Dog", "bark": True}}) is None
    assert check.first_cause({"body": {"kind": "Dog", "lives": 3}}) is not None
    assert check.first_cause({"body": {"kind": "Cat"}}) is not None


def test_read_only_properties_are_not_sent() -> None:
    shared = schemas(Id={"type": "string", "readOnly": True})
    inner: JsonObject = {"id": ref("Id"), "at": {"type": "string", "readOnly": True}, "name": TEXT}
    deep: JsonObject = {"type": "object", "properties": inner, "required": ["id", "name"]}
    read = parameters(sending({"allOf": [deep, {"properties": {"deep": deep}}]}, **shared))
    kept = {"type": "object", "properties": {"name": TEXT}, "required": ["name"]}
    assert read == {**kept, "properties": {"name": TEXT, "deep": kept}}


def test_a_file_that_may_be_left_out_is_named_and_the_tool_does_without() -> None:
    photo: JsonObject = {"type": "string", "format": "binary"}
    pages: JsonObject = {"type": "array", "items": photo}
    body: JsonObject = {"type": "object", "properties": {"note": TEXT, "photo": photo, "pages": pages}}
    listed = sending(body, kind="multipart/form-data")
    assert list(parameters(listed)["properties"]) == ["note"]
    assert left_out(listed) == {"op: photo": "file", "op: pages": "file"}


@pytest.mark.parametrize("schema", [{"type": "string", "format": "binary"}, None], ids=["binary", "no schema"])
def test_an_operation_that_takes_a_file_is_no_tool(schema: Json) -> None:
    with pytest.raises(UsageError, match="op: it takes a file"):
        sending(schema, kind="application/octet-stream")


def test_a_long_description_ends_with_a_sentence() -> None:
    read = of_q({"type": "string", "description": "One is  short.\n" + "Two is long. " * 60 + "\n\nThree."})
    assert len(read["description"]) <= 300
    assert read["description"].startswith("One is short. Two is long.")
    assert read["description"].endswith("long.")


def test_values_of_examples_are_kept_as_they_are() -> None:
    value: Json = {"$ref": "#/nowhere", "nullable": True}
    assert of_q({"type": "object", "example": value})["examples"] == [value]
    assert json.dumps(of_q({"type": "object", "default": value})["default"]) == json.dumps(value)
