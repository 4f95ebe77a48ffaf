"""The commands of docs/report.md, docs/training.md and docs/curation.md on sets of the names that the guides use."""

import json
import shlex
from pathlib import Path

import pytest

from data.storage import open_storage
from data.store import publish
from tests.data.conftest import make_publication
from tests.flows.flows_support import inside, sparring
from tests.test_guides import commands

READING = [
    line
    for guide in ("report.md", "training.md")
    for line in commands(guide)
    if line.startswith(("sparring sets show ", "sparring sets export "))
]
SELECTING = [line for line in commands("curation.md") if line.startswith("sparring sets select ")]
RULE = "n: 5\nmix: {easy: 0.4, frontier: 0.4, hard: 0.2}\n"


def test_the_guides_show_what_is_run_here() -> None:
    assert (len(READING) >= 3, len(SELECTING) >= 2) == (True, True)


@pytest.mark.parametrize("line", READING)
def test_a_command_that_reads_a_version_does(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for passes in (4, 5, 6):
        publish(open_storage(tmp_path), make_publication(4, passes=passes, name="curriculum"))
    monkeypatch.chdir(tmp_path)
    done = inside(monkeypatch, capsys, *shlex.split(line)[1:], "--store", str(tmp_path))
    assert done.code == 0, done.err
    assert "curriculum" in done.out


@pytest.mark.flow
def test_the_commands_that_choose_anew_do(server: dict[str, str], tmp_path: Path) -> None:
    run = ("run", "--engine", "scripted", "--tasks", "10", "--budget", "200", "--store", "store", "--json")
    first = sparring(server, tmp_path, *run)
    assert first.code == 0, first.err
    (tmp_path / "rule.yaml").write_text(RULE)
    for line in SELECTING:
        words = shlex.split(line.replace("@v0003", "@v0001"))[1:]
        done = sparring(server, tmp_path, *words, "--store", "store")
        assert done.code == 0, done.err
    assert len(json.loads((tmp_path / "store/curriculum/log/0002.json").read_bytes())["version"]) > 5
