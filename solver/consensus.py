"""What the solver's attempts agree on: answers grouped by RULES A equality, and the most common group.

In: the answers of one task's attempts. Out: a key for each valid answer, and the share of the commonest one.
Not promised: that agreement is right. It proves nothing; only *dissent* counts, against the gold (DESIGN 4.8).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from data.canonical import digest
from data.records import Attempt, Json, Task, Verdict
from verifiers.answer import judge
from verifiers.calls import check_calls
from verifiers.menu import read_menu


@dataclass(frozen=True, slots=True)
class Consensus:
    """The commonest valid answer: its share of the attempts (0 without any) and whether it is correct."""

    share: float
    is_gold: bool


class AnswerKeys:
    """Keys for the answers to one task: two valid answers share a key exactly when RULES A calls them equal.

    Every correct answer has the gold's key, alternatives (A7) included. Tolerance makes equality of floats
    intransitive, so an answer joins the first one it equals, in the order of asking.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._menu = read_menu(task.tools)
        self._gold = digest(task.calls)
        self._others: list[tuple[str, Json]] = []

    def key(self, calls: Json, *, correct: bool) -> str:
        """The key of an answer, empty when it is no valid answer (RULES C against the task's menu)."""
        if correct:
            return self._gold
        if isinstance(self._menu, Verdict):
            return ""
        checked = check_calls(self._menu, calls)
        if isinstance(checked, Verdict):
            return ""
        for key, other in self._others:
            if judge(self._task.tools, other, checked).correct:
                return key
        key = digest(checked)
        self._others.append((key, checked))
        return key


def consensus(valid: Sequence[Attempt]) -> Consensus:
    """The commonest answer among the valid attempts of one task; of equally common ones a correct one, if any."""
    counts = Counter((attempt.answer_key, attempt.outcome == "correct") for attempt in valid if attempt.answer_key)
    if not counts:
        return Consensus(0.0, False)
    (_, is_gold), count = max(counts.items(), key=lambda item: (item[1], item[0][1]))
    return Consensus(count / len(valid), is_gold)
