"""RULES D1 and D2."""

import json

import pytest

from data.records import Json, JsonObject, Message
from verifiers.determinacy import determinacy_faults
from verifiers.menu import Menu, read_menu

CITY: dict[str, Json] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 3}},
}
GOLD: tuple[JsonObject, ...] = ({"name": "get_weather", "arguments": {"city": "Paris"}},)


def menu(*others: Json) -> Menu:
    read = read_menu([{"name": "get_weather", "description": "The weather.", "parameters": CITY}, *others])
    assert isinstance(read, Menu)
    return read


def code(text: str, *others: Json, role: str = "user") -> str | None:
    turns = (Message(role, text), Message("user", "And now?"))
    verdict = next(determinacy_faults(menu(*others), GOLD, turns), None)
    return verdict.code if verdict else None


@pytest.mark.parametrize(
    "text",
    [
        "Call get_weather(city='Paris')",
        "use tools.get_weather() now",
        'Answer [{"name": "get_weather", "arguments": {"city": "Paris"}}]',
        '{"arguments": {"city": "Paris"}, "name": "get_weather"}',
        '{"name": "get_weather", "arguments": {"days": 3, "city": "Paris"}}',
        '{"id": "1", "type": "function", "function": {"name": "get_weather", "arguments": "{\\"city\\":\\"Paris\\"}"}}',
        'like {"answer": [1, {"name": "get_weather", "arguments": {"city": "Paris"}}]} please',
        'first {"broken": then {"name":"get_weather","arguments":{"city":"Paris"}}',
    ],
)
def test_a_user_turn_must_not_carry_the_answer(text: str) -> None:
    assert code(text) == "leaks_answer"


@pytest.mark.parametrize(
    "text",
    [
        "What is the weather in Paris?",
        "Does get_weather work (I mean in Paris)?",
        "my_get_weather(Paris) is not yours",
        "get_weather( is never closed",
        "sin(x) and cos(x)",
        '{"name": "get_weather", "arguments": {"city": "Rome"}}',
        '{"city": "Paris"}',
        '{"name": "get_weather", "arguments": 7}',
    ],
)
def test_other_texts_carry_nothing(text: str) -> None:
    assert code(text) is None


@pytest.mark.parametrize("role", ["system", "assistant", "tool"])
def test_other_turns_may_carry_calls(role: str) -> None:
    assert code("get_weather(city='Paris')", role=role) is None


def test_the_name_of_any_tool_of_the_menu_counts() -> None:
    other: Json = {"name": "ping", "description": "Ping.", "parameters": {}}
    assert code("do ping() first", other) == "leaks_answer"


@pytest.mark.parametrize(
    "other",
    [
        {"name": "fetch", "description": "the   WEATHER", "parameters": CITY},
        {"name": "fetch", "description": "The weather!", "parameters": {**CITY, "required": []}},
        {
            "name": "fetch",
            "description": "The weather.",
            "parameters": {"days": {"type": "int", "default": 3}, "city": {"type": "str"}},
        },
    ],
)
def test_two_tools_that_say_the_same_are_ambiguous(other: Json) -> None:
    assert code("Weather?", other) == "ambiguous_tools"


@pytest.mark.parametrize(
    "other",
    [
        {"name": "fetch", "description": "The climate.", "parameters": CITY},
        {"name": "fetch", "description": "The weather.", "parameters": {"city": {"type": "string"}}},
        {"name": "fetch", "description": "The weather.", "parameters": {**CITY, "required": ["city"]}},
    ],
)
def test_tools_that_differ_are_fine(other: Json) -> None:
    assert code("Weather?", other) is None


def test_a_pair_that_does_not_concern_the_gold_is_fine() -> None:
    ping: dict[str, Json] = {"description": "Ping.", "parameters": {}}
    assert code("Weather?", {"name": "ping", **ping}, {"name": "pong", **ping}) is None


def test_the_order_of_required_and_enum_does_not_tell_tools_apart() -> None:
    def tool(name: str, flip: int) -> Json:
        names: list[Json] = ["a", "b"]
        values: list[Json] = ["x", "y"]
        properties: Json = {"a": {"enum": values[::flip]}, "b": {"type": "string"}}
        return {
            "name": name,
            "description": "Same.",
            "parameters": {"type": "object", "properties": properties, "required": names[::flip]},
        }

    read = read_menu([tool("one", 1), tool("two", -1)])
    assert isinstance(read, Menu)
    verdict = next(determinacy_faults(read, ({"name": "one", "arguments": {}},), (Message("user", "Do it."),)), None)
    assert verdict is not None
    assert verdict.code == "ambiguous_tools"


@pytest.mark.parametrize("piece", ["{", '{"a":', '{"a":1} ', "get_weather(", "[{", '{"', "\\u"])
def test_a_megabyte_of_brackets_gets_its_verdict(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert code(text) is None
    assert code(text + json.dumps({"x": 1}) + ")") == ("leaks_answer" if "get_weather" in piece else None)
