"""`sparring evolve` without training: rounds, control, resumption at every boundary, named states."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from data.manifest import read_manifest
from data.storage import open_storage
from tests.flows.flows_support import Done, sparring

COMMAND = (
    "evolve", "--engine", "scripted", "--no-train", "--rounds", "2", "--tasks", "20", "--budget", "500", "--seed", "5",
    "--probe-items", "2", "--seeds", "1", "--store", "store", "--workdir", "work", "--json",
)  # fmt: skip
pytestmark = pytest.mark.flow


@pytest.fixture(scope="module")
def undisturbed(server: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    folder = tmp_path_factory.mktemp("undisturbed")
    return folder, sparring(server, folder, *COMMAND)


def told(done: Done) -> dict[str, Any]:
    """What an evolution came to, without what hangs on where it ran or when."""
    whole: dict[str, Any] = json.loads(done.out)
    for one in whole["rounds"]:
        del one["path"]
    del whole["report"]
    return whole


def digests(folder: Path, whole: dict[str, Any]) -> list[tuple[str, str]]:
    versions = sorted((folder / "store" / "evolved" / "versions").iterdir())
    assert len(versions) == len(whole["rounds"])
    manifests = [read_manifest(open_storage(str(one))) for one in versions]
    return [(one.digest, one.measurement_digest) for one in manifests]


def test_each_round_publishes_a_version_and_says_how_it_fared(undisturbed: tuple[Path, Done]) -> None:
    folder, done = undisturbed
    assert done.code == 0, done.err
    whole = told(done)
    assert [one["number"] for one in whole["rounds"]] == [1, 2]
    assert len(set(digests(folder, whole))) == 2
    assert all(isinstance(value, float) for one in whole["rounds"] for value in one["figures"].values())
    assert [one["decisions"]["solver"]["promoted"] for one in whole["rounds"]] == [False, False]
    assert whole["final"]["metrics"]
    assert "evolved@v0002" in (folder / "work" / "report.md").read_text(encoding="utf-8")


def test_the_second_round_is_steered_and_its_version_says_how(undisturbed: tuple[Path, Done]) -> None:
    done = undisturbed[1]
    first, second = json.loads(done.out)["rounds"]
    assert not first["accepted"]
    config: Any = read_manifest(open_storage(second["path"])).origin.config
    assert (config["round"], config["accepted"]) == (2, second["accepted"])
    assert min(second["accepted"].values()) < max(second["accepted"].values()) == 1.0
    assert "curriculum control" in (Path(second["path"]) / "report.md").read_text(encoding="utf-8")


def test_no_question_of_one_round_comes_in_the_next(undisturbed: tuple[Path, Done]) -> None:
    import pyarrow.parquet as pq

    rounds = json.loads(undisturbed[1].out)["rounds"]
    first, second = (set(pq.read_table(f"{one['path']}/data")["messages_json"].to_pylist()) for one in rounds)
    assert not first & second


@pytest.mark.parametrize("lost", ["round-0001/health", "round-0002/briefs", "round-0002/version", "round-0002/done"])
def test_a_kill_at_the_end_of_a_stage_loses_and_doubles_nothing(
    server: dict[str, str], undisturbed: tuple[Path, Done], tmp_path: Path, lost: str
) -> None:
    """What a kill leaves between a stage's work and its result: this stage's file and all later ones are not there."""
    folder, done = undisturbed
    for part in ("store", "work"):
        shutil.copytree(folder / part, tmp_path / part)
    reached = (tmp_path / "work" / f"{lost}.json").stat().st_mtime_ns
    for path in (tmp_path / "work").glob("**/*.json"):
        if "run" not in path.relative_to(tmp_path).parts and path.stat().st_mtime_ns >= reached:
            path.unlink()
    again = sparring(server, tmp_path, *COMMAND)
    assert again.code == 0, again.err
    assert told(again) == told(done)
    assert digests(tmp_path, told(again)) == digests(folder, told(done))


@pytest.mark.parametrize("reached", ["start.json", "round-0001/version.json"])
def test_kill_9_and_the_same_command_come_to_the_same(
    server: dict[str, str], undisturbed: tuple[Path, Done], tmp_path: Path, reached: str
) -> None:
    root = str(Path(__file__).resolve().parents[2])
    process = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", *COMMAND],
        cwd=tmp_path,
        env=server | {"PYTHONPATH": root},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 240
    while not (tmp_path / "work" / reached).exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    again = sparring(server, tmp_path, *COMMAND)
    assert again.code == 0, again.err
    assert told(again) == told(undisturbed[1])
    assert digests(tmp_path, told(again)) == digests(undisturbed[0], told(undisturbed[1]))


def test_more_rounds_go_on_from_there_and_other_parameters_are_refused(
    server: dict[str, str], undisturbed: tuple[Path, Done], tmp_path: Path
) -> None:
    folder, done = undisturbed
    for part in ("store", "work"):
        shutil.copytree(folder / part, tmp_path / part)
    more = sparring(server, tmp_path, *COMMAND, "--rounds", "3")
    assert more.code == 0, more.err
    assert told(more)["rounds"][:2] == told(done)["rounds"]
    assert len(told(more)["rounds"]) == 3
    other = sparring(server, tmp_path, *COMMAND, "--margin", "0.2")
    assert other.code == 2
    assert "margin: 0.05 there, 0.2 now" in other.err


def test_a_band_without_tasks_ends_the_round_in_a_state_that_says_so(server: dict[str, str], tmp_path: Path) -> None:
    name = f"starved-{os.getpid()}"
    done = sparring(
        server, tmp_path, *COMMAND, "--solver", "scripted:ability=1", "--rounds", "1", "--name", name,
    )  # fmt: skip
    assert done.code == 1
    assert "Starved: 0.0% of" in done.err
    runs = httpx.post(f"{server['PREFECT_API_URL']}/flow_runs/filter", json={"limit": 50}, trust_env=False).json()
    mine = [run for run in runs if run["parameters"].get("config", {}).get("name") == name]
    assert {(run["name"], run["state"]["name"], run["state"]["type"]) for run in mine} >= {
        (f"{name}-5", "Starved", "FAILED"),
        ("round-1", "Starved", "COMPLETED"),
    }
