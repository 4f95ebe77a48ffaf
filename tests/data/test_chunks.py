"""Chunks: named by their rows, found by what they were made of, never believed when broken."""

import errno
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.chunks import chunk_digest, derive_key, find_chunk, read_chunk, table_digest, write_chunk
from data.errors import StoreError
from data.schema import CANDIDATES, LEDGER, to_table
from data.storage import LocalStorage

KEY = derive_key("verify", ["a" * 64], {"version": 1})


def ledger(*counts: int) -> pa.Table:
    rows = [{"stage": "é" * n, "code": "", "count": n, "tokens": 0, "seconds": 0.5} for n in counts]
    return to_table(rows, LEDGER)


def test_a_chunk_is_found_by_its_key_and_holds_its_rows(tmp_path: Path) -> None:
    assert find_chunk(tmp_path, "verify", KEY) is None
    path = write_chunk(tmp_path, "verify", KEY, ledger(1, 2), LEDGER)
    assert find_chunk(tmp_path, "verify", KEY) == path
    assert read_chunk(path, LEDGER) == ledger(1, 2)


def test_equal_rows_have_one_name_and_other_rows_another(tmp_path: Path) -> None:
    first = write_chunk(tmp_path, "verify", KEY, ledger(1, 2), LEDGER)
    again = write_chunk(tmp_path, "verify", "k2", pa.concat_tables([ledger(1), ledger(2)]), LEDGER)
    other = write_chunk(tmp_path, "verify", "k3", ledger(2, 1), LEDGER)
    assert first == again != other
    assert chunk_digest(first) == table_digest(ledger(1, 2))


def test_an_empty_chunk_is_a_chunk(tmp_path: Path) -> None:
    path = write_chunk(tmp_path, "verify", KEY, ledger(), LEDGER)
    assert read_chunk(path, LEDGER).num_rows == 0


def test_the_digest_sees_slices_as_the_rows_they_show() -> None:
    assert table_digest(ledger(1, 2, 3).slice(1, 1)) == table_digest(ledger(2))


def test_null_and_empty_text_have_different_digests() -> None:
    schema = pa.schema([pa.field("a", pa.string())])
    assert table_digest(to_table([{"a": None}], schema)) != table_digest(to_table([{"a": ""}], schema))


def test_where_a_text_ends_matters() -> None:
    schema = pa.schema([pa.field("a", pa.string())])
    rows = [[{"a": "xy"}, {"a": ""}], [{"a": "x"}, {"a": "y"}]]
    assert len({table_digest(to_table(one, schema)) for one in rows}) == 2


@pytest.mark.parametrize("change", [{"step": "solve"}, {"inputs": ["b" * 64]}, {"config": {"version": 2}}])
def test_each_part_of_a_derivation_changes_its_key(change: dict[str, object]) -> None:
    parts: dict[str, object] = {"step": "verify", "inputs": ["a" * 64], "config": {"version": 1}}
    assert derive_key(**{**parts, **change}) != KEY  # type: ignore[arg-type]


@pytest.mark.parametrize("length", [0, 10, 200])
def test_a_cut_chunk_is_refused_by_name(tmp_path: Path, length: int) -> None:
    path = write_chunk(tmp_path, "verify", KEY, ledger(1, 2), LEDGER)
    os.truncate(path, length)
    with pytest.raises(StoreError, match=Path(path).name):
        read_chunk(path, LEDGER)


def test_a_changed_chunk_is_refused_by_name(tmp_path: Path) -> None:
    path = write_chunk(tmp_path, "verify", KEY, ledger(1, 2), LEDGER)
    pq.write_table(ledger(1, 3), path)
    with pytest.raises(StoreError, match="does not hold what its name says"):
        read_chunk(path, LEDGER)


def test_a_chunk_of_another_schema_is_refused(tmp_path: Path) -> None:
    path = write_chunk(tmp_path, "verify", KEY, ledger(1), LEDGER)
    with pytest.raises(StoreError, match=Path(path).name):
        read_chunk(path, CANDIDATES)
    with pytest.raises(StoreError, match="other columns"):
        write_chunk(tmp_path, "verify", KEY, ledger(1), CANDIDATES)


def test_a_broken_record_and_a_lost_chunk_are_named(tmp_path: Path) -> None:
    path = write_chunk(tmp_path, "verify", KEY, ledger(1), LEDGER)
    Path(path).unlink()
    with pytest.raises(StoreError, match="is gone"):
        find_chunk(tmp_path, "verify", KEY)
    (tmp_path / "verify" / f"{KEY}.json").write_text("{")
    with pytest.raises(StoreError, match=r"record .* is broken"):
        find_chunk(tmp_path, "verify", KEY)


def test_a_crash_before_the_record_leaves_the_step_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = LocalStorage.write

    def crash(self: LocalStorage, key: str, content: bytes) -> None:
        if key.endswith(".json"):
            raise KeyboardInterrupt
        write(self, key, content)

    monkeypatch.setattr(LocalStorage, "write", crash)
    with pytest.raises(KeyboardInterrupt):
        write_chunk(tmp_path, "verify", KEY, ledger(1), LEDGER)
    monkeypatch.undo()
    assert find_chunk(tmp_path, "verify", KEY) is None
    assert read_chunk(write_chunk(tmp_path, "verify", KEY, ledger(1), LEDGER), LEDGER) == ledger(1)


def test_a_full_disk_says_so_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(where: Path, content: bytes) -> None:
        with where.open("wb") as file:
            file.write(content[:9])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(StoreError, match=r"cannot write .*No space left.*\n.*free some space") as caught:
        write_chunk(tmp_path, "verify", KEY, ledger(1), LEDGER)
    assert str(tmp_path) in str(caught.value)
    assert list((tmp_path / "verify").iterdir()) == []


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "verify").write_text("")
    with pytest.raises(StoreError, match="cannot make the folder"):
        write_chunk(tmp_path, "verify", KEY, ledger(1), LEDGER)
