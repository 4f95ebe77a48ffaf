"""A training job from the app's side: what it refuses, how it resumes, and which fault it makes of which end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.errors import EngineUnavailable, PolicyError
from policies.training.job import read_job
from policies.training_job import DEFAULTS, TrainingJob, run
from tests.policies.engine_support import gone, make_adapter, make_model

TRAINER = """
import json, os, signal, sys, time
from pathlib import Path
folder = Path(sys.argv[1])
with (folder / "starts").open("a") as file:
    file.write(f"{os.getpid()}\\n")
wanted = json.loads((folder.parent / "wanted.json").read_text())
if "fault" in wanted:
    (folder / "fault.json").write_text(json.dumps(wanted["fault"]))
    sys.exit(1)
if "signal" in wanted:
    os.kill(os.getpid(), wanted["signal"])
if "sleep" in wanted:
    time.sleep(600)
if "exit" in wanted:
    print("RuntimeError: something of its own")
    sys.exit(wanted["exit"])
(folder / "adapter").mkdir()
(folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\\n" for line in wanted["metrics"]))
(folder / "result.json").write_text('{"steps": 2}')
"""
SHIM = """#!/bin/sh
case "$*" in
*leash.py*) exec {python} "$@" ;;
*start.py*) exec {python} {trainer} "$3" ;;
esac
exit 9
"""
STEP = {"stage": "grpo", "reward": 0.5, "kl": 0.1, "groups/dead": 0.5, "step_time": 2.0}


class Bench:
    """An engine environment whose trainer does what it is told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        environment = folder / "env"
        (environment / "bin").mkdir(parents=True)
        (environment / "sparring-engine").write_text("cpu 0\n")
        trainer = folder / "trainer.py"
        trainer.write_text(TRAINER)
        shim = environment / "bin" / "python"
        shim.write_text(SHIM.format(python=sys.executable, trainer=trainer))
        shim.chmod(0o755)
        data = folder / "data"
        data.mkdir()
        (data / "about.json").write_text('{"slot": "solver"}')
        for name in ("prompts.jsonl", "warm.jsonl"):
            (data / name).write_text("")
        self.job = TrainingJob(
            folder / "job", "solver", make_model(folder / "base"), data, folder / "solver.yaml", steps=2
        )
        self.job.config.write_bytes(DEFAULTS["solver"].read_bytes())

    def wants(self, **wanted: Any) -> None:
        (self.folder / "wanted.json").write_text(json.dumps(wanted))

    @property
    def starts(self) -> list[int]:
        return [int(line) for line in (self.job.folder / "starts").read_text().split()]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    made = Bench(tmp_path)
    monkeypatch.setenv("SPARRING_ENGINE_ENV", str(tmp_path / "env"))
    made.wants(metrics=[{**STEP, "step": 1}, {**STEP, "step": 2, "reward": 1.0}])
    return made


def test_a_job_comes_to_an_adapter_figures_and_steps(bench: Bench) -> None:
    result = run(bench.job)
    assert (result.weights, result.steps) == (bench.job.folder / "adapter", 2)
    assert result.metrics["grpo_reward_last"] == 0.75
    assert result.metrics["grpo_groups_dead_first"] == 0.5
    assert result.metrics["seconds_per_step"] == 2.0


def test_a_job_that_is_done_is_read_and_not_done_again(bench: Bench) -> None:
    assert run(bench.job) == run(bench.job)
    assert len(bench.starts) == 1


def test_the_trainer_finds_the_job_as_it_was_given(bench: Bench) -> None:
    job = replace(bench.job, adapter=make_adapter(bench.folder / "adapter", bench.job.base))
    run(job)
    assert read_job(job.folder) == job


@pytest.mark.parametrize("change", [{"seed": 1}, {"steps": 3}, {"slot": "generator"}, {"judge": "scripted"}])
def test_another_job_in_the_folder_is_refused_by_what_differs(bench: Bench, change: dict[str, Any]) -> None:
    run(bench.job)
    (bench.job.data / "about.json").write_text(json.dumps({"slot": change.get("slot", "solver")}))
    with pytest.raises(PolicyError, match=next(iter(change))):
        run(replace(bench.job, **change))


@pytest.mark.parametrize("name", ["data/prompts.jsonl", "data/warm.jsonl", "solver.yaml", "base/model.safetensors"])
def test_a_job_is_another_one_when_what_it_was_given_changed(bench: Bench, name: str) -> None:
    run(bench.job)
    (bench.folder / name).write_text("changed")
    with pytest.raises(PolicyError, match="another training was begun"):
        run(bench.job)


