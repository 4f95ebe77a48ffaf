"""Every way in which an answer goes wrong, made from a right one: what the scripted engine says when it fails.

In: a right completion (an answer in JSON, alone or in `<tool_call_answer>`, or a line of text). Out: a wrong one, named
by its kind. Pure and fast: one wrong text costs one edit and one `json.dumps`. Not promised: that a wrong text is
wrong for every judge (dropping an argument that is a default may leave it right).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from data.records import FinishReason, Json

OPEN, CLOSE = "<tool_call_answer>", "</tool_call_answer>"
Call = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Parts:
    """A right completion taken apart: `before + answer + after`, and the calls of `answer` if it is JSON."""

    before: str
    answer: str
    after: str
    calls: tuple[Call, ...]
    single: bool
    """The answer is one object, not a list."""

    def whole(self, answer: str) -> str:
        """The completion with another answer."""
        return f"{self.before}{answer}{self.after}"

    def told(self, calls: list[Call]) -> str:
        """The completion with other calls."""
        return self.whole(json.dumps(calls[0] if self.single and len(calls) == 1 else calls))

    def edited(self, edit: Callable[[Call], Call]) -> str:
        """The completion with its last call changed."""
        return self.told([*self.calls[:-1], edit(dict(self.calls[-1]))])

    def with_arguments(self, edit: Callable[[Call], Call]) -> str:
        """The completion with the arguments of its last call changed."""

        def change(call: Call) -> Call:
            arguments = call.get("arguments")
            return call | {"arguments": edit(dict(arguments) if isinstance(arguments, dict) else {})}

        return self.edited(change)


@lru_cache(maxsize=4096)
def take_apart(text: str) -> Parts:
    """`text` as `Parts`; a text without readable calls has none."""
    start, end = text.rfind(OPEN), text.rfind(CLOSE)
    tagged = 0 <= start < end
    cut = (start + len(OPEN), end) if tagged else (0, len(text))
    answer = text[cut[0] : cut[1]]
    try:
        value = json.loads(answer)
    except ValueError:
        value = None
    items = [value] if isinstance(value, dict) else value if isinstance(value, list) else []
    calls = tuple(item for item in items if isinstance(item, dict))
    return Parts(text[: cut[0]], answer, text[cut[1] :], calls, isinstance(value, dict))


def _other(value: Json) -> Json:
    """A value of the same type that is not `value`."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    return None


def _change_last(arguments: Call) -> Call:
    if not arguments:
        return {"unasked": 1}
    name = next(reversed(arguments))
    return arguments | {name: _other(arguments[name])}


def _retype_last(arguments: Call) -> Call:
    if not arguments:
        return {"unasked": 1}
    name = next(reversed(arguments))
    value = arguments[name]
    return arguments | {name: 7 if isinstance(value, str) else str(value)}


def _drop_last(arguments: Call) -> Call:
    if arguments:
        arguments.popitem()
        return arguments
    return {"unasked": 1}


def _raw_argument(parts: Parts, raw: str) -> str:
    """The first call with an argument whose JSON text is `raw`, which no JSON writer would write."""
    marker = '"\\u0000marker"'
    return parts.with_arguments(lambda arguments: arguments | {"value": "\0marker"}).replace(marker, raw)


def _change_digit(text: str) -> str:
    for place in range(len(text) - 1, -1, -1):
        if text[place] in "0123456789":
            return text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :]
    return text[: len(text) * 2 // 3]


Wrong = Callable[[Parts], str]
TEXT: dict[str, Wrong] = {
    "empty": lambda parts: "",
    "prose": lambda parts: "I am sorry, but I need more information before I can help you with that.",
    "echo": lambda parts: "Request: Request: Request:",
    "half": lambda parts: parts.whole(parts.answer)[: max(1, len(parts.whole(parts.answer)) // 2)],
    "cut": lambda parts: parts.whole(parts.answer)[:-9],
    "thoughts": lambda parts: f"<think>{parts.whole(parts.answer)}</think>",
    "thoughts open": lambda parts: f"<think>{parts.whole(parts.answer)}",
    "other digit": lambda parts: _change_digit(parts.answer),
}
CALLS: dict[str, Wrong] = {
    "malformed": lambda parts: parts.whole(parts.answer.rstrip()[:-1]),
    "single quotes": lambda parts: parts.whole(parts.answer.replace('"', "'")),
    "comma": lambda parts: parts.whole(parts.answer.rstrip()[:-1] + "," + parts.answer.rstrip()[-1]),
    "several": lambda parts: parts.whole(f"{parts.answer}{parts.after}\n{OPEN}[]"),
    "untagged": lambda parts: f"The calls are: {parts.answer}.",
    "no calls": lambda parts: parts.whole("[]"),
    "call twice": lambda parts: parts.told([*parts.calls, parts.calls[-1]]),
    "call missing": lambda parts: parts.told(list(parts.calls[:-1])),
    "wrong tool": lambda parts: parts.edited(lambda call: call | {"name": f"{call.get('name')}_all"}),
    "no name": lambda parts: parts.edited(lambda call: {"arguments": call.get("arguments")}),
    "wrong value": lambda parts: parts.with_arguments(_change_last),
    "wrong type": lambda parts: parts.with_arguments(_retype_last),
    "missing argument": lambda parts: parts.with_arguments(_drop_last),
    "extra argument": lambda parts: parts.with_arguments(lambda arguments: arguments | {"unasked": "yes"}),
    "null": lambda parts: parts.edited(lambda call: call | {"arguments": None}),
    "NaN": lambda parts: _raw_argument(parts, "NaN"),
    "lone surrogate": lambda parts: _raw_argument(parts, '"\\ud800"'),
    "duplicate key": lambda parts: _raw_argument(parts, '1, "value": 2'),
    "long number": lambda parts: _raw_argument(parts, "9" * 400),
    "deep": lambda parts: _raw_argument(parts, "[" * 80 + "]" * 80),
}
LENGTH = {"half", "cut", "thoughts open"}
"""Kinds whose text ends because the tokens did."""
_ALL = {**TEXT, **CALLS}
_ANY, _PLAIN = tuple(_ALL), tuple(TEXT)


def corrupt(right: str, draw: float) -> tuple[str, FinishReason]:
    """A wrong completion in place of `right`; `draw` in [0, 1) picks the kind."""
    parts = take_apart(right)
    kinds = _ANY if parts.calls else _PLAIN
    kind = kinds[int(draw * len(kinds))]
    return _ALL[kind](parts), "length" if kind in LENGTH else "stop"
