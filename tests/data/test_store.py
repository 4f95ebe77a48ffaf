"""Publishing: whole or not at all, numbered without a lock, found again by those who read."""

import dataclasses
import errno
import json
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data import log
from data.errors import StoreError, UsageError
from data.ledger import LedgerRow
from data.rows import task_from_row
from data.schema import ATTEMPTS, TASKS
from data.store import Publication, publish
from data.version import (
    Version,
    list_sets,
    open_version,
    read_batches,
    show_set,
    verify_version,
)

Publisher = Callable[..., Publication]


def numbers(store: Path) -> list[str]:
    return [entry.version[:5] for entry in log.entries(store / "demo")]


def ids(version: Version) -> list[str]:
    return [str(one) for table in version.tasks() for one in table["task_id"].to_pylist()]


def test_a_version_has_the_files_of_the_design(tmp_path: Path, publication: Publisher) -> None:
    version = publish(tmp_path, publication())
    assert version.path == tmp_path / "demo" / "versions" / f"v0001-{version.manifest.digest[:12]}"
    assert {str(path.relative_to(version.path)) for path in version.path.rglob("*") if path.is_file()} == {
        "data/train-00000-of-00001.parquet",
        "candidates.parquet",
        "attempts.parquet",
        "ledger.parquet",
        "README.md",
        "report.md",
        "manifest.json",
    }
    assert (version.path / "report.md").read_text() == f"# Report of {version.manifest.version}\n"


def test_the_manifest_has_every_field_of_the_contract(tmp_path: Path, publication: Publisher) -> None:
    version = publish(tmp_path, publication())
    values = json.loads((version.path / "manifest.json").read_text())
    contract = """name version schema_version digest measurement_digest rows files ledger parents engine players prompts
    verifier_version difficulty seed config git libraries contamination created_at sparring"""
    assert set(values) == set(contract.split())
    assert values["rows"] == 3
    assert values["players"]["equal"] is True
    assert {entry["path"]: entry["rows"] for entry in values["files"]} == {
        "data/train-00000-of-00001.parquet": 3,
        "candidates.parquet": 6,
        "attempts.parquet": 3,
        "ledger.parquet": 2,
        "README.md": None,
        "report.md": None,
    }


def test_tasks_are_sorted_by_id_and_come_back_as_they_were(tmp_path: Path, publication: Publisher) -> None:
    asked = publication(5)
    version = publish(tmp_path, asked)
    given = {row["task_id"]: task_from_row(row) for table in asked.tasks for row in table.to_pylist()}
    found = [task_from_row(row) for table in version.tasks() for row in table.to_pylist()]
    assert ids(version) == sorted(given)
    assert found == [given[task.task_id] for task in found]


def test_raw_completions_come_back_by_their_schema(tmp_path: Path, publication: Publisher) -> None:
    version = publish(tmp_path, publication())
    (table,) = read_batches(version.path / "attempts.parquet", ATTEMPTS)
    assert table.num_rows == 3


def test_an_empty_set_can_be_published_and_read(tmp_path: Path, publication: Publisher) -> None:
    version = publish(tmp_path, publication(0, tasks=[], attempts=[]))
    assert ids(version) == []
    assert verify_version(version) == ()


def test_row_groups_have_one_size_whatever_the_tables(tmp_path: Path, publication: Publisher) -> None:
    (one,) = publication(1).attempts
    version = publish(tmp_path, publication(attempts=[pa.concat_tables([one] * 700)] * 3))
    file = pq.ParquetFile(version.path / "attempts.parquet")
    assert [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)] == [1024, 1024, 52]
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"


def test_the_digest_is_of_the_tasks_and_the_measurement_digest_of_their_figures(
    tmp_path: Path, publication: Publisher
) -> None:
    first = publish(tmp_path, publication(passes=4)).manifest
    again = publish(tmp_path, publication(passes=5)).manifest
    other = publish(tmp_path, publication(first=1)).manifest
    assert first.digest == again.digest != other.digest
    assert first.measurement_digest != again.measurement_digest


