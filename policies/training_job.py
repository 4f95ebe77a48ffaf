"""A training job from the app's side: started in the engine environment, waited for, read.

In: `TrainingJob` (`policies.training.job`). Out: `TrainingResult`: the adapter's folder, figures, steps. Its folder
resumes: the same job continues from its last save, another is refused, one that is done is read again. The trainer is
on a leash (`policies.leash`): it ends with this process, and its partner and their server with it. Its log stays.
Every way to end that has a name is a `PolicyError` with a hint; `EngineUnavailable` where the same job may go on.
Not promised: the same weights from the same seed, which hang on what a server batches.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.errors import EngineUnavailable, PolicyError
from policies import engine_env, leash, model_folder, weights
from policies.server_process import tail
from policies.training.job import (
    ABOUT,
    ADAPTER,
    FAULT,
    GRPO,
    JOB,
    LOG,
    METRICS,
    PROMPTS,
    RESULT,
    SFT,
    WARM,
    TrainingJob,
    read_lines,
    write_json,
)

__all__ = ["DEFAULTS", "TrainingJob", "TrainingResult", "run"]

ROOT = Path(__file__).resolve().parent.parent
DEFAULTS = {slot: ROOT / "policies" / "training" / f"{slot}.yaml" for slot in ("generator", "solver")}
"""The configuration of each slot."""
PARTNER = (
    "import runpy, sys; sys.path.insert(0, sys.argv[1]); sys.argv = sys.argv[1:];"
    "runpy.run_module('flows.training_partner', run_name='__main__')"
)
QUIET = {
    "HF_HUB_OFFLINE": "1",
    "DO_NOT_TRACK": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "OMP_WAIT_POLICY": "PASSIVE",  # the server samples on the same cores: threads that spin while they wait stop it
}
STOP = leash.GRACE + 5.0
WINDOW = 5
"""Steps that the first and the last figures are means of."""
_STATUS = re.compile(r"^leash: the command ended with status (-?\d+)$", re.M)
_HINTS: Mapping[str, str] = {
    "config": "mend {config} and start the job again",
    "data": "see what the job was given: {data}",
    "out_of_memory": "halve per_device_train_batch_size and double gradient_accumulation_steps, or lower "
    "max_completion_length, in another configuration and folder",
    "not_finite": "the last good save is under {folder}; lower learning_rate or raise beta, in another configuration "
    "and folder",
    "busy": "wait for it, or end it",
    "partner": "see {log}",
    "failed": "see {log}",
}


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """What a job came to. `metrics`: means over the first and last `WINDOW` steps, `seconds_per_step`, dead groups."""

    weights: Path
    metrics: dict[str, float]
    steps: int


def run(job: TrainingJob) -> TrainingResult:
    """Train, or go on, or read what is done. Raises `PolicyError`."""
    python = engine_env.python()
    _begin(job)
    if not (job.folder / RESULT).exists():
        _train(job, python)
    steps = int(json.loads((job.folder / RESULT).read_bytes())["steps"])
    return TrainingResult(job.folder / ADAPTER, _summary(list(read_lines(job.folder / METRICS))), steps)


def _begin(job: TrainingJob) -> None:
    """Write the job down, or see that it is the one that was begun here."""
    identity = {**job.as_json(), **_digests(job)}
    for place in ("folder", "base", "adapter", "data", "config"):  # where things lie is not what they are
        del identity[place]
    path = job.folder / JOB
    if path.exists():
        begun = json.loads(path.read_bytes())["identity"]
        if differ := sorted(name for name in begun.keys() | identity.keys() if begun.get(name) != identity.get(name)):
            raise PolicyError(
                f"another training was begun in {job.folder}: it differs in {', '.join(differ)}",
                hint="give the same parameters, or another folder",
            )
    try:
        job.folder.mkdir(parents=True, exist_ok=True)
        partner = [sys.executable, "-c", PARTNER, str(ROOT)]
        write_json(path, {"job": job.as_json(), "identity": identity, "partner": partner})
    except OSError as fault:
        raise PolicyError(
            f"{job.folder} cannot be written: {fault.strerror}", hint="free space there or mend its rights"
        ) from fault


def _digests(job: TrainingJob) -> dict[str, str]:
    """Of all that the job starts from. Raises `PolicyError` for what does not fit."""
    base = model_folder.find(str(job.base))
    if base.adapter is not None:
        raise PolicyError(f"{job.base} is an adapter, not a base", hint="give its base, and it as the adapter")
    own = ""
    if job.adapter is not None:
        found = model_folder.find(str(job.adapter))
        if found.adapter is None or found.base_digest != base.digest:
            raise PolicyError(
                f"{job.adapter} is no adapter for the base {job.base}", hint="give an adapter that was trained on it"
            )
        own = found.digest
    digests = {"base_digest": base.digest, "adapter_digest": own}
    try:
        about = json.loads((job.data / ABOUT).read_bytes())
        if about["slot"] != job.slot:
            raise PolicyError(f"{job.data} is data of a {about['slot']}", hint=f"prepare that of a {job.slot}")
        for name in (ABOUT, PROMPTS, WARM):
            digests[name] = weights.sha256(job.data / name)
    except (OSError, ValueError, KeyError) as fault:
        raise PolicyError(
            f"{job.data} is no training data: {fault}", hint="make it with flows.training_data"
        ) from fault
    try:
        digests["config_digest"] = weights.sha256(job.config)
    except OSError as fault:
        raise PolicyError(
            f"the configuration {job.config} cannot be read: {fault.strerror}", hint=f"begin with {DEFAULTS[job.slot]}"
        ) from fault
    return digests


def _train(job: TrainingJob, python: Path) -> None:
    """The trainer on its leash, to its end. Raises `PolicyError` if that is not the result."""
    (job.folder / FAULT).unlink(missing_ok=True)
    start = Path(__file__).parent / "training" / "start.py"
    with (job.folder / LOG).open("ab") as log:
        process = subprocess.Popen(
            [str(python), "-I", leash.__file__, str(python), "-I", str(start), str(job.folder)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=job.folder,
            env={**QUIET, **os.environ},
            start_new_session=True,
        )
    assert process.stdin is not None
    try:
        process.wait()
    finally:
        process.stdin.close()
        process.wait(STOP)
    if not (job.folder / RESULT).exists():
        raise _fault(job)


def _fault(job: TrainingJob) -> PolicyError:
    """Why there is no result."""
    log = job.folder / LOG
    places = {"config": job.config, "data": job.data, "log": log, "folder": job.folder}
    if (job.folder / FAULT).exists():
        said = json.loads((job.folder / FAULT).read_bytes())
        kind = EngineUnavailable if said["retryable"] else PolicyError
        hint = said["hint"] or _HINTS[said["code"]].format(**places)
        return kind(f"the training of the {job.slot} ended ({said['code']}): {said['message']}", hint=hint)
    ended = tail(log)
    status = _STATUS.findall(ended)
    if status and status[-1] == "-9":
        return PolicyError(
            f"the training of the {job.slot} was killed, as a system without memory does; its log is {log}",
            hint=f"if memory ran out: {_HINTS['out_of_memory']}; else start the same job again: it goes on from its "
            "last save",
        )
    indented = "\n".join(f"    {line}" for line in ended.splitlines())
    return EngineUnavailable(
        f"the training of the {job.slot} ended without a result; its log {log} ends:\n{indented}",
        hint="start the same job again: it goes on from its last save",
    )


def _summary(lines: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The figures of a job that is done: every one is a number."""
    stages = {stage: [line for line in lines if line["stage"] == stage] for stage in (SFT, GRPO)}
    found: dict[str, float] = {f"{stage}_steps": float(len(steps)) for stage, steps in stages.items()}
    wanted = {SFT: ("loss",), GRPO: ("reward", "kl", "groups/dead", "groups/dead_kept", "completions/mean_length")}
    for stage, names in wanted.items():
        steps = stages[stage]
        for name in (name for name in names if steps and name in steps[0]):
            plain = f"{stage}_{name.replace('/', '_')}"
            found[f"{plain}_first"] = _mean(steps[:WINDOW], name)
            found[f"{plain}_last"] = _mean(steps[-WINDOW:], name)
    if stages[GRPO]:
        found["seconds_per_step"] = _mean(stages[GRPO], "step_time")
    return found


def _mean(lines: Sequence[Mapping[str, Any]], name: str) -> float:
    return math.fsum(line[name] for line in lines) / len(lines)
