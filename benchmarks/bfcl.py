"""Real rows made by people (BFCL v4: simple, multiple, parallel), as drafts, and copies of them with one thing wrong.

In: the folder of the public data set, beside the checkout. Out: `Draft`s by row id; corrupted copies by kind and seed.
Tests and benchmarks alone read it; nothing is trained on it. Each row is read in two ways: with as few arguments as its
answer allows, and with as many.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from data.records import Draft, Message
from solver.benches.bfcl import questions, variants

REAL = Path(__file__).resolve().parents[2] / "shared" / "real" / "bfcl"
CATEGORIES = ("simple_python", "multiple", "parallel")


def needed(arguments: dict[str, list[Any]], required: list[str]) -> dict[str, Any]:
    """The arguments that may not be left out, by the answer or by the tool."""
    kept = {name: values for name, values in arguments.items() if "" not in values or name in required}
    found: dict[str, Any] = variants(kept)[0]
    return found


@cache
def rows(whole: bool = False) -> dict[str, Draft]:
    """Every answerable row as a draft. `whole`: with the arguments that may be left out, too."""
    found = {}
    for category in CATEGORIES:
        for row, possible in questions(REAL / f"BFCL_v4_{category}.json"):
            turns = tuple(Message(turn["role"], turn["content"]) for turn in row["question"][0])
            required = {tool["name"]: tool["parameters"].get("required", []) for tool in row["function"]}
            golden = [item for call in possible or [] for item in call.items()]
            calls = [
                {"name": name, "arguments": variants(given)[0] if whole else needed(given, required[name])}
                for name, given in golden
            ]
            found[row["id"]] = Draft(turns, row["function"], calls)
    return found


ADDED = {"integer": 4711, "float": 47.11, "boolean": True, "array": ["extra"], "tuple": ["extra"], "dict": {"x": 1}}
Menu = dict[str, dict[str, Any]]


def _another_value(call: Any, menu: Menu, random: Random) -> None:
    texts = [name for name, value in call["arguments"].items() if isinstance(value, str)]
    call["arguments"][random.choice(texts)] = random.choice(["Ouagadougou", "zircon", "Thessaloniki", "marmalade"])


def _another_digit(call: Any, menu: Menu, random: Random) -> None:
    call["arguments"][random.choice(_numbers(call))] += random.choice([3, 7, 11, 13])


def _another_sign(call: Any, menu: Menu, random: Random) -> None:
    call["arguments"][random.choice(_numbers(call))] *= -1


def _swapped_tool(call: Any, menu: Menu, random: Random) -> None:
    call["name"] = random.choice([name for name in menu if name != call["name"]])


def _dropped_argument(call: Any, menu: Menu, random: Random) -> None:
    del call["arguments"][random.choice(sorted(call["arguments"]))]


def _added_argument(call: Any, menu: Menu, random: Random) -> None:
    declared = menu[call["name"]].get("properties", {})
    name = random.choice(sorted(set(declared) - set(call["arguments"])))
    call["arguments"][name] = ADDED.get(declared[name].get("type"), "extra")


def _wrong_type(call: Any, menu: Menu, random: Random) -> None:
    name = random.choice(sorted(call["arguments"]))
    call["arguments"][name] = {"value": call["arguments"][name]}


def _exchanged_values(call: Any, menu: Menu, random: Random) -> None:
    one, other = random.choice(_pairs(call))
    given = call["arguments"]
    given[one], given[other] = given[other], given[one]


def _value_of_another(call: Any, menu: Menu, random: Random) -> None:
    one, other = random.choice(_pairs(call))
    call["arguments"][one] = call["arguments"][other]


def _added_said_value(call: Any, menu: Menu, random: Random) -> None:
    declared, given = menu[call["name"]].get("properties", {}), call["arguments"]
    fits = {"string": str, "integer": int, "float": int | float}
    name, value = random.choice(
        [
            (name, value)
            for name in sorted(set(declared) - set(given))
            for value in given.values()
            if isinstance(value, fits.get(declared[name].get("type"), ())) and not isinstance(value, bool)
        ]
    )
    given[name] = value


def _dropped_option(call: Any, menu: Menu, random: Random) -> None:
    required = menu[call["name"]].get("required", [])
    del call["arguments"][random.choice(sorted(name for name in call["arguments"] if name not in required))]


def _numbers(call: Any) -> list[str]:
    given = call["arguments"].items()
    return [name for name, value in given if isinstance(value, int | float) and not isinstance(value, bool) and value]


def _pairs(call: Any) -> list[tuple[str, str]]:
    """Names of two different values of one type."""
    given = sorted(call["arguments"].items())
    return [
        (one, other)
        for one, value in given
        for other, its in given
        if one != other and type(value) is type(its) and not isinstance(value, bool) and value != its
    ]


KINDS: dict[str, Callable[[Any, Menu, Random], None]] = {
    "another value": _another_value,
    "another digit": _another_digit,
    "another sign": _another_sign,
    "swapped tool": _swapped_tool,
    "dropped argument": _dropped_argument,
    "added argument": _added_argument,
    "wrong type": _wrong_type,
}
HARDER: dict[str, Callable[[Any, Menu, Random], None]] = {
    "exchanged values": _exchanged_values,
    "value of another argument": _value_of_another,
    "added said value": _added_said_value,
    "dropped option": _dropped_option,
}
"""What the text of a task hardly shows: every value is still said."""


def corrupted(draft: Draft, kind: str, random: Random) -> Draft | None:
    """A copy of a row with one thing wrong; None where the row has nothing of the kind."""
    calls = json.loads(json.dumps(draft.calls))
    tools: Any = draft.tools
    menu = {tool["name"]: tool["parameters"] for tool in tools}
    try:
        (KINDS | HARDER)[kind](random.choice(calls), menu, random)
    except IndexError:  # nothing to choose from
        return None
    return Draft(draft.messages, draft.tools, calls)