def test_the_digest_has_no_order_of_rows(tmp_path: Path, publication: Publisher) -> None:
    tasks = list(publication().tasks)
    assert publish(tmp_path, publication()).manifest == publish(tmp_path, publication(tasks=tasks[::-1])).manifest


def test_versions_are_numbered_and_know_their_parent(tmp_path: Path, publication: Publisher) -> None:
    first = publish(tmp_path, publication())
    second = publish(tmp_path, publication(4))
    assert numbers(tmp_path) == ["v0001", "v0002"]
    assert first.manifest.parents == ()
    assert second.manifest.parents == (first.manifest.version,)


def test_the_same_run_published_again_is_the_same_version(tmp_path: Path, publication: Publisher) -> None:
    assert publish(tmp_path, publication()) == publish(tmp_path, publication())
    assert numbers(tmp_path) == ["v0001"]


def test_another_seed_with_the_same_rows_is_another_version(tmp_path: Path, publication: Publisher) -> None:
    first = publication()
    publish(tmp_path, first)
    publish(tmp_path, publication(origin=dataclasses.replace(first.origin, seed=8)))
    assert numbers(tmp_path) == ["v0001", "v0002"]


def test_references_name_versions(tmp_path: Path, publication: Publisher) -> None:
    first = publish(tmp_path, publication())
    second = publish(tmp_path, publication(4))
    assert open_version(tmp_path, "demo") == open_version(tmp_path, "demo@latest") == second
    assert open_version(tmp_path, "demo@v0001") == first
    assert open_version(tmp_path, f"demo@{first.manifest.version}") == first
    assert open_version(tmp_path / "elsewhere", str(first.path)) == first
    assert show_set(tmp_path, "demo") == (first, second)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("other", "no task set 'other'.*\n.*demo"),
        ("demo@v0009", "no version 'v0009'.*\n.*demo@v0001"),
        ("../x@v1", "cannot read"),
        ("..@v1", "no name"),
        ("Demo", "no name"),
    ],
)
def test_a_reference_to_nothing_says_what_there_is(
    tmp_path: Path, publication: Publisher, reference: str, message: str
) -> None:
    publish(tmp_path, publication())
    with pytest.raises((UsageError, StoreError), match=message):
        open_version(tmp_path, reference)


def test_scripted_sets_are_listed_and_never_latest(tmp_path: Path, publication: Publisher) -> None:
    scripted = dataclasses.replace(publication().origin, engine="scripted")
    publish(tmp_path, publication(origin=scripted))
    with pytest.raises(UsageError, match=r"no version of a real engine yet.*\n.*demo@v0001"):
        open_version(tmp_path, "demo")
    real = publish(tmp_path, publication())
    publish(tmp_path, publication(4, origin=scripted))
    assert open_version(tmp_path, "demo") == real
    assert json.loads((tmp_path / "demo" / "refs" / "latest.json").read_text())["version"] == real.manifest.version
    (summary,) = list_sets(tmp_path)
    assert (summary.versions, summary.latest) == (3, real.manifest.version)
    assert "stand-in engine" in (show_set(tmp_path, "demo")[0].path / "README.md").read_text()


def test_a_store_that_is_not_there_has_no_sets(tmp_path: Path) -> None:
    assert list_sets(tmp_path / "none") == ()


