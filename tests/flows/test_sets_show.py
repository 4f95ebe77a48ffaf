"""`sparring sets show`: the report's figures on one screen, from the version's folder alone."""

import json
import sys
from pathlib import Path

import pytest

from data.ledger import LedgerRow
from data.rule import DEFAULT_MIX
from data.storage import Storage, open_storage
from data.store import publish
from data.version import open_version
from flows import cli
from flows.report_facts import facts_of
from flows.sets_show import _columns, _said
from tests.data.conftest import candidate_table, make_publication


@pytest.fixture
def store(tmp_path: Path) -> Storage:
    """Two versions of one set, the second with other figures."""
    made = open_storage(tmp_path / "store")
    publish(made, make_publication(3))
    publish(made, make_publication(4, passes=6))
    return made


def show(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int, *arguments: str) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr(sys, "argv", ["sparring", "sets", "show", *arguments])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert not end.value.code
    return capsys.readouterr().out


def test_a_version_is_shown_on_one_screen(
    store: Storage, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = show(capsys, monkeypatch, 100, "demo@v0002", "--store", store.location)
    lines = out.splitlines()
    assert len(lines) <= 45
    assert max(len(line) for line in lines[:-1]) <= 100
    for words in ("healthy?", "4 of 3 tasks published from 8 briefs", "4 bad", "v0001", "v0002", "tokens", "Question"):
        assert words in out
    assert sum(line.startswith("version ") for line in lines) == 1


def test_the_first_version_stands_beside_none(store: Storage) -> None:
    assert facts_of(store, open_version(store, "demo@v0001")).past == ()
    (before,) = facts_of(store, open_version(store, "demo@v0002")).past
    assert before.version.startswith("v0001-")


def test_a_damaged_version_before_is_no_fault_of_this_one(store: Storage) -> None:
    (first, _) = store.at("demo/versions").folders()
    store.delete([f"demo/versions/{first}/manifest.json"])
    assert facts_of(store, open_version(store, "demo@v0002")).past == ()


def test_a_version_that_was_copied_elsewhere_is_shown(
    store: Storage, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, second) = store.at("demo/versions").folders()
    place = Path(store.location, "demo/versions", second).rename(tmp_path / "copy")
    assert "4 of 3 tasks" in show(capsys, monkeypatch, 80, str(place), "--store", str(tmp_path / "empty"))


def test_json_has_the_manifest_and_the_checks(
    store: Storage, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = json.loads(show(capsys, monkeypatch, 80, "demo@v0001", "--store", store.location, "--json"))
    assert said["rows"] == 3
    assert {"name", "found", "limit", "holds", "advice"} == said["health"][0].keys()


def test_facts_count_what_the_folder_holds(tmp_path: Path) -> None:
    store = open_storage(tmp_path / "store")
    ledger = (LedgerRow("verify", "bad", 2), LedgerRow("published", "", 3), LedgerRow("solve", "", 0, 99))
    tables = [candidate_table(["published"] * 3), candidate_table(["verify"] * 2)]
    facts = facts_of(store, publish(store, make_publication(3, candidates=tables, ledger=ledger)))
    assert (facts.briefs, facts.frontier, facts.rule.n, facts.rule.mix) == (5, 3, 3, dict(DEFAULT_MIX))
    assert (facts.spread.tasks, facts.spread.mean, facts.spread.dead) == (3, 0.5, 2 * 0.5**8)
    assert (facts.spread.tools, facts.fates.briefs, facts.fates.published) == ({"t": 3}, {"x": 5}, {"x": 3})
    assert (facts.tokens(), facts.tokens("solve"), facts.fates.measured) == (99, 99, 0)


def test_columns_are_cut_at_the_width_alone_and_cannot_steer_the_terminal() -> None:
    rows = [("a", "n", "last"), ("日本", "10", "x" * 50), ("\x1b[", "7", "\u202eevil")]
    assert _columns(rows, (1,), 30) == [
        "a       n  last",
        "日本   10  " + "x" * 18 + "…",
        "\\x1b[   7  \\u202eevil",
    ]


def test_long_text_is_wrapped_beside_its_title() -> None:
    assert _said("title", "one two three four five six", 30) == ["title     one two three four", "          five six"]
