"""`sparring evaluate`: results whole or not at all, paired, resumable."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from data.errors import SparringError, UsageError
from flows import evaluation
from flows.evaluation import Plan, evaluate
from flows.evaluation_table import print_tables
from policies.engine import Engine, Keep
from policies.players import named
from policies.protocol import Completion, Prompt, SamplingParams
from solver.benches import probe
from solver.benches.base import some_of
from tests.flows.flows_support import inside
from tests.policies.fake_server import serve, status

FINAL = some_of(probe.read("final"), 4)
GOOD, POOR = "scripted:ability=0.9", "scripted:ability=0.2"


def plan(solvers: Sequence[str] = (GOOD,), **changes: Any) -> Plan:
    played = tuple(named(Path("nowhere"), "solver", engine) for engine in solvers)
    return Plan(played, **{"harnesses": ("json",), "benches": (FINAL,), "seeds": 2, **changes})


def overall(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["category"] == "overall"]


def numbers(value: Any) -> list[Any]:
    """Every leaf of a result's metrics."""
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in numbers(inner)]
    return [leaf for inner in value for leaf in numbers(inner)] if isinstance(value, list) else [value]


class Counting(Engine):
    """A solver that dies after so many answers, and counts what it is asked."""

    name, digest = "http://counting", "sha256:1"

    def __init__(self, most: int) -> None:
        self.most, self.asked = most, 0

    async def draw(self, prompt: Prompt, indices: Sequence[int], params: SamplingParams, keep: Keep) -> None:
        for index in indices:
            self.asked += 1
            if self.asked > self.most:
                raise SparringError("the machine went down")
            keep(Completion("[]", index, index, 1, 1, "stop"))


class TestResult:
    def test_it_holds_every_items_outcome_for_every_seed(self, tmp_path: Path) -> None:
        result, _ = evaluate(plan(), str(tmp_path / "w"))
        assert [len(row["answers"]) for row in result["items"]] == [2] * len(FINAL.items)

    def test_no_metric_is_null(self, tmp_path: Path) -> None:
        result, _ = evaluate(plan(solvers=(GOOD, POOR)), str(tmp_path / "w"))
        assert None not in numbers([result["metrics"], result["differences"]])

    def test_it_names_weights_files_and_prompts(self, tmp_path: Path) -> None:
        result, _ = evaluate(plan(), str(tmp_path / "w"))
        assert result["solvers"][0]["digest"].startswith("sha256:")
        assert [len(one["sha256"]) for one in result["benches"][0]["files"]] == [64]
        assert result["prompts"]

    def test_the_better_solver_is_better_by_an_interval_without_zero(self, tmp_path: Path) -> None:
        result, _ = evaluate(plan(solvers=(GOOD, POOR), benches=(probe.read("final"),)), str(tmp_path / "w"))
        (found,) = overall(result["differences"])
        assert (found["of"], found["first"], found["second"]) == ("solver", GOOD, POOR)
        assert found["pass_at_1"]["low"] > 0.5
        one, other = (row["pass_at_1"]["mean"] for row in overall(result["metrics"]))
        assert found["pass_at_1"]["mean"] == pytest.approx(one - other)

    def test_two_harnesses_give_the_difference_of_the_harness_alone(self, tmp_path: Path) -> None:
        result, _ = evaluate(plan(harnesses=("tags", "hermes")), str(tmp_path / "w"))
        (found,) = overall(result["differences"])
        assert (found["of"], found["solver"], found["first"], found["second"]) == ("harness", GOOD, "tags", "hermes")

    def test_of_two_solvers_in_two_harnesses_only_like_is_compared_with_like(self, tmp_path: Path) -> None:
        result, _ = evaluate(plan(solvers=(GOOD, POOR), harnesses=("tags", "json")), str(tmp_path / "w"))
        assert sorted(row["of"] for row in overall(result["differences"])) == ["harness"] * 2 + ["solver"] * 2

    def test_the_same_plan_gives_the_same_result(self, tmp_path: Path) -> None:
        assert evaluate(plan(), str(tmp_path / "a"))[0] == evaluate(plan(), str(tmp_path / "b"))[0]


