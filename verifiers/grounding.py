"""Is every value of the gold calls said in the task (RULES G)?

In: a menu, calls in normal form, the task's messages. Out: the first `Verdict`, or every `Ungrounded` value.
Exempt are references, booleans (also as strings, G6), null, and values equal to a declared default at their place.
Not promised: that a said value is meant for the argument it stands in, beyond what `meant` sees; that the calls fit the
menu (RULES C).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from data.records import Json, JsonObject, Message, Verdict
from verifiers.answer import reference
from verifiers.meant import meant_faults
from verifiers.said import said_in
from verifiers.said_units import Unit, unit_called, unit_of
from verifiers.schema_places import Path, Schemas, written

_BOOLEANS, _CONTAINERS, _NUMBERS = ("true", "false"), (dict, list), (int, float)
MAX_UNGROUNDED = 100
MAX_EFFORT = 500_000_000
"""Characters searched for texts, length times number: what is not found within them is not proved to be said."""


class Tools(Protocol):
    """What is needed of a menu: the normalised tool of a name."""

    def tool(self, name: str) -> JsonObject | None: ...


@dataclass(frozen=True, slots=True)
class Ungrounded:
    """A value that nobody said: which call (from 1), the path of its argument, the value.

    `undecided`: whether an expression says it could not be decided.
    """

    call: int
    path: str
    value: str | int | float
    undecided: bool = False


def check_grounding(menu: Tools, calls: tuple[JsonObject, ...], messages: tuple[Message, ...]) -> Verdict | None:
    """The first fault: RULES G, then a value that is said of another argument (`meant`); or None."""
    return next(grounding_faults(menu, calls, messages), None)


def grounding_faults(menu: Tools, calls: tuple[JsonObject, ...], messages: tuple[Message, ...]) -> Iterator[Verdict]:
    """`ungrounded` or `undecided` for every value that is not said; where all are, the faults of `meant`."""
    all_said = True
    for found in _ungrounded(menu, calls, messages):
        all_said = False
        yield _verdict(found)
    if all_said:
        yield from meant_faults(calls, said_in(messages))


def _verdict(found: Ungrounded) -> Verdict:
    where = f"call {found.call}: {found.path} = {repr(found.value)[:80]}"
    if found.undecided:
        return Verdict("grounding", "undecided", f"{where} may equal an expression of the task: not decided in time")
    return Verdict("grounding", "ungrounded", f"{where} is said nowhere in the task")


def ungrounded_values(
    menu: Tools, calls: tuple[JsonObject, ...], messages: tuple[Message, ...]
) -> tuple[Ungrounded, ...]:
    """The values that are not said (RULES G), in the order of the calls; of an absurd number, the first hundred."""
    return tuple(islice(_ungrounded(menu, calls, messages), MAX_UNGROUNDED))


def grounded_share(menu: Tools, calls: tuple[JsonObject, ...], messages: tuple[Message, ...]) -> float:
    """Share in [0, 1] of the values that are said or the default, 1 where there are none, 0 if a hundred are not."""
    total = sum(1 for call in calls for _ in _leaves(call["arguments"]))
    unsaid = len(ungrounded_values(menu, calls, messages))
    return 0.0 if unsaid == MAX_UNGROUNDED else 1 - unsaid / max(1, total)


def must_be_said(parameters: Json, arguments: JsonObject, name: str) -> bool:
    """Whether an argument holds a value that the task has to say, under its tool's parameters."""
    leaves, known = _leaves({name: arguments[name]}), dict[Path, bool]()
    return any(not _is_default(parameters, arguments, path, known) for path, _ in leaves)


def _ungrounded(menu: Tools, calls: tuple[JsonObject, ...], messages: tuple[Message, ...]) -> Iterator[Ungrounded]:
    said = said_in(messages)
    said.renew()
    effort, size = 0, sum(len(message.content) for message in messages)
    for place, call in enumerate(calls, 1):
        known: dict[Path, bool] = {}
        for path, value in _leaves(call["arguments"]):
            heard: bool | None = None
            if isinstance(value, str):
                effort += size
                heard = effort <= MAX_EFFORT and said.string(value)
            else:
                heard = said.number(value)
            if heard:
                continue
            parameters = (menu.tool(str(call["name"])) or {}).get("parameters")
            if _is_default(parameters, call["arguments"], path, known):
                continue
            unit = None if isinstance(value, str) else _unit_at(parameters, path)
            if unit is not None and not isinstance(value, str) and said.quantity(value, unit):
                continue
            yield Ungrounded(place, written(path), value, heard is None)


def _leaves(inside: Json, path: Path = ()) -> Iterator[tuple[Path, str | int | float]]:
    """The values inside that must be said, unless a default says them."""
    if not isinstance(inside, _CONTAINERS):
        return
    for step, value in inside.items() if isinstance(inside, dict) else enumerate(inside):
        if isinstance(value, str):
            if not (value[:5] == "$var_" and reference(value)) and value.strip().casefold() not in _BOOLEANS:
                yield (*path, step), value
        elif isinstance(value, _CONTAINERS):
            yield from _leaves(value, (*path, step))
        elif isinstance(value, _NUMBERS) and value is not True and value is not False:
            yield (*path, step), value


def _is_default(parameters: Json, value: Json, path: Path, known: dict[Path, bool]) -> bool:
    """Whether the leaf at the path, or an object or list around it, equals the default declared at its place.

    `known`: what was found of those around it, for the other leaves in them.
    """
    schemas = Schemas(parameters, [parameters])
    for depth, step in enumerate(path):
        around = path[:depth]
        if around not in known:
            known[around] = schemas.declare_default(value)
        if known[around]:
            return True
        if isinstance(value, dict):
            schemas, value = schemas.property(str(step)), value[str(step)]
        elif isinstance(value, list) and isinstance(step, int):
            schemas, value = schemas.item(step), value[step]
    return schemas.declare_default(value)


def _unit_at(parameters: Json, path: Path) -> Unit | None:
    """The unit that the schema names for the number at the path: the nearest annotation, name or description."""
    schemas, name, found = Schemas(parameters, [parameters]), "", None
    for step in path:
        if isinstance(step, str):
            schemas, name, found = schemas.property(step), step, None
        else:
            schemas = schemas.item(step)
        for schema in schemas.here:
            annotated = schema.get("unit")
            found = unit_called(annotated) if isinstance(annotated, str) else found
            found = found or unit_of(name, str(schema.get("description", "")))
    return found
