"""The parts that worlds are written in: parameter schemas, identifiers, plain numbers, a few common names.

In: descriptions and bounds, written by us. Out: JSON Schema in the normal form of RULES M (closed, required listed),
and helpers that keep tools short. Bounds are part of every schema, so that no tool meets a value that it cannot serve
in time. Not promised: that an identifier is unpredictable; it comes from the content, so that the order in which
entries are made is no matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from random import Random
from typing import Any

from data.canonical import digest
from data.records import Json, JsonObject
from verifiers.worlds.base import State, Tool, ToolFailure, World

LARGEST = 10**9
"""Bound of the numbers that tools take."""

MAX_ENTRIES = 5_000
"""Entries that a tool lets a state's collection grow to; far below the ten thousand identifiers of one prefix."""

PEOPLE = (
    "Amara Okafor", "Bruno Silva", "Chloe Martin", "Dmitri Volkov", "Elena Rossi", "Farah Haddad", "Gustav Lind",
    "Hana Sato", "Ivan Petrov", "Julia Novak", "Kwame Mensah", "Lucia Vega", "Marek Nowak", "Nadia Rahman",
    "Oscar Berg", "Priya Nair", "Rafael Costa", "Sofia Keller", "Tomas Dvorak", "Yara Mansour",
)  # fmt: skip
"""Names of made-up people."""


def world(name: str, make: Callable[[Random], State], *tools: Tool) -> World:
    """A world of these tools."""
    return World(name, {tool.name: tool for tool in tools}, make)


def takes(optional: Collection[str] = (), **properties: JsonObject) -> JsonObject:
    """The parameters of a tool: all of these, required unless named as optional."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def text(description: str, longest: int = 80) -> JsonObject:
    """A text of at least one and at most `longest` characters."""
    return {"type": "string", "description": description, "minLength": 1, "maxLength": longest}


def choice(description: str, options: Sequence[str]) -> JsonObject:
    """One of these texts."""
    return {"type": "string", "description": description, "enum": list(options)}


def day(description: str) -> JsonObject:
    """A day as YYYY-MM-DD."""
    return {"type": "string", "description": description, "format": "date"}


def clock(description: str) -> JsonObject:
    """A time of day as HH:MM, 24 hours."""
    return {"type": "string", "description": description, "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}


def whole(description: str, low: int, high: int) -> JsonObject:
    """An integer within bounds."""
    return {"type": "integer", "description": description, "minimum": low, "maximum": high}


def number(description: str, low: int = -LARGEST, high: int = LARGEST) -> JsonObject:
    """A number within bounds."""
    return {"type": "number", "description": description, "minimum": low, "maximum": high}


NUMBER: JsonObject = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}
"""A number inside of a list or a row, where nothing describes it."""


def listing(description: str, items: JsonObject, least: int = 1, most: int = 50) -> JsonObject:
    """A list of so many items."""
    return {"type": "array", "description": description, "items": items, "minItems": least, "maxItems": most}


def fresh(taken: Container[str], prefix: str, content: Json) -> str:
    """An identifier of a letter and four digits that is not taken, made from the content that it shall name."""
    start = int(digest(content)[:8], 16)
    for step in range(10_000):
        name = f"{prefix}{(start + step) % 9_000 + 1_000}"
        if name not in taken:
            return name
    raise ToolFailure(f"no identifier is left that begins with {prefix}")


def entry(entries: Mapping[str, Any], key: str, kind: str) -> Any:
    """The entry of that key; a refusal where there is none."""
    if key not in entries:
        raise ToolFailure(f"there is no {kind} {key!r}")
    return entries[key]


def only(entries: Mapping[str, Mapping[str, Any]], field: str, wanted: str, kinds: str) -> str:
    """The key of the one entry whose field contains a text, in whatever case; a refusal where none does, or several."""
    folded = wanted.casefold()
    fits = [key for key, one in entries.items() if folded in one[field].casefold()]
    if len(fits) != 1:
        raise ToolFailure(f"{len(fits) or 'no'} {kinds} have {wanted!r} in their {field}")
    return fits[0]


def room_in(entries: Collection[Any], kind: str) -> None:
    """Refuses where a collection is full."""
    if len(entries) >= MAX_ENTRIES:
        raise ToolFailure(f"there is no room for another {kind}")


def plain(value: float | Fraction) -> int | float:
    """A number as JSON to twelve significant digits, as an integer where it is one: arithmetic's noise is no answer."""
    try:
        rounded = float(f"{float(value):.12g}")
    except OverflowError:
        raise ToolFailure("the result is too large") from None
    if not math.isfinite(rounded):
        raise ToolFailure("the result is too large")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded


def some_day(random: Random) -> str:
    """A day of 2026."""
    return (date(2026, 1, 1) + timedelta(days=random.randrange(365))).isoformat()


def some_time(random: Random) -> str:
    """A quarter of an hour of the working day."""
    return f"{random.randrange(8, 18):02}:{random.choice((0, 15, 30, 45)):02}"
