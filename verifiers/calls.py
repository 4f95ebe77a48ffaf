"""The gold calls of a task against its menu (RULES C).

In: a menu and the value of `calls`. Out: the calls in normal form, `{"name", "arguments"}`, or the first `Verdict`.
Not promised: that the values are said anywhere (`grounding`), or, for no calls at all, that none is due (`verify`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from data.records import Json, JsonObject, Verdict
from verifiers.answer import CallFault, read_calls, reference
from verifiers.menu import Menu
from verifiers.schema_engine import Reference


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
    for place, call in enumerate(read, before + 1):
        if menu.tool(call["name"]) is None:
            return Verdict("calls", "unknown_tool", f"call {place}: no tool is called {call['name'][:80]!r}")
    unsure = [
        one for one in enumerate(read, before + 1) if not menu.validator(one[1]["name"]).accepts(one[1]["arguments"])
    ]
    for place, call in unsure:
        arguments, refers = _marked(call["arguments"])
        cause = menu.validator(call["name"]).first_cause(arguments, references=refers)
        if cause is not None:
            where = f" at {cause.place}" if cause.place else ""
            return Verdict("calls", cause.code, f"call {place}, {call['name'][:80]}{where}: {cause.message}")
    for place, call in unsure:
        for found in references(call["arguments"]):
            if not 0 < found.number < place:
                return Verdict(
                    "calls", "bad_reference", f"call {place} refers to call {found.number}, not an earlier one"
                )
    return tuple(read)


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
