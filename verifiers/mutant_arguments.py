"""Mutants that change the arguments of a call: withheld, left out, exchanged, another value.

In: a `Gold`. Out: `Mutant`s in the order of the calls and their arguments; but for `hollow` each is valid (RULES C).
Not promised: values that neither the task's text nor the schema suggests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, islice

from data.records import Json
from verifiers.answer import reference
from verifiers.grounding import must_be_said
from verifiers.mutant import Gold, Looks, Mutant, replaced, targets
from verifiers.plausible import Hints, leaves, others
from verifiers.schema_places import Path, schemas_at, written

MAX_TRIED = 64
"""Other values for one place that are looked at; the menu's schema refuses most."""
MAX_EXCHANGED = 12
"""Arguments of a call that are exchanged with each other."""


def hollow(gold: Gold) -> Iterator[Mutant]:
    """Each call without any of the values that the task had to say: left out, or empty where they are required."""
    for place in range(len(gold.calls)):
        arguments, parameters = gold.arguments(place), gold.parameters(place)
        said = [name for name in arguments if must_be_said(parameters, arguments, name)]
        for name in said:
            silent = next(_silences(gold, place, arguments, name), None)
            if silent is None:
                break
            arguments = silent
        else:
            if said:
                yield gold.changed("hollow", place, arguments, "nothing of what the task says")


def _silences(gold: Gold, place: int, arguments: dict[str, Json], name: str) -> Iterator[dict[str, Json]]:
    """The arguments with nothing said in one of them: as the alternatives allow it, else as the schema does."""
    parameters = gold.parameters(place)
    without = {key: value for key, value in arguments.items() if key != name}
    if name in gold.may_omit[place]:
        yield without
    for value in gold.accept[place].get(name, ()):
        variant = {**arguments, name: value}
        blank = all(isinstance(leaf, str) and not leaf.strip() for _, leaf in leaves(value))
        if blank or not (targets(value) or must_be_said(parameters, variant, name)):
            yield variant
    empty: tuple[Json, ...] = ("", [], {}, None)
    for variant in (without, *({**arguments, name: value} for value in empty)):
        if gold.valid(place, {**gold.calls[place], "arguments": variant}):
            yield variant


def omitted(gold: Gold, looks: Looks) -> Iterator[Mutant]:
    """Each argument, each member of an object, and the last item of each list left out."""
    for place, call in enumerate(gold.calls):
        for path in _parts(call["arguments"], ()):
            rest = replaced(call["arguments"], path)
            yield from gold.unequal(looks, "omit", place, rest, f"{written(path)[:80]} left out")


def _parts(value: Json, path: Path) -> Iterator[Path]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield (*path, name)
            yield from _parts(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if index == len(value) - 1 > 0:
                yield (*path, index)
            yield from _parts(item, (*path, index))


def exchanged(gold: Gold, looks: Looks) -> Iterator[Mutant]:
    """Two values of a call exchanged, where both may stand in either place."""
    for place in range(len(gold.calls)):
        arguments = gold.arguments(place)
        for (one, value), (two, other) in combinations(islice(arguments.items(), MAX_EXCHANGED), 2):
            turned = {**arguments, one: other, two: value}
            yield from gold.unequal(looks, "exchange", place, turned, f"{one[:80]} and {two[:80]} exchanged")


def revalued(gold: Gold, told: Hints, looks: Looks) -> Iterator[Iterator[Mutant]]:
    """For each value of each call, the mutants in which it is another; those first that have alternatives."""
    found = [(place, *leaf) for place, call in enumerate(gold.calls) for leaf in leaves(call["arguments"])]
    for place, path, value in sorted(found, key=lambda one: one[1][0] not in gold.accept[one[0]]):
        yield _revalued(gold, place, path, value, told, looks)


def _revalued(gold: Gold, place: int, path: Path, value: Json, told: Hints, looks: Looks) -> Iterator[Mutant]:
    call = gold.calls[place]
    if target := reference(value):
        instead: Iterator[Json] = (f"$var_{number}{target[1]}" for number in range(1, place + 1))
    else:
        instead = others(value, schemas_at(gold.parameters(place), path).here, told)
    for new in islice(instead, MAX_TRIED):
        if not looks.afford(1):
            return
        detail = f"{written(path)[:80]}: {repr(new)[:80]} for {repr(value)[:80]}"
        arguments = replaced(call["arguments"], path, new)
        yield from gold.unequal(looks, "value", place, arguments, detail, f"call {place + 1}, {written(path)}")
