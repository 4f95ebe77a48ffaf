"""Our own sets as benchmarks: a published version, a Parquet file, and tasks handed over half done."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.errors import UsageError
from data.parquet import write_tables
from data.records import Message, Score, Task, Verdict
from data.rows import published_row
from data.schema import TASKS, to_table
from data.storage import open_storage
from data.store import publish
from flows.evaluation import Plan, evaluate
from generator.worlds import draw
from policies.players import named
from solver.benches import own
from solver.benches.base import Bench
from solver.handoff import handed_over
from tests.data.conftest import make_publication
from tests.flows.flows_support import Done, inside
from verifiers.execution import check_execution
from verifiers.menu import Menu, read_menu


def task(seed: int) -> Task:
    """A task of three calls over a built-in world."""
    one = draw("notes", Random(f"evaluate:{seed}"), 3, dependent=seed % 2 == 0)
    menu = read_menu(list(one.tools))
    assert isinstance(menu, Menu)
    implementations = dict(one.implementations)
    outcome = check_execution(menu, one.calls, one.world, implementations)
    assert not isinstance(outcome, Verdict)
    return Task(
        task_id=f"t{seed}",
        kind=one.kind,
        turns=1,
        domain="notes",
        mode="catalogue",
        messages=(Message("user", one.question),),
        tools=menu.tools,
        calls=one.calls,
        world=one.world,
        implementations=implementations,
        outcome=outcome,
        rule="outcome",
    )


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data file of a task set."""
    rows = []
    for one in map(task, range(6)):
        score = Score(
            one.task_id, "tags", 8, 4, 0.5, 0.2, 0.8, False, "frontier", 0.9, 1.0, 0.5, 0.3, 3, 1.0, 0.5, True
        )
        rows.append(published_row(one, score, env_index=0, generator_digest="g", solver_digest="s"))
    path = tmp_path_factory.mktemp("set") / "train-00000-of-00001.parquet"
    write_tables(path, [to_table(rows, TASKS)], TASKS)
    return path


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """`sparring evaluate --solver scripted --seeds 1 --json ...` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return partial(inside, monkeypatch, capsys, "evaluate", "--solver", "scripted", "--seeds", "1", "--json")


def test_a_parquet_file_is_read_whole(parquet: Path) -> None:
    whole = own.read(parquet)
    assert {one.id for one in whole.items} == {f"t{seed}" for seed in range(6)}
    assert whole.items[0].task.outcome is not None


def test_a_parquet_file_of_other_columns_is_named(tmp_path: Path) -> None:
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({"question": ["Hi?"]}), other)
    with pytest.raises(UsageError, match="no task set"):
        own.read(other)


def test_handoff_scores_both_solvers_from_the_same_states(parquet: Path, tmp_path: Path) -> None:
    parts: Bench = handed_over(own.read(parquet))
    able, unable = (named(tmp_path, "solver", f"scripted:ability={share}") for share in (1, 0))
    plan = Plan((able, unable), ("json",), (parts,), seeds=1)
    result, _ = evaluate(plan, str(tmp_path / "w"))
    (found,) = [row for row in result["differences"] if row["category"] == "overall"]
    assert found["items"] == len(parts.items) > 6
    assert found["pass_at_1"]["mean"] > 0.8


def test_the_command_reads_a_set_and_hands_it_over(parquet: Path, command: Callable[..., Done]) -> None:
    done = command("--bench", f"set={parquet}", "--handoff")
    assert {row["bench"] for row in json.loads(done.out)["metrics"]} == {"set", "set/handoff"}


def test_the_command_reads_a_published_version(tmp_path: Path, command: Callable[..., Done]) -> None:
    made = publish(open_storage(tmp_path / "store"), make_publication(3))
    done = json.loads(command("--bench", "set=demo", "--store", str(tmp_path / "store")).out)
    (bench,) = done["benches"]
    assert (bench["name"], bench["items"]) == (f"demo@{made.manifest.version}", 3)
    assert [one["sha256"] for one in bench["files"]] == [one.sha256 for one in made.task_files()]


def test_a_set_that_does_not_exist_is_named(tmp_path: Path, command: Callable[..., Done]) -> None:
    done = command("--bench", "set=nowhere", "--store", str(tmp_path))
    assert (done.code != 0, "nowhere" in done.err) == (True, True)


def test_a_set_is_not_exported_with_a_harness_that_its_reward_cannot_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(open_storage(tmp_path / "store"), make_publication(1))
    words = ("sets", "export", "demo", "--to", "trl", "--harness", "hermes", "--store", str(tmp_path / "store"))
    done = inside(monkeypatch, capsys, *words)
    assert (done.code, "reward.py does not read" in done.err, "tags, json" in done.err) == (2, True, True)
