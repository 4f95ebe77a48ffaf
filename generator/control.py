"""Curriculum control: which briefs come oftener in the next round, from what the last ones taught.

In: the cells of a brief distribution, and what the briefs of earlier rounds came to. Out: for each cell its acceptance
in [`FLOOR`, 1], by which `generator.briefs.plan` thins the distribution. A cell is domain x menu x calls x nesting. Its
worth is the chance that two attempts on the task of a brief disagree, whose expectation is 2p(1-p) of each task (not of
their mean: a cell half too easy and half too hard is worth nothing), and 0 for a brief that came to no new task. Each
round draws every worth from its posterior (Thompson sampling for rewards in [0, 1]: Agrawal and Goyal, arXiv 1111.1797)
and accepts in proportion, for a round is a batch, and the best cell alone would be no curriculum.
Needs no weights and no training. Deterministic in (seed, round). Not promised: that a cell's briefs can be met.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from data.records import Brief

FLOOR = 0.1
"""Least acceptance: no cell's share falls below a tenth of what the distribution gives it, seen or not."""
TRIES = 200
"""Briefs drawn for one at most; by chance alone one in 10^9 needs more."""
SAMPLED = 2_000
"""Briefs from which the shares of a distribution are counted."""
FADING = 0.5
"""What a round counts after each change of the solver's weights: it found hard what the next may find easy."""

_WORTH, _STRENGTH = 0.2, 6.0
"""Before anything was seen: a worth, and how many briefs it counts as."""


class Cell(NamedTuple):
    """A kind of brief as far as difficulty goes."""

    domain: str
    menu: str
    """Tools offered: `2`, `3-4` or `5+`."""
    calls: str
    """Calls due: `1`, `2` or `3+`."""
    nesting: str
    """`nested` where a call takes what an earlier one gave, else `flat`."""

    @property
    def shape(self) -> tuple[str, str, str]:
        return self[1:]

    def __str__(self) -> str:
        return "|".join(self)


@dataclass(slots=True)
class Evidence:
    """What the briefs of a cell came to: how many there were, and the worth of their tasks, added up."""

    briefs: float = 0.0
    worth: float = 0.0

    def add(self, briefs: float, worth: float) -> None:
        self.briefs += briefs
        self.worth += worth


Seen = Mapping[Cell, Evidence]


def cell_of(brief: Brief) -> Cell:
    """The cell of a brief."""
    menu = "2" if brief.menu_size <= 2 else "3-4" if brief.menu_size <= 4 else "5+"
    nested = brief.kind in ("dependent", "further")
    return Cell(brief.domain, menu, str(brief.calls) if brief.calls < 3 else "3+", "nested" if nested else "flat")


def disagreement(attempts: int, passes: int) -> float:
    """The share of pairs of attempts that disagree on pass or fail: unbiased for 2p(1-p). `attempts` is at least 2."""
    return 2 * passes * (attempts - passes) / (attempts * (attempts - 1))


def faded(rounds: Iterable[tuple[Seen, int]]) -> dict[Cell, Evidence]:
    """The evidence of several rounds as one; each with how many changes of the solver's weights came after it."""
    whole: dict[Cell, Evidence] = {}
    for seen, changes in rounds:
        for cell, found in seen.items():
            part = FADING**changes
            whole.setdefault(cell, Evidence()).add(part * found.briefs, part * found.worth)
    return whole


def acceptances(cells: Iterable[Cell], seen: Seen, seed: int, number: int) -> dict[str, float]:
    """The acceptance of each cell in round `number`, by the cell's name."""
    prior_of = _prior(seen)
    drawn = {}
    for cell in sorted({*cells, *seen}):
        found, prior = seen.get(cell, Evidence()), prior_of(cell)
        good = _STRENGTH * prior + found.worth
        bad = _STRENGTH * (1 - prior) + found.briefs - found.worth
        drawn[str(cell)] = Random(f"{seed}:{number}:{cell}").betavariate(good, bad)
    best = max(drawn.values(), default=1.0)
    return {name: round(max(FLOOR, worth / best), 4) for name, worth in drawn.items()}


def _prior(seen: Seen) -> Callable[[Cell], float]:
    """What a cell is worth by its shape and its domain, each against the whole: most cells are seen too seldom."""
    shapes: defaultdict[object, Evidence] = defaultdict(Evidence)
    domains: defaultdict[object, Evidence] = defaultdict(Evidence)
    whole = Evidence(_STRENGTH, _STRENGTH * _WORTH)
    for cell, found in sorted(seen.items()):
        for group in (shapes[cell.shape], domains[cell.domain], whole):
            group.add(found.briefs, found.worth)
    mean = whole.worth / whole.briefs

    def of(group: Evidence) -> float:
        """A group's mean, drawn towards the whole's until it has evidence of its own."""
        return (group.worth + _STRENGTH * mean) / (group.briefs + _STRENGTH)

    return lambda cell: min(0.95, max(0.01, of(shapes[cell.shape]) * of(domains[cell.domain]) / mean))


def steered(shares: Mapping[Cell, float], accepted: Mapping[str, float]) -> dict[Cell, float]:
    """The shares of the cells after thinning."""
    kept = {cell: share * accepted.get(str(cell), FLOOR) for cell, share in shares.items()}
    whole = sum(kept[cell] for cell in sorted(kept))
    return {cell: part / whole for cell, part in kept.items()}
