"""The rewards of a training: for a solver those of `sparring score`, for a generator those of its run.

In: the job's data (`flows.training_data`), and groups of completions by row. Out: for each completion the parts of its
reward by the names of `policies.training.job.PARTS`, and figures of the batch. There is no second implementation: a
solver's answer goes through `verifiers.lines.score_line`, a generator's completion through `flows.judging`, and a
proven task is tried by the frozen solver as `flows.steps` lets it be tried.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from data.errors import EngineUnavailable, SparringError, UsageError
from data.records import Attempt, Message, Score, Task
from data.rows import stored_text, task_from_row
from flows.engines import Bridge
from flows.judging import judged_row, parts_of, with_repetition
from generator.coherence import opinions
from generator.reward import RewardParts
from policies.connect import open_policy
from policies.engine import Engine
from policies.protocol import Prompt
from policies.trainee import Drawn
from policies.training.job import ABOUT, PROMPTS, TrainingJob, read_lines
from solver.difficulty import rate
from solver.rollouts import Settings, attempt
from verifiers.lines import score_line

Parts = Mapping[str, float]
Judgement = tuple[list[list[Parts]], dict[str, float]]
UNREADABLE = frozenset({"no_answer", "several_answers", "truncated", "malformed"})
"""Outcomes (RULES A9) that the format penalty is for."""


class Rewards(Protocol):
    """The rewards of one job."""

    @property
    def prompts(self) -> Sequence[Prompt]:
        """Of every row."""
        ...

    def judge(self, rows: Sequence[int], groups: Sequence[Sequence[Drawn]]) -> Judgement:
        """The parts of each completion, group by group, and figures of them all. Raises `SparringError`."""
        ...

    def close(self) -> None:
        """Free what it holds."""
        ...


def open_rewards(job: TrainingJob, bridge: Bridge) -> Rewards:
    """The rewards that a job asks for. Raises `SparringError`."""
    rows = list(read_lines(job.data / PROMPTS))
    if job.slot == "solver":
        return SolverRewards(rows)
    about = json.loads((job.data / ABOUT).read_bytes())
    if job.difficulty and not job.opponent:
        raise UsageError("a generator is trained against a solver", hint="give the job an opponent, or no difficulty")
    opponent = open_policy(job.opponent, role="solver") if job.difficulty else None
    judge = open_policy(job.judge, role="generator") if job.judge else None
    return GeneratorRewards(rows, about["style"], Settings(**about["settings"]), bridge, opponent, judge)


def prompt_of(row: Mapping[str, Any]) -> Prompt:
    """The prompt of a row of the data."""
    said = row["prompt"]
    if isinstance(said, str):
        return Prompt("", text=said, stop=tuple(row["stop"]))
    return Prompt("", messages=tuple(Message(turn["role"], turn["content"]) for turn in said), stop=tuple(row["stop"]))


class SolverRewards:
    """`graded` is RULES A10; `format` is -1 for an answer that cannot be read, else 0."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.prompts = [prompt_of(row) for row in rows]
        self._golds = [row["score"] for row in rows]

    def judge(self, rows: Sequence[int], groups: Sequence[Sequence[Drawn]]) -> Judgement:
        scored = [[self._score(row, drawn.text) for drawn in group] for row, group in zip(rows, groups, strict=True)]
        parts: list[list[Parts]] = [
            [{"graded": one["reward"], "format": -float(one["outcome"] in UNREADABLE)} for one in group]
            for group in scored
        ]
        every = [one for group in scored for one in group]
        return parts, {"answers/correct": sum(one["correct"] for one in every) / len(every)}

    def close(self) -> None:
        """Nothing is held."""

    def _score(self, row: int, text: str) -> dict[str, Any]:
        line = json.dumps({**self._golds[row], "completion": text})
        said = score_line(line.encode(), row)
        if said["outcome"] == "checker_error":
            raise SparringError(f"an answer to row {row} cannot be judged: {said['detail']}", hint="please report it")
        return said


class GeneratorRewards:
    """Tool-R0's parts (`generator.reward`), each gated; `repetition` is within the group of one brief."""

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        style: Any,
        settings: Settings,
        bridge: Bridge,
        opponent: Engine | None,
        judge: Engine | None,
    ) -> None:
        self.prompts = [prompt_of(row) for row in rows]
        self._briefs = [str(row["brief_json"]) for row in rows]
        self._style, self._settings, self._bridge = style, settings, bridge
        self._opponent, self._judge = opponent, judge

    def judge(self, rows: Sequence[int], groups: Sequence[Sequence[Drawn]]) -> Judgement:
        judged = [
            with_repetition([self._verified(row, drawn) for drawn in group])
            for row, group in zip(rows, groups, strict=True)
        ]
        proven = {task.task_id: task for group in judged for one in group if (task := _task(one)) is not None}
        difficulty = self._difficulties(list(proven.values()))
        coherence = self._opinions(list(proven.values()))
        whole = [_whole(group, difficulty, coherence) for group in judged]
        every = [one for group in whole for one in group]
        figures = {
            "tasks/proven": sum(row["task_id"] is not None for group in judged for row in group) / len(every),
            "tasks/frontier": sum(one.difficulty == 1.0 for one in every) / len(every),
        }
        return [[_columns(one) for one in group] for group in whole], figures

    def close(self) -> None:
        for engine in filter(None, (self._opponent, self._judge)):
            self._bridge.call(engine.close())

    def _verified(self, row: int, drawn: Drawn) -> dict[str, object]:
        return judged_row(
            {
                "brief_json": self._briefs[row],
                "completion": stored_text(drawn.text),
                "finish_reason": drawn.finish_reason,
                "error": "",
            },
            self._style,
        )

    def _difficulties(self, tasks: Sequence[Task]) -> dict[str, float]:
        """The difficulty reward of each task by id, all attempts in one burst; none without a solver."""
        if self._opponent is None or not tasks:
            return {}
        rollouts = self._bridge.call(attempt(tasks, self._opponent, self._settings))
        return {task.task_id: _rated(group) for task, group in zip(tasks, rollouts, strict=True)}

    def _opinions(self, tasks: Sequence[Task]) -> dict[str, float]:
        """What the judge thinks of each task by id, where it has an opinion."""
        if self._judge is None or not tasks:
            return {}
        found = self._bridge.call(opinions(tasks, self._judge, self._settings.seed))
        return {task.task_id: one for task, one in zip(tasks, found, strict=True) if one is not None}


def _task(row: Mapping[str, object]) -> Task | None:
    return task_from_row(row) if row["task_id"] is not None else None


def _rated(attempts: Sequence[Attempt]) -> float:
    score = rate(attempts)
    if not isinstance(score, Score):
        raise EngineUnavailable(f"the solver answered nothing: {score.detail}", hint="start the same job again")
    return score.difficulty_reward


def _whole(
    group: Sequence[Mapping[str, object]], difficulty: Mapping[str, float], coherence: Mapping[str, float]
) -> list[RewardParts]:
    """The parts of a group, what the solver and the judge make of each put in."""
    whole = []
    for row in group:
        parts, name = parts_of(row), str(row["task_id"])
        whole.append(
            replace(
                parts,
                difficulty=difficulty.get(name, 0.0),
                coherence=min(parts.coherence, coherence.get(name, 1.0)),
            )
        )
    return whole


def _columns(parts: RewardParts) -> Parts:
    return {
        "format": parts.format,
        "validity": parts.validity,
        "difficulty": parts.gate * parts.difficulty,
        "coherence": parts.gate * parts.coherence,
        "repetition": parts.repetition,
    }
