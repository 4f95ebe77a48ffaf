"""Which of the measured candidates are published: exactly n, by a rule, spread, no question twice.

In: candidates with their figures and a `Rule`. Out: `Selection`: the chosen, those of them in the split `eval`, and for
each candidate that was not chosen the named reason. The same candidates, in any order, give the same selection.
A candidate is out when it is barred (data.screen), nobody passed it, it is a suspect, or the rule excludes its band,
domain, pass rate or spread of rewards; `data.draw` chooses among the others, `eval` first.
Not promised: the mix, the quotas or the spread, where the candidates do not give them; `Selection` says what is short.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from data.candidates import Candidate, Candidates
from data.draw import Draw
from data.fates import Fate, Fates
from data.lines import Numbers
from data.neardup import NearDuplicates
from data.records import Band, Json, JsonObject, Message, Score, Task, Verdict
from data.rule import BANDS, REST, Rule, domain_seats, seats
from data.splits import held_apart


@dataclass(frozen=True, slots=True)
class Selection:
    """`chosen` are brief indices, those of `eval` first; `refused` has every other candidate's."""

    asked: int
    chosen: tuple[int, ...]
    refused: Fates
    wanted: Mapping[Band, int]
    got: Mapping[Band, int]
    quotas: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Of each domain with a quota the seats wanted and filled."""
    eval: frozenset[int] = frozenset()
    eval_wanted: int = 0

    @property
    def missing(self) -> int:
        """How many tasks the set falls short of what was asked."""
        return self.asked - len(self.chosen)

    @property
    def mixed(self) -> bool:
        """Whether every band and every domain has its share, and `eval` its own."""
        return (
            self.got == self.wanted
            and all(got == wanted for wanted, got in self.quotas.values())
            and len(self.eval) == self.eval_wanted
        )

    def describe(self) -> str:
        """What is short and why, in one line; empty when n tasks of the right mix were chosen."""
        if not self.missing and self.mixed:
            return ""
        head = f"{len(self.chosen)} of {self.asked} tasks"
        parts = [f"{band} {self.got[band]} of {self.wanted[band]}" for band in BANDS]
        parts += [f"domain {name} {got} of {wanted}" for name, (wanted, got) in self.quotas.items()]
        parts += [f"eval {len(self.eval)} of {self.eval_wanted}"] if self.eval_wanted else []
        reasons = sorted(self.refused.codes().items())
        tail = ", ".join(f"{count} {code}" for code, count in reasons) or "no other candidate"
        return f"{head} ({', '.join(parts)}); not chosen: {tail}"


def candidate_of(index: int, task: Task, score: Score, barred: Verdict | None = None) -> Candidate:
    """The candidate that a task and its score make."""
    return candidate(index, task.domain, task.messages, task.calls, task.unanswerable, score, barred)


def candidate(
    index: int,
    domain: str,
    messages: Sequence[Message],
    calls: Sequence[JsonObject],
    unanswerable: Json,
    score: Score,
    barred: Verdict | None,
) -> Candidate:
    """The same of a task's parts; its question is all that the user says.

    A gold without calls counts by those of its proof, so that abstentions spread like the rest.
    """
    tools = tuple(sorted({str(call["name"]) for call in calls or _proof_calls(unanswerable)})) or ("",)
    return Candidate(
        index, question_text(messages), domain, tools, score.pass_rate, score.band, score.suspect, score.reward_std,
        1 - score.signal_g8, barred,
    )  # fmt: skip


def question_text(messages: Sequence[Message]) -> str:
    """All that the user says: what two tasks are compared by."""
    return "\n".join(message.content for message in messages if message.role == "user")


def _proof_calls(unanswerable: Json) -> list[JsonObject]:
    """The calls that would be due, were the task not unanswerable; as a model wrote them."""
    calls = unanswerable.get("calls") if isinstance(unanswerable, Mapping) else None
    listed = calls if isinstance(calls, (list, tuple)) else ()
    return [call for call in listed if isinstance(call, Mapping) and "name" in call]


def select(candidates: Candidates | Iterable[Candidate], rule: Rule) -> Selection:
    """Choose `rule.n` tasks, or as many as there are. Whoever selects several times keeps its `Candidates`."""
    pool = candidates if isinstance(candidates, Candidates) else Candidates(candidates)
    dead = pool.rows()["dead"]
    limit = math.inf
    while True:
        chosen, found = _select(pool, rule, limit)
        shares = dead[chosen]
        if rule.max_dead_share >= 1 or not len(shares) or _mean(shares) <= rule.max_dead_share + 1e-9:
            return found
        limit = float(shares.max())  # Those that are dead most often go, until the set has no more than it may.


def _mean(shares: NDArray[np.float64]) -> float:
    return math.fsum(shares.tolist()) / len(shares)


def _select(pool: Candidates, rule: Rule, limit: float) -> tuple[list[int], Selection]:
    """The selection among candidates that are dead more seldom than `limit`; its numbers, and itself."""
    rows, groups, fates = pool.rows(), pool.groups(), Fates(pool, rule, limit)
    let_in = fates.let_in()
    sides = let_in, let_in[:0]
    if rule.eval_share:
        counts = np.bincount(rows["group"][let_in], minlength=len(groups.domains))
        named = Counter[frozenset[str]]()
        for tools, count in zip(fates.group_tools, counts.tolist(), strict=True):
            named[frozenset(tools)] += count
        fates.apart = held_apart(+named, rule.eval_share)
        sides = _sides(let_in, fates)
    kept = NearDuplicates(pool.buckets(), rule.near_duplicate)
    held = Draw(rule.eval_seats, rule.mix, rule.quotas, kept).run(pool, groups, sides[1])
    train = Draw(rule.n - len(held.chosen), rule.mix, rule.quotas, kept).run(pool, groups, sides[0])
    for draw in (held, train):
        fates.settle(draw.chosen, draw.alike)
    domains = held.domains + train.domains
    wanted = seats(len(held.chosen), rule.mix)  # What `eval` could not fill, `train` was asked for.
    quotas = domain_seats(len(held.chosen), rule.quotas)
    index = rows["index"]
    selection = Selection(
        rule.n,
        tuple(index[[*held.chosen, *train.chosen]].tolist()),
        fates,
        {band: wanted[band] + train.wanted[band] for band in BANDS},
        {band: held.bands[band] + train.bands[band] for band in BANDS},
        {name: (quotas[name] + train.quotas[name], domains[name]) for name in train.quotas if name != REST},
        frozenset(index[held.chosen].tolist()),
        rule.eval_seats,
    )
    return [*held.chosen, *train.chosen], selection


def _sides(let_in: Numbers, fates: Fates) -> tuple[Numbers, Numbers]:
    """The candidates of `train` and of `eval`; those that call tools of both are turned down."""
    shared = np.array([len(fates.apart.intersection(tools)) for tools in fates.group_tools])
    sizes = np.array([len(tools) for tools in fates.group_tools])
    group = fates.rows["group"][let_in]
    none, whole = (shared == 0)[group], (shared == sizes)[group]
    fates.turn_down(let_in[~none & ~whole], Fate.SPLIT)
    return let_in[none], let_in[~none & whole]
