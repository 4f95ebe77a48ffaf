"""Exports: every format keeps rows, menus and gold to the byte, and its reward is ours."""

import asyncio
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest

from data.canonical import canonical_json, task_id
from data.errors import StoreError, UsageError
from data.exports.example import gold
from data.exports.folder import FORMATS, export, reward_source
from data.exports.names import legal_names
from data.records import JsonObject, Message, Score, Task
from data.rows import published_row
from data.schema import TASKS, to_table
from data.storage import open_storage
from data.store import Publication, publish
from data.version import Version
from solver.harness import harness
from verifiers import answer
from verifiers.calls import check_calls
from verifiers.lines import score_line
from verifiers.menu import Menu, read_menu

LEAF = Path(answer.__file__).read_text(encoding="utf-8")
SHARED = Path(__file__).parents[3] / "shared"
PARQUET = [name for name, made in FORMATS.items() if made.schema is not None]

BIG: JsonObject = {
    "name": "geo.find/nearest",
    "description": "Find the nearest place.",
    "parameters": {
        "type": "object",
        "properties": {"lat": {"type": "number"}, "id": {"type": "integer"}, "tags": {"type": "array"}, "o": {}},
        "required": ["lat"],
        "additionalProperties": False,
    },
}
OTHER: JsonObject = {"name": "stop", "description": "Stop.", "parameters": {"type": "object", "properties": {}}}


def _task(number: int, tools: tuple[JsonObject, ...], calls: tuple[JsonObject, ...]) -> Task:
    messages = (Message("system", "It is Monday."), Message("user", f"Number {number}, naïve — Zürich 🌧"))
    kind = "single" if calls else "abstain"
    return Task(task_id(messages, tools, calls), kind, 1, "maps", "open", messages, tools, calls)  # type: ignore[arg-type]


TASKS_OF_EVERY_SHAPE = (
    _task(1, (BIG, OTHER), ({"name": "geo.find/nearest", "arguments": {"lat": 3.5, "id": 2**70, "o": None}},)),
    _task(2, (OTHER, BIG), ({"name": "geo.find/nearest", "arguments": {"lat": -0.5, "tags": [], "o": {}}},)),
    _task(3, (OTHER,), ({"name": "stop", "arguments": {}}, {"name": "stop", "arguments": {}})),
    _task(4, (BIG,), ()),
)


@pytest.fixture
def version(tmp_path: Path, publication: Callable[..., Publication]) -> Version:
    rows = [
        published_row(
            task,
            Score(task.task_id, "json", 8, 4, 0.5, 0.2, 0.8, False, "frontier", 0.9, 1.0, 0.5, 0.3, 3, 0.9, 0.5, True),
            env_index=index,
            generator_digest="g",
            solver_digest="s",
        )
        for index, task in enumerate(TASKS_OF_EVERY_SHAPE)
    ]
    return publish(open_storage(tmp_path / "sets"), publication(len(rows), tasks=[to_table(rows, TASKS)], attempts=[]))


def _export(version: Version, name: str, folder: Path, way: str = "json") -> Path:
    def render(task: Task) -> tuple[Message, ...]:
        messages = harness(way, "chat").prompt(task).messages
        assert messages is not None
        return messages

    return export(version, name, folder / name, harness=way, render=render, leaf=LEAF)