def test_a_job_may_be_moved_with_all_that_it_was_given(bench: Bench) -> None:
    run(bench.job)
    bench.job.config.rename(bench.folder / "same.yaml")
    assert run(replace(bench.job, config=bench.folder / "same.yaml")).steps == 2


def test_an_adapter_of_another_base_is_refused_before_anything_starts(bench: Bench) -> None:
    other = make_adapter(bench.folder / "a", make_model(bench.folder / "other", b"other"))
    with pytest.raises(PolicyError, match="no adapter for the base"):
        run(replace(bench.job, adapter=other))
    assert not bench.job.folder.exists()


def test_a_base_that_is_none_is_refused(bench: Bench) -> None:
    with pytest.raises(PolicyError, match="no model"):
        run(replace(bench.job, base=bench.folder))


def test_an_adapter_is_no_base(bench: Bench) -> None:
    with pytest.raises(PolicyError, match="not a base"):
        run(replace(bench.job, base=make_adapter(bench.folder / "a", bench.job.base)))


def test_data_of_the_other_player_is_refused(bench: Bench) -> None:
    (bench.job.data / "about.json").write_text('{"slot": "generator"}')
    with pytest.raises(PolicyError, match="data of a generator"):
        run(bench.job)


def test_a_folder_that_nobody_prepared_is_no_data(bench: Bench) -> None:
    with pytest.raises(PolicyError, match="no training data"):
        run(replace(bench.job, data=bench.folder))


def test_no_engine_environment_says_what_makes_one(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARRING_ENGINE_ENV", str(bench.folder / "nowhere"))
    with pytest.raises(PolicyError) as fault:
        run(bench.job)
    assert "make engine" in fault.value.hint


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("out_of_memory", "per_device_train_batch_size"),
        ("not_finite", "the last good save is under"),
        ("config", "solver.yaml"),
        ("data", "data"),
        ("busy", "wait"),
        ("failed", "train.log"),
    ],
)
def test_a_fault_with_a_name_says_what_to_do(bench: Bench, code: str, hint: str) -> None:
    bench.wants(fault={"code": code, "message": "it went wrong", "hint": "", "retryable": False})
    with pytest.raises(PolicyError, match=f"{code}.*it went wrong") as fault:
        run(bench.job)
    assert hint in fault.value.hint
    assert not fault.value.retryable


def test_a_server_that_may_answer_later_may_be_tried_again(bench: Bench) -> None:
    bench.wants(fault={"code": "partner", "message": "m", "hint": "start it again", "retryable": True})
    with pytest.raises(EngineUnavailable, match="m"):
        run(bench.job)


def test_a_trainer_that_was_killed_may_have_had_no_memory(bench: Bench) -> None:
    bench.wants(signal=signal.SIGKILL)
    with pytest.raises(PolicyError, match="as a system without memory does"):
        run(bench.job)


def test_an_end_without_a_name_shows_the_end_of_the_log(bench: Bench) -> None:
    bench.wants(exit=3)
    with pytest.raises(EngineUnavailable, match="something of its own"):
        run(bench.job)


def test_after_a_fault_the_same_job_goes_on_and_the_log_is_kept(bench: Bench) -> None:
    bench.wants(exit=3)
    with pytest.raises(EngineUnavailable):
        run(bench.job)
    bench.wants(metrics=[{**STEP, "step": 1}])
    assert run(bench.job).steps == 2
    assert "something of its own" in (bench.job.folder / "train.log").read_text()


def test_a_killed_app_takes_its_trainer_along(bench: Bench) -> None:
    bench.wants(sleep=True)
    root = Path(__file__).resolve().parents[2]
    code = (
        "import sys; from pathlib import Path; from policies.training_job import *;"
        "folder, base, data, config = map(Path, sys.argv[1:]);"
        "run(TrainingJob(folder, 'solver', base, data, config))"
    )
    job = bench.job
    places = [str(job.folder), str(job.base), str(job.data), str(job.config)]
    app = subprocess.Popen([sys.executable, "-c", code, *places], env={**os.environ, "PYTHONPATH": str(root)})
    while not (job.folder / "starts").exists():
        assert app.poll() is None
        time.sleep(0.1)
    app.kill()
    app.wait()
    assert gone(bench.starts)
