"""Other values that could stand where a value stands: wrong ones that a person or a model would think of.

In: a value, the schemas at its place, and `Hints`, what the task's text and the gold offer. Out: values unlike it, the
likeliest first: members of an enum, what else the task says, one more or less, another sign, the bounds, another day.
Not promised: that they fit the schema (whoever uses them validates), or that they differ under RULES A2-A5.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from itertools import chain, islice

import regex

from data.records import Json, JsonObject, Message
from verifiers.answer import reference
from verifiers.said_dates import moments
from verifiers.said_numbers import numbers
from verifiers.said_text import fold
from verifiers.said_words import spoken
from verifiers.schema_places import Path

MAX_TEXT = 1 << 14
"""Characters of a task's text that are looked at for other values; a longer text has plenty there."""
_EACH = 12

_QUOTED = regex.compile(r'["“]([^"“”\n]{1,80})["”]')
_NAMES = regex.compile(r"\b\p{Lu}[\w'-]*+(?: \p{Lu}[\w'-]*+){0,3}+")
_WORDS = regex.compile(r"\b\p{L}[\w-]{3,}+")
_DAY = regex.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_HOUR = regex.compile(r"(?:(?<=^)|(?<=[Tt ]))([01]\d|2[0-3])(?=:\d\d)")
_LAST_FIGURES = regex.compile(r"\d{1,18}(?=\D*+$)")


@dataclass(frozen=True, slots=True)
class Hints:
    """What a task offers for other values, each sort in a fixed order."""

    numbers: tuple[int | float, ...] = ()
    days: tuple[date, ...] = ()
    texts: tuple[str, ...] = ()


def hints(messages: tuple[Message, ...], calls: Sequence[JsonObject]) -> Hints:
    """The values of the gold and what the text says: numbers, days, quoted texts, names, words."""
    raw = "\n".join(message.content for message in messages)[:MAX_TEXT]
    said = moments(spoken(fold(raw)))
    values = [value for call in calls for _, value in leaves(call["arguments"])]
    figures = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    texts = [value for value in values if isinstance(value, str) and not reference(value)]
    found = (_QUOTED.finditer(raw), _NAMES.finditer(raw), _WORDS.finditer(raw))
    texts += chain.from_iterable(islice((one[one.re.groups] for one in some), _EACH) for some in found)
    return Hints(
        tuple(dict.fromkeys([*figures, *map(_number, sorted(numbers(said.rest))[:_EACH])])),
        tuple(date(*day) for day in sorted(said.days)[:_EACH] if all(day)),
        tuple(dict.fromkeys(texts)),
    )


def leaves(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Every value in a JSON value that is no object and no list, with its path."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from leaves(item, (*path, name))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path, value


def others(value: Json, schemas: Sequence[Mapping[str, Json]], hints: Hints) -> Iterator[Json]:
    """Other values than this leaf, which is no reference; the same one may come twice."""
    yield from listed(schemas)
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from hints.numbers
        yield from filter(_finite, (value + 1, value - 1, -value, 10 * value))
        yield from bounds(schemas)
    elif isinstance(value, str):
        yield from _texts(value, hints)


def listed(schemas: Sequence[Mapping[str, Json]]) -> Iterator[Json]:
    """What the schemas list: members of an enum, a constant."""
    for schema in schemas:
        members = schema.get("enum", ())
        yield from members if isinstance(members, list | tuple) else ()
        if "const" in schema:
            yield schema["const"]


def bounds(schemas: Sequence[Mapping[str, Json]]) -> Iterator[int | float]:
    """The least and the greatest number that the schemas name."""
    for schema in schemas:
        for word in ("minimum", "maximum"):
            bound = schema.get(word)
            if isinstance(bound, int | float):
                yield bound


def _texts(value: str, hints: Hints) -> Iterator[str]:
    """Other strings: of a moment another moment, else what the task says besides, else with another number in it."""
    if day := _day(value):
        moved = [other for step in (1, -1, 7) if (other := _moved(day, step))]
        for other in (*hints.days, *moved):
            if other != day:
                yield other.isoformat() + value[10:]
    if hour := _HOUR.search(value):
        yield value[: hour.start()] + f"{(int(hour[0]) + 1) % 24:02}" + value[hour.end() :]
    if not day and not hour:
        if figures := _LAST_FIGURES.search(value):
            more = f"{int(figures[0]) + 1:0{len(figures[0])}}"
            yield value[: figures.start()] + more + value[figures.end() :]
        yield from hints.texts


def _day(value: str) -> date | None:
    try:
        return date.fromisoformat(value[:10]) if _DAY.match(value) else None
    except ValueError:
        return None


def _moved(day: date, days: int) -> date | None:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _finite(value: int | float) -> bool:
    return isinstance(value, int) or math.isfinite(value)
