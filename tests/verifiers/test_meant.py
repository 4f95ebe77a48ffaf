"""Grounding: a said value stands in the argument that it is said of, as far as the text labels it."""

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.records import Json, JsonObject, Message, Verdict
from verifiers import meant
from verifiers.grounding import check_grounding
from verifiers.meant import meant_faults
from verifiers.menu import Menu, read_menu
from verifiers.said import Said


def verdict(text: str, *calls: dict[str, Json], required: tuple[str, ...] = ()) -> str | None:
    """The code of check grounding for calls of one tool that declares all their arguments."""
    names: dict[str, Json] = {name: {} for call in calls for name in call}
    schema: Json = {"type": "object", "properties": names, "required": list(required)}
    menu = read_menu([{"name": "act", "description": "", "parameters": schema}])
    assert isinstance(menu, Menu)
    found = check_grounding(menu, tuple({"name": "act", "arguments": call} for call in calls), (Message("user", text),))
    assert found is None or isinstance(found, Verdict)
    return found.code if found else None


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("a triangle with base 10 and height 5", {"base": 5, "height": 10}),
        ("a triangle of height 5.5 cm and a base of 10 cm", {"base": 5.5, "height": 10}),
        ("the title is Dune, the author is Herbert", {"author": "Dune", "title": "Herbert"}),
        ("pay the principal of $5,000 at a rate of 3%", {"principal_amount": 3, "interest_rate": 5000}),
        ("fly from Paris to Lima", {"origin": "Lima", "destination": "Paris"}),
        ("fly to Lima from Paris", {"startCity": "Lima", "endCity": "Paris"}),
        ("rename it from docs to papers", {"old_name": "papers", "new_name": "docs"}),
        ("plot it from 2 to 7", {"start": 7, "end": 2}),
    ],
)
def test_values_that_are_said_of_each_other_are_exchanged(text: str, arguments: dict[str, Json]) -> None:
    assert verdict(text, arguments) == "exchanged_values"


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("a triangle with base 10 and height 5", {"base": 10, "height": 5}),
        ("a triangle with height and base of 10 and 5", {"base": 5, "height": 10}),
        ("a triangle of 10 base and 5 height", {"base": 10, "height": 5}),
        ("base and height as 6 and 10", {"base": 6, "height": 10}),
        ("3 bedrooms, 2 bathrooms", {"bedrooms": 3, "bathrooms": 2}),
        ("fly from Paris to Lima", {"origin": "Paris", "destination": "Lima"}),
        ("fly to Lima from Paris", {"from": "Paris", "to": "Lima"}),
        ("between Lima and Paris", {"start": "Paris", "end": "Lima"}),
        ("of the base: 10. Of the height. 5", {"base": 5, "height": 10}),
        ("base 5 or height 5, no, base 10", {"base": 10, "height": 5}),
        ("底边是10,高是5", {"base": 5, "height": 10}),
        ("title Dune, pages 412", {"title": "Dune", "pages": 412}),
    ],
)
def test_other_values_are_not_refused(text: str, arguments: dict[str, Json]) -> None:
    assert verdict(text, arguments) is None


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("a triangle with base 10 and height 5", {"base": 5, "height": 5}),
        ("a triangle with base 10 and height 5", {"base": 10, "height": 10}),
        ("the speed is 3 and the time is 7 s", {"speed": 7, "time": 7}),
    ],
)
def test_a_number_said_of_one_argument_is_overused_by_another(text: str, arguments: dict[str, Json]) -> None:
    assert verdict(text, arguments) == "overused_value"


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("a square with side 5", {"width": 5, "height": 5}),
        ("width and height of 5, rounded to 2 digits", {"width": 5, "height": 5}),
        ("width 5 and height 5, rounded to 2 digits", {"width": 5, "height": 5}),
        ("both width and its height are 5, to 2 digits", {"width": 5, "height": 5}),
        ("a width of 5, the height the same, to 3 digits", {"width": 5, "height": 5}),
        ("2 resistors, resistance 10", {"resistance1": 10, "r2": 10}),
        ("a cube of 3 m, to 2 digits", {"length": 3, "width": 3, "height": 3}),
        ("width 5 and depth 7, the height is as wide", {"width": 5, "height": 5, "depth": 7}),
    ],
)
def test_a_number_may_be_said_of_several_arguments(text: str, arguments: dict[str, Json]) -> None:
    assert verdict(text, arguments) is None


def test_a_number_that_another_call_uses_is_not_unused() -> None:
    assert verdict("width 5, then width 7", {"width": 5, "height": 5}, {"width": 7, "height": 7}) is None


def test_the_verdict_names_both_arguments() -> None:
    menu = read_menu([{"name": "act", "description": "", "parameters": {"base": {}, "height": {}}}])
    assert isinstance(menu, Menu)
    call: JsonObject = {"name": "act", "arguments": {"base": 5, "height": 10}}
    assert check_grounding(menu, (call,), (Message("user", "base 10, height 5"),)) == Verdict(
        "grounding", "exchanged_values", "call 1: base = 5 and height = 10 are said the other way round"
    )


@pytest.mark.parametrize("piece", ["base 10 height 5 ", "from to ", "1,", "5.", "a_", "\u7bc95", "(", "base "])
def test_a_megabyte_of_anything_gets_its_verdict(piece: str) -> None:
    text = piece * (1_000_000 // len(piece.encode()))
    assert verdict(text + " base 7919 height 5387", {"base": 7919, "height": 5387, "start": "to", "end": "from"}) in (
        *(None, "ungrounded", "exchanged_values"),
    )


NAMES = (
    "base",
    "height",
    "from_city",
    "toCity",
    "origin",
    "destination",
    "old_name",
    "new_name",
    "base_height",
    "adults",
)
VALUES = (5, 5.0, 12, 0.5, True, "Paris", "New York", "docs", "")
TEXTS: tuple[str, ...] = (
    "base",
    "height",
    "heights",
    "from",
    "to",
    "city",
    "origin",
    "old",
    "new",
    "name",
    "adult",
    "five",
    "and",
    "both",
)
TEXTS += (".", "of", "5", "12", "0.5", "Paris", "New York", "docs", "7", "2026-03-05")


@given(
    st.lists(st.sampled_from(TEXTS), max_size=14).map(" ".join),
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), min_size=2, max_size=4),
)
def test_what_a_cheap_look_spares_has_no_fault(text: str, arguments: dict[str, Json]) -> None:
    calls: tuple[JsonObject, ...] = ({"name": "act", "arguments": arguments},)
    said = Said((Message("user", text),))
    with patch.object(meant, "_may_tell", lambda *asked: True):
        careful = list(meant_faults(calls, said))
    assert list(meant_faults(calls, said)) == careful
