"""The trainer's partner: draws the completions of a step and judges them, in the app's environment.

`python -m flows.training_partner FOLDER`, started by the trainer (`policies.training.partner`). In: on standard input
one request a line (`policies.training.rollouts`). Out: one answer a line: for each prompt of the step its token ids,
and for each completion ids, text and the parts of its reward; or `{"fault": ...}`, and the end. First of all it says
that it is ready. Groups whose weighted rewards agree are drawn anew from other prompts, as often as the request says; a
prompt comes once a step. What libraries print goes to standard error. Knows no Prefect.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from data.errors import SparringError
from flows.engines import Bridge
from flows.training_rewards import Parts, Rewards, open_rewards
from policies.protocol import SamplingParams, completion_seed
from policies.trainee import Group, Trainee
from policies.training.job import PARTS, TrainingJob, read_job

SAME = 1e-9
"""Rewards nearer than this are one."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One group with the parts of each completion's reward, and the weighted sums."""

    row: int
    group: Group
    parts: Sequence[Parts]
    totals: Sequence[float]

    @property
    def variance(self) -> float:
        mean = fmean(self.totals)
        return fmean((one - mean) ** 2 for one in self.totals)

    @property
    def dead(self) -> bool:
        return max(self.totals) - min(self.totals) < SAME

    @property
    def truncated(self) -> float:
        """The share that ran into the limit."""
        return sum(drawn.finish_reason == "length" for drawn in self.group.samples) / len(self.group.samples)


class Roller:
    """The rollouts of one job."""

    def __init__(self, job: TrainingJob, rewards: Rewards, trainee: Trainee, bridge: Bridge) -> None:
        self._job, self._rewards, self._trainee, self._bridge = job, rewards, trainee, bridge

    def roll(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one request."""
        self._trainee.load(Path(request["adapter"]))
        figures: list[dict[str, float]] = []
        groups = self._judged(request["rows"], request, 0, figures)
        used, dead_first, refilled = set(request["rows"]), sum(group.dead for group in groups), 0
        for turn in range(1, int(request["refills"]) + 1):
            dead = [place for place, group in enumerate(groups) if group.dead]
            others = [row for row in range(len(self._rewards.prompts)) if row not in used]
            chosen = Random(f"{self._job.seed}:{request['step']}:{turn}").sample(others, min(len(dead), len(others)))
            if not chosen:
                break
            used |= set(chosen)
            fresh = [group for group in self._judged(chosen, request, turn, figures) if not group.dead]
            for place, group in zip(dead, fresh, strict=False):
                groups[place] = group
            refilled += len(fresh)
        told = {name: fmean(one[name] for one in figures) for name in figures[0]}
        told |= {
            "groups/variance": fmean(group.variance for group in groups),
            "groups/dead": dead_first / len(groups),
            "groups/dead_kept": sum(group.dead for group in groups) / len(groups),
            "groups/refilled": refilled / len(groups),
            "rollout/truncated": fmean(group.truncated for group in groups),
        }
        return {"groups": [_said(group) for group in groups], "figures": told}

    def _judged(
        self, rows: Sequence[int], request: Mapping[str, Any], turn: int, figures: list[dict[str, float]]
    ) -> list[Judged]:
        """Rows drawn and judged, in one burst, whose figures count for each of its groups."""
        params = SamplingParams(seed=self._job.seed)
        prompts = [replace(self._rewards.prompts[row], key=f"train-{request['step']}-{turn}-{row}") for row in rows]
        seeds = [completion_seed(params, prompt, 0) for prompt in prompts]
        drawn = self._bridge.call(self._trainee.draw(prompts, seeds, request["samples"], request["sampling"]))
        parts, told = self._rewards.judge(rows, [group.samples for group in drawn])
        figures += [told] * len(rows)
        names = PARTS[self._job.slot]
        return [
            Judged(row, group, mine, [_total(one, names, request["weights"]) for one in mine])
            for row, group, mine in zip(rows, drawn, parts, strict=True)
        ]


def _total(parts: Parts, names: Sequence[str], weights: Sequence[float]) -> float:
    return math.fsum(weight * parts[name] for name, weight in zip(names, weights, strict=True))


def _said(one: Judged) -> dict[str, Any]:
    samples = [
        {"ids": drawn.ids, "text": drawn.text, "parts": parts}
        for drawn, parts in zip(one.group.samples, one.parts, strict=True)
    ]
    return {"row": one.row, "prompt_ids": one.group.prompt_ids, "samples": samples}


def main(folder: Path) -> int:
    """Answer until standard input ends; 1 after a fault that was said."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(answer: Mapping[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    job, bridge = read_job(folder), Bridge()
    rewards: Rewards | None = None
    trainee: Trainee | None = None
    try:
        trainee = Trainee(job.base)
        rewards = open_rewards(job, bridge)
        roller = Roller(job, rewards, trainee, bridge)
        say({"ready": True})
        for line in sys.stdin:
            say(roller.roll(json.loads(line)))
    except SparringError as fault:
        say({"fault": {"message": fault.message, "hint": fault.hint, "retryable": fault.retryable}})
        return 1
    finally:
        if rewards is not None:
            rewards.close()
        if trainee is not None:
            trainee.close()
        bridge.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
