"""Determinacy: optional arguments are those that the question asks for, as far as its words tell."""

import pytest

from data.records import Json, JsonObject, Message
from verifiers.determinacy import determinacy_faults
from verifiers.menu import Menu, read_menu


def code(text: str, arguments: dict[str, Json], *options: tuple[str, Json], description: str = "Search.") -> str | None:
    """What determinacy says of a call of one tool: `query` is required, the options are not."""
    tool: Json = {
        "name": "search",
        "description": description,
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}, **dict(options)},
            "required": ["query"],
        },
    }
    menu = read_menu([tool])
    assert isinstance(menu, Menu)
    verdict = next(
        determinacy_faults(menu, ({"name": "search", "arguments": arguments},), (Message("user", text),)), None
    )
    return verdict.code if verdict else None


OWNER: Json = {"type": "boolean", "description": "Whether to include the owner's name."}


def test_an_option_that_is_true_without_a_word_of_it_is_unasked() -> None:
    text = "Please find the house for me."
    assert code(text, {"query": "house", "with_owner": True}, ("with_owner", OWNER)) == "unasked_argument"


@pytest.mark.parametrize(
    ("text", "value", "schema"),
    [
        ("Please find the house and its owners for me.", True, OWNER),
        ("Please find the house and the name of who has it.", True, OWNER),
        ("Please find the house for me.", False, OWNER),
        ("Please find the house for me.", True, {**OWNER, "default": True}),  # type: ignore[dict-item]
        ("Please find the house for me.", True, {"type": "boolean", "description": "Owner too. Default is true."}),
        ("Bitte finde das Haus samt Besitzer", True, OWNER),
        ("请找到房子和房主", True, OWNER),
    ],
)
def test_an_option_with_a_word_in_the_question_or_a_default_is_fine(text: str, value: bool, schema: Json) -> None:
    assert code(text, {"query": "house", "with_owner": value}, ("with_owner", schema)) is None


def test_an_option_that_has_no_words_of_its_own_is_fine() -> None:
    assert code("Please find the house for me.", {"query": "house", "all": True}, ("all", {"type": "boolean"})) is None


def test_a_true_argument_that_is_required_is_fine() -> None:
    menu = read_menu(
        [{"name": "act", "description": "", "parameters": {"owner": {"type": "boolean", "required": True}}}]
    )
    assert isinstance(menu, Menu)
    call: JsonObject = {"name": "act", "arguments": {"owner": True}}
    assert not [*determinacy_faults(menu, (call,), (Message("user", "Please do what is to be done."),))]


def test_an_optional_value_that_is_said_only_of_another_argument_is_unasked() -> None:
    arguments: dict[str, Json] = {"query": "Oslo", "region": "Oslo"}
    assert code("Find hotels in Oslo", arguments, ("region", {"type": "string"})) == "unasked_argument"


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("Find Oslo in Oslo", {"query": "Oslo", "region": "Oslo"}),
        ("Find Oslo, in the region of that name", {"query": "Oslo", "region": "Oslo"}),
        ("Find Oslo in Norway", {"query": "Oslo", "region": "Norway"}),
    ],
)
def test_an_optional_value_that_is_said_as_often_as_used_is_fine(text: str, arguments: dict[str, Json]) -> None:
    assert code(text, arguments, ("region", {"type": "string"})) is None


RATING: Json = {"type": "number", "description": "Least rating of a shop. Default is 3.5."}


def test_a_number_said_of_an_option_that_is_left_out_is_omitted() -> None:
    text = "Find shoes in a shop with a rating of 4.5"
    assert code(text, {"query": "shoes"}, ("min_rating", RATING)) == "omitted_argument"


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("Find shoes in a shop with a rating of 4.5", {"query": "shoes", "min_rating": 4.5}),
        ("Find shoes in a shop with a rating of 4.5", {"query": "rating of 4.5"}),
        ("Find shoes in a shop with a rating of 3.5", {"query": "shoes"}),
        ("Find shoes in a shop with a rating of 0", {"query": "shoes"}),
        ("Find shoes of size 45. What rating do they have?", {"query": "shoes"}),
        ("Find 1 pair, with a rating", {"query": "pair"}),
        ("Find 7 shoes by rating", {"query": "shoes"}),
    ],
)
def test_other_numbers_omit_nothing(text: str, arguments: dict[str, Json]) -> None:
    assert code(text, arguments, ("min_rating", RATING)) is None


def test_an_option_that_another_call_of_the_tool_gives_is_not_omitted() -> None:
    menu = read_menu([{"name": "act", "description": "", "parameters": {"query": {}, "rating": {"type": "number"}}}])
    assert isinstance(menu, Menu)
    one: JsonObject = {"name": "act", "arguments": {"query": "a", "rating": 2}}
    other: JsonObject = {"name": "act", "arguments": {"query": "b"}}
    asked = (Message("user", "a with a rating of 2, or a rating of 5, and b"),)
    assert not [*determinacy_faults(menu, (one, other), asked)]
