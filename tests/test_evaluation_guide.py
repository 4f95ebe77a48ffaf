"""docs/evaluation.md: every command parses, those that need no server run, and the tables name what exists."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from flows.cli import app
from solver.benches.readers import PROBE, READERS
from solver.harness import WAYS
from tests.flows.flows_support import inside

GUIDE = (Path(__file__).resolve().parents[1] / "docs" / "evaluation.md").read_text(encoding="utf-8")
COMMANDS = [line.strip() for line in GUIDE.splitlines() if line.startswith("    sparring ")]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_parses(line: str) -> None:
    group = typer.main.get_command(app)
    words = shlex.split(line)[1:]
    context = group.make_context("sparring", words[:1], resilient_parsing=True)
    command = group.commands[words[0]]  # type: ignore[attr-defined]
    assert command.make_context(words[0], words[1:], parent=context).params["bench"]


@pytest.mark.parametrize("line", [line for line in COMMANDS if "--solver scripted" in line])
def test_a_command_without_a_server_runs(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    done = inside(monkeypatch, capsys, *shlex.split(line)[1:])
    assert (done.code, "pass_at_1" in done.out or "pass@1" in done.out) == (0, True)


def test_the_table_of_benchmarks_is_whole() -> None:
    assert set(re.findall(r"^\| `([a-z-]+)[=`]", GUIDE, re.M)) >= {PROBE, *READERS}


def test_the_table_of_harnesses_is_whole() -> None:
    assert {name for name, _ in WAYS} <= set(re.findall(r"^\| `([a-z]+)` \|", GUIDE, re.M))
