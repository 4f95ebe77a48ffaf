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

from data.draw import CHECK, Candidate, Draw
from data.neardup import NearDuplicates
from data.records import Band, Json, Message, Score, Task, Verdict
from data.rule import BANDS, REST, Rule, domain_seats, seats
from data.splits import held_apart


@dataclass(frozen=True, slots=True)
class Selection:
    """`chosen` are brief indices, those of `eval` first; `refused` has every other candidate's."""

    asked: int
    chosen: tuple[int, ...]
    refused: Mapping[int, Verdict]
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
        reasons = Counter(verdict.code for verdict in self.refused.values())
        tail = ", ".join(f"{count} {code}" for code, count in sorted(reasons.items())) or "no other candidate"
        return f"{head} ({', '.join(parts)}); not chosen: {tail}"


def candidate_of(index: int, task: Task, score: Score, barred: Verdict | None = None) -> Candidate:
    """The candidate that a task and its score make; its question is all that the user says.

    A gold without calls counts by those of its proof, so that abstentions spread like the rest.
    """
    tools = tuple(sorted({str(call["name"]) for call in task.calls or _proof_calls(task)})) or ("",)
    return Candidate(
        index, question_text(task.messages), task.domain, tools, score.pass_rate, score.band, score.suspect,
        score.reward_std, 1 - score.signal_g8, barred,
    )  # fmt: skip


def question_text(messages: Sequence[Message]) -> str:
    """All that the user says: what two tasks are compared by."""
    return "\n".join(message.content for message in messages if message.role == "user")


def _proof_calls(task: Task) -> list[Mapping[str, Json]]:
    """The calls that would be due, were the task not unanswerable; as a model wrote them."""
    calls = task.unanswerable.get("calls") if isinstance(task.unanswerable, Mapping) else None
    listed = calls if isinstance(calls, (list, tuple)) else ()
    return [call for call in listed if isinstance(call, Mapping) and "name" in call]


def select(candidates: Iterable[Candidate], rule: Rule) -> Selection:
    """Choose `rule.n` tasks, or as many as there are."""
    ordered = sorted(candidates, key=lambda one: one.index)
    limit = math.inf
    while True:
        found = _select(ordered, rule, limit)
        if rule.max_dead_share >= 1:
            return found
        chosen = frozenset(found.chosen)
        shares = [one.dead for one in ordered if one.index in chosen]
        if not shares or math.fsum(shares) <= rule.max_dead_share * len(shares) + 1e-9:
            return found
        limit = max(shares)  # Those that are dead most often go, until the set has no more of them than it may.


def _select(ordered: Sequence[Candidate], rule: Rule, limit: float) -> Selection:
    """The selection among candidates that are dead more seldom than `limit`."""
    refused: dict[int, Verdict] = {}
    let_in: list[Candidate] = []
    for candidate in ordered:
        verdict = _barred(candidate, rule, limit)
        if verdict is None:
            let_in.append(candidate)
        else:
            refused[candidate.index] = verdict
    apart = held_apart((one.tools for one in let_in), rule.eval_share) if rule.eval_share else frozenset()
    kept = NearDuplicates(rule.near_duplicate)
    sides = _sides(let_in, apart, refused)
    held = Draw(rule.eval_seats, rule.mix, rule.quotas, kept).run(sides[1])
    train = Draw(rule.n - len(held.chosen), rule.mix, rule.quotas, kept).run(sides[0])
    for draw in (held, train):
        refused |= draw.refused | dict.fromkeys(draw.left(), _SURPLUS)
    domains = held.domains + train.domains
    wanted = seats(len(held.chosen), rule.mix)  # What `eval` could not fill, `train` was asked for.
    quotas = domain_seats(len(held.chosen), rule.quotas)
    return Selection(
        rule.n,
        (*held.chosen, *train.chosen),
        refused,
        {band: wanted[band] + train.wanted[band] for band in BANDS},
        {band: held.bands[band] + train.bands[band] for band in BANDS},
        {name: (quotas[name] + train.quotas[name], domains[name]) for name in train.quotas if name != REST},
        frozenset(held.chosen),
        rule.eval_seats,
    )


def _sides(
    candidates: Iterable[Candidate], apart: frozenset[str], refused: dict[int, Verdict]
) -> tuple[list[Candidate], list[Candidate]]:
    """Candidates of `train` and of `eval`; those that call tools of both are refused."""
    train, held = list[Candidate](), list[Candidate]()
    for candidate in candidates:
        shared = apart.intersection(candidate.tools)
        if not shared:
            train.append(candidate)
        elif len(shared) == len(set(candidate.tools)):
            held.append(candidate)
        else:
            refused[candidate.index] = Verdict(
                CHECK, "split", f"calls {min(shared)}, of the split eval, and {min(set(candidate.tools) - shared)}"
            )
    return train, held


_SURPLUS = Verdict(CHECK, "surplus", "the set was full")
_UNREACHABLE = Verdict(CHECK, "unreachable", "no attempt was right")
_SUSPECT = Verdict(CHECK, "suspect", "half of the attempts agree on a valid answer that is not the gold")


def _barred(candidate: Candidate, rule: Rule, limit: float) -> Verdict | None:
    low, high = rule.pass_rate
    if candidate.barred is not None:
        return candidate.barred
    if candidate.pass_rate <= 0:
        return _UNREACHABLE
    if candidate.suspect and not rule.suspects:
        return _SUSPECT
    if not rule.mix.get(candidate.band):
        return Verdict(CHECK, "band_excluded", f"the mix has no share for {candidate.band}")
    if not low <= candidate.pass_rate <= high:
        return Verdict(CHECK, "band_excluded", f"pass rate {candidate.pass_rate:g} is not in [{low:g}, {high:g}]")
    if (rule.domains and candidate.domain not in rule.domains) or rule.quotas.get(candidate.domain) == 0:
        return Verdict(CHECK, "domain_excluded", f"the rule has no share for {candidate.domain}")
    if candidate.reward_std < rule.min_reward_std:
        return Verdict(CHECK, "flat_reward", f"reward varies by {candidate.reward_std:.3f}")
    if candidate.dead >= limit:
        return Verdict(CHECK, "dead_groups", f"{candidate.dead:.1%} of its groups of 8 would not disagree")
    return None
