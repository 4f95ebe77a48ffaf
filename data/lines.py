"""Who is next: candidates of one band waiting in a line a domain, those of one group behind each other.

In: candidates by number, and how many tasks have each tool. Out: of a domain's line the first: of the group whose most
frequent tool is the least frequent, there the nearest to the frontier, there the lowest index.
A place is one integer, tasks and rank; places stand in blocks with the least of each, so that a tool that became more
frequent moves the groups that call it and nobody else. One that is taken, or its tools counted, costs the same however
long the lines are, but for the groups that its tools have.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from data.candidates import Groups, Rows

NOBODY = (1 << 63) - 1
"""The place of a group that nobody waits in."""
_BLOCK = 64
_RANK = np.int64(32)
_RANKS = np.int64((1 << 32) - 1)

Numbers = NDArray[np.int64]


class Lines:
    """The lines of a band."""

    def __init__(self, rows: Rows, groups: Groups, numbers: Numbers) -> None:
        rate, group = rows["pass_rate"][numbers], rows["group"][numbers]
        off_frontier = np.maximum(np.maximum(0.25 - rate, rate - 0.75), 0.0)
        rank = np.empty(len(numbers), np.int64)
        rank[np.lexsort((rows["index"][numbers], off_frontier))] = np.arange(len(numbers))
        order = np.lexsort((rank, group, groups.domains[group]))
        self._numbers, self._ranks = numbers[order], rank[order]
        named, self._heads = np.unique(groups.domains[group[order]] << _RANK | group[order], return_index=True)
        self._ends = np.append(self._heads[1:], len(order))
        self._heads = self._heads.astype(np.int64)
        self._lay_out(named >> _RANK, named & _RANKS, groups)

    def _lay_out(self, domains: Numbers, named: Numbers, groups: Groups) -> None:
        """Places for the groups, a domain's in whole blocks; for each tool the places of the groups that call it."""
        self.domains: dict[int, tuple[int, int]] = {}
        """Of each domain its blocks: the first, and the one after the last."""
        places, blocks = np.empty(len(named), np.int64), 0
        borders = [0, *(np.flatnonzero(np.diff(domains)) + 1).tolist(), len(domains)] if len(domains) else []
        for first, end in pairwise(borders):
            places[first:end] = blocks * _BLOCK + np.arange(end - first)
            after = blocks + -(-(end - first) // _BLOCK)
            self.domains[int(domains[first])] = blocks, after
            blocks = after
        self._places = places
        self._group_at = np.full(blocks * _BLOCK, -1, np.int64)
        self._group_at[places] = np.arange(len(named))
        self._keys = np.full((blocks, _BLOCK), NOBODY, np.int64)
        self._least = np.full(blocks, NOBODY, np.int64)
        sizes = np.diff(groups.starts)[named]
        self._starts = np.cumsum(sizes) - sizes
        inside = np.arange(int(sizes.sum())) - np.repeat(self._starts, sizes)
        self._tools = groups.tools[np.repeat(groups.starts[named], sizes) + inside]
        by_tool = np.argsort(self._tools, kind="stable")
        self._callers = np.repeat(places, sizes)[by_tool]
        self._called, begin = np.unique(self._tools[by_tool], return_index=True)
        self._spans = dict(zip(self._called.tolist(), pairwise([*begin.tolist(), len(by_tool)]), strict=True))

    def count(self, tasks: Numbers) -> None:
        """Say anew how many tasks each tool has."""
        if len(self._places):
            held = np.maximum.reduceat(tasks[self._tools], self._starts)
            waiting = self._heads < self._ends
            ranks = self._ranks[np.minimum(self._heads, len(self._ranks) - 1)]
            self._keys.reshape(-1)[self._places] = np.where(waiting, held << _RANK | ranks, NOBODY)
            self._least = self._keys.min(axis=1)

    def front(self, domain: int) -> int:
        """The place of the first of a domain's line; `NOBODY` if none waits."""
        first, end = self.domains[domain]
        return int(self._least[first:end].min())

    def take(self, domain: int) -> int:
        """The number of the first of a domain's line, who leaves it."""
        first, end = self.domains[domain]
        block = first + int(self._least[first:end].argmin())
        keys = self._keys[block]
        place = int(keys.argmin())
        group = self._group_at[block * _BLOCK + place]
        head = self._heads[group]
        self._heads[group] = head + 1
        more = head + 1 < self._ends[group]
        keys[place] = keys[place] >> _RANK << _RANK | self._ranks[head + 1] if more else NOBODY
        self._least[block] = keys.min()
        return int(self._numbers[head])

    def counted(self, tool: int, tasks: int) -> None:
        """A tool has so many tasks now, one more than before."""
        if (span := self._spans.get(tool)) is None:
            return
        callers = self._callers[span[0] : span[1]]
        keys = self._keys.reshape(-1)
        held = keys[callers]
        keys[callers] = np.maximum(held, np.int64(tasks << 32) | held & _RANKS)
        blocks = np.unique(callers // _BLOCK) if len(callers) > 1 else callers // _BLOCK
        self._least[blocks] = self._keys[blocks].min(axis=1)
