"""Benchmarks read in their published formats, and the probe."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bfcl import REAL
from benchmarks.make_probe import SOURCE, tasks
from data.errors import UsageError
from generator.catalogue import load_catalogue
from solver.benches import bfcl, probe
from solver.benches.base import Bench, Item, some_of
from solver.benches.readers import read_bench
from solver.harness import WAYS, harness
from verifiers.lines import verify_line
from verifiers.worlds import WORLDS

QUESTION = {
    "id": "simple_python_0",
    "question": [[{"role": "user", "content": "Book a table for two at Roma."}]],
    "function": [
        {
            "name": "tables.book",
            "description": "Book a table.",
            "parameters": {
                "type": "dict",
                "properties": {"place": {"type": "string"}, "guests": {"type": "integer"}, "where": {"type": "dict"}},
                "required": ["place"],
            },
        }
    ],
}


def bfcl_file(folder: Path, arguments: dict[str, Any], category: str = "simple_python") -> Path:
    """A BFCL file of one row with its possible answer."""
    answer = {"id": "simple_python_0", "ground_truth": [{"tables.book": arguments}]}
    (folder / "possible_answer").mkdir()
    name = f"BFCL_v4_{category}.json"
    (folder / name).write_text(json.dumps(QUESTION) + "\n")
    (folder / "possible_answer" / name).write_text(json.dumps(answer) + "\n")
    return folder / name


def outcome(one: Item, **arguments: Any) -> str:
    answer = json.dumps([{"name": "tables.book", "arguments": arguments}])
    return harness("json", "plain").score(one.task, answer).judged.outcome


class TestBfcl:
    def test_each_acceptable_value_is_right(self, tmp_path: Path) -> None:
        (one,) = bfcl.read(bfcl_file(tmp_path, {"place": ["Roma", "Bar Roma"], "guests": ["", 2]})).items
        assert outcome(one, place="Roma", guests=2) == outcome(one, place="Bar Roma") == "correct"
        assert outcome(one, place="Oslo", guests=2) == outcome(one, place="Roma", guests=3) == "wrong_value"

    def test_what_the_tool_requires_may_not_be_left_out(self, tmp_path: Path) -> None:
        (one,) = bfcl.read(bfcl_file(tmp_path, {"place": ["Roma", ""]})).items
        assert outcome(one) == "missing_argument"

    def test_inside_an_object_every_combination_is_right(self, tmp_path: Path) -> None:
        given = {"place": ["Roma"], "where": [{"floor": [1, 2], "side": ["left", ""]}]}
        (one,) = bfcl.read(bfcl_file(tmp_path, given)).items
        assert outcome(one, place="Roma", where={"floor": 2}) == "correct"
        assert outcome(one, place="Roma", where={"floor": 1, "side": "left"}) == "correct"
        assert outcome(one, place="Roma", where={"floor": 3}) == "wrong_value"

    def test_a_category_of_several_turns_is_refused_by_name(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"multi_turn_base.*no single-turn category"):
            bfcl.read(bfcl_file(tmp_path, {}, "multi_turn_base"))

    def test_answers_that_are_not_there_are_named(self, tmp_path: Path) -> None:
        path = bfcl_file(tmp_path, {})
        (tmp_path / "possible_answer" / path.name).write_text("")
        with pytest.raises(UsageError, match="no answer to simple_python_0"):
            bfcl.read(path)

    @pytest.mark.skipif(not REAL.is_dir(), reason="the real rows are not beside this checkout")
    def test_every_real_row_is_read_and_its_gold_right_in_every_harness(self) -> None:
        whole = bfcl.read(REAL)
        assert (len(whole.items), whole.left_out) == (1040, ())
        assert "MASKED" not in repr(whole)
        for one in whole.items:
            for way in (harness(name, style) for name, style in WAYS if style == "chat"):
                assert way.score(one.task, way.prompt(one.task).oracle or "").judged.correct, one.id


def names(whole: Bench) -> set[str]:
    """The tools in the menus of a benchmark."""
    return {str(tool["name"]) for one in whole.items for tool in one.task.tools}


class TestProbe:
    def test_it_is_what_the_program_makes(self) -> None:
        lines = [json.dumps(task, ensure_ascii=False) for task in tasks(SOURCE.read_text(encoding="utf-8"))]
        assert probe.FILE.read_text(encoding="utf-8").splitlines() == lines

    def test_every_task_is_proved(self) -> None:
        for line in probe.FILE.read_bytes().splitlines():
            row = {key: value for key, value in json.loads(line).items() if key not in ("half", "kind")}
            assert verify_line(json.dumps(row).encode(), 1)["reasons"] == []

    def test_it_has_at_least_200_tasks_over_40_tools_in_halves_without_a_common_tool(self) -> None:
        tools = [names(probe.read(half)) for half in probe.HALVES]
        assert not tools[0] & tools[1]
        assert len(tools[0] | tools[1]) >= 40
        assert len(probe.read().items) == sum(len(probe.read(half).items) for half in probe.HALVES) >= 200

    def test_no_tool_of_it_is_shipped_elsewhere(self) -> None:
        known = {entry.name for entry in load_catalogue().entries}
        known |= {name for world in WORLDS.values() for name in world.tools}
        assert not known & names(probe.read())

    def test_a_half_that_is_none_is_named(self) -> None:
        with pytest.raises(UsageError, match="'middle'"):
            read_bench("probe", "middle")


def test_some_items_are_the_same_whatever_the_order() -> None:
    whole = probe.read()
    turned = Bench(whole.name, whole.files, whole.items[::-1])
    assert {one.id for one in some_of(whole, 5).items} == {one.id for one in some_of(turned, 5).items}
    assert set(Counter(one.category for one in some_of(whole, 5).items).values()) == {5}


@pytest.mark.parametrize(("name", "where"), [("glue", "x"), ("bfcl", ""), ("bfcl", "/nowhere/at/all")])
def test_a_benchmark_that_is_none_is_named(name: str, where: str) -> None:
    with pytest.raises(UsageError, match=name):
        read_bench(name, where)
