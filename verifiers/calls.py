"""The gold calls of a task against its menu (RULES C).

In: a menu and the value of `calls`. Out: the calls in normal form, `{"name", "arguments"}`, or the first `Verdict`.
Not promised: that the values are said anywhere (`grounding`), or, for no calls at all, that none is due (`verify`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from data.records import Json, JsonObject, Kind, Verdict
from verifiers.answer import CallFault, read_calls, reference
from verifiers.menu import Menu
from verifiers.schema_engine import Reference

MAX_FAULTS = 100
MAX_CALLS = 100
"""Calls of a gold: matching an answer to more takes longer than a second."""

Placed = list[tuple[int, JsonObject]]
"""Calls with their places in the list, from 1."""


def check_calls(
    menu: Menu, calls: Json, *, allow_none: bool = False, before: int = 0
) -> tuple[JsonObject, ...] | Verdict:
    """RULES C1-C6 in their order. `allow_none`: no calls are fine, for whoever proves that none is due (C2).

    `before`: so many calls stand before these, and may be referred to.
    """
    try:
        read = read_calls(calls)
    except CallFault as fault:
        return Verdict("calls", fault.code, fault.detail)
    if not read and not allow_none:
        return Verdict("calls", "no_calls", "nothing proves that no call is due")
    if len(read) > MAX_CALLS:
        return Verdict("format", "too_large", f"more than {MAX_CALLS} calls")
    if all(menu.accepts(call["name"], call["arguments"]) for call in read):
        return tuple(read)
    return next(_faults(menu, list(enumerate(read, before + 1)), most=1), None) or tuple(read)


def call_faults(menu: Menu, calls: Json, *, allow_none: bool = False) -> Iterator[Verdict]:
    """Every failure of `check_calls`: of each call that cannot be read, and of each argument of the others."""
    first = check_calls(menu, calls, allow_none=allow_none)
    if not isinstance(calls, list | tuple) or not 0 < len(calls) <= MAX_CALLS:
        yield from [first] if isinstance(first, Verdict) else []
        return
    placed: Placed = []
    for place, call in enumerate(calls, 1):
        try:
            placed += [(place, read) for read in read_calls([call])]
        except CallFault as fault:
            yield Verdict("calls", fault.code, fault.detail.replace("call 1", f"call {place}", 1))
    yield from _faults(menu, placed, most=MAX_FAULTS)


def _faults(menu: Menu, placed: Placed, most: int) -> Iterator[Verdict]:
    """What is wrong with calls that can be read; at most so many causes of each."""
    known: list[tuple[int, str, JsonObject]] = []
    for place, call in placed:
        name = str(call["name"])
        if menu.tool(name) is None:
            yield Verdict("calls", "unknown_tool", f"call {place}: no tool is called {name[:80]!r}")
        elif isinstance(given := call["arguments"], Mapping) and not menu.validator(name).accepts(given):
            known.append((place, name, given))
    for place, name, given in known:
        arguments, refers = _marked(given)
        for cause in menu.validator(name).causes(arguments, references=refers, most=most):
            where = f" at {cause.place}" if cause.place else ""
            yield Verdict("calls", cause.code, f"call {place}, {name[:80]}{where}: {cause.message}")
    for place, _, given in known:
        for found in references(given):
            if not 0 < found.number < place:
                yield Verdict(
                    "calls", "bad_reference", f"call {place} refers to call {found.number}, not an earlier one"
                )


def references(value: object) -> Iterator[Reference]:
    """Every reference in a value, in order."""
    if isinstance(value, str):
        if found := reference(value):
            yield Reference(*found)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def rewritten(value: Json, change: Callable[[str], Json]) -> Json:
    """The value with every string (not the names of members) changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: rewritten(item, change) for name, item in value.items()}
    return [rewritten(item, change) for item in value] if isinstance(value, list | tuple) else value


def kind_of(calls: Sequence[JsonObject]) -> Kind:
    """`abstain` without calls, `single`, `dependent` when a call uses an earlier one's result, else `parallel`."""
    if len(calls) < 2:
        return "single" if calls else "abstain"
    linked = any(next(references(call["arguments"]), None) for call in calls)
    return "dependent" if linked else "parallel"


def _marked(arguments: JsonObject) -> tuple[JsonObject, bool]:
    """The arguments with `Reference`s where references stand, and whether there are any."""
    if next(references(arguments), None) is None:
        return arguments, False
    return {name: _mark(value) for name, value in arguments.items()}, True  # type: ignore[misc]


def _mark(value: object) -> object:
    if isinstance(value, str):
        found = reference(value)
        return Reference(*found) if found else value
    if isinstance(value, Mapping):
        return {name: _mark(item) for name, item in value.items()}
    return [_mark(item) for item in value] if isinstance(value, list) else value
