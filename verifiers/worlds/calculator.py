"""A pocket calculator with named memories.

State: `{"memory": {slot: number}}`. Expressions are read by our own bounded parser (`verifiers.algebra_parse`) and
nothing else; results are to twelve significant digits. Not promised: complex numbers, degrees (angles are in radians).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from data.records import Json, JsonObject
from verifiers.algebra import read
from verifiers.said_text import fold
from verifiers.worlds.base import State, Tool, ToolFailure
from verifiers.worlds.parts import LARGEST, NUMBER, entry, listing, number, plain, room_in, takes, text, whole, world

SLOTS = ("rent", "savings", "budget", "discount", "target", "offset", "deposit", "share")


def make(random: Random) -> State:
    """Three to five memories."""
    slots = sorted(random.sample(SLOTS, random.randint(3, 5)))
    return {"memory": {slot: random.choice((random.randint(3, 900), random.randint(5, 99) / 4)) for slot in slots}}


def _calculate(state: State, given: Mapping[str, Any]) -> Json:
    expression = read(fold(given["expression"].strip()))
    if expression is None:
        raise ToolFailure(f"{given['expression']!r} is no expression that has a value")
    if len(set(expression.values)) > 1:
        raise ToolFailure(f"{given['expression']!r} has a variable; a calculator wants numbers")
    return {"result": _real(expression.values[0])}


def _real(value: Fraction | complex) -> int | float:
    if isinstance(value, Fraction):
        return plain(value)
    if abs(value.imag) > 1e-12 * max(1.0, abs(value.real)):
        raise ToolFailure("the result is not a real number")
    return plain(value.real)


def _average(state: State, given: Mapping[str, Any]) -> Json:
    return {"result": plain(sum(map(_exact, given["numbers"]), Fraction(0)) / len(given["numbers"]))}


def _exact(value: float) -> Fraction:
    """What a number says as it is written: 0.1 is a tenth."""
    return Fraction(str(value))


def _percent(state: State, given: Mapping[str, Any]) -> Json:
    return {"result": plain(_exact(given["percent"]) * _exact(given["amount"]) / 100)}


def _change(state: State, given: Mapping[str, Any]) -> Json:
    if not given["old_value"]:
        raise ToolFailure("from 0 there is no change in percent")
    old = _exact(given["old_value"])
    return {"percent": plain((_exact(given["new_value"]) - old) / abs(old) * 100)}


def _divisor(state: State, given: Mapping[str, Any]) -> Json:
    return {"result": math.gcd(*map(int, given["integers"]))}


def _round(state: State, given: Mapping[str, Any]) -> Json:
    return {"result": plain(round(_exact(given["value"]), int(given["decimals"])))}


def _store(state: State, given: Mapping[str, Any]) -> Json:
    room_in(state["memory"], "memory")
    state["memory"][given["slot"]] = given["value"]
    return {"memories": len(state["memory"])}


def _recall(state: State, given: Mapping[str, Any]) -> Json:
    return {"value": entry(state["memory"], given["slot"], "memory")}


_WHOLE: JsonObject = {"type": "integer", "minimum": 1, "maximum": LARGEST}
_SLOT = text("Name of the memory", 40)

CALCULATOR = world(
    "calculator",
    make,
    Tool(
        "calculate",
        "Work out an arithmetic expression without variables.",
        takes(expression=text("The expression, such as (2 + 3) * 4", 300)),
        _calculate,
    ),
    Tool("average", "The arithmetic mean of some numbers.", takes(numbers=listing("The numbers", NUMBER)), _average),
    Tool(
        "percent_of",
        "How much a percentage of an amount is.",
        takes(percent=number("The percentage"), amount=number("The amount that it is taken of")),
        _percent,
    ),
    Tool(
        "percent_change",
        "By how many percent a value has grown or shrunk.",
        takes(old_value=number("Value before"), new_value=number("Value after")),
        _change,
    ),
    Tool(
        "greatest_common_divisor",
        "The greatest integer that divides all of some integers.",
        takes(integers=listing("The integers", _WHOLE, 2, 20)),
        _divisor,
    ),
    Tool(
        "round_number",
        "Round a number to so many decimals, halves to even.",
        takes(value=number("The number"), decimals=whole("How many decimals to keep", 0, 6)),
        _round,
    ),
    Tool("store_number", "Keep a number in a memory.", takes(slot=_SLOT, value=number("The number to keep")), _store),
    Tool("recall_number", "Look up the number in a memory.", takes(slot=_SLOT), _recall),
)