class TestServer:
    """A solver behind a URL."""

    @pytest.fixture(autouse=True)
    def _keyless(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
        for name in ("SPARRING_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.delenv(name, raising=False)

    def test_it_is_asked_in_chat_and_by_its_tools_interface(self, tmp_path: Path) -> None:
        with serve() as server:
            given = plan(solvers=(f"{server.url}#m",), harnesses=("json", "openai"), seeds=1)
            result, _ = evaluate(given, str(tmp_path / "w"))
            offered = [len(body.get("tools", ())) for body in server.bodies]
        assert [one["style"] for one in result["harnesses"]] == ["chat", "chat"]
        menus = [len(one.task.tools) for one in FINAL.items]
        assert sorted(offered) == [0] * len(FINAL.items) + sorted(menus)
        assert {a["outcome"] for row in result["items"] for a in row["answers"]} == {
            "malformed",
            "missing_call",
            "correct",
        }

    def test_one_that_breaks_down_gives_no_result(self, tmp_path: Path) -> None:
        with serve(*[status(500)] * 999) as server, pytest.raises(SparringError):
            evaluate(plan(solvers=(f"{server.url}#m",)), str(tmp_path / "w"))
        assert not (tmp_path / "w" / "result.json").exists()


class TestResuming:
    def test_answers_that_came_are_not_asked_for_again(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        engines = [Counting(5), Counting(10**6)]
        monkeypatch.setattr(evaluation, "open_policy", lambda engine, role: engines.pop(0))
        first, second = engines
        with pytest.raises(SparringError, match="went down"):
            evaluate(plan(solvers=("http://counting",)), str(tmp_path / "w"))
        evaluate(plan(solvers=("http://counting",)), str(tmp_path / "w"))
        assert second.asked == len(FINAL.items) * 2 - first.most

    def test_a_work_folder_of_another_plan_is_refused_with_what_differs(self, tmp_path: Path) -> None:
        evaluate(plan(), str(tmp_path / "w"))
        with pytest.raises(UsageError, match="settings"):
            evaluate(plan(seeds=3), str(tmp_path / "w"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"solvers": (GOOD, GOOD)}, "same weights"),
        ({"harnesses": ("json", "json")}, "twice"),
        ({"solvers": ("embedded",), "harnesses": ("openai",)}, "no tools interface"),
        ({"harnesses": ("openai",), "style": "plain"}, "openai.*plain"),
        ({"solvers": ("abacus",)}, "abacus"),
    ],
)
def test_what_cannot_be_asked_or_compared_is_named(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        evaluate(plan(**changes), str(tmp_path / "w"))


def test_answers_are_kept_on_disk_alone() -> None:
    with pytest.raises(UsageError, match=r"s3://bucket/w.*is a URL"):
        evaluate(plan(), "s3://bucket/w")


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ((), 2, "--bench"),
        (("--bench", "probe", "--harness", "xml"), 2, "xml"),
        (("--bench", "probe=promotion", "--solver", "scripted:faults=0.3"), 1, "answers are missing"),
        (("--bench", "probe", "--against", "checkpoint:solver-0007"), 2, "solver-0007"),
        (("--bench", "probe", "--handoff"), 2, "--handoff"),
    ],
)
def test_the_command_ends_with_the_reason(
    options: tuple[str, ...],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    named = options if "--solver" in options else ("--solver", "scripted", *options)
    done = inside(monkeypatch, capsys, "evaluate", *named)
    assert (done.code, said in done.err) == (code, True)


def test_json_is_one_object_and_names_the_file_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ("evaluate", "--solver", "scripted", "--bench", "probe=final", "--items", "3", "--json")
    said = json.loads(inside(monkeypatch, capsys, *command).out)
    whole = json.loads((tmp_path / said["result"]).read_text())
    assert "items" not in said
    assert len(whole["items"]) == said["benches"][0]["items"] == 12


def test_the_table_says_when_prompts_differ_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    result, _ = evaluate(plan(solvers=(GOOD, POOR)), str(tmp_path / "w"))
    for row in result["differences"]:
        row["styles"] = ["chat", "plain"]
    print_tables(result, "result.json")
    said = capsys.readouterr().out
    assert f"{GOOD} less {POOR}, both json, the first chat, the second plain: prompts differ, too" in said
    assert "result.json" in said
