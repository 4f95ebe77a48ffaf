"""Publishing, on disk and on S3: whole or not at all, numbered without a lock."""

import dataclasses
import errno
import json
import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data import log
from data.errors import StoreError, UsageError
from data.garbage import remnants, take_back
from data.ledger import LedgerRow
from data.manifest import Origin
from data.rows import task_from_row
from data.schema import TASKS
from data.storage import LocalStorage, Storage
from data.store import Publication, publish
from data.verification import verify_version
from data.version import Version, list_sets, logged_version, open_version

Publisher = Callable[..., Publication]


def numbers(store: Storage) -> list[str]:
    return [entry.version[:5] for entry in log.entries(store.at("demo"))]


def versions(store: Storage) -> list[Version]:
    return [logged_version(store, "demo", entry) for entry in log.entries(store.at("demo"))]


def ids(version: Version) -> list[str]:
    return [str(one) for table in version.tasks() for one in table["task_id"].to_pylist()]


def at_once(act: Callable[[int], object], numbers: range) -> None:
    """Let threads begin together, one a number; what one of them raises is raised here."""
    barrier = threading.Barrier(len(numbers))

    def begin(number: int) -> None:
        barrier.wait()
        act(number)

    with ThreadPoolExecutor(len(numbers)) as pool:
        list(pool.map(begin, numbers))


def test_a_version_has_the_files_of_the_design(store: Storage, publication: Publisher) -> None:
    version = publish(store, publication())
    assert version.location == f"{store.location}/demo/versions/v0001-{version.manifest.digest[:12]}"
    assert {item.key for item in version.storage.items()} == {
        "data/train-00000-of-00001.parquet",
        "candidates.parquet",
        "attempts.parquet",
        "ledger.parquet",
        "README.md",
        "report.md",
        "croissant.json",
        "figures/pass_rate.svg",
        "figures/domains.svg",
        "figures/ledger.svg",
        "manifest.json",
    }
    assert version.storage.read("report.md").decode() == f"# Report of {version.manifest.version}\n"


def test_publishing_leaves_nothing_else_in_the_store(store: Storage, publication: Publisher) -> None:
    version = publish(store, publication()).manifest.version
    outside = {item.key for item in store.items() if f"/{version}/" not in item.key}
    assert outside == {"demo/log/0001.json", "demo/refs/latest.json"}


def test_the_manifest_has_every_field_of_the_contract(store: Storage, publication: Publisher) -> None:
    values = json.loads(publish(store, publication()).storage.read("manifest.json"))
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
        "croissant.json": None,
        "figures/pass_rate.svg": None,
        "figures/domains.svg": None,
        "figures/ledger.svg": None,
    }


def test_tasks_are_sorted_by_id_and_come_back_as_they_were(store: Storage, publication: Publisher) -> None:
    asked = publication(5)
    version = publish(store, asked)
    given = {row["task_id"]: task_from_row(row) for table in asked.tasks for row in table.to_pylist()}
    found = [task_from_row(row) for table in version.tasks() for row in table.to_pylist()]
    assert ids(version) == sorted(given)
    assert found == [given[task.task_id] for task in found]


def test_an_empty_set_can_be_published_and_read(store: Storage, publication: Publisher) -> None:
    version = publish(store, publication(0, tasks=[], attempts=[]))
    assert ids(version) == []
    assert verify_version(version) == ()


def test_the_digest_is_of_the_tasks_and_the_measurement_digest_of_their_figures(
    local: Storage, publication: Publisher
) -> None:
    first = publish(local, publication(passes=4)).manifest
    again = publish(local, publication(passes=5)).manifest
    other = publish(local, publication(first=1)).manifest
    assert first.digest == again.digest != other.digest
    assert first.measurement_digest != again.measurement_digest


def test_the_digest_has_no_order_of_rows(local: Storage, publication: Publisher) -> None:
    tasks = list(publication().tasks)
    assert publish(local, publication()).manifest == publish(local, publication(tasks=tasks[::-1])).manifest


