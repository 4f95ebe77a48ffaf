"""RULES C: calls against a menu, the first cause by name."""

from typing import Any

import pytest

from data.records import Verdict
from verifiers.calls import check_calls
from verifiers.menu import Menu, read_menu

STRING, INTEGER = {"type": "string"}, {"type": "integer"}


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def menu(schema: Any) -> Menu:
    read = read_menu([{"name": "f", "inputSchema": schema}, {"name": "g", "inputSchema": obj(x=STRING)}])
    assert isinstance(read, Menu), read
    return read


def code(schema: Any, *arguments: Any) -> str | None:
    """What calls of `f` with these arguments, one after another, are refused with."""
    found = check_calls(menu(schema), [{"name": "f", "arguments": one} for one in arguments])
    if isinstance(found, Verdict):
        assert found.check == "calls"
        return found.code
    return None


def value_code(schema: Any, value: Any) -> str | None:
    """The same for one required argument of this schema."""
    return code({**obj(x=schema), "required": ["x"]}, {"x": value})


@pytest.mark.parametrize(
    "calls",
    [
        {"name": "f", "arguments": {"a": 1}},
        [{"name": "f", "arguments": {"a": 1}}],
        [{"name": "f", "arguments": '{"a": 1}'}],
        [{"name": " f ", "arguments": {"a": 1}, "id": "call_1", "type": "function"}],
        [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
    ],
)
def test_every_shape_of_a_call_has_one_normal_form(calls: Any) -> None:
    assert check_calls(menu(obj(a=INTEGER)), calls) == ({"name": "f", "arguments": {"a": 1}},)


@pytest.mark.parametrize("given", [{}, {"arguments": None}, {"arguments": ""}, {"arguments": "{}"}])
def test_absent_arguments_are_none(given: dict[str, Any]) -> None:
    assert check_calls(menu(obj()), [{"name": "f", **given}]) == ({"name": "f", "arguments": {}},)


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ("f", "not_a_list"),
        (None, "not_a_list"),
        (["f"], "bad_call"),
        ([{"arguments": {}}], "bad_call"),
        ([{"name": "f", "parameters": {"a": 1}}], "bad_call"),
        ([{"name": "f", "arguments": [1]}], "bad_call"),
        ([{"name": "f", "arguments": "{"}], "bad_call"),
        ([{"name": "f", "arguments": '{"a": 1, "a": 2}'}], "bad_call"),
        ([{"name": "f", "arguments": '"{}"'}], "bad_call"),
        ([], "no_calls"),
        ([{"name": "h"}], "unknown_tool"),
        ([{"name": "F"}], "unknown_tool"),
        ([{"name": "f", "arguments": {"a": "x"}}, {"name": "h"}], "unknown_tool"),
    ],
)
def test_calls_are_refused_by_name(calls: Any, expected: str) -> None:
    found = check_calls(menu(obj(a=INTEGER)), calls)
    assert isinstance(found, Verdict)
    assert (found.check, found.code) == ("calls", expected)


