"""Mutants that change which calls there are: left out, repeated, in another order, of another tool, one more.

In: a `Gold`. Out: `Mutant`s, those of each kind in the order of the calls.
Not promised: that references still stand after their targets in `reorder`; no such answer is valid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from data.records import Json, JsonObject
from verifiers.answer import reference
from verifiers.calls import check_calls
from verifiers.filling import filled
from verifiers.grounding import check_grounding
from verifiers.mutant import Gold, Looks, Mutant, arranged, targets
from verifiers.plausible import Hints

MAX_TOOLS = 32
"""Tools of a menu that are tried in the place of another, or besides."""


def empty() -> Iterator[Mutant]:
    """No calls at all."""
    yield Mutant("empty", (), "no calls")


def dropped(gold: Gold) -> Iterator[Mutant]:
    """Each call left out, and with it those that depend on it; never all of them."""
    for place in range(len(gold.calls)):
        lost = {place}
        for later in range(place + 1, len(gold.calls)):
            if any(number - 1 in lost for number in targets(gold.calls[later]["arguments"])):
                lost.add(later)
        kept = [other for other in range(len(gold.calls)) if other not in lost]
        if kept:
            numbers = " and ".join(str(other + 1) for other in sorted(lost))
            yield Mutant("drop", arranged(gold.calls, kept), f"call {numbers} left out")


def needless(gold: Gold, resolved: Sequence[JsonObject]) -> Iterator[Mutant]:
    """Each call left out whose result the task says itself, wherever it is used. `resolved`: without references."""
    for place in range(len(gold.calls)):
        kept = [other for other in range(len(gold.calls)) if other != place]
        users = [other for other in kept if place + 1 in targets(gold.calls[other]["arguments"])]
        calls = list(gold.calls)
        for user in users:
            told = _inlined(calls[user]["arguments"], resolved[user]["arguments"], place + 1)
            calls[user] = {**calls[user], "arguments": told}
        checked = check_calls(gold.menu, list(arranged(calls, kept))) if users else None
        if isinstance(checked, tuple) and not check_grounding(gold.menu, checked, gold.messages):
            yield Mutant("drop", checked, f"call {place + 1} left out, whose result the task says")


def _inlined(value: Json, result: Json, number: int) -> Json:
    """The value with references to one call replaced by what stands at the same place of `result`."""
    if isinstance(value, str):
        target = reference(value)
        return result if target and target[0] == number else value
    if isinstance(value, dict) and isinstance(result, dict):
        return {name: _inlined(item, result[name], number) for name, item in value.items()}
    if isinstance(value, list) and isinstance(result, list):
        return [_inlined(*pair, number) for pair in zip(value, result, strict=True)]
    return value


def repeated(gold: Gold) -> Iterator[Mutant]:
    """Each call replaced by a copy of another of the same tool."""
    for place, call in enumerate(gold.calls):
        for other, copy in enumerate(gold.calls):
            if (
                copy["name"] == call["name"]
                and gold.originals[other] != gold.originals[place]
                and gold.valid(place, copy)
            ):
                detail = f"call {other + 1} also in the place of call {place + 1}"
                yield Mutant("repeat", gold.with_call(place, copy), detail)


def reordered(gold: Gold) -> Iterator[Mutant]:
    """Each call that depends on another before it."""
    for place, call in enumerate(gold.calls):
        for number in sorted(targets(call["arguments"])):
            order = [other for other in range(len(gold.calls)) if other != place]
            order.insert(number - 1, place)
            yield Mutant("reorder", arranged(gold.calls, order), f"call {place + 1} before call {number}")


def sequences(gold: Gold) -> Iterator[Mutant]:
    """Neighbours that do not refer to each other, exchanged: equal to the gold by RULES A8."""
    for place in range(1, len(gold.calls)):
        if place not in targets(gold.calls[place]["arguments"]):
            order = [*range(place - 1), place, place - 1, *range(place + 1, len(gold.calls))]
            yield Mutant("sequence", arranged(gold.calls, order), f"call {place + 1} before call {place}")


def swapped(gold: Gold, told: Hints, looks: Looks) -> Iterator[Mutant]:
    """Each call by another tool, with the same arguments as far as it takes them."""
    for place, call in enumerate(gold.calls):
        for tool in gold.menu.tools[:MAX_TOOLS]:
            other = _call_of(gold, tool, gold.arguments(place), told, looks) if tool["name"] != call["name"] else None
            if other and gold.valid(place, other):
                detail = f"call {place + 1}: {str(other['name'])[:80]} for {str(call['name'])[:80]}"
                yield Mutant("swap", gold.with_call(place, other), detail, f"call {place + 1}")


def added(gold: Gold, told: Hints, looks: Looks) -> Iterator[Mutant]:
    """One call more, the last: of each tool that the gold does not use, then the gold's last one again."""
    used = {call["name"] for call in gold.calls}
    given = {name: value for place in range(len(gold.calls)) for name, value in gold.arguments(place).items()}
    for tool in gold.menu.tools[:MAX_TOOLS]:
        call = _call_of(gold, tool, given, told, looks) if tool["name"] not in used else None
        if call and gold.valid(len(gold.calls), call):
            yield Mutant("add", (*gold.calls, call), f"{str(call['name'])[:80]} called besides")
    yield Mutant("add", (*gold.calls, gold.calls[-1]), f"call {len(gold.calls)} made twice")


def all_at_once(gold: Gold, more: Sequence[JsonObject]) -> Mutant:
    """The gold and these calls: with one of every other tool, the whole menu called at once."""
    names = ", ".join(str(call["name"])[:80] for call in more)
    return Mutant("all", (*gold.calls, *more), f"all at once: {names} besides the gold")


def _call_of(gold: Gold, tool: JsonObject, given: JsonObject, told: Hints, looks: Looks) -> JsonObject | None:
    name = str(tool["name"])
    if not looks.afford(10 + 10 * len(given)):
        return None
    arguments = filled(gold.menu, name, given, told)
    return None if arguments is None else {"name": name, "arguments": arguments}
