"""The draw: candidates taken in turns, so that no domain and no tool dominates and no question comes twice.

In: the numbers of candidates that a rule lets in, seats by band and by domain. Out: the chosen, in the order drawn, and
whom each near-duplicate met on the way resembles. A band's next seat goes to the domain that has least of its seats,
then to the tools of which the set has least, then to the task nearest to the frontier, then to the lowest index.
Not promised: full seats; what candidates cannot give is left open.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping

import numpy as np

from data.candidates import Candidates, Groups
from data.lines import NOBODY, Lines, Numbers
from data.neardup import Alike, NearDuplicates
from data.records import Band
from data.rule import BANDS, REST, domain_seats, seats


class Draw:
    """`n` seats, and what was chosen for them. `kept` are the questions that are in the set already."""

    def __init__(self, n: int, mix: Mapping[Band, float], quotas: Mapping[str, float], kept: NearDuplicates) -> None:
        self.wanted = seats(n, mix)
        self.quotas = domain_seats(n, quotas)
        self.chosen: list[int] = []
        self.bands: Counter[Band] = Counter()
        self.domains: Counter[str] = Counter()
        self.alike: list[tuple[int, Alike]] = []
        """Who was passed over, and whom each resembles."""
        self._n = n
        self._kept = kept
        self._filled: Counter[str] = Counter()

    def run(self, candidates: Candidates, groups: Groups, numbers: Numbers) -> Draw:
        """Fill the seats: each band its own, then what bands left open, then what domains left open."""
        rows = candidates.rows()
        self._names, self._groups, self._group = list(candidates.domains), groups, rows["group"]
        self._tasks = np.zeros(len(candidates.tools), np.int64)
        self._lines = {
            band: Lines(rows, groups, numbers[rows["band"][numbers] == place]) for place, band in enumerate(BANDS)
        }
        for band in BANDS:
            self._take(band, self.wanted[band], capped=True)
        for capped in (True, False):
            for band in BANDS:
                self._take(band, self._n - len(self.chosen), capped=capped)
        return self

    def _take(self, band: Band, count: int, *, capped: bool) -> None:
        """Choose up to `count` of a band; `capped`, of domains whose seats are not full.

        A line of domains by what each has. They only ever move back, so that one is looked at again when it comes to
        the front.
        """
        if count <= 0:
            return
        lines = self._lines[band]
        lines.count(self._tasks)
        order = [(self._load(self._names[one]), lines.front(one), self._names[one], one) for one in lines.domains]
        heapq.heapify(order)
        while order and count > 0:
            _, place, name, domain = turn = order[0]
            if place == NOBODY or (capped and self._full(name)):
                heapq.heappop(order)
                continue
            now = self._load(name), lines.front(domain), name, domain
            if turn < now:
                heapq.heapreplace(order, now)
                continue
            count -= self._choose(lines.take(domain), name, band)

    def _full(self, domain: str) -> bool:
        name = self._quota(domain)
        return self._filled[name] >= self.quotas[name]

    def _quota(self, domain: str) -> str:
        return domain if domain in self.quotas else REST

    def _load(self, domain: str) -> float:
        """What a domain has of its share; all without a quota share alike."""
        return self.domains[domain] / (max(1, self.quotas[domain]) if domain in self.quotas else self._rest)

    @property
    def _rest(self) -> float:
        """What a domain without a quota weighs: one seat where there are no quotas, else as if it had all the rest."""
        return 1.0 if len(self.quotas) == 1 else max(1.0, self.quotas[REST])

    def _choose(self, number: int, domain: str, band: Band) -> bool:
        if (alike := self._kept.keep(number)) is not None:
            self.alike.append((number, alike))
            return False
        self.chosen.append(number)
        self.bands[band] += 1
        self.domains[domain] += 1
        self._filled[self._quota(domain)] += 1
        group = self._group[number]
        for tool in self._groups.tools[self._groups.starts[group] : self._groups.starts[group + 1]].tolist():
            self._tasks[tool] += 1
            self._lines[band].counted(tool, int(self._tasks[tool]))
        return True