def test_no_calls_are_fine_for_who_proves_them() -> None:
    assert check_calls(menu(obj()), [], allow_none=True) == ()


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (INTEGER, 3, None),
        (INTEGER, 3.0, None),
        (INTEGER, 10**400, None),
        (INTEGER, 3.5, "wrong_type"),
        (INTEGER, "3", "wrong_type"),
        (INTEGER, True, "wrong_type"),
        (INTEGER, None, "wrong_type"),
        ({"type": "number"}, False, "wrong_type"),
        ({"type": "boolean"}, 1, "wrong_type"),
        ({"type": "boolean"}, "true", "wrong_type"),
        (STRING, 5, "wrong_type"),
        (STRING, None, "wrong_type"),
        ({"type": ["string", "null"]}, None, None),
        ({"type": "array", "items": INTEGER}, [1, "2"], "wrong_type"),
        ({"type": "array"}, {"a": 1}, "wrong_type"),
        ({"type": "object"}, [], "wrong_type"),
        ({"type": "object"}, {"anything": 1}, None),
        ({}, {"anything": [1, None]}, None),
        ({"enum": [1]}, True, "not_allowed"),
        ({"enum": [1]}, 1.0, None),
        ({"enum": [True]}, 1, "not_allowed"),
        ({"enum": [[1, {"a": 1}]]}, [1.0, {"a": 1}], None),
        ({"enum": [[1]]}, [True], "not_allowed"),
        ({"const": 0}, False, "not_allowed"),
        ({"const": {"a": 2**60}}, {"a": 2**60 + 1}, "not_allowed"),
        ({"type": "string", "enum": ["a"]}, "b", "not_allowed"),
        ({"type": "string", "enum": ["a"]}, 5, "wrong_type"),
        ({"type": "integer", "minimum": 1}, 0, "not_allowed"),
        ({"type": "number", "exclusiveMaximum": 1}, 1, "not_allowed"),
        ({"type": "number", "multipleOf": 0.01}, 19.99, None),
        ({"type": "number", "multipleOf": 0.1}, 0.35, "not_allowed"),
        ({"type": "number", "multipleOf": 1e-300}, 1e300, None),
        ({"type": "integer", "multipleOf": 3}, int("3" * 900), None),
        ({"type": "string", "minLength": 2}, "a", "not_allowed"),
        ({"type": "string", "maxLength": 1}, "\U0001f600", None),
        ({"type": "array", "uniqueItems": True}, [1, 1.0], "not_allowed"),
        ({"type": "array", "uniqueItems": True}, [1, True, "1", [1], {"1": 1}], None),
        ({"type": "array", "minItems": 1}, [], "not_allowed"),
        ({"type": "array", "contains": INTEGER}, ["a"], "not_allowed"),
        ({"type": "array", "prefixItems": [INTEGER, STRING]}, [1, 2], "wrong_type"),
        ({"type": "array", "prefixItems": [INTEGER], "items": False}, [1, 2], "not_allowed"),
        ({"type": "array", "prefixItems": [INTEGER], "unevaluatedItems": STRING}, [1, 2], "wrong_type"),
        ({"type": "string", "pattern": "b+"}, "abc", None),
        ({"type": "string", "pattern": "^b+$"}, "abc", "not_allowed"),
        ({"type": "string", "pattern": "^b$"}, "b\n", "not_allowed"),
        ({"type": "string", "pattern": "^(a+)+$"}, "a" * 100_000 + "!", "not_allowed"),
        ({"type": "object", "propertyNames": {"maxLength": 2}}, {"abc": 1}, "not_allowed"),
        ({"type": "object", "minProperties": 1}, {}, "not_allowed"),
        ({"type": "object", "dependentRequired": {"a": ["b"]}}, {"a": 1}, "missing_argument"),
        ({"type": "object", "additionalProperties": INTEGER}, {"a": "x"}, "wrong_type"),
        ({"type": "object", "patternProperties": {"^n": INTEGER}}, {"n1": "x"}, "wrong_type"),
        ({"not": STRING}, "x", "not_allowed"),
        (False, 1, "not_allowed"),
        ({"anyOf": [INTEGER, {"type": "null"}]}, "x", "wrong_type"),
        ({"oneOf": [INTEGER, {"type": "array", "items": INTEGER}]}, ["x"], "wrong_type"),
        ({"anyOf": [INTEGER, {"type": "string", "enum": ["auto"]}]}, "x", "not_allowed"),
        ({"anyOf": [{"anyOf": [INTEGER]}, {"allOf": [STRING]}]}, None, "wrong_type"),
        ({"oneOf": [{"type": "number"}, INTEGER]}, 3, "not_allowed"),
        ({"if": STRING, "then": {"minLength": 2}, "else": INTEGER}, "a", "not_allowed"),
        ({"if": STRING, "then": {"minLength": 2}, "else": INTEGER}, None, "wrong_type"),
    ],
)
def test_values(schema: Any, value: Any, expected: str | None) -> None:
    assert value_code(schema, value) == expected


