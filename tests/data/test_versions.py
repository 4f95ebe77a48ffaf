"""Reading: versions are found by name, path or URL, loaded whole, and never believed when they differ."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import obstore
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.errors import StoreError, UsageError
from data.parquet import read_tables
from data.rows import task_from_row
from data.s3 import S3Storage
from data.schema import ATTEMPTS, TASKS
from data.storage import Storage, open_storage
from data.store import TRAIN, Publication, publish
from data.verification import verify_version
from data.version import Version, list_sets, open_version, set_history

Publisher = Callable[..., Publication]


def test_references_name_versions(store: Storage, publication: Publisher, tmp_path: Path) -> None:
    first = publish(store, publication()).manifest
    second = publish(store, publication(4)).manifest
    assert open_version(store, "demo").manifest == open_version(store, "demo@latest").manifest == second
    assert open_version(store, "demo@v0001").manifest == first
    assert open_version(store, f"demo@{first.version}").manifest == first
    by_place = f"{store.location}/demo/versions/{first.version}"
    assert open_version(open_storage(tmp_path / "elsewhere"), by_place).manifest == first
    assert [entry.version for entry in set_history(store, "demo")] == [first.version, second.version]


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("other", "no task set 'other'.*\n.*demo"),
        ("demo@v0009", "no version 'v0009'.*\n.*demo@v0001"),
        ("../x@v1", "cannot read"),
        ("..@v1", "no name"),
        ("Demo", "no name"),
        ("gs://a/b", "no place for task sets"),
    ],
)
def test_a_reference_to_nothing_says_what_there_is(
    store: Storage, publication: Publisher, reference: str, message: str
) -> None:
    publish(store, publication())
    with pytest.raises((UsageError, StoreError), match=message):
        open_version(store, reference)


def test_a_store_that_is_not_there_has_no_sets(store: Storage) -> None:
    assert list_sets(store) == ()


def test_raw_completions_come_back_by_their_schema(store: Storage, publication: Publisher) -> None:
    version = publish(store, publication())
    (table,) = read_tables(version.storage, "attempts.parquet")
    assert (table.num_rows, table.schema) == (3, ATTEMPTS)


def copied_to_disk(version: Version, folder: Path) -> Storage:
    shutil.copytree(version.location, folder)
    return open_storage(folder)


def copied_to_bucket(version: Version, url: str) -> Storage:
    copy = open_storage(f"{url}/copies/one")
    for item in version.storage.items():
        copy.write(item.key, version.storage.read(item.key))
    return copy


def test_a_copy_of_a_folder_verifies_and_loads(local: Storage, publication: Publisher, tmp_path: Path) -> None:
    version = publish(local, publication())
    copy = open_version(local, copied_to_disk(version, tmp_path / "copy").location)
    assert verify_version(copy) == ()
    assert pa.concat_tables(copy.tasks()) == pa.concat_tables(version.tasks())


def test_a_copy_in_another_bucket_verifies_and_loads(store: Storage, publication: Publisher, bucket: str) -> None:
    version = publish(store, publication())
    copy = open_version(store, copied_to_bucket(version, bucket).location)
    assert verify_version(copy) == ()
    assert pa.concat_tables(copy.tasks()) == pa.concat_tables(version.tasks())


def test_a_copy_of_a_whole_store_is_a_store(local: Storage, publication: Publisher, tmp_path: Path) -> None:
    version = publish(local, publication())
    shutil.copytree(local.location, tmp_path / "copy")
    assert open_version(open_storage(tmp_path / "copy"), "demo").manifest == version.manifest


@pytest.mark.parametrize(
    ("key", "content", "fault"),
    [
        ("report.md", b"# Report of nobody and nothing else!", "report.md: has 36 bytes"),
        ("report.md", None, "report.md: is not there"),
        (TRAIN, b"PAR1", "data/train.*: has 4 bytes"),
        ("data/train-00001-of-00002.parquet", b"", "data/train-00001.*: is not in the manifest"),
    ],
    ids=["changed", "missing", "cut", "added"],
)
def test_damage_is_named(store: Storage, publication: Publisher, key: str, content: bytes | None, fault: str) -> None:
    folder = publish(store, publication()).storage
    if content is None:
        folder.delete([key])
    else:
        folder.write(key, content)
    (found,) = verify_version(open_version(store, "demo"))
    assert re.match(fault, found)


def test_a_changed_byte_is_found_where_the_size_is_the_same(store: Storage, publication: Publisher) -> None:
    folder = publish(store, publication()).storage
    folder.write("report.md", folder.read("report.md").replace(b"Report", b"report"))
    assert verify_version(open_version(store, "demo")) == ("report.md: sha256 differs",)


@pytest.mark.parametrize("name", ["rows", "digest", "measurement_digest"])
def test_a_manifest_that_says_another_thing_of_its_rows_is_found(
    local: Storage, publication: Publisher, name: str
) -> None:
    folder = publish(local, publication()).storage
    values = json.loads(folder.read("manifest.json"))
    folder.write("manifest.json", json.dumps(values | {name: values[name] * 2}).encode())
    (found,) = verify_version(open_version(local, "demo"))
    assert found.startswith(f"{name}:")


def test_a_reader_refuses_a_cut_file_by_name(store: Storage, publication: Publisher) -> None:
    version = publish(store, publication())
    version.storage.write(TRAIN, version.storage.read(TRAIN)[:100])
    with pytest.raises(StoreError, match=r"train-00000.* is broken|cannot read .*train-00000"):
        list(version.tasks())


def test_a_file_that_no_manifest_lists_is_not_read(local: Storage, publication: Publisher) -> None:
    version = publish(local, publication())
    pq.write_table(TASKS.empty_table(), Path(version.location) / "data" / "train-00001-of-00002.parquet")
    assert sum(table.num_rows for table in open_version(local, "demo").tasks()) == 3


def changed_manifest(store: Storage, publication: Publisher, **parts: object) -> None:
    folder = publish(store, publication()).storage
    folder.write("manifest.json", json.dumps(json.loads(folder.read("manifest.json")) | parts).encode())


def test_a_newer_schema_is_refused(local: Storage, publication: Publisher) -> None:
    changed_manifest(local, publication, schema_version=99)
    with pytest.raises(StoreError, match="schema_version 99"):
        open_version(local, "demo")


@pytest.mark.parametrize("path", ["../other/manifest.json", "/etc/hosts", "data/../../x"])
def test_a_manifest_that_lists_a_file_outside_its_folder_is_refused(
    local: Storage, publication: Publisher, path: str
) -> None:
    changed_manifest(local, publication, files=[{"path": path, "bytes": 1, "sha256": "0", "rows": None}])
    with pytest.raises(StoreError, match="outside"):
        open_version(local, "demo")


def without(version: Version, column: str) -> Version:
    """The version as one from before `column` existed."""
    path = Path(version.location) / TRAIN
    table = pq.read_table(path).drop([column])
    os.unlink(path)
    pq.write_table(table, path)
    return version


def test_a_version_from_before_a_column_that_may_be_null_is_read_with_nulls(
    local: Storage, publication: Publisher
) -> None:
    (table,) = without(publish(local, publication()), "world_json").tasks()
    assert table.schema == TASKS
    assert table["world_json"].null_count == 3
    assert len([task_from_row(row) for row in table.to_pylist()]) == 3


def test_a_version_without_a_column_that_may_not_be_null_is_refused_by_its_name(
    local: Storage, publication: Publisher
) -> None:
    with pytest.raises(StoreError, match="other columns than expected: domain"):
        list(without(publish(local, publication()), "domain").tasks())


def test_a_file_that_breaks_off_while_it_is_read_is_named(
    bucket: str, publication: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = publish(open_storage(bucket), publication())
    assert isinstance(version.storage, S3Storage)
    source = version.storage.open(TRAIN)
    obstore.delete(version.storage.bucket, f"{version.storage.prefix}{TRAIN}")
    monkeypatch.setattr(S3Storage, "open", lambda *_: source)
    with pytest.raises(StoreError, match=r"cannot read .*train-00000"):
        list(version.tasks())
