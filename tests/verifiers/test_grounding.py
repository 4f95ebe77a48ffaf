"""Which values must be said (RULES G), and where they may be said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.records import Json, JsonObject, Message, Verdict
from verifiers.grounding import check_grounding, grounded_share, ungrounded_values
from verifiers.menu import Menu, read_menu
from verifiers.said import Said, said_in

ASK = (Message("user", "Please do it."),)


def menu(**properties: Json) -> Menu:
    read = read_menu([{"name": "act", "description": "", "parameters": {"type": "object", "properties": properties}}])
    assert isinstance(read, Menu)
    return read


def act(**arguments: Json) -> tuple[JsonObject, ...]:
    return ({"name": "act", "arguments": arguments},)


@pytest.mark.parametrize("value", [None, True, False, "True", "false", "$var_1.result", "$var_2[0].id", [], {}])
def test_what_need_not_be_said(value: Json) -> None:
    assert check_grounding(menu(a={}), act(a=value), ASK) is None


@pytest.mark.parametrize("value", ["yes", "none", "$var_1", "see $var_1.result", 0, 1.5, ["Paris"], {"b": {"c": 3}}])
def test_what_must_be_said(value: Json) -> None:
    verdict = check_grounding(menu(a={}), act(a=value), ASK)
    assert verdict is not None
    assert (verdict.check, verdict.code) == ("grounding", "ungrounded")


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "default": "kelvin"}, "kelvin"),
        ({"type": "number", "default": 2.0}, 2),
        ({"type": "array", "items": {"type": "integer"}, "default": [4, 5]}, [4, 5]),
        ({"type": "object", "properties": {"b": {"type": "integer", "default": 7}}}, {"b": 7}),
        ({"type": "array", "items": {"type": "object", "properties": {"b": {"default": 7}}}}, [{"b": 7}]),
        ({"prefixItems": [{"type": "string"}, {"default": 7}]}, ["Please", 7]),
        ({"anyOf": [{"type": "null"}, {"type": "integer", "default": 7}]}, 7),
        ({"additionalProperties": {"default": 7}}, {"x": 7}),
    ],
)
def test_a_declared_default_need_not_be_said(schema: Json, value: Json) -> None:
    assert check_grounding(menu(a=schema), act(a=value), ASK) is None


def test_a_default_behind_a_reference_need_not_be_said() -> None:
    tool: Json = {
        "name": "act",
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/deep"}},
            "$defs": {"deep": {"type": "object", "properties": {"unit": {"type": "string", "default": "kelvin"}}}},
        },
    }
    read = read_menu([tool])
    assert isinstance(read, Menu)
    assert check_grounding(read, act(a={"unit": "kelvin"}), ASK) is None


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer", "default": 7}, 8),
        ({"type": "integer", "default": True}, 1),
        ({"type": "array", "items": {"type": "integer"}, "default": [4, 5]}, [4]),
        ({"type": "string", "const": "kelvin"}, "kelvin"),
        ({"type": "string", "examples": ["kelvin"]}, "kelvin"),
    ],
)
def test_only_an_equal_default_need_not_be_said(schema: Json, value: Json) -> None:
    assert check_grounding(menu(a=schema), act(a=value), ASK) is not None


def test_a_default_of_another_place_does_not_count() -> None:
    assert check_grounding(menu(a={"type": "string"}, b={"default": "kelvin"}), act(a="kelvin"), ASK) is not None


@pytest.mark.parametrize("role", ["system", "user", "assistant", "tool"])
def test_every_turn_may_say_a_value(role: str) -> None:
    assert check_grounding(menu(a={}), act(a="Paris"), (Message(role, "Paris"), *ASK)) is None


def test_a_value_is_not_said_across_two_turns() -> None:
    turns = (Message("user", "New"), Message("user", "York"))
    assert check_grounding(menu(a={}), act(a="New York"), turns) is not None


def test_every_ungrounded_value_has_its_place() -> None:
    calls = (*act(a="Please"), *act(a={"b": [1, {"c": "Rome"}]}, d="it"))
    found = ungrounded_values(menu(a={}, d={}), calls, ASK)
    assert [(one.call, one.path, one.value) for one in found] == [(2, "a.b[0]", 1), (2, "a.b[1].c", "Rome")]


def test_the_share_counts_values() -> None:
    assert grounded_share(menu(a={}), act(a=["Please", "do", "it", "Rome"]), ASK) == 0.75
    assert grounded_share(menu(a={}), act(), ASK) == 1.0


def test_the_verdict_names_the_argument() -> None:
    assert check_grounding(menu(a={}), act(a={"city": "Rome"}), ASK) == Verdict(
        "grounding", "ungrounded", "call 1: a.city = 'Rome' is said nowhere in the task"
    )


HOSTILE = [
    "one two three ", "twenty and ", "hundred thousand ", "a", "-", "9", "9,", "1,234", "9.", "'5/", "5% ", "[ ", "(",
    "half a million ", "minus ", "2026-03-05 ", "10:", "today is ", "friday ", "x^2+", "sqrt(", "9^",
    "漢9", "한", "\u0301", "½ ", "e9", "utc+", "\\", "'s ", "_-",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_of_anything_gets_its_verdict(piece: str) -> None:
    text = piece * (1_000_000 // len(piece.encode()))
    calls = act(a=7919, b=0.123, c="zebra 12:31", d="2031-03-05", e="x^2+y", f="DE")
    names: dict[str, Json] = {name: {} for name in "abcdef"}
    assert len(ungrounded_values(menu(**names), calls, (Message("user", text),))) == 6
    said_in.cache_clear()


def test_numbers_of_6000_digits_say_nothing_and_break_nothing() -> None:
    assert not Said((Message("user", "9" * 6000),)).number(10**900)
    assert not Said((Message("user", "1"),)).number(10**6000)
    assert not Said((Message("user", "1e999999999"),)).string("1e99999999")
    assert not Said((Message("user", "9" * 6000 + "^2"),)).string("9" * 6000 + "^3")


def test_of_very_many_invented_values_the_first_hundred_are_named() -> None:
    calls = act(a=[f"invented {place}" for place in range(20_000)])
    assert len(ungrounded_values(menu(a={}), calls, ASK)) == 100
    assert grounded_share(menu(a={}), calls, ASK) == 0.0


@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_a_word_between_spaces_is_always_said(word: str, before: str, after: str) -> None:
    text = f"{before} zebra{len(word)}z {after}"
    assert Said((Message("user", text),)).string(f"zebra{len(word)}z")


@given(st.integers(), st.text(alphabet="abc .,;:!?()\n", max_size=20))
def test_a_number_in_a_sentence_is_always_said(number: int, around: str) -> None:
    assert Said((Message("user", f"{around} {number} {around}"),)).number(number)


@given(st.text(), st.text())
def test_nothing_breaks_a_reading(text: str, value: str) -> None:
    said = Said((Message("user", text),))
    assert said.string(value) in (True, False)
    assert said.number(len(value)) in (True, False)
