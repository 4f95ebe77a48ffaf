"""The configuration of a job: YAML sections that TRL and PEFT themselves read.

In: the file, and what the job decides (folder, seed, steps, device). Out: `Options`. Numbers that YAML takes for text
(`1e-4`) become what the option wants, as in TRL's own configuration files. Raises `TrainingFault("config", ...)` for
an option that nobody has, or that the job decides.
"""

from __future__ import annotations

import difflib
from argparse import ArgumentError
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch
import yaml
from peft import LoraConfig
from trl import GRPOConfig, SFTConfig, TrlParser

from policies.training.faults import TrainingFault
from policies.training.job import GRPO, PARTS, SFT, TrainingJob

SECTIONS = ("sft", "grpo", "lora", "rollouts")
DECIDED = {
    "output_dir": "it is the job's folder",
    "seed": "it is the job's",
    "logging_steps": "every step is logged",
    "logging_strategy": "every step is logged",
    "logging_nan_inf_filter": "a figure that is no number ends the job",
    "disable_tqdm": "the log is read by people and programs",
    "use_cpu": "the device is what torch finds",
    "resume_from_checkpoint": "starting the job again does that",
    "use_vllm": "rollouts come from the managed server of the base",
    "mask_truncated_completions": "a completion that ended at a stop text would pass for a truncated one",
}
ALWAYS = {"logging_steps": 1, "logging_nan_inf_filter": False, "disable_tqdm": True}


@dataclass(frozen=True)
class Options:
    """Everything a training can be told. `sft` is None without a warm start."""

    sft: Any
    grpo: Any
    lora: LoraConfig
    refills: int


def read_options(job: TrainingJob) -> Options:
    """The job's configuration."""
    sections = _sections(job.config)
    given = {**ALWAYS, "seed": job.seed, "use_cpu": not torch.cuda.is_available()}
    steps = {} if job.steps is None else {"max_steps": job.steps}
    grpo = {**sections["grpo"], **steps}
    if job.slot == "generator" and not job.difficulty:
        weights = list(grpo.get("reward_weights") or [1.0] * len(PARTS[job.slot]))
        weights[PARTS[job.slot].index("difficulty")] = 0.0
        grpo["reward_weights"] = weights
    sft = None
    if sections["sft"]:
        sft = _read(SFTConfig, "sft", sections["sft"], {**given, "output_dir": str(job.folder / SFT)})
    reinforced = _read(GRPOConfig, "grpo", grpo, {**given, "output_dir": str(job.folder / GRPO)})
    return Options(sft, reinforced, _lora(sections["lora"]), _refills(sections["rollouts"], job.config))


def _sections(path: Path) -> dict[str, dict[str, Any]]:
    try:
        said = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as fault:
        raise TrainingFault("config", f"{path} cannot be read: {fault}") from fault
    if not isinstance(said, Mapping) or any(not isinstance(part, Mapping | None) for part in said.values()):
        raise TrainingFault("config", f"{path} does not consist of the sections {', '.join(SECTIONS)}")
    if unknown := [str(name) for name in said if name not in SECTIONS]:
        raise TrainingFault("config", f"{path} has a section {unknown[0]!r}; there are {', '.join(SECTIONS)}")
    return {name: dict(said.get(name) or {}) for name in SECTIONS}


def _read(kind: type, section: str, said: dict[str, Any], given: dict[str, Any]) -> Any:
    """One of TRL's configurations, by its own parser: what the file says, and what the job decides."""
    known = {one.name for one in fields(kind)}
    if decided := [name for name in said if name in DECIDED]:
        raise TrainingFault("config", f"{section}: {decided[0]} cannot be set: {DECIDED[decided[0]]}")
    if unknown := [name for name in said if name not in known]:
        near = difflib.get_close_matches(unknown[0], known, 3)
        raise TrainingFault(
            "config", f"{section}: {kind.__name__} has no {unknown[0]!r}{'; near: ' if near else ''}{', '.join(near)}"
        )
    parser = TrlParser([kind], exit_on_error=False)
    parser.set_defaults_with_config(**said, **given)
    try:
        (read,) = parser.parse_args_into_dataclasses(args=[])
    except (ValueError, TypeError, ArgumentError) as fault:
        raise TrainingFault("config", f"{section}: {fault}") from fault
    return read


def _lora(said: dict[str, Any]) -> LoraConfig:
    try:
        return LoraConfig(**said)
    except (TypeError, ValueError) as fault:
        raise TrainingFault("config", f"lora: {fault}") from fault


def _refills(said: dict[str, Any], path: Path) -> int:
    refills = said.pop("refills", 0)
    if said:
        raise TrainingFault("config", f"rollouts: there is no {next(iter(said))!r} in {path}; there is refills")
    if not isinstance(refills, int) or refills < 0:
        raise TrainingFault("config", f"rollouts: refills is {refills!r}, not a number of times")
    return refills
