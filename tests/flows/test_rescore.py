"""`sparring rescore`: an old version measured again, nothing generated, both difficulties side by side."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from data.schema import COMPARISON, MEASUREMENT_COLUMNS
from tests.flows.flows_support import Done, sparring

pytestmark = pytest.mark.flow
RESCORE = ("rescore", "measured@v0001", "--solver", "scripted:ability=0.85", "--store", "store", "--json")


@pytest.fixture(scope="module")
def old(server: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder with a published version of two splits: both paths."""
    folder = tmp_path_factory.mktemp("rescore")
    command = ("run", "--engine", "scripted", "--json", "--store", "store", "--name", "measured", "--tasks", "40")
    done = sparring(server, folder, *command, "--eval-share", "0.2", "--budget", "800")
    return folder, published(done)


@pytest.fixture(scope="module")
def new(server: dict[str, str], old: tuple[Path, Path]) -> Path:
    return published(sparring(server, old[0], *RESCORE))


def published(done: Done) -> Path:
    assert done.code == 0, done.err
    return Path(json.loads(done.out)["published"])


def manifest(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((path / "manifest.json").read_bytes())
    return found


def test_the_new_version_has_the_same_tasks_and_another_measurement(old: tuple[Path, Path], new: Path) -> None:
    before, after = manifest(old[1]), manifest(new)
    assert after["digest"] == before["digest"]
    assert after["measurement_digest"] != before["measurement_digest"]
    assert after["parents"] == [before["version"]]
    for split in ("train", "eval"):
        left, right = (pq.read_table(next((path / "data").glob(f"{split}-*"))) for path in (old[1], new))
        same = [name for name in left.column_names if name not in MEASUREMENT_COLUMNS]
        assert left.select(same).equals(right.select(same))


def test_both_difficulties_stand_side_by_side(old: tuple[Path, Path], new: Path) -> None:
    assert pq.read_schema(new / "comparison.parquet") == COMPARISON
    before, after = (
        {row["task_id"]: row for row in pq.read_table(path / "data").to_pylist()} for path in (old[1], new)
    )
    rows = pq.read_table(new / "comparison.parquet").to_pylist()
    assert {row["task_id"] for row in rows} == set(before)
    for row in rows:
        for name in ("passes", "pass_rate", "band"):
            assert row[f"previous_{name}"] == before[row["task_id"]][name]
            assert row[name] == after[row["task_id"]][name]


def test_the_report_names_the_tasks_that_fell_out_of_the_frontier(new: Path) -> None:
    rows = pq.read_table(new / "comparison.parquet").to_pylist()
    fell = {row["task_id"][:12] for row in rows if row["previous_band"] == "frontier" != row["band"]}
    report = (new / "report.md").read_text(encoding="utf-8").partition("## Fell out")[2]
    assert fell
    assert {line.split(" | ")[0].strip("| ") for line in report.splitlines() if line.startswith("| ")} >= fell
    assert f"{len(fell)} tasks" in report


def test_the_report_reads_like_a_runs(old: tuple[Path, Path], new: Path) -> None:
    report, of_a_run = ((path / "report.md").read_text(encoding="utf-8") for path in (new, old[1]))
    assert report.startswith(f"# measured {new.name}\n")
    heads = [line for line in of_a_run.splitlines() if line.startswith("## ") and "in full" not in line]
    own = [line for line in report.splitlines() if line.startswith("## ")]
    assert [line for line in own if line in heads] == [line for line in heads if "turned down" not in line]
    assert [line for line in own if line not in heads] == [f"## Against `measured@{old[1].name}`"]
    assert "| asked | the same tasks measured again |" in report


def test_the_manifest_says_who_measured_and_keeps_who_wrote(old: tuple[Path, Path], new: Path) -> None:
    before, after = manifest(old[1]), manifest(new)
    assert after["players"]["generator"] == before["players"]["generator"]
    assert after["players"]["solver"]["engine"] == "scripted:ability=0.85"
    assert after["config"]["rescore"]["version"] == f"measured@{before['version']}"
    assert set(pq.read_table(new / "data")["solver_digest"].to_pylist()) == {after["players"]["solver"]["digest"]}


def test_every_task_is_accounted_for_and_the_version_verifies(
    server: dict[str, str], old: tuple[Path, Path], new: Path
) -> None:
    assert sum(row["count"] for row in manifest(new)["ledger"]) == 40
    assert pq.read_metadata(new / "candidates.parquet").num_rows == 40
    assert sparring(server, old[0], "sets", "verify", str(new)).code == 0


def test_the_same_command_finds_its_version_again(server: dict[str, str], old: tuple[Path, Path], new: Path) -> None:
    assert published(sparring(server, old[0], *RESCORE)) == new


def test_kill_9_and_the_same_command_give_the_same_measurement(
    server: dict[str, str], old: tuple[Path, Path], new: Path
) -> None:
    command = (*RESCORE, "--workdir", "killed")
    process = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", *command],
        cwd=old[0],
        env=server | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(5)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert published(sparring(server, old[0], *command)) == new


@pytest.mark.parametrize("name", ["tags", "hermes", "openai"])
def test_another_harness_is_another_measurement(server: dict[str, str], old: tuple[Path, Path], name: str) -> None:
    path = published(sparring(server, old[0], *RESCORE, "--harness", name, "--style", "chat"))
    table = pq.read_table(path / "data")
    assert set(table["harness"].to_pylist()) == {name}
    assert all(key.endswith(f":{name}") for key in map(str, table["group_key"].to_pylist()))
    assert 0.3 < sum(row["pass_rate"] for row in table.to_pylist()) / 40 < 1


def test_a_harness_that_does_not_speak_the_style_is_refused_before_it_samples(
    server: dict[str, str], old: tuple[Path, Path]
) -> None:
    done = sparring(server, old[0], *RESCORE, "--harness", "openai", "--style", "plain")
    assert done.code == 2
    assert "openai" in done.err


def test_another_rule_can_be_judged_on_the_new_measurement(
    server: dict[str, str], old: tuple[Path, Path], new: Path
) -> None:
    (old[0] / "rule.json").write_text('{"n": 40, "mix": {"frontier": 1}}', encoding="utf-8")
    done = sparring(server, old[0], "sets", "select", "--from", str(new), "--rule", "rule.json", "--json")
    frontier = [row["task_id"] for row in pq.read_table(new / "data").to_pylist() if row["band"] == "frontier"]
    assert set(json.loads(done.out)["kept"]) <= set(frontier)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("measured",), "name@v0003"),
        (("measured@v0099",), "no version 'v0099'"),
        (("measured@v0001", "--k", "3"), "--k 3"),
        (("measured@v0001", "--harness", "none"), "--harness 'none'"),
    ],
)
def test_a_wrong_wish_is_refused(
    server: dict[str, str], old: tuple[Path, Path], arguments: tuple[str, ...], said: str
) -> None:
    done = sparring(server, old[0], "rescore", *arguments, "--solver", "scripted", "--store", "store")
    assert done.code == 2
    assert said in done.err