def test_versions_are_numbered_and_know_their_parent(store: Storage, publication: Publisher) -> None:
    first = publish(store, publication())
    second = publish(store, publication(4))
    assert numbers(store) == ["v0001", "v0002"]
    assert first.manifest.parents == ()
    assert second.manifest.parents == (first.manifest.version,)


def test_the_same_run_published_again_is_the_same_version(store: Storage, publication: Publisher) -> None:
    first = publish(store, publication())
    again = publish(store, publication())
    assert (again.location, again.manifest) == (first.location, first.manifest)
    assert numbers(store) == ["v0001"]


def test_another_seed_with_the_same_rows_is_another_version(
    local: Storage, publication: Publisher, origin: Origin
) -> None:
    publish(local, publication())
    publish(local, publication(origin=dataclasses.replace(origin, seed=8)))
    assert numbers(local) == ["v0001", "v0002"]


def test_scripted_sets_are_never_latest(store: Storage, publication: Publisher, origin: Origin) -> None:
    scripted = dataclasses.replace(origin, engine="scripted")
    first = publish(store, publication(origin=scripted))
    with pytest.raises(UsageError, match=r"no version of a real engine yet.*\n.*demo@v0001"):
        open_version(store, "demo")
    real = publish(store, publication())
    publish(store, publication(4, origin=scripted))
    assert open_version(store, "demo").manifest == real.manifest
    assert json.loads(store.read("demo/refs/latest.json"))["version"] == real.manifest.version
    (summary,) = list_sets(store)
    assert (summary.versions, summary.latest) == (3, real.manifest.version)
    assert "stand-in engine" in first.storage.read("README.md").decode()


def test_writers_at_once_publish_one_on_top_of_the_other(store: Storage, publication: Publisher) -> None:
    at_once(lambda first: publish(store, publication(first=first)), range(4))
    found = versions(store)
    assert len({version.manifest.digest for version in found}) == 4
    assert [verify_version(version) for version in found] == [()] * 4
    names = [version.manifest.version for version in found]
    assert [version.manifest.parents for version in found] == [(), *((name,) for name in names[:-1])]
    assert json.loads(store.read("demo/refs/latest.json"))["seq"] == 4
    assert set(store.at("demo/versions").folders()) == set(names)


def test_writers_of_equal_tasks_at_once_get_a_folder_each(store: Storage, publication: Publisher) -> None:
    at_once(lambda passes: publish(store, publication(passes=passes)), range(1, 7))
    found = versions(store)
    assert len({version.manifest.measurement_digest for version in found}) == 6
    assert [verify_version(version) for version in found] == [()] * 6
    assert remnants(store) == ()