@pytest.mark.parametrize(
    ("name", "value", "valid"),
    [
        ("date", "2026-03-05", True),
        ("date", "2024-02-29", True),
        ("date", "2026-02-29", False),
        ("date", "2026-3-5", False),
        ("date", "0000-02-29", True),
        ("date", "\u0662026-03-05", False),
        ("date-time", "2026-03-05T10:00:00Z", True),
        ("date-time", "2026-03-05t10:00:00.25+01:00", True),
        ("date-time", "2026-03-05T10:00:00", True),
        ("date-time", "2026-03-05T10:00", False),
        ("date-time", "2026-03-05", False),
        ("date-time", "2026-03-05 10:00:00Z", False),
        ("date-time", "2026-03-05T25:00:00Z", False),
        ("date-time", "2026-03-05T10:00:00+24:00", False),
        ("time", "10:00", True),
        ("time", "10:00Z", True),
        ("time", "10:00:00.5", True),
        ("time", "23:59:60Z", True),
        ("time", "15:59:60-08:00", True),
        ("time", "10:00:60Z", False),
        ("time", "10", False),
        ("time", "7:30", False),
        ("email", "nobody", True),
        ("uuid", "x", True),
    ],
)
def test_formats(name: str, value: str, valid: bool) -> None:
    assert value_code({"type": "string", "format": name}, value) == (None if valid else "not_allowed")


A, B = obj(a=INTEGER), obj(b=INTEGER)
NULL = {"type": "null"}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (A, {"a": 1, "z": 1}, "undeclared_argument"),
        (obj(o=A), {"o": {"z": 1}}, "undeclared_argument"),
        ({"type": "array", "items": A}, [{"a": 1}, {"z": 1}], "undeclared_argument"),
        ({"properties": {"a": INTEGER}}, {"z": 1}, "undeclared_argument"),
        ({**A, "additionalProperties": True}, {"z": 1}, None),
        ({**A, "unevaluatedProperties": True}, {"z": 1}, None),
        ({**A, "additionalProperties": False}, {"z": 1}, "undeclared_argument"),
        ({**A, "patternProperties": {"^z": {}}}, {"z": 1}, None),
        ({"allOf": [A, B]}, {"a": 1, "b": 2}, None),
        ({"allOf": [A, B]}, {"a": 1, "z": 2}, "undeclared_argument"),
        ({**A, "allOf": [B]}, {"a": 1, "b": 2}, None),
        ({**A, "allOf": [B]}, {"a": 1, "b": 2, "z": 3}, "undeclared_argument"),
        ({**A, "anyOf": [{**B, "required": ["b"]}, {"required": ["a"]}]}, {"a": 1, "b": 2}, None),
        ({"anyOf": [A, NULL]}, {"a": 1}, None),
        ({"anyOf": [A, NULL]}, {"z": 1}, "undeclared_argument"),
        ({"anyOf": [A, {"type": "object"}]}, {"z": 1}, None),
        ({"anyOf": [A, {}]}, {"z": 1}, None),
        ({"anyOf": [A, {"additionalProperties": INTEGER}]}, {"z": 1}, None),
        ({"if": {"required": ["a"]}, "then": A, "else": B}, {"b": 1}, None),
        ({"if": {"required": ["a"]}, "then": A, "else": B}, {"z": 1}, "undeclared_argument"),
        ({"not": {**obj(a=obj(b=STRING)), "required": ["a"]}}, {"a": {"b": "x", "z": 1}}, "not_allowed"),
        ({"type": "array", "contains": {**A, "required": ["a"]}}, [{"a": 1, "z": 2}], None),
        ({"dependentSchemas": {"a": B}, **A}, {"a": 1, "b": 2}, None),
        ({"dependentSchemas": {"a": B}, **A}, {"b": 2}, "undeclared_argument"),
    ],
)
def test_objects_are_closed_as_a_whole(schema: Any, value: Any, expected: str | None) -> None:
    assert value_code(schema, value) == expected


BASE = {"$defs": {"base": {**A, "required": ["a"]}}}


