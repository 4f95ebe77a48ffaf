"""Wrong answers that are near the gold: its mutants, against which a reward shows its teeth (check 7).

In: a `Gold`. Out: `Mutant`s, always the same ones in the same order, within a budget by count. None equals the gold
under RULES A2-A8, but for `sequence`, which is made only of what was replayed.
Not promised: every wrong answer there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest

from data.canonical import canonical_json
from data.records import JsonObject
from verifiers.mutant import Gold, Mutant
from verifiers.mutant_arguments import exchanged, hollow, omitted, revalued
from verifiers.mutant_calls import added, dropped, empty, needless, reordered, repeated, sequences, swapped
from verifiers.plausible import hints

MAX_PER_KIND = 12
MAX_SHAPES = 64
"""Mutants that change which calls there are, or which arguments they have."""
MAX_PER_PLACE = 6
MAX_VALUES = 128
"""Mutants in which a value is another; every place has its turn before any has its second."""


def mutants(gold: Gold, resolved: Sequence[JsonObject] | None = None) -> Iterator[Mutant]:
    """The mutants of a gold that has calls.

    `resolved`: where the gold was replayed, its calls with the values in place of the references. Then there are also
    independent calls in another order (`sequence`), and a call left out whose result the task says itself.
    """
    told = hints(gold.messages, gold.calls)
    shapes = [empty(), dropped(gold), repeated(gold), hollow(gold), reordered(gold)]
    if resolved is not None:
        shapes += [needless(gold, resolved), sequences(gold)]
    shapes += [swapped(gold, told), added(gold, told), omitted(gold), exchanged(gold)]
    seen = {canonical_json(gold.calls)}
    found = (mutant for shape in shapes for mutant in islice(_once(shape, seen), MAX_PER_KIND))
    yield from islice(found, MAX_SHAPES)
    places = [islice(_once(place, seen), MAX_PER_PLACE) for place in islice(revalued(gold, told), MAX_VALUES)]
    turns = (mutant for turn in zip_longest(*places) for mutant in turn if mutant)
    yield from islice(turns, MAX_VALUES)


def _once(found: Iterator[Mutant], seen: set[str]) -> Iterator[Mutant]:
    """Those whose calls did not come before, as they are written."""
    for mutant in found:
        text = canonical_json(mutant.calls)
        if text not in seen:
            seen.add(text)
            yield mutant
