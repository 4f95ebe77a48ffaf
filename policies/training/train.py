"""The training itself: a warm start by SFT, then GRPO, each from its last save; then the adapter and the result.

In: the folder of a job. Out: `adapter/` and `result.json` there, or `fault.json` and exit 1. Started by `start.py` in
the engine environment. One process trains a job: a second waits `PATIENCE` seconds for the first to end. The device is
what torch finds.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sys
import time
import traceback
from pathlib import Path
from typing import IO, Any

from datasets import Dataset
from trl import GRPOTrainer, SFTTrainer

from policies.training import model as player
from policies.training.faults import TrainingFault, named, report
from policies.training.job import (
    ADAPTER,
    FAULT,
    GRPO,
    JOB,
    RESULT,
    ROLLOUT,
    SFT,
    WARM,
    TrainingJob,
    read_job,
    read_lines,
    write_json,
)
from policies.training.options import Options, read_options
from policies.training.partner import Partner
from policies.training.record import Recorder
from policies.training.rollouts import Rollouts, check_enough, reward_functions
from policies.training.saves import last_save

PATIENCE = 60.0


def run(folder: Path) -> None:
    """Train the job in `folder` to its end. Raises `TrainingFault`, and whatever torch, TRL or PEFT do."""
    with (folder / ".lock").open("w") as lock:
        _alone(lock, folder)
        (folder / FAULT).unlink(missing_ok=True)
        job = read_job(folder)
        options = read_options(job)
        start = _warm_start(job, options)
        steps = _reinforce(job, options, start)
        write_json(folder / RESULT, {"steps": steps})
        shutil.rmtree(folder / ROLLOUT, ignore_errors=True)


def _alone(lock: IO[str], folder: Path) -> None:
    """Hold the job; one that was killed leaves within seconds."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise TrainingFault("busy", f"another process trains {folder}") from None
            time.sleep(0.5)


def _warm_start(job: TrainingJob, options: Options) -> Path | None:
    """The adapter that GRPO begins with: the job's own, after behaviour cloning where there is something to clone."""
    done = job.folder / SFT / ADAPTER
    if done.is_dir():
        return done
    rows = list(read_lines(job.data / WARM))
    if options.sft is None or not rows:
        return job.adapter
    saved = last_save(job.folder, SFT)
    model = player.load(job.base, saved or job.adapter, options.lora, job.seed)
    trainer = SFTTrainer(
        model=model,
        args=options.sft,
        train_dataset=Dataset.from_list(rows),
        processing_class=player.tokenizer(job.base),
        callbacks=[Recorder(job.folder, SFT)],
    )
    trainer.train(resume_from_checkpoint=str(saved) if saved else None)
    player.save(model, done, job.base)
    return done


def _reinforce(job: TrainingJob, options: Options, start: Path | None) -> int:
    """GRPO from `start`, or from its last save; the steps that were done. Leaves the adapter."""
    partner = Partner(json.loads((job.folder / JOB).read_bytes())["partner"], job.folder)
    rollouts = Rollouts(job, partner, options.refills)
    check_enough(rollouts, options.grpo)
    saved = last_save(job.folder, GRPO)
    # TRL keeps a copy of a given adapter as the reference of the KL. From a save, that copy is read from the save
    # too, which holds it in a folder of its own; transformers then reads nothing else, so the rest is read here.
    model = player.load(job.base, saved or start, options.lora, job.seed)
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=reward_functions(job.slot, rollouts),
        args=options.grpo,
        train_dataset=Dataset.from_dict({"prompt": rollouts.prompts}),
        processing_class=player.tokenizer(job.base),
        rollout_func=rollouts,
        callbacks=[Recorder(job.folder, GRPO)],
    )
    trainer.train(resume_from_checkpoint=str(saved) if saved else None)
    player.save(trainer.accelerator.unwrap_model(trainer.model), job.folder / ADAPTER, job.base)
    partner.close()
    return int(trainer.state.global_step)


def main(folder: Path) -> int:
    """The exit code: 0 if the job is done."""
    try:
        run(folder)
    except BaseException as fault:  # whatever it is, the app is told
        traceback.print_exc()
        report(folder, named(fault))
        return 1
    return 0


def end(code: int) -> Any:
    """Leave at once: the partner, if it still runs, ends with its input."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
