"""Rows for the tests of `data/`: tasks, candidates, attempts and whole publications, small and valid."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pytest

from data.canonical import task_id
from data.ledger import LedgerRow
from data.manifest import Origin
from data.records import Attempt, Json, JsonObject, Message, Score, Task
from data.rows import attempt_row, published_row
from data.schema import ATTEMPTS, CANDIDATES, TASKS, VERIFIED, to_table
from data.storage import Storage, open_storage
from data.store import Publication

TOOLS: tuple[JsonObject, ...] = (
    {"name": "t", "description": "d", "parameters": {"type": "object", "properties": {"a": {}}}},
)


def make_task(number: int, arguments: Json = None) -> Task:
    messages = (Message("user", f"Question {number} von Zürich 🌧"),)
    calls: tuple[JsonObject, ...] = ({"name": "t", "arguments": {"a": number, "x": arguments}},)
    identity = task_id(messages, TOOLS, calls)
    return Task(identity, "single", 1, "weather", "open", messages, TOOLS, calls)


def make_score(task: Task, passes: int = 4) -> Score:
    p = passes / 8
    return Score(task.task_id, "tags", 8, passes, p, 0.2, 0.8, False, "frontier", 0.9, 1.0, p, 0.3, 3, 0.99, 0.5, True)


def task_table(tasks: Iterable[Task], passes: int = 4) -> pa.Table:
    rows = [
        published_row(task, make_score(task, passes), env_index=0, generator_digest="g", solver_digest="s")
        for task in tasks
    ]
    return to_table(rows, TASKS)


def candidate_table(stages: Iterable[str]) -> pa.Table:
    rows = []
    for index, stage in enumerate(stages):
        row: dict[str, object] = dict.fromkeys(CANDIDATES.names)
        row |= {field.name: 0.5 for field in VERIFIED if pa.types.is_floating(field.type)}  # Parts of the reward.
        row |= dict.fromkeys(("brief_json", "domain", "mode", "check", "detail", "completion", "finish_reason"), "x")
        code = "" if stage == "published" else "bad"
        rows.append(row | {"index": index, "stage": stage, "code": code, "prompt_tokens": 10, "completion_tokens": 5})
    return to_table(rows, CANDIDATES)


def attempt_table(tasks: Iterable[Task]) -> pa.Table:
    rows = [
        attempt_row(Attempt(task.task_id, "tags", 0, 1, "<tool_call_answer>\0", [], "correct", 1.0, 3, 4, "stop"))
        for task in tasks
    ]
    return to_table(rows, ATTEMPTS)


ORIGIN = Origin(
    engine="embedded",
    players={
        "generator": {"base": "b", "digest": "g", "round": 0, "parent": None, "licence": "apache-2.0"},
        "equal": True,
    },
    prompts={"open": "p"},
    verifier_version="1",
    difficulty={"harness": "tags", "k": 8, "temperature": 0.7, "confirm": 0},
    seed=7,
    config={"tasks": 3},
)


def make_publication(count: int = 3, *, first: int = 0, passes: int = 4, **parts: object) -> Publication:
    """A publication of `count` tasks and as many refused briefs; keywords replace its parts."""
    tasks = [make_task(number) for number in range(first, first + count)]
    whole: dict[str, object] = {
        "name": "demo",
        "tasks": [task_table([task], passes) for task in tasks],
        "candidates": [candidate_table(["published"] * count), candidate_table(["verify"] * count)],
        "attempts": [attempt_table(tasks)],
        "ledger": (LedgerRow("verify", "bad", count), LedgerRow("published", "", count)),
        "origin": ORIGIN,
        "report": lambda version: f"# Report of {version}\n",
    }
    return Publication(**whole | parts)  # type: ignore[arg-type]


@pytest.fixture
def publication() -> Callable[..., Publication]:
    """`make_publication`, for test files that cannot import this one."""
    return make_publication


@pytest.fixture(params=["disk", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """An empty store, once on disk and once on S3."""
    if request.param == "disk":
        return open_storage(tmp_path / "sets")
    return open_storage(f"{request.getfixturevalue('bucket')}/some/prefix")


@pytest.fixture
def local(tmp_path: Path) -> Storage:
    """An empty store on disk, where the kind of storage makes no difference."""
    return open_storage(tmp_path / "sets")


@pytest.fixture
def origin() -> Origin:
    """Where publications come from."""
    return ORIGIN
