"""When two values are equal (RULES A2-A5, C6): a table for each rule, and the laws that hold for all values."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.answer import equal

NUMBER = {"type": "number"}
SET = {"type": "array", "uniqueItems": True}
WHEN = {"type": "string", "format": "date-time"}
TIME = {"type": "string", "format": "time"}


def both_ways(a: Any, b: Any, schema: Any = None) -> bool:
    forth, back = equal(a, b, schema), equal(b, a, schema)
    assert forth == back
    return forth


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (3, 3.0, True),
        (0, -0.0, True),
        (1500, 1.5e3, True),
        (0.1 + 0.2, 0.3, True),
        (1e-13, 0, True),
        (1e-11, 0, False),
        (1.0000000001, 1, True),
        (1.00000001, 1, False),
        (10**10, 10**10 + 1, False),
        (1e10, 1e10 + 1, False),
        (2**53, 2**53 + 1, False),
        (10**400, 10**400, True),
        (10**400, 0.5, False),
        (10**400, 1.7e308, False),
        (True, 1, False),
        (False, 0, False),
        (False, None, False),
        (0, None, False),
        ("3", 3, False),
        ("true", True, False),
        ("", None, False),
        ([], {}, False),
        ([True], [1], False),
        ({"a": [0]}, {"a": [False]}, False),
    ],
)
def test_numbers_are_compared_by_value_and_never_with_other_types(a: Any, b: Any, same: bool) -> None:
    assert both_ways(a, b) is same
    assert both_ways([{"x": a}], [{"x": b}]) is same


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("New York", " New York\n", True),
        ("New York", "\u00a0New York\u3000", True),
        ("Orl\u00e9ans", "Orle\u0301ans", True),
        ("New York", "New  York", False),
        ("Paris", "paris", False),
        ("ﬁ", "fi", False),
        ("a", "a\u200b", False),
        ("007", "7", False),
        ("2026-03-05T10:00:00Z", "2026-03-05T12:00:00+02:00", False),
        ("", "  ", True),
    ],
)
def test_strings_are_equal_in_nfc_without_outer_white_space(a: str, b: str, same: bool) -> None:
    assert both_ways(a, b, {"type": "string"}) is same


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("2026-03-05T10:00:00Z", "2026-03-05T12:00:00+02:00", True),
        ("2026-03-05T10:00:00Z", "2026-03-05t10:00:00z", True),
        ("2026-03-05T10:00:00Z", "2026-03-05T10:00:00-00:00", True),
        ("2026-03-05T10:00:00Z", "2026-03-05T10:00:00.000Z", True),
        ("2026-03-05T10:00:00.5Z", "2026-03-05T10:00:00.50Z", True),
        ("2026-03-01T00:30:00+01:00", "2026-02-28T23:30:00Z", True),
        ("0001-01-01T00:00:00+01:00", "0001-01-01T00:30:00+01:30", True),
        ("2026-03-05T10:00:00", "2026-03-05T10:00:00.0", True),
        ("2026-03-05T10:00:00.0000001Z", "2026-03-05T10:00:00Z", False),
        ("2026-03-05T10:00:00.05Z", "2026-03-05T10:00:00.5Z", False),
        ("2026-03-05T10:00:00Z", "2026-03-05T10:00:00", False),
        ("2026-03-05T10:00:00Z", "2026-03-05T10:00:00+02:00", False),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:59:60+01:00", True),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z", False),
        ("2026-02-30T10:00:00Z", "2026-03-02T10:00:00Z", False),
        ("2026-02-30T10:00:00Z", "2026-02-30T12:00:00+02:00", False),
        ("2026-03-05T25:00:00Z", "2026-03-06T01:00:00Z", False),
        ("2026-03-05T10:00Z", "2026-03-05T10:00:00Z", False),
        ("2026-03-05", "2026-03-05T00:00:00Z", False),
        ("tomorrow", "tomorrow ", True),
        ("tomorrow", "Tomorrow", False),
    ],
)
def test_date_times_are_equal_as_instants(a: str, b: str, same: bool) -> None:
    assert both_ways(a, b, WHEN) is same


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("10:00", "10:00:00", True),
        ("10:00:00.50", "10:00:00.5", True),
        ("10:00Z", "12:00+02:00", True),
        ("23:30-01:00", "00:30Z", True),
        ("10:00", "10:00Z", False),
        ("10:00", "22:00", False),
        ("10:00", "10.00", False),
        ("24:00", "00:00", False),
    ],
)
def test_times_are_equal_by_value(a: str, b: str, same: bool) -> None:
    assert both_ways(a, b, TIME) is same


@pytest.mark.parametrize(
    ("a", "b", "schema", "same"),
    [
        ([1, 2], [2, 1], {}, False),
        ([1, 2], [1, 2.0], {}, True),
        ([1], [1, 1], {}, False),
        ([1, 2], [2, 1], SET, True),
        (["a", "b"], [" b", "a"], SET, True),
        ([1, True], [True, 1.0], SET, True),
        ([1], [True], SET, False),
        ([1, 2], [1, 3], SET, False),
        ([], [], SET, True),
        ([], [1], SET, False),
        ([{"a": 1}, {"b": 2}], [{"b": 2}, {"a": 1}], SET, True),
        ([[1, 2]], [[2, 1]], SET, False),
        ([[1, 2]], [[2, 1]], {"items": SET}, True),
        ([1, [2, 3]], [1, [3, 2]], {"prefixItems": [NUMBER, SET]}, True),
        ([[2, 3], 1], [[3, 2], 1], {"prefixItems": [NUMBER], "items": SET}, False),
    ],
)
def test_arrays_are_in_order_unless_they_are_sets(a: Any, b: Any, schema: Any, same: bool) -> None:
    assert both_ways(a, b, schema) is same


UNIT = {"type": "object", "properties": {"unit": {"type": "string", "default": "c"}, "n": NUMBER}}
NOTE = {"type": "object", "properties": {"note": {"type": ["string", "null"], "default": None}}}
TREE = {"properties": {"child": {"$ref": "#", "default": {}}, "size": {"type": "integer", "default": 1}}}


@pytest.mark.parametrize(
    ("a", "b", "schema", "same"),
    [
        ({}, {"unit": "c"}, UNIT, True),
        ({}, {"unit": " c"}, UNIT, True),
        ({}, {"unit": "f"}, UNIT, False),
        ({"n": 1}, {"n": 1, "unit": "c"}, UNIT, True),
        ({}, {"n": 0}, UNIT, False),
        ({}, {"note": None}, NOTE, True),
        ({}, {"note": ""}, NOTE, False),
        ({"x": None}, {}, {}, False),
        ({}, {"place": {}}, {"properties": {"place": UNIT}}, False),
        ({"place": {}}, {"place": {"unit": "c"}}, {"properties": {"place": UNIT}}, True),
        ({}, {"place": {"unit": "c"}}, {"properties": {"place": {**UNIT, "default": {}}}}, True),
        ([{}], [{"unit": "c"}], {"items": UNIT}, True),
        ([1, {}], [1, {"unit": "c"}], {"prefixItems": [NUMBER, UNIT]}, True),
        ({"k": {}}, {"k": {"unit": "c"}}, {"additionalProperties": UNIT}, True),
        (
            {"p": {}},
            {"p": {"unit": "c"}},
            {"$defs": {"U n/t": UNIT}, "properties": {"p": {"$ref": "#/$defs/U%20n~1t"}}},
            True,
        ),
        ({}, {"unit": "c"}, {"allOf": [{}, UNIT]}, True),
        ({}, {"unit": "c"}, {"allOf": [{"allOf": [UNIT]}]}, True),
        ({"p": {}}, {"p": {"unit": "c"}}, {"properties": {"p": {"anyOf": [UNIT, {"type": "null"}]}}}, True),
        ({"p": None}, {"p": {"unit": "c"}}, {"properties": {"p": {"anyOf": [UNIT, {"type": "null"}]}}}, False),
        ({}, {"child": {}}, TREE, True),
        ({}, {"child": {"child": {"size": 1.0}}}, TREE, True),
        ({}, {"child": {"child": {"size": 2}}}, TREE, False),
        ({"a": 1}, {"a": 1}, {"$ref": "#"}, True),
        ({"a": 1}, {"a": 1}, {"properties": {"a": {"$ref": "#/nowhere"}}}, True),
        ({"a": 1}, {"a": 1}, {"properties": {"a": {"$ref": "https://example.org/x"}}}, True),
        ({"a": 1}, {"a": 1}, {"properties": {"a": True}}, True),
    ],
)
def test_defaults_complete_both_sides_at_every_depth(a: Any, b: Any, schema: Any, same: bool) -> None:
    assert both_ways(a, b, schema) is same


CIRCLE = {
    "type": "object",
    "properties": {"kind": {"const": "circle"}, "unit": {"default": "cm"}},
    "required": ["kind"],
}
SQUARE = {
    "type": "object",
    "properties": {"kind": {"const": "square"}, "unit": {"default": "in"}},
    "required": ["kind"],
}


@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
def test_the_only_branch_that_fits_gives_its_defaults(word: str) -> None:
    schema = {word: [CIRCLE, SQUARE]}
    assert both_ways({"kind": "circle"}, {"kind": "circle", "unit": "cm"}, schema)
    assert not both_ways({"kind": "circle"}, {"kind": "circle", "unit": "in"}, schema)
    assert both_ways("10:00", "10:00:00", {word: [TIME, {"type": "null"}]})


def test_branches_that_both_fit_fill_nothing_in() -> None:
    loose = {"anyOf": [{"properties": {"u": {"default": 1}}}, {"properties": {"u": {"default": 2}}}]}
    assert not both_ways({}, {"u": 1}, loose)
    assert not both_ways({}, {"u": 2}, loose)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.sampled_from(["", "a", " a", "1", "10:00Z"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abu"), inner, max_size=3),
    max_leaves=6,
)
SCHEMAS = st.recursive(
    st.sampled_from([True, {}, NUMBER, SET, WHEN, TIME, {"default": None}, {"default": 1}, {"$ref": "#"}]),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("abu"), inner, max_size=3),
            "items": inner,
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "additionalProperties": inner,
            "uniqueItems": st.booleans(),
            "default": st.sampled_from([None, 1, {}, []]),
        },
    ),
    max_leaves=6,
)


@given(VALUES, SCHEMAS)
def test_equality_is_reflexive(value: Any, schema: Any) -> None:
    assert equal(value, value, schema)


@given(VALUES, VALUES, SCHEMAS)
def test_equality_is_symmetric(a: Any, b: Any, schema: Any) -> None:
    assert equal(a, b, schema) == equal(b, a, schema)


@given(st.sampled_from([None, 0, "", False, [], {}, 7, "x"]), st.sampled_from([None, 0, "", False, [], {}, 7, "x"]))
def test_null_default_and_absent_are_one_only_where_null_is_the_default(default: Any, value: Any) -> None:
    schema = {"properties": {"a": {"default": default}}}
    assert both_ways({}, {"a": value}, schema) is equal(value, default)
    assert both_ways({}, {"a": value}, {"properties": {"a": {}}}) is False