def test_who_loses_the_race_for_a_place_publishes_on_top(
    store: Storage, publication: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = log.claim

    def rival_first(home: Storage, entry: log.Entry) -> bool:
        monkeypatch.setattr(log, "claim", claim)
        publish(store, publication(first=1))
        return claim(home, entry)

    monkeypatch.setattr(log, "claim", rival_first)
    late = publish(store, publication())
    rival = versions(store)[0]
    assert late.manifest.version == f"v0002-{late.manifest.digest[:12]}"
    assert late.manifest.parents == (rival.manifest.version,)
    assert "Report of v0002" in late.storage.read("report.md").decode()
    assert verify_version(late) == ()
    assert store.at("demo/versions").folders() == (rival.manifest.version, late.manifest.version)


def test_who_takes_a_version_back_leaves_what_others_have_begun_there(
    store: Storage, publication: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = log.claim

    def rival_first(home: Storage, entry: log.Entry) -> bool:
        monkeypatch.setattr(log, "claim", claim)
        home.write(f"versions/{entry.version}/.README.md.rival.tmp", b"a third one's card")
        publish(store, publication(first=1))
        return claim(home, entry)

    monkeypatch.setattr(log, "claim", rival_first)
    publish(store, publication())
    (left,) = remnants(store)
    assert left.where.endswith("/.README.md.rival.tmp")


def test_what_is_taken_back_loses_its_manifest_first_and_its_name_last(
    store: Storage, publication: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: list[str] = []
    delete = type(store).delete

    def recorded(self: Storage, keys: Iterable[str]) -> None:
        gone.extend(found := list(keys))
        delete(self, found)

    version = publish(store, publication())
    folder = version.storage
    monkeypatch.setattr(type(store), "delete", recorded)
    take_back(folder, [item.key for item in folder.items()])
    assert (gone[0], gone[-1], len(gone)) == ("manifest.json", "README.md", len(version.manifest.files) + 1)


def test_what_does_not_read_back_is_not_published(
    store: Storage, publication: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = type(store).put

    def flip(self: Storage, source: Path, key: str) -> None:
        content = source.read_bytes()
        source.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        put(self, source, key)

    monkeypatch.setattr(type(store), "put", flip)
    with pytest.raises(StoreError, match="does not read back"):
        publish(store, publication())
    assert list_sets(store) == ()
    assert list(store.items()) == []


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"ledger": (LedgerRow("published", "", 3),)}, "3 briefs in its bins, but there were 6"),
        ({"ledger": (LedgerRow("verify", "bad", 6),)}, "names 0 published tasks, but there are 3"),
        ({"tasks": [TASKS.empty_table()]}, "names 3 published tasks, but there are 0"),
        ({"tasks": [TASKS.empty_table().drop(["rule"])]}, "other columns"),
        ({"attempts": [TASKS.empty_table()]}, "other columns"),
        ({"name": "../demo"}, "no name for a task set"),
    ],
)
def test_a_faulty_publication_is_refused_whole(
    local: Storage, publication: Publisher, parts: dict[str, object], message: str
) -> None:
    with pytest.raises((StoreError, UsageError), match=message):
        publish(local, publication(**parts))
    assert list(local.items()) == []


def test_a_task_that_is_there_twice_is_refused_by_its_id(local: Storage, publication: Publisher) -> None:
    tables: list[pa.Table] = list(publication(2).tasks)
    with pytest.raises(StoreError, match=f"{tables[0]['task_id'][0]} is there twice"):
        publish(local, publication(3, tasks=[*tables, tables[0]]))


def test_a_store_under_a_file_is_refused_with_its_path(tmp_path: Path, publication: Publisher) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=f"{tmp_path}/file.*\n.*choose another folder"):
        publish(LocalStorage(tmp_path / "file"), publication())


@pytest.mark.parametrize(
    ("number", "hint"), [(errno.ENOSPC, "free some space"), (errno.EROFS, "read-only"), (errno.EACCES, "permissions")]
)
@pytest.mark.parametrize("place", ["pyarrow.parquet.ParquetWriter.write_table", "data.storage.os.link"])
def test_a_disk_that_refuses_is_explained_and_nothing_is_published(
    local: Storage, publication: Publisher, monkeypatch: pytest.MonkeyPatch, number: int, hint: str, place: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(place, refuse)
    with pytest.raises(StoreError, match=f"{local.location}(.|\n)*{hint}"):
        publish(local, publication())
    monkeypatch.undo()
    assert list(local.items()) == []
    assert verify_version(publish(local, publication())) == ()


def test_row_groups_have_one_size_whatever_the_tables(local: Storage, publication: Publisher) -> None:
    (one,) = publication(1).attempts
    version = publish(local, publication(attempts=[pa.concat_tables([one] * 5600)] * 3))
    file = pq.ParquetFile(version.storage.open("attempts.parquet"))
    assert [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)] == [8192, 8192, 416]
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"


def test_a_version_may_have_two_splits_a_comparison_and_sources(store: Storage, publication: Publisher) -> None:
    whole = publication(5)
    tables = list(whole.tasks)
    split = dataclasses.replace(whole, tasks=tables[:3], eval=tables[3:], comparison=[], sources=("v0007-aa",))
    version = publish(store, split)
    assert version.splits == ("eval", "train")
    assert [sum(table.num_rows for table in version.tasks(split)) for split in version.splits] == [2, 3]
    assert version.manifest.rows == 5
    assert version.manifest.parents == ("v0007-aa",)
    assert "comparison.parquet" in {entry.path for entry in version.manifest.files}
    assert verify_version(version) == ()
    assert publish(store, split).manifest.version == version.manifest.version
