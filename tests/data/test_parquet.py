"""Files of a version are read as a stream: memory holds a row group, not the file."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pyarrow as pa

from data.parquet import ROW_GROUP, read_tables, write_tables
from data.storage import LocalStorage

SCHEMA = pa.schema([("text", pa.string())])


def texts(groups: int) -> Iterator[pa.Table]:
    """Row groups that hardly compress."""
    for group in range(groups):
        random = Random(group)
        yield pa.table({"text": [random.randbytes(50).hex() for _ in range(ROW_GROUP)]}, SCHEMA)


def held_reading(folder: Path, groups: int) -> int:
    """The most bytes that Arrow holds between two tables of a file of so many row groups."""
    write_tables(folder / "rows.parquet", texts(groups), SCHEMA)
    before = pa.total_allocated_bytes()
    return max(pa.total_allocated_bytes() - before for _ in read_tables(LocalStorage(folder), "rows.parquet"))


def test_a_large_file_is_read_in_no_more_memory_than_a_small_one(tmp_path: Path) -> None:
    """Arrow reads ahead, on its own through all row groups that it was asked for."""
    assert held_reading(tmp_path, 12) < 1.2 * held_reading(tmp_path, 2)


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_tables(tmp_path / "rows.parquet", texts(2), SCHEMA)
    assert pa.concat_tables(read_tables(LocalStorage(tmp_path), "rows.parquet")) == pa.concat_tables(texts(2))