def test_two_writers_get_two_numbers(tmp_path: Path, publication: Publisher) -> None:
    barrier = threading.Barrier(4)

    def write(first: int) -> None:
        barrier.wait()
        publish(tmp_path, publication(first=first))

    threads = [threading.Thread(target=write, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    versions = show_set(tmp_path, "demo")
    assert numbers(tmp_path) == ["v0001", "v0002", "v0003", "v0004"]
    assert len({version.manifest.digest for version in versions}) == 4
    assert [verify_version(version) for version in versions] == [()] * 4
    assert open_version(tmp_path, "demo") == versions[-1]
    assert json.loads((tmp_path / "demo" / "refs" / "latest.json").read_text())["seq"] == 4


def test_who_loses_the_race_for_a_number_takes_the_next(
    tmp_path: Path, publication: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = log.claim

    def rival_first(folder: Path, entry: log.Entry) -> bool:
        monkeypatch.undo()
        assert claim(folder, dataclasses.replace(entry, version="v0001-ffffffffffff"))
        return claim(folder, entry)

    monkeypatch.setattr(log, "claim", rival_first)
    late = publish(tmp_path, publication())
    assert late.manifest.version == f"v0002-{late.manifest.digest[:12]}"
    assert late.manifest.parents == ("v0001-ffffffffffff",)
    assert "Report of v0002" in (late.path / "report.md").read_text()
    assert verify_version(late) == ()
    assert log.version_folders(tmp_path / "demo") == (late.path,)


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (lambda path: (path / "report.md").write_text("other"), "report.md: sha256 differs"),
        (lambda path: (path / "attempts.parquet").unlink(), "attempts.parquet: is not there"),
        (lambda path: os.truncate(path / "data/train-00000-of-00001.parquet", 100), "data/train.*sha256 differs"),
    ],
    ids=["changed", "missing", "cut"],
)
def test_damage_is_named(tmp_path: Path, publication: Publisher, damage: Callable[[Path], object], fault: str) -> None:
    version = publish(tmp_path, publication())
    damage(version.path)
    (found,) = verify_version(open_version(tmp_path, "demo"))
    assert re.match(fault, found)


def test_a_reader_refuses_a_cut_file_by_name(tmp_path: Path, publication: Publisher) -> None:
    version = publish(tmp_path, publication())
    os.truncate(version.path / "data/train-00000-of-00001.parquet", 100)
    with pytest.raises(StoreError, match=r"train-00000.* has 100 bytes"):
        list(version.tasks())


def test_a_file_that_no_manifest_lists_is_not_read(tmp_path: Path, publication: Publisher) -> None:
    version = publish(tmp_path, publication())
    pq.write_table(TASKS.empty_table(), version.path / "data" / "train-00001-of-00002.parquet")
    assert len(ids(open_version(tmp_path, "demo"))) == 3


def test_a_newer_schema_is_refused(tmp_path: Path, publication: Publisher) -> None:
    path = publish(tmp_path, publication()).path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schema_version": 99}))
    with pytest.raises(StoreError, match="schema_version 99"):
        open_version(tmp_path, "demo")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"ledger": (LedgerRow("published", "", 3),)}, "3 briefs in its bins, but there were 6"),
        ({"ledger": (LedgerRow("verify", "bad", 6),)}, "names 0 published tasks, but there are 3"),
        ({"tasks": [TASKS.empty_table()]}, "names 3 published tasks, but there are 0"),
        ({"attempts": [TASKS.empty_table()]}, "other columns"),
        ({"name": "../demo"}, "no name for a task set"),
    ],
)
def test_a_faulty_publication_is_refused_whole(
    tmp_path: Path, publication: Publisher, parts: dict[str, object], message: str
) -> None:
    with pytest.raises((StoreError, UsageError), match=message):
        publish(tmp_path, publication(**parts))
    assert list_sets(tmp_path) == ()
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_task_that_is_there_twice_is_refused_by_its_id(tmp_path: Path, publication: Publisher) -> None:
    tables = list(publication(2).tasks)
    with pytest.raises(StoreError, match=f"{tables[0]['task_id'][0]} is there twice"):
        publish(tmp_path, publication(3, tasks=[*tables, tables[0]]))


def test_a_store_under_a_file_is_refused_with_its_path(tmp_path: Path, publication: Publisher) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=f"{tmp_path}/file.*\n.*choose another folder"):
        publish(tmp_path / "file", publication())


@pytest.mark.parametrize(
    ("number", "hint"), [(errno.ENOSPC, "free some space"), (errno.EROFS, "read-only"), (errno.EACCES, "permissions")]
)
def test_a_disk_that_refuses_is_explained_and_nothing_is_published(
    tmp_path: Path, publication: Publisher, monkeypatch: pytest.MonkeyPatch, number: int, hint: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(pq.ParquetWriter, "write_table", refuse)
    with pytest.raises(StoreError, match=f"{tmp_path}(.|\n)*{hint}"):
        publish(tmp_path, publication())
    monkeypatch.undo()
    assert list_sets(tmp_path) == ()
    assert verify_version(publish(tmp_path, publication())) == ()
