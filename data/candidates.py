"""Measured candidates as columns: what selection needs to know of a million tasks, without a million objects.

In: `Candidate`s, one at a time, each with its brief's index. Out: `Rows`, a record of 38 bytes for each, and what their
numbers stand for: domains, tools, groups (a domain and the tools that a gold calls there) and verdicts that bar. What
candidates ask lies in `data.texts`, outside of memory, with the sketches that near-duplicates are found by; both are
made once, however often it is selected.
Memory: some 50 bytes a candidate, and what its group's names take where no other candidate has the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from data.neardup import Buckets
from data.records import Band, Verdict
from data.rule import BANDS
from data.texts import Texts

Rows = np.ndarray[tuple[int], np.dtype[np.void]]
ROW = np.dtype(
    [("index", "i8"), ("group", "u4"), ("band", "u1"), ("suspect", "?"), ("pass_rate", "f8"), ("reward_std", "f8"),
     ("dead", "f8"), ("barred", "u2")]
)  # fmt: skip
_PENDING = 4096


@dataclass(frozen=True, slots=True)
class Candidate:
    """What selection needs to know of a measured task.

    `index` is its brief's; `tools` are the names that the gold calls, at least one; `dead` is 1 - `signal_g8`;
    `barred` says why it may not be published by any rule (data.screen).
    """

    index: int
    question: str
    domain: str
    tools: tuple[str, ...]
    pass_rate: float
    band: Band
    suspect: bool
    reward_std: float = 0.0
    dead: float = 0.0
    barred: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of candidates by number: each its domain's number, and its tools' numbers end to end."""

    domains: NDArray[np.int64]
    tools: NDArray[np.int64]
    starts: NDArray[np.int64]
    """Where each group's tools begin, and at last where all end."""


class Candidates:
    """Candidates in the order in which they came, each with that number."""

    def __init__(self, found: Iterable[Candidate] = ()) -> None:
        self.texts = Texts()
        self.domains: dict[str, int] = {}
        self.tools: dict[str, int] = {}
        self.barred: dict[Verdict | None, int] = {None: 0}
        self._groups: dict[tuple[int, tuple[int, ...]], int] = {}
        self._rows: list[Rows] = []
        self._pending: list[tuple[float, ...]] = []
        self._buckets: Buckets | None = None
        for one in found:
            self.add(one)

    def __len__(self) -> int:
        return len(self.texts)

    def add(self, one: Candidate) -> None:
        """Take a candidate in."""
        tools = tuple(self.tools.setdefault(name, len(self.tools)) for name in one.tools)
        domain = self.domains.setdefault(one.domain, len(self.domains))
        group = self._groups.setdefault((domain, tools), len(self._groups))
        barred = self.barred.setdefault(one.barred, len(self.barred))
        measured = (BANDS.index(one.band), one.suspect, one.pass_rate, one.reward_std, one.dead)
        self._pending.append((one.index, group, *measured, barred))
        self.texts.add(one.question)
        if len(self._pending) == _PENDING:
            self._pack()

    def rows(self) -> Rows:
        """All candidates by number; what comes later does not change it."""
        self._pack()
        self._rows = [np.concatenate(self._rows)] if self._rows else [np.empty(0, ROW)]
        return self._rows[0]

    def groups(self) -> Groups:
        """The groups that `rows` names."""
        sizes = [len(tools) for _, tools in self._groups]
        flat = np.fromiter(chain.from_iterable(tools for _, tools in self._groups), np.int64, sum(sizes))
        domains = np.fromiter((domain for domain, _ in self._groups), np.int64, len(sizes))
        return Groups(domains, flat, np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]))

    def group_tools(self) -> list[tuple[str, ...]]:
        """The names of each group's tools."""
        names = list(self.tools)
        return [tuple(names[tool] for tool in tools) for _, tools in self._groups]

    def buckets(self) -> Buckets:
        """What near-duplicates among all candidates are found by."""
        if self._buckets is None or self._buckets.size != len(self):
            self._buckets = Buckets(self.texts)
        return self._buckets

    def _pack(self) -> None:
        if self._pending:
            self._rows.append(np.array(self._pending, ROW))
            self._pending.clear()
