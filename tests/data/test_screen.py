"""The screen: what held-out files ask and what earlier versions have does not come (again)."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.errors import UsageError
from data.held_out import HeldOut, read_held_out
from data.manifest import Origin
from data.records import Message, Task
from data.screen import Screen, earlier_versions
from data.storage import open_storage
from data.store import Publication, publish

BFCL: dict[str, object] = {
    "id": "simple_0",
    "question": [
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Find the area of a triangle."}]
    ],
    "function": [{"name": "area", "description": "Area.", "parameters": {"type": "dict", "properties": {}}}],
}
OURS: dict[str, object] = {
    "question": "Find the area of a triangle.",
    "tools": [{"type": "function", "function": {"name": "area"}}],
}
READ = HeldOut("Find the area of a triangle.", frozenset({"area"}))


def asking(question: str, parent: str | None = None) -> Task:
    return Task("id", "single", 1, "d", "open", (Message("user", question),), (), (), parent_task_id=parent)


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    if path.suffix == ".parquet":
        flat = [{"messages_json": json.dumps([{"role": "user", "content": row["question"]}]),
                 "tools_json": json.dumps(row["tools"])} for row in rows]  # fmt: skip
        pq.write_table(pa.Table.from_pylist(flat), path)
    elif path.name == "array.json":
        path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    else:
        path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "row"),
    [("BFCL_v4.json", BFCL), ("ours.jsonl", OURS), ("array.json", OURS), ("ours.parquet", OURS)],
)
def test_held_out_questions_are_read_from_every_format(tmp_path: Path, name: str, row: dict[str, object]) -> None:
    assert list(read_held_out(write(tmp_path / name, [row, row]))) == [READ, READ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no rows"),
        ('{"question": "x"}\n{"tools": []}', "row 2 has no question"),
        ("{", "is not JSON"),
        ("[1]", "row 1"),
    ],
)
def test_a_held_out_file_that_is_not_understood_is_a_fault(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "bench.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        list(read_held_out(tmp_path / "bench.jsonl"))


def test_a_held_out_file_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        Screen().add_held_out(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("question", "detail"),
    [
        ("find the AREA of a triangle.", "equals a question of BFCL_v4.json"),
        ("Find the area of the triangle.", "says almost the same as a question of BFCL_v4.json"),
    ],
)
def test_a_question_of_a_held_out_file_is_contaminated(tmp_path: Path, question: str, detail: str) -> None:
    screen = Screen()
    screen.add_held_out(write(tmp_path / "BFCL_v4.json", [BFCL]))
    verdict = screen.verdict(asking(question))
    assert verdict is not None
    assert (verdict.code, verdict.detail) == ("contaminated", detail)
    assert screen.verdict(asking("Is it raining in Oslo?")) is None


def test_the_report_counts_what_was_met_and_the_tools_of_both(tmp_path: Path) -> None:
    screen = Screen()
    screen.add_held_out(write(tmp_path / "BFCL_v4.json", [BFCL]))
    for question in ("Find the area of a triangle.", "Find the area of the triangle.", "Is it raining in Oslo?"):
        screen.verdict(asking(question))
    listed: Any = screen.report({"area", "rain"})["held_out"]
    (entry,) = listed
    assert len(str(entry.pop("sha256"))) == 64
    assert entry == {
        "name": "BFCL_v4.json", "questions": 1, "exact": 1, "near": 1, "tools": 1, "tools_shared": 1,
        "tools_shared_names": ["area"],
    }  # fmt: skip


def test_nothing_is_reported_where_nothing_was_compared() -> None:
    assert Screen().report({"area"}) == {}


def with_seed(origin: Origin, seed: int) -> Origin:
    return replace(origin, seed=seed)


def test_a_question_of_an_earlier_version_names_the_version(
    tmp_path: Path, publication: Callable[..., Publication]
) -> None:
    version = publish(open_storage(tmp_path), publication(3))
    screen = Screen()
    screen.add_version(version)
    verdict = screen.verdict(asking("question 1 von zürich 🌧"))
    assert verdict is not None
    assert verdict.code == "published_before"
    assert version.manifest.version in verdict.detail


def test_earlier_are_the_versions_before_the_first_of_the_same_run(
    tmp_path: Path, publication: Callable[..., Publication]
) -> None:
    store = open_storage(tmp_path)
    origins = [with_seed(publication(1).origin, seed) for seed in (1, 2, 3)]
    for number, origin in enumerate(origins):
        publish(store, publication(2, first=10 * number, origin=origin))
    found = [[v.manifest.origin.seed for v in earlier_versions(store, "demo", one.run)] for one in origins]
    assert found == [[], [1], [1, 2]]
    assert len(earlier_versions(store, "demo", with_seed(origins[0], 9).run)) == 3


def test_a_change_of_a_published_task_may_keep_its_question_and_no_other(
    tmp_path: Path, publication: Callable[..., Publication]
) -> None:
    screen = Screen()
    screen.add_version(publish(open_storage(tmp_path), publication(3)))
    screen.add_parents([replace(asking("Question 1 von Zürich 🌧"), task_id="parent")])
    assert screen.verdict(asking("Question 1 von Zürich 🌧", "parent")) is None
    assert screen.verdict(asking("Question 1 von Zürich 🌧", "other")) is not None
    assert screen.verdict(asking("Question 2 von Zürich 🌧")) is not None


def test_a_held_out_question_stays_out_also_when_its_task_is_changed(tmp_path: Path) -> None:
    screen = Screen()
    screen.add_held_out(write(tmp_path / "BFCL_v4.json", [BFCL]))
    screen.add_parents([replace(asking("Find the area of a triangle."), task_id="parent")])
    verdict = screen.verdict(asking("Find the area of a triangle.", "parent"))
    assert verdict is not None
    assert verdict.code == "contaminated"
