"""Which of the measured candidates are published: exactly n, mixed by pass rate, spread, no question twice.

In: candidates with their figures, the size of the set and the mix of bands. Out: `Selection`: the chosen, and for each
candidate that was not, the named reason. The same candidates, in any order, give the same selection.
Rules: a task that nobody passed is out, and so is a suspect (unless asked for) and a band without a share; each band
gets its share of n, drawn in turns from the domain, then the tool, of which the set has least, nearest to the
frontier first; near-duplicates of a chosen question are out; seats that a band cannot fill go to the others.
Not promised: the mix or the spread, where the candidates do not give them; `Selection` says what is short.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from data.errors import UsageError
from data.neardup import NearDuplicates
from data.records import Band, Json, Score, Task, Verdict

CHECK = "select"
BANDS: tuple[Band, ...] = ("frontier", "hard", "easy")
"""In the order in which they are filled, and in which they take seats that others leave."""

DEFAULT_MIX: Mapping[Band, float] = MappingProxyType({"easy": 0.2, "frontier": 0.6, "hard": 0.2})
"""Tool-R0 mixes 20/50/30 by a judge's word; here it is the measured pass rate, and the frontier is preferred."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What selection needs to know of a measured task.

    `index` is its brief's; `tools` are the names that the gold calls, at least one.
    """

    index: int
    question: str
    domain: str
    tools: tuple[str, ...]
    pass_rate: float
    band: Band
    suspect: bool


@dataclass(frozen=True, slots=True)
class Selection:
    """`chosen` are brief indices in the order drawn; `refused` has every other candidate's."""

    asked: int
    chosen: tuple[int, ...]
    refused: Mapping[int, Verdict]
    wanted: Mapping[Band, int]
    got: Mapping[Band, int]

    @property
    def missing(self) -> int:
        """How many tasks the set falls short of what was asked."""
        return self.asked - len(self.chosen)

    @property
    def mixed(self) -> bool:
        """Whether every band has its share."""
        return self.got == self.wanted

    def describe(self) -> str:
        """What is short and why, in one line; empty when n tasks of the right mix were chosen."""
        if not self.missing and self.mixed:
            return ""
        head = f"{len(self.chosen)} of {self.asked} tasks"
        mix = ", ".join(f"{band} {self.got[band]} of {self.wanted[band]}" for band in BANDS)
        reasons = Counter(verdict.code for verdict in self.refused.values())
        tail = ", ".join(f"{count} {code}" for code, count in sorted(reasons.items())) or "no other candidate"
        return f"{head} ({mix}); not chosen: {tail}"


def candidate_of(index: int, task: Task, score: Score) -> Candidate:
    """The candidate that a task and its score make; its question is all that the user says.

    A gold without calls counts by those of its proof, so that abstentions spread like the rest.
    """
    question = "\n".join(message.content for message in task.messages if message.role == "user")
    tools = tuple(sorted({str(call["name"]) for call in task.calls or _proof_calls(task)})) or ("",)
    return Candidate(index, question, task.domain, tools, score.pass_rate, score.band, score.suspect)


def _proof_calls(task: Task) -> list[Mapping[str, Json]]:
    """The calls that would be due, were the task not unanswerable; as a model wrote them."""
    calls = task.unanswerable.get("calls") if isinstance(task.unanswerable, Mapping) else None
    listed = calls if isinstance(calls, (list, tuple)) else ()
    return [call for call in listed if isinstance(call, Mapping) and "name" in call]


def select(
    candidates: Iterable[Candidate], n: int, mix: Mapping[Band, float] = DEFAULT_MIX, *, suspects: bool = False
) -> Selection:
    """Choose `n` tasks, or as many as there are. `suspects` lets those in whose gold half of the attempts dispute."""
    wanted = seats(n, mix)
    refused: dict[int, Verdict] = {}
    draw = _Draw(refused)
    for candidate in sorted(candidates, key=lambda one: one.index):
        verdict = _barred(candidate, mix, suspects=suspects)
        if verdict is None:
            draw.offer(candidate)
        else:
            refused[candidate.index] = verdict
    for band in BANDS:
        draw.take(band, wanted[band])
    for band in BANDS:
        draw.take(band, n - len(draw.chosen))
    for candidate in draw.left():
        refused[candidate.index] = _SURPLUS
    return Selection(n, tuple(draw.chosen), refused, wanted, {band: draw.bands[band] for band in BANDS})