def _reward(folder: Path) -> ModuleType:
    path = next(folder.rglob("reward.py"))
    spec = importlib.util.spec_from_file_location(f"reward_of_{folder.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _rows(folder: Path) -> list[dict[str, Any]]:
    files = [*folder.rglob("train.*")]
    assert len(files) == 1
    if files[0].suffix == ".parquet":
        return pq.read_table(files[0]).to_pylist()
    return [json.loads(line) for line in files[0].read_text(encoding="utf-8").splitlines()]


def _gold_of(row: dict[str, Any]) -> str:
    if "reward_model" in row:
        return str(row["reward_model"]["ground_truth"])
    if "reward_spec" in row:
        return str(row["reward_spec"]["ground_truth"])
    return str(row.get("gold") or row.get("label"))


@pytest.mark.parametrize("name", FORMATS)
def test_every_row_is_there_with_its_gold_and_its_group(version: Version, tmp_path: Path, name: str) -> None:
    rows = _rows(_export(version, name, tmp_path))
    golds = {json.loads(_gold_of(row))["task_id"]: json.loads(_gold_of(row)) for row in rows}
    assert golds.keys() == {task.task_id for task in TASKS_OF_EVERY_SHAPE}
    for task in TASKS_OF_EVERY_SHAPE:
        assert canonical_json(golds[task.task_id]["calls"]) == canonical_json(task.calls)
        assert canonical_json(golds[task.task_id]["tools"]) == canonical_json(task.tools)
    for row in rows:
        extra = row.get("extra_info") or row.get("metadata") or row
        assert extra["group_key"] == f"{extra['task_id']}:json"
        assert extra["env_index"] in range(4)


@pytest.mark.parametrize("name", PARQUET)
def test_menus_are_equal_to_the_byte(version: Version, tmp_path: Path, name: str) -> None:
    stored = {row["task_id"]: row["tools_json"] for batch in version.tasks() for row in batch.to_pylist()}
    for row in _rows(_export(version, name, tmp_path)):
        extra = row.get("extra_info") or row.get("metadata") or row
        if name != "slime":
            prompt = row.get("prompt") or row["input"]
            assert stored[extra["task_id"]] in prompt[0]["content"]
        assert extra["tools_json"] == stored[extra["task_id"]]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("way", ["json", "tags"])
def test_gold_earns_one_and_nothing_earns_nothing(version: Version, tmp_path: Path, name: str, way: str) -> None:
    folder = _export(version, name, tmp_path, way)
    judged = _reward(folder).judged
    for row in _rows(folder):
        gold_text = _gold_of(row)
        right = canonical_json(json.loads(gold_text)["calls"])
        right = right if way == "json" else f"<tool_call_answer>{right}</tool_call_answer>"
        assert judged(right, gold_text).reward == 1.0
        assert judged("", gold_text).reward == 0.0


def _calls(name: str, folder: Path, row: dict[str, Any], text: str) -> float:
    """The reward through the signature of the trainer that the export is for."""
    module = _reward(folder)
    if name == "verl":
        found = module.compute_score("sparring", text, _gold_of(row), extra_info=row["extra_info"], anything=1)
        assert found.keys() == {"score", "correct"}
        return float(found["score"])
    if name == "trl":
        (found,) = module.sparring_reward(prompts=[None], completions=[[{"content": text}]], gold=[row["gold"]])
        assert module.sparring_reward(completions=[text], gold=[row["gold"]]) == [found]
        return float(found)
    if name == "skyrl":
        return float(module.reward(text, _gold_of(row)))
    if name == "slime":
        return float(asyncio.run(module.reward(None, SimpleNamespace(response=text, label=row["label"]))))
    assert name == "openrlhf"
    return float(module.judged(module.completion_of(f"P{text}<|im_end|>\n", "P"), row["label"]).reward)


@pytest.mark.parametrize("name", PARQUET)
def test_each_trainers_own_signature_gives_the_reward(version: Version, tmp_path: Path, name: str) -> None:
    folder = _export(version, name, tmp_path)
    for row in _rows(folder):
        right = canonical_json(json.loads(_gold_of(row))["calls"])
        assert _calls(name, folder, row, right) == 1.0
        assert _calls(name, folder, row, "no idea") == 0.0


def test_responses_and_chat_messages_are_judged_under_the_original_names(version: Version, tmp_path: Path) -> None:
    gym, chat = (_export(version, name, tmp_path) for name in ("nemo_gym", "openai"))
    for row in _rows(gym):
        output = [
            {"type": "function_call", "name": call["name"], "arguments": json.dumps(call["arguments"])}
            for call in row["expected_answers"]
        ]
        assert _reward(gym).verify(row, {"output": output}) == 1.0
        assert _reward(gym).verify(row, {"output": [{"type": "message", "content": []}]}) == float(not output)
    for row in _rows(chat):
        last = row["messages"][-1]
        asked = "tool_calls" in last
        assert _reward(chat).reward(last if asked else {"role": "assistant", "content": "No tool fits."}, row) == 1.0
        assert _reward(chat).reward({"role": "assistant", "content": "hm"}, row) == float(not asked)


def _score_rows() -> Iterator[dict[str, Any]]:
    for line in (SHARED / "cases/score.jsonl").read_text().splitlines():
        row = json.loads(line)
        yield row.get("input", row)


@pytest.mark.parametrize("name", FORMATS)
def test_the_reward_beside_the_rows_is_ours_on_every_case(tmp_path: Path, name: str) -> None:
    (tmp_path / "reward.py").write_text(reward_source(name, LEAF), encoding="utf-8")
    judged = _reward(tmp_path).judged
    seen = 0
    for number, row in enumerate(_score_rows()):
        ours = score_line(json.dumps(row).encode(), number)
        menu = read_menu(row["tools"])
        assert isinstance(menu, Menu)
        calls = check_calls(menu, row["calls"], allow_none=True)
        if not isinstance(calls, tuple):
            assert ours["outcome"] == "checker_error"
            continue
        task = Task("t", "single", 1, "maps", "open", (), menu.tools, calls, row.get("accept"), row.get("may_omit"))
        theirs = judged(row["completion"], gold(task, row.get("harness", "tags")))
        assert (theirs.outcome, theirs.reward) == (ours["outcome"], ours["reward"])
        seen += 1
    assert seen > 30


def test_other_calls_with_the_same_outcome_are_right_and_nothing_else_is(tmp_path: Path) -> None:
    task = TASKS_OF_EVERY_SHAPE[2]
    other: list[JsonObject] = [{"name": "stop", "arguments": {}}]
    known = gold(replace(task, rule="outcome", outcome={"state": {}, "alternatives": [other]}), "json")
    (tmp_path / "reward.py").write_text(reward_source("verl", LEAF), encoding="utf-8")
    judged = _reward(tmp_path).judged
    assert judged(canonical_json(task.calls), known).reward == 1.0
    assert judged(canonical_json(other), known).reward == 1.0
    assert judged(canonical_json(other), gold(task, "json")).reward < 1.0
    assert judged("[]", known).reward == 0.0


def test_the_reward_needs_nothing_but_the_standard_library(tmp_path: Path) -> None:
    for name in FORMATS:
        imports = [line.split()[1].split(".")[0] for line in reward_source(name, LEAF).splitlines() if _imports(line)]
        assert set(imports) <= sys.stdlib_module_names | {"__future__"}


def _imports(line: str) -> bool:
    return line.startswith(("import ", "from "))


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("openai", "verifiers", "trl")])
def test_settings_ask_for_sequence_clipping_low_variance_kl_and_filtering(
    version: Version, tmp_path: Path, name: str
) -> None:
    folder = _export(version, name, tmp_path)
    text = "".join(path.read_text() for path in folder.iterdir() if path.name in ("run.sh", "run.py", "grpo.yaml"))
    assert any(word in text for word in ("gspo", "sequence_level_importance_ratios: true"))
    assert any(word in text for word in ("low_var_kl", "k3"))
    assert any(word in text for word in ("filter_groups.enable=True", "dynamic"))


