"""What a mutant of the gold is, and the rewriting of calls that makes one.

In: gold calls in normal form with their menu. Out: calls with others left out or moved (references renumbered), or with
one value replaced. Nothing is changed in place.
Not promised: that what comes out is valid (`Gold.valid` says that of one call), or unlike the gold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from data.records import Json, JsonObject, Message, Verdict
from verifiers.answer import equal, reference
from verifiers.calls import check_calls, references, rewritten
from verifiers.menu import Menu
from verifiers.plausible import leaves
from verifiers.schema_places import Path

Kind = Literal[
    "empty", "drop", "repeat", "hollow", "reorder", "sequence", "swap", "add", "all", "omit", "exchange", "value"
]
Calls = tuple[JsonObject, ...]

MAX_LOOKED = 30_000
"""Values that are compared or validated while mutants of one gold are looked for; then there are no more of them."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong answer: its kind, its calls, what was done to the gold, and which value or tool of it is another."""

    kind: Kind
    calls: Calls
    detail: str
    place: str = ""


@dataclass(slots=True)
class Looks:
    """How many values may still be looked at while mutants of one gold are made, each in that many branches."""

    branches: int
    left: int = MAX_LOOKED

    def afford(self, values: int) -> bool:
        """Count values that are about to be looked at; False once they are too many."""
        self.left -= values * self.branches
        return self.left >= 0


@dataclass(frozen=True)
class Gold:
    """What mutants are made of: a task whose calls are proved (RULES C). Places of calls count from 0."""

    menu: Menu
    calls: Calls
    messages: tuple[Message, ...]
    accept: Sequence[Mapping[str, Sequence[Json]]]
    may_omit: Sequence[Sequence[str]]

    @property
    def declares(self) -> bool:
        """Whether there are alternatives (RULES A7)."""
        return any(self.accept) or any(self.may_omit)

    @cached_property
    def values(self) -> tuple[int, ...]:
        """How many values each call has."""
        return tuple(sum(1 for _ in leaves(call["arguments"])) for call in self.calls)

    @cached_property
    def branches(self) -> int:
        """The most branches of a combinator in the schemas of the called tools: as often a value may be looked at."""
        inside: list[Json] = [self.parameters(place) for place in range(len(self.calls))]
        most = 1
        while inside:
            schema = inside.pop()
            if isinstance(schema, Mapping):
                listed = [found for word in ("anyOf", "oneOf") if isinstance(found := schema.get(word), list)]
                most = max(most, sum(map(len, listed)))
                inside += schema.values()
            elif isinstance(schema, list):
                inside += schema
        return most

    @cached_property
    def originals(self) -> tuple[int, ...]:
        """For each call the number (from 1) of the first one that equals it (RULES A2-A6), which may be itself."""
        found: list[int] = []
        for place, call in enumerate(self.calls):
            written = _followed(call["arguments"], found)
            same = (
                other
                for other in range(place)
                if self.calls[other]["name"] == call["name"]
                and equal(_followed(self.calls[other]["arguments"], found), written, self.parameters(place))
            )
            found.append(next(same, place) + 1)
        return tuple(found)

    def parameters(self, place: int) -> Json:
        """The schema of the arguments of a call."""
        return (self.menu.tool(str(self.calls[place]["name"])) or {}).get("parameters")

    def arguments(self, place: int) -> dict[str, Json]:
        """The arguments of a call, as a new object."""
        given = self.calls[place]["arguments"]
        assert isinstance(given, Mapping)
        return dict(given)

    def valid(self, place: int, call: JsonObject) -> bool:
        """Whether a call may stand at a place (RULES C)."""
        return not isinstance(check_calls(self.menu, [call], before=place), Verdict)

    def with_call(self, place: int, call: JsonObject) -> Calls:
        """The calls with another one at a place."""
        return (*self.calls[:place], call, *self.calls[place + 1 :])

    def changed(self, kind: Kind, place: int, arguments: Json, detail: str, where: str = "") -> Mutant:
        """The mutant with these arguments of one call."""
        calls = self.with_call(place, {**self.calls[place], "arguments": arguments})
        return Mutant(kind, calls, f"call {place + 1}, {detail}", where)

    def unequal(
        self, looks: Looks, kind: Kind, place: int, arguments: Json, detail: str, where: str = ""
    ) -> Iterator[Mutant]:
        """The mutant with these arguments of one call, if they are valid and do not equal the gold's (RULES A2-A6)."""
        if not looks.afford(1 + self.values[place]):
            return
        given, changed = _followed(self.calls[place]["arguments"], self.originals), _followed(arguments, self.originals)
        if equal(given, changed, self.parameters(place)):
            return
        if self.valid(place, {**self.calls[place], "arguments": arguments}):
            yield self.changed(kind, place, arguments, detail, where)


def targets(value: Json) -> frozenset[int]:
    """The numbers (from 1) of the calls that references in a value point to."""
    return frozenset(found.number for found in references(value))


def arranged(calls: Sequence[JsonObject], order: Sequence[int]) -> Calls:
    """The calls at these places, in this order, with references that follow their targets.

    What refers to a call that is left out stays as it is (a result may hold text that looks so).
    """
    numbers = {old + 1: new + 1 for new, old in enumerate(order)}

    def renumber(text: str) -> str:
        target = reference(text)
        return f"$var_{numbers.get(target[0], target[0])}{target[1]}" if target else text

    return tuple({**calls[place], "arguments": rewritten(calls[place]["arguments"], renumber)} for place in order)


def _followed(arguments: Json, originals: Sequence[int]) -> Json:
    """Arguments whose references point to the first of the calls that equal their target."""

    def follow(text: str) -> str:
        target = reference(text)
        known = target and 0 < target[0] <= len(originals)
        return f"$var_{originals[target[0] - 1]}{target[1]}" if target and known else text

    return rewritten(arguments, follow)


def replaced(value: Json, path: Path, *new: Json) -> Json:
    """The value with another one at the path, or, without one, with that member or item left out."""
    step, rest = path[0], path[1:]
    if isinstance(value, Mapping):
        inner = [replaced(value[str(step)], rest, *new)] if rest else list(new)
        return {key: item for name, old in value.items() for key, item in _kept(name, old, step, inner)}
    assert isinstance(value, list | tuple)
    assert isinstance(step, int)
    inner = [replaced(value[step], rest, *new)] if rest else list(new)
    return [*value[:step], *inner, *value[step + 1 :]]


def _kept(name: str, old: Json, step: str | int, inner: list[Json]) -> list[tuple[str, Json]]:
    return [(name, old)] if name != step else [(name, item) for item in inner]
