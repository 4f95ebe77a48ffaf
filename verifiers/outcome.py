"""The score of an answer by calls, or by what it comes to (RULES A11).

In: a task's tools, gold calls and, where it has them, world, implementations and outcome; a completion. Out: the
`Judgement`, by which rule it was reached, and the digest of the state after each step of the answer.
An answer that is right by its calls is right. Another one is right when its calls are valid, all run, and come to the
gold's outcome: another path to the same state and the same answers. Else it has the graded reward of its calls.
Not promised: that the gold has an outcome; `verifiers.execution.check_execution` proves that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from data.records import Json, Verdict
from verifiers.answer import Judgement
from verifiers.calls import check_calls
from verifiers.execution import outcome as outcome_of
from verifiers.execution import same_outcome, trace
from verifiers.formats import score_answer
from verifiers.menu import read_menu

Rule = Literal["calls", "outcome"]


class Scored(NamedTuple):
    """What an answer is worth, by which rule, and the state's digest after each of its calls that ran."""

    judged: Judgement
    rule: Rule = "calls"
    steps: tuple[str, ...] = ()


def score_task(
    tools: Sequence[Any],
    gold: Any,
    completion: str,
    accept: Any = None,
    may_omit: Any = None,
    harness: str = "tags",
    *,
    world: Json = None,
    implementations: Json = None,
    outcome: Json = None,
) -> Scored:
    """Judge a completion. Without `outcome`, the gold's, it is `score_answer`. Never raises, like that."""
    judged = score_answer(tools, gold, completion, accept, may_omit, harness)
    if outcome is None:
        return Scored(judged)
    rule: Rule = "calls" if judged.correct else "outcome"
    if not judged.calls:  # nothing to run, and no calls are never right where some are due (A10)
        return Scored(judged, rule)
    try:
        menu = read_menu(list(tools))
        calls = menu if isinstance(menu, Verdict) else check_calls(menu, judged.calls)
        if isinstance(calls, Verdict):
            return Scored(judged, rule)
        ran, fault = trace(world, implementations, calls)
        steps = tuple(step.state for step in ran.steps)
        if not judged.correct and fault is None and same_outcome(outcome, outcome_of(world, ran, calls)):
            detail = f"by another way to the same outcome ({judged.outcome}: {judged.detail})"
            judged = judged._replace(correct=True, outcome="correct", reward=1.0, detail=detail[:400])
        return Scored(judged, rule, steps)
    except Exception as fault:
        return Scored(Judgement(False, "checker_error", 0.0, f"{type(fault).__name__}: {fault}"), rule)
