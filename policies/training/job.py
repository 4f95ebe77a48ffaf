"""A training job as files: what the app writes, what the trainer leaves, and what both call things.

    job.json      the job, and the digests that say it is the same one when it is started again
    train.log     all that the trainer, its partner and their libraries said, over every start
    metrics.jsonl one object a step: `stage`, `step`, TRL's own figures and ours
    sft/, grpo/   TRL's output folders with their checkpoints; sft/adapter is the warm start when it is done
    rollout/      the adapter as it is sampled now
    adapter/      the result, as PEFT saves it
    result.json   written last: the job is done;  fault.json: why it is not

The data of a job is a folder too (`flows.training_data`): prompts.jsonl, warm.jsonl, about.json.
Standard library alone: the engine environment has none of our dependencies.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

JOB, LOG, METRICS, RESULT, FAULT = "job.json", "train.log", "metrics.jsonl", "result.json", "fault.json"
SFT, GRPO, ROLLOUT, ADAPTER = "sft", "grpo", "rollout", "adapter"
PROMPTS, WARM, ABOUT = "prompts.jsonl", "warm.jsonl", "about.json"

PARTS = {"solver": ("graded", "format"), "generator": ("format", "validity", "difficulty", "coherence", "repetition")}
"""The reward functions of each slot by name, in the order of `reward_weights`."""

FaultCode = Literal["config", "data", "out_of_memory", "not_finite", "partner", "busy", "failed"]


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """One training of one player.

    `base`: folder of the base; `adapter`: the LoRA adapter to go on from, or None for a new one. `data`: a folder that
    `flows.training_data` prepared. `config`: YAML, TRL's options by TRL's names (`solver.yaml`, `generator.yaml` here
    are the defaults). `steps`: of GRPO, in place of the configuration's `max_steps`.
    Of a generator's job: `opponent` is the engine of the frozen solver, `judge` one that has an opinion on coherence
    (or empty), and without `difficulty` the reward has no such part (the ablation).
    """

    folder: Path
    slot: Literal["generator", "solver"]
    base: Path
    data: Path
    config: Path
    adapter: Path | None = None
    seed: int = 0
    steps: int | None = None
    opponent: str = ""
    judge: str = ""
    difficulty: bool = True

    def as_json(self) -> dict[str, Any]:
        return {name: str(value) if isinstance(value, Path) else value for name, value in asdict(self).items()}


def read_job(folder: Path) -> TrainingJob:
    """The job that was written to a folder."""
    said = json.loads((folder / JOB).read_bytes())["job"]
    paths = {name: Path(said[name]) for name in ("folder", "base", "data", "config")}
    adapter = Path(said["adapter"]) if said["adapter"] else None
    return TrainingJob(**{**said, **paths, "adapter": adapter})


def read_lines(path: Path) -> Iterator[Any]:
    """The objects of a JSONL file."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file whole or not at all, durably."""
    write_whole(path, json.dumps(value, indent=1))


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all, durably. As `data.atomic`, which the engine environment does not have."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