def seats(n: int, mix: Mapping[Band, float]) -> dict[Band, int]:
    """How many of `n` each band gets: largest remainders, ties in the order of `BANDS`; they add up to `n`."""
    total = sum(mix.get(band, 0.0) for band in BANDS)
    if not 0 < total < float("inf") or any(share < 0 for share in mix.values()):
        raise UsageError(f"the mix {dict(mix)} has no shares", hint="give --mix easy=0.2,frontier=0.6,hard=0.2")
    exact = {band: n * mix.get(band, 0.0) / total for band in BANDS}
    given = {band: int(share) for band, share in exact.items()}
    for band in sorted(BANDS, key=lambda one: given[one] - exact[one])[: n - sum(given.values())]:
        given[band] += 1
    return given


_SURPLUS = Verdict(CHECK, "surplus", "the set was full")
_UNREACHABLE = Verdict(CHECK, "unreachable", "no attempt was right")
_SUSPECT = Verdict(CHECK, "suspect", "half of the attempts agree on a valid answer that is not the gold")


def _barred(candidate: Candidate, mix: Mapping[Band, float], *, suspects: bool) -> Verdict | None:
    if candidate.pass_rate <= 0:
        return _UNREACHABLE
    if candidate.suspect and not suspects:
        return _SUSPECT
    if not mix.get(candidate.band):
        return Verdict(CHECK, "band_excluded", f"the mix has no share for {candidate.band}")
    return None


_Group = tuple[str, tuple[str, ...]]


class _Draw:
    """Candidates waiting by band, domain and tools, and what was chosen of them."""

    def __init__(self, refused: dict[int, Verdict]) -> None:
        self.chosen: list[int] = []
        self.bands: Counter[Band] = Counter()
        self._refused = refused
        self._waiting: dict[Band, dict[_Group, list[tuple[float, int, Candidate]]]] = {
            band: defaultdict(list) for band in BANDS
        }
        self._domains: Counter[str] = Counter()
        self._tools: Counter[str] = Counter()
        self._questions = NearDuplicates()

    def offer(self, candidate: Candidate) -> None:
        off_frontier = max(0.25 - candidate.pass_rate, candidate.pass_rate - 0.75, 0.0)
        group = self._waiting[candidate.band][candidate.domain, candidate.tools]
        heapq.heappush(group, (off_frontier, candidate.index, candidate))

    def take(self, band: Band, count: int) -> None:
        """Choose up to `count` of a band, each from the group of which the set has least."""
        groups = self._waiting[band]
        line = [(self._turn(group, waiting), group) for group, waiting in groups.items() if waiting]
        heapq.heapify(line)
        while line and count > 0:
            turn, group = line[0]
            waiting = groups[group]
            now = self._turn(group, waiting)
            if turn < now:  # Others of its domain or tools were chosen since: it moves back in the line.
                heapq.heapreplace(line, (now, group))
                continue
            count -= self._choose(heapq.heappop(waiting)[-1])
            if waiting:
                heapq.heapreplace(line, (self._turn(group, waiting), group))
            else:
                heapq.heappop(line)

    def left(self) -> Iterable[Candidate]:
        """Those that were never drawn."""
        for groups in self._waiting.values():
            for waiting in groups.values():
                yield from (candidate for _, _, candidate in waiting)

    def _turn(self, group: _Group, waiting: list[tuple[float, int, Candidate]]) -> tuple[int, int, float, int]:
        domain, tools = group
        off_frontier, index, _ = waiting[0]
        return self._domains[domain], max(self._tools[tool] for tool in tools), off_frontier, index

    def _choose(self, candidate: Candidate) -> bool:
        alike = self._questions.keep(candidate.index, candidate.question)
        if alike is not None:
            other, equal = alike
            code = "duplicate" if equal else "near_duplicate"
            self._refused[candidate.index] = Verdict(CHECK, code, f"of the question of brief {other}")
            return False
        self.chosen.append(candidate.index)
        self.bands[candidate.band] += 1
        self._domains[candidate.domain] += 1
        self._tools.update(candidate.tools)
        return True