def test_the_card_offers_each_parquet_export_as_a_configuration(
    version: Version, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    for name in PARQUET:
        _export(version, name, Path(version.location, "exports"))
        rows = datasets.load_dataset(version.location, name, split="train", cache_dir=str(tmp_path / "cache"))
        assert rows.num_rows == len(TASKS_OF_EVERY_SHAPE)
    whole = datasets.load_dataset(version.location, split="train", cache_dir=str(tmp_path / "cache"))
    assert whole.column_names == TASKS.names


def test_other_readers_agree_on_the_rows(version: Version, tmp_path: Path) -> None:
    duckdb, polars = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    for name in PARQUET:
        path = _export(version, name, tmp_path) / "train.parquet"
        assert duckdb.sql(f"select count(*) from '{path}'").limit(1).fetchall() == [(4,)]
        frame = polars.read_parquet(path)
        assert frame.height == 4
        assert frame.columns == pq.read_schema(path).names


def test_an_export_that_is_there_is_not_touched(version: Version, tmp_path: Path) -> None:
    folder = _export(version, "trl", tmp_path)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(StoreError, match="is there already"):
        _export(version, "trl", tmp_path)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_an_unknown_export_names_those_there_are(version: Version, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as fault:
        _export(version, "unsloth", tmp_path)
    assert "verl" in str(fault.value.hint)


def test_legal_names_are_legal_unique_and_leave_legal_ones_alone() -> None:
    names = ["a.b", "a_b", "a/b", "x" * 70, "x" * 71, "ü", "ok-1"]
    found = legal_names(names)
    assert found["a_b"] == "a_b"
    assert found["ok-1"] == "ok-1"
    assert len(set(found.values())) == len(names)
    assert all(0 < len(name) <= 64 and name.isascii() for name in found.values())
    assert legal_names(names) == found
