"""`--explain`: a person sees what was expected, what stood there and where it was looked for, and nothing steers the
terminal."""

import io
import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.explain import explain_row, say
from verifiers.lines import verify_line

WEATHER: dict[str, Any] = {
    "name": "get_weather",
    "description": "Weather forecast.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
        "required": ["city"],
    },
}
TASK: dict[str, Any] = {
    "id": "t",
    "question": "Weather in Pariss for 4 days?",
    "tools": [WEATHER],
    "calls": [{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}],
}
CALL = TASK["calls"][0]


def explained(every: bool = True, **changed: Any) -> list[str]:
    line = json.dumps({**TASK, **changed}).encode()
    return explain_row(line, verify_line(line, 1, every=every)).splitlines()


def test_every_value_that_is_not_said_is_shown_with_what_comes_nearest() -> None:
    looked = '    looked in  the user turn: "Weather in Pariss for 4 days?"'
    assert explained() == [
        'row "t"',
        "  grounding/ungrounded",
        '    expected   city of call 1, get_weather, is said in the task: {"type": "string"}',
        '    found      "Paris", which no turn says',
        "    nearest    Pariss",
        looked,
        "  grounding/ungrounded",
        '    expected   days of call 1, get_weather, is said in the task: {"type": "integer", "minimum": 1}',
        "    found      3, which no turn says",
        "    nearest    4",
        looked,
    ]


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({"calls": [{**CALL, "name": "get_wether"}]}, "nearest    get_weather"),
        ({"calls": [{**CALL, "arguments": {"city": "Paris", "days": 0}}]}, '{"type": "integer", "minimum": 1}'),
        ({"calls": [{**CALL, "arguments": {}}]}, '"required": ["city"]'),
        ({"calls": [{"nme": 1}]}, 'looked in  call 1: {"nme": 1}'),
        ({"calls": "none"}, 'looked in  the calls: "none"'),
        ({"tools": [WEATHER, {"name": "x", "parameters": {"a": {"type": "colour"}}}]}, '{"name": "x", '),
        ({"tools": [WEATHER, {"name": ""}]}, 'looked in  the tools: {"name": ""}'),
        ({"question": "get_weather(Paris) for 3 days, Paris"}, "found      a user turn calls get_weather(...)"),
        ({"question": "[x]"}, "found      the question stands wholly in brackets: [x]"),
        ({"question": 3}, "looked in  the line: {"),
        ({"tools": [WEATHER, {**WEATHER, "name": "twin"}], "question": "Paris, 3 days"}, '{"name": "twin", "descr'),
    ],
)
def test_each_kind_of_rejection_shows_where_it_looked(changed: dict[str, Any], shown: str) -> None:
    assert any(shown in line for line in explained(**changed))


@pytest.mark.parametrize("text", ["\x1b[2J", "\u202e", "\r", "\x9b31m", "\ud800", "é"])
def test_what_could_steer_a_terminal_is_escaped_wherever_it_stands(text: str) -> None:
    hostile: list[dict[str, Any]] = [
        {"id": text, "question": text},
        {"tools": [{"name": text, "parameters": {text: {"type": text}}}]},
        {"calls": [{"name": text, "arguments": {text: text}}]},
        {"calls": [{**CALL, "arguments": {"city": text}}]},
        {text: text, "question": 3},
    ]
    for changed in hostile:
        lines = explained(**changed)
        assert all(line.isascii() and line.isprintable() for line in lines)


@given(st.binary(max_size=60))
def test_any_line_can_be_explained(line: bytes) -> None:
    assert explain_row(line, verify_line(line, 1)).isascii()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_colours_and_a_file_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    plain, colours = io.StringIO(), Terminal()
    for stream in (plain, colours):
        monkeypatch.setattr(sys, "stderr", stream)
        say(["row 1\n    expected   [bold]that"])
    assert plain.getvalue() == "row 1\n    expected   [bold]that\n"
    assert "\x1b[32m    expected   [bold]that" in colours.getvalue()
