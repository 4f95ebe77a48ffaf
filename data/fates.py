"""What became of each candidate: one byte and one number, told as a verdict to whoever asks.

In: candidates, a rule and how dead a task may be; then what the draw chose and whom it passed over. Out: `Fates`, a
mapping from the brief's index of each candidate that was not chosen to the verdict that says why; whoever is barred,
excluded by the rule or too dead is so from the beginning, in this order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum, auto

import numpy as np
from numpy.typing import NDArray

from data.candidates import Candidates
from data.lines import Numbers
from data.neardup import Alike
from data.records import Verdict
from data.rule import BANDS, Rule

CHECK = "select"


class Fate(IntEnum):
    """Why a candidate is not in the set, or that it is."""

    SURPLUS = 0
    CHOSEN = auto()
    BARRED = auto()
    UNREACHABLE = auto()
    SUSPECT = auto()
    BAND_EXCLUDED = auto()
    RATE_EXCLUDED = auto()
    DOMAIN_EXCLUDED = auto()
    FLAT_REWARD = auto()
    DEAD_GROUPS = auto()
    SPLIT = auto()
    DUPLICATE = auto()
    NEAR_DUPLICATE = auto()


_SAID = {
    Fate.SURPLUS: "the set was full",
    Fate.UNREACHABLE: "no attempt was right",
    Fate.SUSPECT: "half of the attempts agree on a valid answer that is not the gold",
}


class Fates(Mapping[int, Verdict]):
    """Verdicts by brief index, of all candidates but the chosen."""

    def __init__(self, candidates: Candidates, rule: Rule, limit: float) -> None:
        self.rows = candidates.rows()
        self.group_tools = candidates.group_tools()
        self.apart: frozenset[str] = frozenset()
        """The tools of the split `eval`."""
        self._domains, self._barred = list(candidates.domains), list(candidates.barred)
        self._group_domains = candidates.groups().domains
        self._rule = rule
        self._order = np.argsort(self.rows["index"], kind="stable")
        self._other = np.zeros(len(self.rows), np.uint32)
        """Of a near-duplicate the number of whom it resembles."""
        self._fates = np.zeros(len(self.rows), np.uint8)
        for fate, those in reversed(list(self._excluded(limit))):
            self._fates[those] = fate

    def _excluded(self, limit: float) -> Iterator[tuple[Fate, NDArray[np.bool_]]]:
        """Who is out from the beginning; the first reason counts."""
        rows, rule = self.rows, self._rule
        rate, (low, high) = rows["pass_rate"], rule.pass_rate
        shares = np.array([bool(rule.mix.get(band)) for band in BANDS])
        named = np.array(
            [bool(rule.domains and name not in rule.domains) or rule.quotas.get(name) == 0 for name in self._domains],
            dtype=bool,
        )
        yield Fate.BARRED, rows["barred"] > 0
        yield Fate.UNREACHABLE, rate <= 0
        yield Fate.SUSPECT, rows["suspect"] & (not rule.suspects)
        yield Fate.BAND_EXCLUDED, ~shares[rows["band"]]
        yield Fate.RATE_EXCLUDED, (rate < low) | (rate > high)
        yield Fate.DOMAIN_EXCLUDED, named[self._group_domains[rows["group"]]]
        yield Fate.FLAT_REWARD, rows["reward_std"] < rule.min_reward_std
        yield Fate.DEAD_GROUPS, rows["dead"] >= limit

    def let_in(self) -> Numbers:
        """The numbers of those that nothing speaks against so far."""
        return np.flatnonzero(self._fates == Fate.SURPLUS)

    def turn_down(self, numbers: Numbers, fate: Fate) -> None:
        """These are out."""
        self._fates[numbers] = fate

    def settle(self, chosen: Iterable[int], alike: Iterable[tuple[int, Alike]]) -> None:
        """What a draw came to."""
        self._fates[list(chosen)] = Fate.CHOSEN
        for number, other in alike:
            self._fates[number] = Fate.DUPLICATE if other.equal else Fate.NEAR_DUPLICATE
            self._other[number] = other.number

    def codes(self) -> Counter[str]:
        """How many candidates are out for each code."""
        counts = Counter[str]()
        for fate, count in enumerate(np.bincount(self._fates, minlength=len(Fate)).tolist()):
            if count and fate not in (Fate.CHOSEN, Fate.BARRED):
                counts[_code(Fate(fate))] += count
        barred = np.bincount(self.rows["barred"][self._fates == Fate.BARRED], minlength=len(self._barred))
        for verdict, count in zip(self._barred, barred.tolist(), strict=True):
            if verdict is not None and count:
                counts[verdict.code] += count
        return counts

    def __len__(self) -> int:
        return int(np.count_nonzero(self._fates != Fate.CHOSEN))

    def __iter__(self) -> Iterator[int]:
        yield from self.rows["index"][self._order[self._fates[self._order] != Fate.CHOSEN]].tolist()

    def __getitem__(self, index: int) -> Verdict:
        place = int(np.searchsorted(self.rows["index"], index, sorter=self._order))
        number = int(self._order[place]) if place < len(self._order) else -1
        if number < 0 or self.rows["index"][number] != index or self._fates[number] == Fate.CHOSEN:
            raise KeyError(index)
        return self._verdict(number, Fate(int(self._fates[number])))

    def _verdict(self, number: int, fate: Fate) -> Verdict:
        row = self.rows[number]
        barred: Verdict | None = self._barred[row["barred"]]
        if fate is Fate.BARRED and barred is not None:
            return barred
        return Verdict(CHECK, _code(fate), _SAID.get(fate) or self._detail(number, fate))

    def _detail(self, number: int, fate: Fate) -> str:
        row = self.rows[number]
        match fate:
            case Fate.BAND_EXCLUDED:
                return f"the mix has no share for {BANDS[row['band']]}"
            case Fate.RATE_EXCLUDED:
                low, high = self._rule.pass_rate
                return f"pass rate {row['pass_rate']:g} is not in [{low:g}, {high:g}]"
            case Fate.DOMAIN_EXCLUDED:
                return f"the rule has no share for {self._domains[self._group_domains[row['group']]]}"
            case Fate.FLAT_REWARD:
                return f"reward varies by {row['reward_std']:.3f}"
            case Fate.DEAD_GROUPS:
                return f"{row['dead']:.1%} of its groups of 8 would not disagree"
            case Fate.SPLIT:
                tools = set(self.group_tools[row["group"]])
                return f"calls {min(tools & self.apart)}, of the split eval, and {min(tools - self.apart)}"
            case _:
                return f"of the question of brief {self.rows['index'][self._other[number]]}"


def _code(fate: Fate) -> str:
    """As the ledger has it: a pass rate is excluded like a band."""
    return "band_excluded" if fate is Fate.RATE_EXCLUDED else fate.name.lower()
