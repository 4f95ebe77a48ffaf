"""Check 7: the reward has teeth. Mutants of the gold must score below it.

In: a `Gold`, and, where its calls were executed, world, implementations and outcome. Out: the `Verdict` that names the
mutant with which the reward cannot tell right from wrong, or the *alternatives*: other calls that reach the outcome.
What a mutant is worth is asked of the very functions that score answers: `verifiers.answer.judge`, and, by outcome,
`verifiers.execution`. Scored by calls alone and without alternatives no mutant survives (RULES A2-A8: a property test
holds it), so `verify` does not ask there.
Not promised: that no wrong answer outside of the budget of mutants survives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from data.canonical import canonical_bytes
from data.records import Json, JsonObject, Verdict
from verifiers.answer import equal, judge
from verifiers.calls import check_calls
from verifiers.execution import MAX_CALLS, Replay, is_builtin, outcome, replay, same_outcome
from verifiers.mutant import Calls, Gold, Kind, Mutant
from verifiers.mutant_calls import all_at_once
from verifiers.mutants import MAX_MUTANTS, mutants
from verifiers.plausible import leaves
from verifiers.sandbox import KILLED, MAX_SECONDS

Rule = Literal["calls", "outcome"]

TOLERATED: dict[Rule, frozenset[Kind]] = {
    "calls": frozenset({"omit", "exchange", "value"}),
    "outcome": frozenset({"swap", "add", "omit", "exchange", "value"}),
}
"""Kinds of which one may survive: by calls, where the task declares alternatives; by outcome, as another way."""
MAX_PAIRS, MAX_BYTES, MAX_TIMEOUTS = 512, 16 * 1024, 3
"""Of a gold whose mutants can be tried: values times calls, canonical JSON with alternatives, mutants that time out."""
MAX_WORK, LEAST = 150_000, 8
"""Values that are compared while mutants are tried, what a replay costs counted as such: of a gold whose mutants are
dear, fewer are tried, and none where that would be less than `LEAST`. By count, so that always the same ones are."""
_CALL, _SOURCE, _BYTES = 40, 400, 50
"""What a call that is run costs: one of ours, one of generated source, and the bytes of the world for one more."""
_SECONDS = 2e-3
"""Execution that a call of a mutant may take; what exceeds it twice has timed out."""


@dataclass(frozen=True, slots=True)
class Executed:
    """What check 6 proved of a task with implementations."""

    world: Json
    implementations: Json
    outcome: Json


@dataclass(slots=True)
class Findings:
    """How many mutants were tried, those that scored like the gold, and which of them, if any, the task falls for."""

    tried: int = 0
    survivors: list[tuple[Rule, Mutant]] = field(default_factory=list)
    fatal: Mutant | None = None
    timeouts: int = 0


def check_soundness(gold: Gold, executed: Executed | None = None) -> Verdict | tuple[Calls, ...]:
    """`survivor` or `unexamined`, else the alternatives: mutants that reach the gold's outcome by another way.

    A gold without calls has no mutants: every other answer is a call too many. One that is too large is `unexamined`
    only where the rules alone do not prove it.
    """
    if not gold.calls:
        return ()
    most = MAX_WORK // _work(gold, executed)
    if not _examinable(gold) or most < LEAST:
        if executed is None and not gold.declares:
            return ()
        bound = f"{MAX_CALLS} calls, {MAX_PAIRS} values times calls, {MAX_BYTES} bytes, or work for {LEAST} mutants"
        return Verdict("soundness", "unexamined", f"more than {bound}")
    found = examine(gold, executed, min(most, MAX_MUTANTS))
    if found.fatal:
        return Verdict("soundness", "survivor", f"{found.fatal.kind}: {found.fatal.detail} scores like the gold")
    if found.timeouts > MAX_TIMEOUTS:
        return Verdict("soundness", "unexamined", f"{found.timeouts} mutants of the gold timed out")
    return tuple(mutant.calls for rule, mutant in found.survivors if rule == "outcome")


def _examinable(gold: Gold) -> bool:
    size = len(canonical_bytes([gold.calls, gold.accept]))
    return len(gold.calls) <= MAX_CALLS and sum(gold.values) * len(gold.calls) <= MAX_PAIRS and size <= MAX_BYTES


def _work(gold: Gold, executed: Executed | None) -> int:
    """What it costs to try one mutant: every value, also accepted ones, against every call; and its replay."""
    accepted = sum(1 for names in gold.accept for values in names.values() for _ in leaves(values))
    work = (sum(gold.values) + accepted + 4 * len(gold.calls)) * len(gold.calls) * gold.branches
    if executed is None:
        return work
    sources = executed.implementations if isinstance(executed.implementations, Mapping) else {}
    ours = all(is_builtin(str(source)) for source in sources.values())
    call = (_CALL if ours else _SOURCE) + len(canonical_bytes(executed.world)) // _BYTES
    return work + call * len(gold.calls)


def examine(gold: Gold, executed: Executed | None = None, most: int = MAX_MUTANTS) -> Findings:
    """Try the mutants until one is fatal: of a kind that must not survive, or all those of its value or tool do."""
    trial = _Trial(gold, executed)
    found, used = trial.found, {call["name"] for call in gold.calls}
    places: dict[str, list[tuple[Mutant, bool]]] = {}
    more: list[JsonObject] = []
    resolved = [step.call for step in trial.gold_ran.steps] if trial.gold_ran else None
    for mutant in mutants(gold, resolved, most):
        if found.fatal or found.timeouts > MAX_TIMEOUTS:
            return found
        if mutant.kind == "sequence":
            trial.turn(mutant)
            continue
        survives, runs, other = trial.score(mutant)
        if mutant.place and other:
            places.setdefault(mutant.place, []).append((mutant, survives))
        if mutant.kind == "add" and runs and mutant.calls[-1]["name"] not in used:
            more.append(mutant.calls[-1])
    blind = (tried[0][0] for tried in places.values() if all(survives for _, survives in tried))
    found.fatal = found.fatal or next(blind, None)
    more = more[: MAX_CALLS - len(gold.calls)]  # more calls than that are not run
    if more and not found.fatal:
        trial.score(all_at_once(gold, more))
    return found


class _Trial:
    """One gold whose mutants are tried, and what was found so far."""

    def __init__(self, gold: Gold, executed: Executed | None) -> None:
        self.found = Findings()
        self._gold, self._executed = gold, executed
        ran = self._run(gold.calls)
        if isinstance(ran, Verdict):
            raise ValueError(f"the gold does not run: {ran.detail}")
        self.gold_ran: Replay | None = ran

    def score(self, mutant: Mutant) -> tuple[bool, bool, bool]:
        """Whether a mutant scores like the gold, whether its calls run, and whether it says something else at all.

        It does not where a reference leads to another call and to the same value there.
        """
        self.found.tried += 1
        gold = self._gold
        rule: Rule | None = None
        ran: Replay | Verdict | None = None
        if judge(gold.menu.tools, gold.calls, mutant.calls, gold.accept, gold.may_omit).reward >= 1:
            rule = "calls"
        elif self._executed and mutant.calls:  # no calls are never right where some are due (A10)
            ran = self._run(mutant.calls)
            if isinstance(ran, Replay):
                came_to = outcome(self._executed.world, ran, mutant.calls)
                rule = "outcome" if same_outcome(self._executed.outcome, came_to) else None
            else:
                self.found.timeouts += _timeouts(ran)
        if rule:
            self.found.survivors.append((rule, mutant))
            if mutant.kind not in TOLERATED[rule] or (rule == "calls" and not gold.declares):
                self.found.fatal = mutant
        return bool(rule), not isinstance(ran, Verdict), _made(ran) is None or _made(ran) != _made(self.gold_ran)

    def turn(self, mutant: Mutant) -> None:
        """Whether the order of two calls matters where RULES A8 does not look at it.

        It does when they do not run in the other order, or when one that only reads then reads something else. Another
        state alone proves nothing: two events made in turn have other numbers.
        """
        self.found.tried += 1
        turned = self._run(mutant.calls)
        place = next(place for place, call in enumerate(self._gold.calls) if call != mutant.calls[place])
        if isinstance(turned, Replay) and self.gold_ran:
            before, after = self.gold_ran.steps, turned.steps
            pairs = ((before[place], after[place + 1]), (before[place + 1], after[place]))
            if all(step.changed or equal(step.result, other.result) for step, other in pairs):
                return
        self.found.fatal = mutant

    def _run(self, calls: Calls) -> Replay | Verdict | None:
        """What happens when calls are made in the task's world; None where it has none."""
        if self._executed is None:
            return None
        checked = check_calls(self._gold.menu, calls)
        if isinstance(checked, Verdict):
            return checked
        given = self._executed.world, self._executed.implementations, checked
        if calls is self._gold.calls:
            return replay(*given)
        quick = min(MAX_SECONDS, _SECONDS * len(checked))
        ran = replay(*given, quick)
        return replay(*given, quick) if _timeouts(ran) == 1 else ran  # it may have waited for a core


def _timeouts(ran: Replay | Verdict | None) -> int:
    """As how many timeouts a run counts; one whose worker had to be killed is as dear as all that are allowed."""
    if not isinstance(ran, Verdict) or ran.code != "timeout":
        return 0
    return 1 + MAX_TIMEOUTS * ran.detail.endswith(KILLED)


def _made(ran: Replay | Verdict | None) -> list[JsonObject] | None:
    """The calls that ran, with values in place of references."""
    return [step.call for step in ran.steps] if isinstance(ran, Replay) else None
