"""The draw: candidates taken in turns, so that no domain and no tool dominates and no question comes twice.

In: candidates that a rule lets in, seats by band and by domain. Out: the chosen, in the order drawn, and a verdict for
each near-duplicate met on the way. A band's next seat goes to the domain that has least of its seats, then to the
tools of which the set has least, then to the task nearest to the frontier, then to the lowest index.
Not promised: full seats; what candidates cannot give is left open.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from data.neardup import NearDuplicates
from data.records import Band, Verdict
from data.rule import BANDS, REST, domain_seats, seats

CHECK = "select"

_Group = tuple[str, tuple[str, ...]]
_Place = tuple[int, float, int, _Group]
"""Of a group in its domain's line: tasks that its tools have, distance to the frontier and index of its next one."""


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


class Draw:
    """`n` seats, and what was chosen for them. `kept` are the questions that are in the set already."""

    def __init__(self, n: int, mix: Mapping[Band, float], quotas: Mapping[str, float], kept: NearDuplicates) -> None:
        self.wanted = seats(n, mix)
        self.quotas = domain_seats(n, quotas)
        self.chosen: list[int] = []
        self.bands: Counter[Band] = Counter()
        self.domains: Counter[str] = Counter()
        self.refused: dict[int, Verdict] = {}
        self._n = n
        self._kept = kept
        self._tools: Counter[str] = Counter()
        self._filled: Counter[str] = Counter()
        self._waiting: dict[Band, dict[_Group, list[tuple[float, int, Candidate]]]] = {
            band: defaultdict(list) for band in BANDS
        }

    def run(self, candidates: Iterable[Candidate]) -> Draw:
        """Fill the seats: each band its own, then what bands left open, then what domains left open."""
        for candidate in candidates:
            off_frontier = max(0.25 - candidate.pass_rate, candidate.pass_rate - 0.75, 0.0)
            group = self._waiting[candidate.band][candidate.domain, candidate.tools]
            heapq.heappush(group, (off_frontier, candidate.index, candidate))
        for band in BANDS:
            self._take(band, self.wanted[band], capped=True)
        for capped in (True, False):
            for band in BANDS:
                self._take(band, self._n - len(self.chosen), capped=capped)
        return self

    def left(self) -> Iterable[int]:
        """Those that were never drawn."""
        for groups in self._waiting.values():
            for waiting in groups.values():
                yield from (index for _, index, _ in waiting)

    def _take(self, band: Band, count: int, *, capped: bool) -> None:
        """Choose up to `count` of a band; `capped`, of domains whose seats are not full.

        A line of domains by what each has, and in each domain a line of groups by what their tools have. Both only
        ever move back, so that a place is looked at again when it comes to the front.
        """
        lines: dict[str, list[_Place]] = defaultdict(list)
        for group, waiting in self._waiting[band].items():
            if waiting:
                lines[group[0]].append(self._place(group, waiting))
        for line in lines.values():
            heapq.heapify(line)
        order = [(self._load(domain), line[0], domain) for domain, line in lines.items()]
        heapq.heapify(order)
        while order and count > 0:
            turn = order[0]
            domain = turn[2]
            if capped and self._full(domain):
                heapq.heappop(order)
                continue
            line = lines[domain]
            now = self._load(domain), self._front(band, line), domain
            if turn < now:
                heapq.heapreplace(order, now)
                continue
            group = line[0][3]
            waiting = self._waiting[band][group]
            count -= self._choose(heapq.heappop(waiting)[-1])
            if waiting:
                heapq.heapreplace(line, self._place(group, waiting))
            else:
                heapq.heappop(line)
            if not line:
                heapq.heappop(order)

    def _front(self, band: Band, line: list[_Place]) -> _Place:
        """The first place of a domain's line, as it is now."""
        while True:
            now = self._place(line[0][3], self._waiting[band][line[0][3]])
            if line[0] == now:
                return now
            heapq.heapreplace(line, now)

    def _full(self, domain: str) -> bool:
        name = self._quota(domain)
        return self._filled[name] >= self.quotas[name]

    def _quota(self, domain: str) -> str:
        return domain if domain in self.quotas else REST

    def _place(self, group: _Group, waiting: list[tuple[float, int, Candidate]]) -> _Place:
        off_frontier, index, _ = waiting[0]
        return max(self._tools[tool] for tool in group[1]), off_frontier, index, group

    def _load(self, domain: str) -> float:
        """What a domain has of its share; all without a quota share alike."""
        return self.domains[domain] / (max(1, self.quotas[domain]) if domain in self.quotas else self._rest)

    @property
    def _rest(self) -> float:
        """What a domain without a quota weighs: one seat where there are no quotas, else as if it had all the rest."""
        return 1.0 if len(self.quotas) == 1 else max(1.0, self.quotas[REST])

    def _choose(self, candidate: Candidate) -> bool:
        alike = self._kept.keep(candidate.index, candidate.question)
        if alike is not None:
            code = "duplicate" if alike.equal else "near_duplicate"
            self.refused[candidate.index] = Verdict(CHECK, code, f"of the question of brief {alike.label}")
            return False
        self.chosen.append(candidate.index)
        self.bands[candidate.band] += 1
        self.domains[candidate.domain] += 1
        self._filled[self._quota(candidate.domain)] += 1
        self._tools.update(candidate.tools)
        return True
