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
from verifiers.mutant import Gold, Looks, Mutant
from verifiers.mutant_arguments import exchanged, hollow, omitted, revalued
from verifiers.mutant_calls import added, dropped, empty, needless, reordered, repeated, sequences, swapped
from verifiers.plausible import hints

MAX_MUTANTS = 192
"""A third of them change which calls there are, or which arguments they have; of each kind of these at most a fifth.

In the others a value is another; every place has its turn before any has its second.
"""
MAX_PER_PLACE = 6


def mutants(gold: Gold, resolved: Sequence[JsonObject] | None = None, most: int = MAX_MUTANTS) -> Iterator[Mutant]:
    """The mutants of a gold that has calls, at most so many.

    `resolved`: where the gold was replayed, its calls with the values in place of the references. Then there are also
    independent calls in another order (`sequence`), and a call left out whose result the task says itself.
    """
    looks = Looks(gold.branches)
    shaped = -(-most // 3)
    told = hints(gold.messages, gold.calls)
    shapes = [empty(), dropped(gold), repeated(gold), hollow(gold), reordered(gold)]
    if resolved is not None:
        shapes += [needless(gold, resolved), sequences(gold)]
    shapes += [swapped(gold, told, looks), added(gold, told, looks), omitted(gold, looks), exchanged(gold, looks)]
    seen = {canonical_json(gold.calls)}
    found = (mutant for shape in shapes for mutant in islice(_once(shape, seen), max(1, shaped // 5)))
    yield from islice(found, shaped)
    valued = most - shaped
    places = [islice(_once(place, seen), MAX_PER_PLACE) for place in islice(revalued(gold, told, looks), valued)]
    turns = (mutant for turn in zip_longest(*places) for mutant in turn if mutant)
    yield from islice(turns, valued)


def _once(found: Iterator[Mutant], seen: set[str]) -> Iterator[Mutant]:
    """Those whose calls did not come before, as they are written."""
    for mutant in found:
        text = canonical_json(mutant.calls)
        if text not in seen:
            seen.add(text)
            yield mutant
