"""Parquet files of a version: written as a stream in row groups of one size, read back as a stream.

In: tables of one schema, in any chunking. Out: a file whose row groups all have `ROW_GROUP` rows (the last may have
fewer), zstd, no metadata of any library: the form that every version of `datasets` reads.
Not promised: equal bytes from another version of Arrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from data.atomic import store_errors
from data.errors import StoreError
from data.schema import check_columns, conform
from data.storage import Storage

ROW_GROUP = 8192
"""Rows a row group."""

BATCH = 1024
"""Rows a table on reading, at most."""

DAMAGED = "restore the version from a copy, or take another one"


def write_tables(path: Path, tables: Iterable[pa.Table], schema: pa.Schema) -> int:
    """Stream tables into one file; the number of rows. `StoreError` for a table of another schema."""
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:

        def write(group: pa.Table) -> int:
            writer.write_table(group, row_group_size=ROW_GROUP)
            return group.num_rows

        # No variable holds a group while the next one is gathered.
        return sum(map(write, _groups(tables, schema)))


def read_tables(storage: Storage, key: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """The rows of a file as they are, at most `BATCH` at a time; of all columns or of these. `StoreError` if broken."""
    with _opened(storage, key) as file:
        for group in range(file.num_row_groups):  # One by one: asked for all of them, Arrow holds the whole file.
            for batch in file.iter_batches(BATCH, [group], None if columns is None else list(columns), False):
                yield pa.Table.from_batches([batch])


def read_schema(storage: Storage, key: str) -> pa.Schema:
    """The columns of a file. `StoreError` if it is broken."""
    with _opened(storage, key) as file:
        return file.schema_arrow


@contextmanager
def _opened(storage: Storage, key: str) -> Iterator[pq.ParquetFile]:
    """The file, closed at the end; what is wrong with it inside the block is a `StoreError`."""
    where = f"{storage.location}/{key}"
    try:
        with store_errors(where, "read"), storage.open(key) as source, pq.ParquetFile(source) as file:
            yield file
    except pa.ArrowException as error:
        raise StoreError(f"{where} is broken: {error}", hint=DAMAGED) from error


def _groups(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """The same rows cut into tables of `ROW_GROUP` rows (the last may have fewer), each as the schema wants it."""
    held: list[pa.Table] = []
    rows = 0
    for table in tables:
        check_columns(table, schema)
        held.append(table)
        rows += table.num_rows
        if rows >= ROW_GROUP:
            whole = pa.concat_tables(held)
            for start in range(0, rows - ROW_GROUP + 1, ROW_GROUP):
                yield conform(whole.slice(start, ROW_GROUP), schema)
            rows %= ROW_GROUP
            held = [whole.slice(whole.num_rows - rows)]
            del whole
        del table
    if rows:
        yield conform(pa.concat_tables(held), schema)
