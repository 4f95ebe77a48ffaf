"""Every kind of task through the whole of `sparring run`, and published tasks changed into others."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from data.records import Draft, Task
from data.rows import task_from_row
from generator.kinds import KINDS
from tests.flows.flows_support import Done, sparring
from verifiers.verify import verify

pytestmark = pytest.mark.flow
SCRIPTED = ("run", "--engine", "scripted", "--json", "--store", "store", "--seed", "4")
ASKED = KINDS["catalogue"]


def evenly(kinds: Sequence[str]) -> str:
    """Equal shares that add up to 1 whatever their number."""
    return ",".join(f"{kind}={1 / len(kinds)}" for kind in kinds)


@pytest.fixture(scope="module")
def grown(server: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """A scripted run over every kind of the catalogue: its folder and what it said."""
    folder = tmp_path_factory.mktemp("kinds")
    shares = ("--kinds", evenly(ASKED), "--style", "chat")
    return folder, sparring(server, folder, *SCRIPTED, *shares, "--tasks", "70", "--budget", "1000", "--name", "grown")


def tasks_of(done: Done) -> list[Task]:
    assert done.code == 0, done.err
    return [task_from_row(row) for row in pq.read_table(Path(json.loads(done.out)["published"]) / "data").to_pylist()]


def test_every_kind_is_published(grown: tuple[Path, Done]) -> None:
    kinds = Counter(str(task.brief["kind"]) for task in tasks_of(grown[1]))
    assert set(kinds) == set(ASKED)


def test_every_published_row_proves_itself_again(grown: tuple[Path, Done]) -> None:
    for task in tasks_of(grown[1]):
        parts = (task.accept, task.may_omit, task.unanswerable, task.world, task.implementations)
        assert verify(Draft(task.messages, list(task.tools), list(task.calls), *parts)).reasons == ()


def test_the_ledger_balances_over_all_kinds(grown: tuple[Path, Done]) -> None:
    candidates = pq.read_table(Path(json.loads(grown[1].out)["published"]) / "candidates.parquet")
    assert sum(row["count"] for row in grown[1].manifest["ledger"]) == candidates.num_rows


def test_published_tasks_are_changed_into_others(server: dict[str, str], grown: tuple[Path, Done]) -> None:
    parents = {task.task_id for task in tasks_of(grown[1])}
    version = grown[1].manifest["version"]
    arguments = ("--mode", "mutate", "--parent", f"grown@{version}", "--tasks", "40", "--budget", "2000")
    done = sparring(server, grown[0], *SCRIPTED, *arguments, "--name", "changed")
    children = tasks_of(done)
    assert done.manifest["parents"] == [f"grown@{version}"]
    assert f"changes of `grown@{version}`;" in (Path(json.loads(done.out)["published"]) / "report.md").read_text(
        "utf-8"
    )
    assert {task.mode for task in children} == {"evolve"}
    assert {task.parent_task_id for task in children} <= parents
    assert set(KINDS["evolve"]) - {task.brief["kind"] for task in children} <= {"unsaid", "further"}


def test_a_parent_that_is_not_there_is_the_users_fault(server: dict[str, str], grown: tuple[Path, Done]) -> None:
    done = sparring(server, grown[0], *SCRIPTED, "--mode", "mutate", "--parent", "grown@v0099", "--tasks", "2")
    assert done.code == 2
    assert "v0099" in done.err
