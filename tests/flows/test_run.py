"""`sparring run` as a person runs it: published, resumed, refused, short, each with the right exit code."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import datasets
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tests.flows.flows_support import Done, sparring

pytestmark = pytest.mark.flow
SCRIPTED = ("run", "--engine", "scripted", "--json", "--store", "store")


def run(server: dict[str, str], folder: Path, *arguments: str) -> Done:
    return sparring(server, folder, *SCRIPTED, *arguments)


@pytest.fixture(scope="module")
def undisturbed(server: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """A whole scripted run: its folder and what it said."""
    folder = tmp_path_factory.mktemp("undisturbed")
    return folder, run(server, folder, "--tasks", "40", "--seed", "3", "--budget", "2000", "--workdir", "work")


def test_a_run_publishes_exactly_what_was_asked(undisturbed: tuple[Path, Done]) -> None:
    folder, done = undisturbed
    assert done.code == 0, done.err
    path = Path(json.loads(done.out)["published"])
    tasks = datasets.load_dataset(str(path), split="train", cache_dir=str(folder / "cache"))
    assert len(tasks) == 40
    assert len(set(tasks["task_id"])) == 40
    assert len(set(tasks["messages_json"])) == 40
    assert min(tasks["passes"]) >= 1


def test_the_ledger_adds_up_to_the_briefs(undisturbed: tuple[Path, Done]) -> None:
    manifest = undisturbed[1].manifest
    candidates = pq.read_table(Path(json.loads(undisturbed[1].out)["published"]) / "candidates.parquet")
    assert sum(row["count"] for row in manifest["ledger"]) == candidates.num_rows
    assert set(candidates["index"].to_pylist()) == set(range(candidates.num_rows))
    assert [row["count"] for row in manifest["ledger"] if row["stage"] == "published"] == [40]


def test_the_manifest_says_who_played_and_by_which_rules(undisturbed: tuple[Path, Done]) -> None:
    manifest = undisturbed[1].manifest
    assert manifest["engine"] == "scripted"
    assert manifest["players"]["equal"] is True
    assert manifest["players"]["generator"]["round"] == 0
    assert manifest["difficulty"]["k"] == 8
    assert manifest["seed"] == 3
    assert manifest["prompts"].keys() == {"generator", "solver"}


def test_the_same_command_finds_its_version_again(server: dict[str, str], undisturbed: tuple[Path, Done]) -> None:
    folder, first = undisturbed
    again = run(server, folder, "--tasks", "40", "--seed", "3", "--budget", "2000", "--workdir", "work")
    assert (again.code, json.loads(again.out)["published"]) == (0, json.loads(first.out)["published"])


def test_a_run_whose_work_folder_was_removed_gives_the_same_version_again(
    server: dict[str, str], undisturbed: tuple[Path, Done]
) -> None:
    folder, first = undisturbed
    arguments = ("--tasks", "40", "--seed", "3", "--budget", "2000", "--workdir")
    shutil.rmtree(folder / "work")
    again = run(server, folder, *arguments, "work")
    assert (again.code, json.loads(again.out)["published"]) == (0, json.loads(first.out)["published"])


def test_the_same_run_elsewhere_gives_the_same_report_but_for_the_seconds(
    server: dict[str, str], undisturbed: tuple[Path, Done], tmp_path: Path
) -> None:
    again = run(server, tmp_path, "--tasks", "40", "--seed", "3", "--budget", "2000", "--workdir", "work")
    reports = [
        (Path(json.loads(done.out)["published"]) / "report.md").read_text(encoding="utf-8")
        for done in (undisturbed[1], again)
    ]
    first, second = ([line for line in text.splitlines() if " seconds |" not in line] for text in reports)
    assert first == second


def test_other_parameters_in_the_same_work_folder_are_refused(
    server: dict[str, str], undisturbed: tuple[Path, Done]
) -> None:
    done = run(server, undisturbed[0], "--tasks", "40", "--seed", "4", "--budget", "2000", "--workdir", "work")
    assert done.code == 2
    assert "seed: 3 there, 4 now" in done.err


@pytest.mark.parametrize("seconds", [4, 6, 8])
def test_kill_9_and_the_same_command_give_an_undisturbed_run_s_digests(
    server: dict[str, str], undisturbed: tuple[Path, Done], tmp_path: Path, seconds: float
) -> None:
    arguments = (*SCRIPTED, "--tasks", "40", "--seed", "3", "--budget", "2000", "--workdir", "work")
    process = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", *arguments],
        cwd=tmp_path,
        env=server | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    resumed = sparring(server, tmp_path, *arguments)
    assert resumed.code == 0, resumed.err
    for digest in ("digest", "measurement_digest"):
        assert resumed.manifest[digest] == undisturbed[1].manifest[digest]


def test_a_budget_that_gives_too_few_keeps_what_there_is_and_says_so(server: dict[str, str], tmp_path: Path) -> None:
    done = run(server, tmp_path, "--tasks", "30", "--budget", "40")
    assert done.code == 1
    assert "of 30 tasks" in done.err
    assert "--budget" in done.err
    published = Path(json.loads(done.out)["published"])
    assert 0 < json.loads((published / "manifest.json").read_bytes())["rows"] < 30


def test_a_run_without_a_single_task_names_the_reason_and_publishes_nothing(
    server: dict[str, str], tmp_path: Path
) -> None:
    done = run(server, tmp_path, "--generator", "scripted:ability=0", "--tasks", "2", "--budget", "20")
    assert done.code == 1
    assert "none of 20 briefs became a task" in done.err
    assert not list((tmp_path / "store").glob("*/versions/*"))


def test_confirmed_figures_come_from_fresh_attempts(server: dict[str, str], tmp_path: Path) -> None:
    done = run(server, tmp_path, "--tasks", "5", "--budget", "60", "--confirm", "6")
    assert done.code == 0, done.err
    path = Path(json.loads(done.out)["published"])
    tasks = pq.read_table(path / "data")
    assert set(tasks["confirmed"].to_pylist()) == {True}
    assert set(tasks["attempts"].to_pylist()) == {6}
    fresh = pq.read_table(path / "attempts.parquet", filters=[("fresh", "=", True)])
    assert fresh.num_rows == 30
    spent = sum(int(pc.sum(fresh[name]).as_py() or 0) for name in ("prompt_tokens", "completion_tokens"))
    assert [row["tokens"] for row in done.manifest["ledger"] if row["stage"] == "confirm"] == [spent]


def test_open_mode_runs_to_a_version(server: dict[str, str], tmp_path: Path) -> None:
    done = run(server, tmp_path, "--mode", "open", "--tasks", "5", "--budget", "100")
    assert done.code == 0, done.err
    assert done.manifest["config"]["mode"] == "open"
