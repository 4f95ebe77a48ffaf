"""The engine against `jsonschema` itself, and on what is made to be slow."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from data.records import Verdict
from verifiers.calls import check_calls
from verifiers.menu import Menu, read_menu

NAMES = st.sampled_from("abc")
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 3), st.sampled_from([0.0, 1.0, 0.5]), st.sampled_from(["", "a", "ab"])
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
)
TYPES = st.sampled_from(["array", "boolean", "integer", "null", "number", "object", "string"])
LEAVES = st.one_of(
    st.booleans(),
    st.sampled_from([{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]),
    st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
            "enum": st.lists(VALUES.filter(lambda value: isinstance(value, list | dict)) | SCALARS, max_size=3).filter(
                lambda values: not values or any(isinstance(value, list | dict) for value in values)
            ),
            "const": VALUES,
            "minimum": st.integers(-1, 2),
            "exclusiveMaximum": st.integers(0, 3),
            "multipleOf": st.sampled_from([1, 2, 0.5]),
            "minLength": st.integers(0, 2),
            "pattern": st.sampled_from(["^a", "b$", ""]),
            "uniqueItems": st.booleans(),
            "maxItems": st.integers(0, 2),
            "required": st.lists(NAMES, max_size=2, unique=True),
            "maxProperties": st.integers(0, 2),
            "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2, unique=True), max_size=2),
        },
    ),
)


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(NAMES, inner, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "properties": named,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "[bc]"]), inner, max_size=2),
            "additionalProperties": inner,
            "unevaluatedProperties": inner,
            "propertyNames": inner,
            "dependentSchemas": named,
            "prefixItems": some,
            "items": inner,
            "unevaluatedItems": inner,
            "contains": inner,
            "minContains": st.integers(0, 2),
            "maxContains": st.integers(0, 2),
            "allOf": some,
            "anyOf": some,
            "oneOf": some,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
        },
    )


SCHEMAS = st.recursive(LEAVES, _schemas, max_leaves=8)


def fits(schema: Any, value: Any) -> bool | None:
    """What the engine says of one argument; None where the menu is refused."""
    menu = read_menu([{"name": "f", "inputSchema": schema}])
    if not isinstance(menu, Menu):
        return None
    return not isinstance(check_calls(menu, [{"name": "f", "arguments": {"x": value}}]), Verdict)


@settings(max_examples=400, deadline=None)
@given(schema=SCHEMAS, first=SCHEMAS, second=SCHEMAS, value=VALUES)
def test_a_value_fits_where_jsonschema_says_so(schema: Any, first: Any, second: Any, value: Any) -> None:
    # Under `not` nothing is closed, so that plain JSON Schema is compared.
    whole = {"type": "object", "properties": {"x": {"not": {"not": schema}}}, "$defs": {"a": first, "b": second}}
    found = fits(whole, value)
    if found is not None:
        assert found == Draft202012Validator(whole).is_valid({"x": value})


@settings(max_examples=200, deadline=None)
@given(value=VALUES, other=VALUES)
def test_equality_is_that_of_jsonschema(value: Any, other: Any) -> None:
    schema = {"type": "object", "properties": {"x": {"const": other}}}
    assert fits(schema, value) == Draft202012Validator(schema).is_valid({"x": value})


def chain(keyword: str, length: int, last: Any) -> dict[str, Any]:
    """`length` definitions that each refer to the next one twice, under a combinator."""
    refs = [{keyword: [{"$ref": f"#/$defs/a{at + 1}"}] * 2} for at in range(length)]
    defs = {**{f"a{at}": ref for at, ref in enumerate(refs)}, f"a{length}": last}
    return {"type": "object", "properties": {"x": {"$ref": "#/$defs/a0"}}, "$defs": defs}


@pytest.mark.parametrize("keyword", ["allOf", "anyOf"])
def test_references_that_double_have_the_verdict_of_what_they_say(keyword: str) -> None:
    schema = chain(keyword, 50, {"type": "object", "properties": {"k": {"type": "string"}}})
    assert fits(schema, {"k": "s"}) is True
    assert fits(schema, {"k": 1}) is False
    assert fits(schema, {"k": "s", "z": 1}) is False


def test_alternatives_that_double_and_exclude_each_other_never_fit() -> None:
    assert fits(chain("oneOf", 50, {"type": "string"}), "s") is False


def test_long_chains_of_references_are_followed() -> None:
    defs: dict[str, Any] = {f"a{at}": {"$ref": f"#/$defs/a{at + 1}"} for at in range(3_000)}
    schema = {"properties": {"x": {"$ref": "#/$defs/a0"}}, "$defs": {**defs, "a3000": {"type": "string"}}}
    assert fits(schema, "s") is True


def test_unevaluated_properties_at_every_depth_do_not_double() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {}}}
    for _ in range(25):
        schema = {"unevaluatedProperties": False, "allOf": [schema]}
    assert fits({"properties": {"x": schema}}, {"a": 1}) is True
    assert fits({"properties": {"x": schema}}, {"b": 1}) is False


def test_recursive_trees_are_checked_to_the_bottom() -> None:
    node = {"type": "object", "properties": {"v": {"type": "integer"}, "kids": {"type": "array", "items": {}}}}
    node["properties"]["kids"]["items"] = {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}  # type: ignore[index]
    schema = {"properties": {"x": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}

    def tree(leaf: Any) -> Any:
        value = {"v": leaf}
        for _ in range(27):
            value = {"v": 1, "kids": [value]}
        return value

    assert fits(schema, tree(1)) is True
    assert fits(schema, tree("1")) is False


def test_work_has_a_limit() -> None:
    items = {"anyOf": [{"const": at} for at in range(10_000)]}
    menu = read_menu([{"name": "f", "inputSchema": {"properties": {"x": {"items": items}}}}])
    assert isinstance(menu, Menu)
    found = check_calls(menu, [{"name": "f", "arguments": {"x": list(range(9_000, 10_000))}}])
    assert isinstance(found, Verdict)
    assert "takes too long" in found.detail
