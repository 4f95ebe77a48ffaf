"""Every step written down as it ends, and a training that has lost its numbers stopped before it is saved.

In: TRL's log of a step. Out: a line of `metrics.jsonl`: `stage`, `step`, TRL's figures by TRL's names, and ours
(`policies.training.rollouts`). A figure or a weight that is no finite number raises `TrainingFault("not_finite", ...)`:
both are looked at before the save, so the last save is a good one.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import torch
from transformers import TrainerCallback

from policies.training.faults import TrainingFault
from policies.training.job import METRICS


class Recorder(TrainerCallback):  # type: ignore[misc]  # transformers has no types
    """Of one stage of a job."""

    def __init__(self, folder: Path, stage: str) -> None:
        self._path, self._stage = folder / METRICS, stage

    def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **others: Any) -> None:
        for name, weight in model.named_parameters():
            if weight.requires_grad and not torch.isfinite(weight).all():
                raise TrainingFault("not_finite", f"{self._stage}, step {state.global_step}: the weights of {name}")

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **others: Any) -> None:
        if not logs or "loss" not in logs:  # the summary at the end
            return
        for name, value in logs.items():
            if value is None or (isinstance(value, float) and not math.isfinite(value)):
                raise TrainingFault("not_finite", f"{self._stage}, step {state.global_step}: {name} is {value}")
        line = {"stage": self._stage, "step": state.global_step, **logs}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())
