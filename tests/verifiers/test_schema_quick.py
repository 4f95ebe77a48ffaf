"""The quick test of arguments says yes to nothing that the engine refuses, and yes to what is common."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifiers.menu import Menu, read_menu

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 40), st.sampled_from([0.0, 1.0, 0.5]),
    st.sampled_from(["", "a", "ab", "$var_1.a", "$var_x", "2026-03-05", "aaaaaaaaa"]),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
)
TYPES = st.sampled_from(["array", "boolean", "integer", "null", "number", "object", "string"])
PLAIN = st.fixed_dictionaries(
    {},
    optional={
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
        "enum": st.lists(SCALARS, min_size=1, max_size=3),
        "const": VALUES,
        "default": SCALARS,
        "minimum": st.integers(-1, 2),
        "exclusiveMaximum": st.integers(0, 3),
        "minLength": st.integers(0, 2),
        "pattern": st.sampled_from(["^a", "b$"]),
        "format": st.sampled_from(["date", "uuid"]),
        "maxItems": st.integers(0, 2),
        "uniqueItems": st.booleans(),
        "anyOf": st.lists(st.sampled_from([{"type": "string"}, {"type": "integer"}]), min_size=1, max_size=2),
    },
)
SCHEMAS = st.recursive(
    PLAIN,
    lambda inner: st.fixed_dictionaries(
        {"type": st.sampled_from(["object", "array", ["object", "null"]])},
        optional={
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "items": inner,
            "additionalProperties": st.booleans() | inner,
            "required": st.lists(NAMES, max_size=1),
            "$ref": st.just("#"),
        },
    ),
    max_leaves=6,
)


def menu_of(schema: Any) -> Menu | None:
    parameters: Any = {"type": "object", "properties": {"value": schema}}
    menu = read_menu([{"name": "t", "description": "", "parameters": parameters}])
    return menu if isinstance(menu, Menu) else None


@settings(max_examples=400)
@given(SCHEMAS, st.lists(VALUES, min_size=1, max_size=4))
def test_a_yes_is_one_of_the_engine_too(schema: Any, values: list[Any]) -> None:
    menu = menu_of(schema)
    for value in values if menu else ():
        arguments = {"value": value}
        if menu and menu.validator("t").accepts(arguments):
            assert "$var_1.a" not in repr(value)
            assert menu.validator("t").first_cause(arguments) is None


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "Paris"),
        ({"type": "integer", "minimum": 1}, 3),
        ({"type": "float"}, 2),
        ({"type": "string", "enum": ["celsius", "kelvin"]}, "kelvin"),
        ({"type": ["string", "null"]}, None),
        ({"type": "array", "items": {"type": "integer"}}, [1, 2, 3]),
        ({"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}, {"a": True}),
        ({"type": "object"}, {"any": ["thing"]}),
        ({"type": "date"}, "2026-03-05"),
    ],
)
def test_what_is_common_gets_a_yes(schema: Any, value: Any) -> None:
    menu = menu_of(schema)
    assert menu
    assert menu.validator("t").accepts({"value": value})


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, True),
        ({"type": "boolean"}, 1),
        ({"type": "number", "enum": [1, 2]}, True),
        ({"enum": [True]}, 1),
        ({"type": "string"}, "$var_1.name"),
        ({"type": "object"}, {"a": ["$var_1.name"]}),
        ({"type": "object", "properties": {"a": {}}}, {"b": 1}),
        ({"anyOf": [{"type": "string"}]}, "a"),
        ({"type": "array"}, [0] * 33),
    ],
)
def test_what_is_wrong_or_not_plain_is_left_to_the_engine(schema: Any, value: Any) -> None:
    menu = menu_of(schema)
    assert menu
    assert not menu.validator("t").accepts({"value": value})


def test_a_schema_that_could_exhaust_the_engine_is_left_to_it() -> None:
    schema: Any = {"type": "integer"}
    for _ in range(5):
        schema = {"type": "array", "items": schema}
    menu = menu_of(schema)
    assert menu
    assert not menu.validator("t").accepts({"value": [[[[[1]]]]]})
