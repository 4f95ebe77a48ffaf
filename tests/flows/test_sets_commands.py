"""`sparring sets`: what it prints, as JSON too, and how it ends, on disk and on S3."""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.storage import Storage, open_storage
from data.store import publish
from data.version import open_version
from flows import cli
from tests.data.conftest import make_publication

Sets = Callable[..., tuple[int, str, str]]


@pytest.fixture(params=["disk", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """A store with two versions of one set: the second has one task more, and other figures."""
    place = tmp_path if request.param == "disk" else request.getfixturevalue("bucket")
    made = open_storage(f"{place}/store")
    publish(made, make_publication(3))
    publish(made, make_publication(4, passes=6))
    return made


@pytest.fixture
def sets(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sets:
    """`sparring sets ...`: exit code, output, errors."""
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["sparring", "sets", *arguments])
        code: Any = 0
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return int(code or 0), said.out, said.err

    return call


def test_list_names_sets_and_their_newest_version(store: Storage, sets: Sets) -> None:
    code, out, _ = sets("list", "--store", store.location, "--json")
    [row] = json.loads(out)
    assert (code, row["name"], row["versions"], row["newest"][:5]) == (0, "demo", 2, "v0002")


def test_show_prints_the_first_tasks(store: Storage, sets: Sets) -> None:
    code, out, _ = sets("show", "demo@v0001", "--store", store.location)
    assert code == 0
    assert "demo@v0001" in out
    assert "Question 1 von Zürich" in out


def test_show_takes_a_versions_own_place(store: Storage, sets: Sets) -> None:
    version = store.at("demo/versions").folders()[0]
    code, out, _ = sets("show", f"{store.location}/demo/versions/{version}", "--json")
    assert (code, json.loads(out)["rows"]) == (0, 3)


def test_log_has_every_version_with_where_it_comes_from(store: Storage, sets: Sets) -> None:
    code, out, _ = sets("log", "demo", "--store", store.location, "--json")
    first, second = json.loads(out)
    assert code == 0
    assert (first["parents"], second["parents"]) == ([], [first["version"]])
    assert [(row["engine"], row["rows"], len(row["digest"])) for row in (first, second)] == [
        ("embedded", 3, 64),
        ("embedded", 4, 64),
    ]
    assert second["created_at"] >= first["created_at"] > "2026"


def test_a_version_made_of_another_sets_tasks_names_it_in_log_show_and_diff(store: Storage, sets: Sets) -> None:
    source = open_version(store, "demo@v0001").manifest
    made = publish(store, make_publication(3, first=9, name="changed", sources=(source.seen_from("changed"),)))
    place = ("--store", store.location)
    assert json.loads(sets("log", "changed", *place, "--json")[1])[0]["parents"] == [source.reference]
    assert source.reference in sets("log", "changed", *place)[1]
    assert source.reference in sets("show", "changed@v0001", *place)[1]
    (said,) = {sets("diff", *pair, *place)[1].splitlines()[2] for pair in
               (("demo@v0001", "changed@v0001"), ("changed@v0001", "demo@v0001"))}  # fmt: skip
    assert said == f"{source.reference} is a parent of {made.manifest.reference}"
    found = json.loads(sets("diff", "demo@v0001", "changed@v0001", *place, "--json")[1])
    assert (found["before"]["parents"], found["after"]["parents"]) == ([], [source.reference])


def test_diff_names_the_parent_within_a_set(store: Storage, sets: Sets) -> None:
    first, second = (open_version(store, f"demo@v000{number}").manifest.reference for number in (1, 2))
    assert f"{first} is a parent of {second}" in sets("diff", first, second, "--store", store.location)[1]


def test_log_as_a_table_shows_the_same(store: Storage, sets: Sets) -> None:
    code, out, _ = sets("log", "demo", "--store", store.location)
    assert code == 0
    for word in ("v0001-", "v0002-", "embedded", "parents", "made"):
        assert word in out


def test_log_shows_the_others_when_one_cannot_be_read_and_ends_with_1(store: Storage, sets: Sets) -> None:
    version = store.at("demo/versions").folders()[0]
    store.delete([f"demo/versions/{version}/manifest.json"])
    code, out, err = sets("log", "demo", "--store", store.location)
    assert code == 1
    assert "cannot be read" in out
    assert "v0002-" in out
    assert version in err


def test_diff_counts_rows_and_gives_pass_rates_before_and_after(store: Storage, sets: Sets) -> None:
    code, out, _ = sets("diff", "demo@v0001", "demo@v0002", "--store", store.location, "--json")
    found = json.loads(out)
    assert code == 0
    assert [len(found[what]) for what in ("added", "removed", "changed")] == [1, 0, 3]
    assert found["changed"][0]["columns"] == ["passes", "pass_rate", "reward_mean"]
    assert all(one["measured"] for one in found["changed"])
    assert found["pass_rates"]["before"] == [0, 0, 0, 0, 3, 0, 0, 0, 0]
    assert found["pass_rates"]["after"] == [0, 0, 0, 0, 0, 0, 4, 0, 0]
    assert found["columns"] == []


def test_diff_as_text_says_the_same(store: Storage, sets: Sets) -> None:
    code, out, _ = sets("diff", "demo@v0002", "demo@v0001", "--store", store.location)
    assert code == 0
    for words in ("added 0   removed 1   changed 3   same 0", "6/8", "pass_rate in 3", "removed"):
        assert words in out


def test_a_version_does_not_differ_from_itself(store: Storage, sets: Sets) -> None:
    code, out, _ = sets("diff", "demo", "demo", "--store", store.location)
    assert code == 0
    assert "added 0   removed 0   changed 0   same 4" in out


@pytest.mark.parametrize(
    "arguments", [("log", "nobody"), ("diff", "demo", "demo@v9"), ("verify", "nobody"), ("show", "X")]
)
def test_what_is_not_there_is_wrong_usage_and_says_what_is(
    store: Storage, sets: Sets, arguments: tuple[str, ...]
) -> None:
    code, _, err = sets(*arguments, "--store", store.location)
    assert code == 2
    assert "->" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("reference", ["", "demo", "demo@v0001"])
def test_verify_says_that_all_is_as_published(store: Storage, sets: Sets, reference: str) -> None:
    code, out, _ = sets("verify", *([reference] if reference else []), "--store", store.location)
    assert code == 0
    assert out.count("as published") == (1 if "@" in reference else 2)


def test_verify_names_each_file_that_differs_and_ends_with_1(store: Storage, sets: Sets) -> None:
    folder = store.at("demo/versions").at(store.at("demo/versions").folders()[1])
    folder.write("report.md", b"another")
    folder.delete(["ledger.parquet"])
    code, out, err = sets("verify", "--store", store.location, "--json")
    first, second = json.loads(out)
    assert code == 1
    assert first["faults"] == []
    assert [fault.partition(":")[0] for fault in second["faults"]] == ["ledger.parquet", "report.md"]
    assert "1 of 2 versions" in err


def leave_garbage(store: Storage) -> None:
    """What writers leave that died while staging, while putting files, before the log, and in the middle of a write."""
    whole = store.at("demo/versions").at(store.at("demo/versions").folders()[0])
    store.write("demo/.staging/abc/data/train.parquet", b"half")
    store.write("demo/versions/v0003-000000000000/README.md", b"card")
    for item in whole.items():
        store.write(f"demo/versions/v0004-111111111111/{item.key}", whole.read(item.key))
    store.write("demo/log/.0003.json.abc.tmp", b"{")
    store.write(f"demo/versions/{whole.location.rpartition('/')[2]}/exports/.trl.abc.tmp/train.parquet", b"half")
    store.write(".probe-abc", b"")


GARBAGE = {
    ".probe-abc": "temporary",
    "demo/.staging/abc/": "staging",
    "demo/log/.0003.json.abc.tmp": "temporary",
    "demo/versions/v0003-000000000000/": "unfinished",
}
WHOLE = {"demo/versions/v0004-111111111111/": "unlogged"}


def test_gc_names_what_was_left_and_removes_nothing_unasked(store: Storage, sets: Sets) -> None:
    leave_garbage(store)
    before = sorted(item.key for item in store.items())
    code, out, _ = sets("gc", "--age", "0", "--store", store.location, "--json")
    assert code == 0
    version = store.at("demo/versions").folders()[0]
    export = {f"demo/versions/{version}/exports/.trl.abc.tmp/": "temporary"}
    assert {row["where"]: row["kind"] for row in json.loads(out)} == GARBAGE | WHOLE | export
    assert sorted(item.key for item in store.items()) == before
    assert "give the same command with --yes" in sets("gc", "--age", "0", "--store", store.location)[1]


@pytest.mark.parametrize(("also", "kept"), [((), WHOLE), (("--unlogged",), {})])
def test_gc_removes_it_when_told_and_keeps_what_is_whole(
    store: Storage, sets: Sets, also: tuple[str, ...], kept: dict[str, str]
) -> None:
    published = sorted(item.key for item in store.items())
    leave_garbage(store)
    assert sets("gc", "--age", "0", "--yes", "--store", store.location, *also)[0] == 0
    rest = [item.key for item in store.items() if item.key not in published]
    assert {f"{key.rpartition('/')[0]}/" for key in rest if "/data/" not in key and "/figures/" not in key} == set(kept)
    assert sets("verify", "--store", store.location)[0] == 0


def test_gc_leaves_what_somebody_may_still_be_writing(store: Storage, sets: Sets) -> None:
    leave_garbage(store)
    code, out, _ = sets("gc", "--yes", "--store", store.location)
    assert code == 0
    assert "nothing was left behind" in out
    assert store.read("demo/.staging/abc/data/train.parquet") == b"half"


def test_gc_takes_the_newest_file_for_a_folders_age(tmp_path: Path, sets: Sets) -> None:
    store = open_storage(tmp_path)
    for name in ("old", "new"):
        store.write(f"demo/.staging/abc/{name}", b"")
        os.utime(tmp_path / "demo/.staging/abc/old", (time.time() - 1e6,) * 2)
    assert json.loads(sets("gc", "--store", store.location, "--json")[1]) == []


def test_an_empty_store_says_how_to_fill_it(tmp_path: Path, sets: Sets) -> None:
    code, out, _ = sets("list", "--store", str(tmp_path / "none"))
    assert code == 0
    assert "sparring run" in out
