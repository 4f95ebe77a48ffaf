"""Determinacy: no uncalled tool that takes the same arguments fits the question in more words of its own."""

import pytest

from data.records import Json, JsonObject, Message
from verifiers.determinacy import determinacy_faults
from verifiers.menu import Menu, read_menu

COUNTRY: Json = {"type": "object", "properties": {"country": {"type": "string"}}, "required": ["country"]}
CAPITAL: Json = {"name": "capital", "description": "Capital city of a country.", "parameters": COUNTRY}
LARGEST: Json = {"name": "largest_city", "description": "Largest city of a country.", "parameters": COUNTRY}
ON: Json = {"name": "light_on", "description": "Turn a light on.", "parameters": {"room": {"type": "string"}}}
OFF: Json = {"name": "light_off", "description": "Turn a light off.", "parameters": {"room": {"type": "string"}}}


def code(messages: str | tuple[Message, ...], name: str, arguments: Json, *tools: Json) -> str | None:
    menu = read_menu(list(tools))
    assert isinstance(menu, Menu)
    turns = (Message("user", messages),) if isinstance(messages, str) else messages
    verdict = next(determinacy_faults(menu, ({"name": name, "arguments": arguments},), turns), None)
    return verdict.code if verdict else None


def test_a_tool_that_the_question_names_in_more_words_is_better() -> None:
    assert code("What is the capital of Peru?", "largest_city", {"country": "Peru"}, CAPITAL, LARGEST) == "better_tool"


@pytest.mark.parametrize(
    ("text", "name", "arguments", "tools"),
    [
        ("What is the capital of Peru?", "capital", {"country": "Peru"}, (CAPITAL, LARGEST)),
        ("Lima belongs to which land: Peru?", "capital", {"country": "Peru"}, (CAPITAL, LARGEST)),
        ("Turn the light in the kitchen on.", "light_on", {"room": "kitchen"}, (ON, OFF)),
        ("It is dark in the kitchen.", "light_on", {"room": "kitchen"}, (OFF, ON)),
        ("秘鲁的首都是哪里?", "capital", {"country": "秘鲁"}, (LARGEST, CAPITAL)),
        ("¿Cuál es la capital de Peru?", "capital", {"country": "Peru"}, (LARGEST, CAPITAL)),
    ],
)
def test_a_tool_that_fits_as_well_or_better_is_not_refused(
    text: str, name: str, arguments: Json, tools: tuple[Json, ...]
) -> None:
    assert code(text, name, arguments, *tools) is None


def test_a_tool_that_does_not_take_the_arguments_is_no_rival() -> None:
    other: Json = {**COUNTRY, "properties": {"country": {"type": "string", "enum": ["Chile"]}}}  # type: ignore[dict-item]
    capital: Json = {"name": "capital", "description": "Capital city of a country.", "parameters": other}
    assert code("What is the capital of Peru?", "largest_city", {"country": "Peru"}, capital, LARGEST) is None


def test_words_inside_a_value_ask_for_no_tool() -> None:
    text: Json = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    send: Json = {"name": "send", "description": "Send a message.", "parameters": text}
    weather: Json = {"name": "forecast", "description": "Weather forecast.", "parameters": text}
    said = "Tell Ida: weather forecast is bad"
    assert code(said, "send", {"text": "weather forecast is bad"}, send, weather) is None


def test_what_an_earlier_turn_asked_for_is_no_rival() -> None:
    turns = (
        Message("user", "What is the capital of Peru?"),
        Message("assistant", "Lima."),
        Message("user", "And which one has the most people?"),
    )
    assert code(turns, "largest_city", {"country": "Peru"}, CAPITAL, LARGEST) is None


def test_a_tool_that_another_call_uses_is_no_rival() -> None:
    menu = read_menu([CAPITAL, LARGEST])
    assert isinstance(menu, Menu)
    calls = tuple({"name": name, "arguments": {"country": "Peru"}} for name in ("capital", "largest_city"))
    assert not [*determinacy_faults(menu, calls, (Message("user", "The capital of Peru, and then the other one"),))]


def test_words_that_other_calls_explain_ask_for_no_tool() -> None:
    named: Json = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    valued: Json = {"name": {"type": "string"}, "value": {"type": "number"}, "unit": {"type": "string"}}
    remove: Json = {"name": "remove_measurement", "description": "Remove it.", "parameters": named}
    read: Json = {"name": "read_measurement", "description": "Its value and unit.", "parameters": named}
    record: Json = {"name": "record_measurement", "description": "Record it.", "parameters": valued}
    menu = read_menu([remove, read, record])
    assert isinstance(menu, Menu)
    first: JsonObject = {"name": "remove_measurement", "arguments": {"name": "desk"}}
    second: JsonObject = {"name": "record_measurement", "arguments": {"name": "sofa", "value": 2, "unit": "m"}}
    text = "Remove measurement: name desk. Then record measurement: name sofa, value 2, unit m."
    assert not [*determinacy_faults(menu, (first, second), (Message("user", text),))]