@pytest.mark.parametrize(
    ("use", "value", "expected"),
    [
        ({"$ref": "#/$defs/base"}, {"a": 1}, None),
        ({"$ref": "#/$defs/base"}, {"a": 1, "z": 1}, "undeclared_argument"),
        ({"$ref": "#/$defs/base"}, {"z": 1}, "missing_argument"),
        ({"allOf": [{"$ref": "#/$defs/base"}, B]}, {"a": 1, "b": 2}, None),
        ({"$ref": "#/$defs/base", "properties": {"b": INTEGER}}, {"a": 1, "b": 2}, None),
        ({"$ref": "#/$defs/base", "properties": {"b": INTEGER}}, {"a": 1, "z": 2}, "undeclared_argument"),
        ({"$ref": "#/$defs/base", "default": None}, None, None),
        ({"$ref": "#/$defs/base", "description": "x"}, {"a": "x"}, "wrong_type"),
    ],
)
def test_what_is_referred_to_is_closed_where_it_is_used(use: Any, value: Any, expected: str | None) -> None:
    assert code({**obj(x=use), **BASE}, {"x": value}) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"deep": {}, "z": 1, "n": "x", "m": 9}, "missing_argument"),
        ({"deep": {"must": 1, "z": 1}, "n": "x", "m": 9}, "undeclared_argument"),
        ({"deep": {"must": "x"}, "z": 1, "m": 9}, "undeclared_argument"),
        ({"deep": {"must": "x"}, "m": 9}, "wrong_type"),
        ({"deep": {"must": 1}, "m": 9}, "not_allowed"),
        ({"deep": {"must": 1}, "m": 1}, None),
    ],
)
def test_the_first_cause_is_by_rank_at_any_depth(arguments: Any, expected: str | None) -> None:
    deep = {**obj(must=INTEGER), "required": ["must"]}
    assert code(obj(m={"maximum": 5}, n=INTEGER, deep=deep), arguments) == expected


def test_a_branch_that_fails_is_the_cause_not_its_properties() -> None:
    union = {**A, "anyOf": [{**B, "required": ["b"]}, {**obj(c=STRING), "required": ["c"]}]}
    assert value_code(union, {"a": 1, "b": "x"}) == "not_allowed"


def test_the_first_bad_call_decides() -> None:
    assert code(obj(a=INTEGER), {"a": "x"}, {"z": 1}) == "wrong_type"


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "default": None}, None),
        ({"type": "integer", "default": "auto"}, "auto"),
        ({"type": "integer", "default": 3}, 3.0),
        ({"enum": ["a"], "default": "b"}, "b"),
        ({**A, "default": {"z": [1]}}, {"z": [1]}),
    ],
)
def test_a_declared_default_is_always_allowed(schema: Any, value: Any) -> None:
    assert value_code(schema, value) is None


def test_a_default_of_another_kind_is_not_the_value() -> None:
    assert value_code({"type": "boolean", "default": True}, 1) == "wrong_type"


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (INTEGER, "$var_1.id"),
        ({"type": "array", "items": A}, [{"a": "$var_1.list[0].id"}, "$var_1[2]"]),
        ({"enum": ["a"]}, "$var_1.x"),
        ({"type": "string", "format": "date"}, "$var_1.day"),
        ({"not": STRING}, "$var_1.x"),
        ({"oneOf": [INTEGER, STRING]}, "$var_1.x"),
        ({"oneOf": [obj(k={"const": "a"}), obj(k={"const": "b"})]}, {"k": "$var_1.kind"}),
        ({"if": obj(k={"const": "a"}), "then": {"required": ["m"]}, **obj(k=STRING, m=STRING)}, {"k": "$var_1.k"}),
        ({"type": "array", "contains": INTEGER, "maxContains": 1}, ["$var_1.x", "$var_1.y"]),
    ],
)
def test_a_reference_stands_for_any_value(schema: Any, value: Any) -> None:
    calls: Any = [{"name": "g", "arguments": {"x": "y"}}, {"name": "f", "arguments": {"x": value}}]
    assert check_calls(menu(obj(x=schema)), calls) == tuple(calls)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("$var_2.id", "bad_reference"),
        ("$var_3.id", "bad_reference"),
        ("$var_0.id", "bad_reference"),
        ("$var_" + "9" * 6_000 + ".id", "bad_reference"),
        (["$var_1.id", {"a": "$var_2[0]"}], "bad_reference"),
        ("$var_2", None),
        ("see $var_2.id", None),
        ("$var_x.id", None),
        ("$var_2.", None),
    ],
)
def test_a_reference_leads_to_an_earlier_call(value: Any, expected: str | None) -> None:
    calls: Any = [{"name": "g", "arguments": {"x": "y"}}, {"name": "f", "arguments": {"x": value}}]
    found = check_calls(menu(obj(x={})), calls)
    assert (found.code if isinstance(found, Verdict) else None) == expected


def test_a_reference_does_not_declare_an_argument() -> None:
    assert code(obj(a=INTEGER), {"a": 1}, {"z": "$var_1.x"}) == "undeclared_argument"


def test_what_looks_like_a_reference_without_path_is_a_text() -> None:
    assert code(obj(a=INTEGER), {"a": 1}, {"a": "$var_1"}) == "wrong_type"
