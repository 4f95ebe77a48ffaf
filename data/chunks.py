"""Chunk files: the unit of work, cached by what they were made of and named by what they hold.

A chunk is `<folder>/<step>/<sha256 of its rows>.parquet`; `<folder>/<step>/<key>.json`, written last, says that the
derivation `key` (step, inputs, configuration) gave that file. A step is `f(chunk paths, config) -> chunk path`: it asks
`find_chunk` first, so that finished work is never done twice. A folder is a path or `s3://bucket/prefix`, and a chunk's
path is below it, as text: what every process of a run can read.
Reading checks the rows against the name: a chunk that was cut or changed is refused by name.
Two processes may do the same step at once: each leaves a whole chunk, and the record names one of them.
Not promised: that a key covers all that the rows depend on; whoever derives it says what does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from data.canonical import canonical_bytes, digest
from data.errors import StoreError
from data.records import Json
from data.schema import conform
from data.storage import open_storage

_AGAIN = "remove it, and the same command makes it anew"


def derive_key(step: str, inputs: Sequence[str], config: Json) -> str:
    """The name of a derivation: digest of the step, its inputs (digests, in order) and its configuration."""
    return digest({"step": step, "inputs": list(inputs), "config": config})


def write_chunk(folder: str | Path, step: str, key: str, table: pa.Table, schema: pa.Schema) -> str:
    """Store the rows of a finished step, durable when this returns; the path is the chunk's."""
    storage = open_storage(folder).at(step)
    name = f"{table_digest(conform(table, schema))}.parquet"
    content = pa.BufferOutputStream()
    pq.write_table(table, content, compression="zstd")
    storage.write(name, content.getvalue().to_pybytes())
    record: Json = {"step": step, "key": key, "file": name, "rows": table.num_rows}
    storage.write(f"{key}.json", canonical_bytes(record))
    return f"{storage.location}/{name}"


def find_chunk(folder: str | Path, step: str, key: str) -> str | None:
    """The chunk that this derivation gave, or None if it was not finished. `StoreError` if its record is broken."""
    storage = open_storage(folder).at(step)
    record = f"{key}.json"
    if not storage.has(record):
        return None
    try:
        name = str(json.loads(storage.read(record))["file"])
    except (ValueError, KeyError, TypeError):
        raise StoreError(f"the chunk record {storage.location}/{record} is broken", hint=_AGAIN) from None
    path = f"{storage.location}/{name}"
    if not storage.has(name):
        raise StoreError(f"the chunk {path} is gone, which {record} names", hint=f"{_AGAIN} (the record too)")
    return path


def read_chunk(path: str, schema: pa.Schema) -> pa.Table:
    """The rows of a chunk. `StoreError` names a chunk that is missing, cut, changed, or of another schema."""
    folder, _, name = path.rpartition("/")
    content = open_storage(folder).read(name)
    try:
        table = pq.ParquetFile(pa.BufferReader(content)).read(use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise StoreError(f"the chunk {path} is broken: {error}", hint=_AGAIN) from error
    if table.schema != schema or table_digest(table) != chunk_digest(path):
        raise StoreError(f"the chunk {path} does not hold what its name says", hint=_AGAIN)
    return table


def chunk_digest(path: str) -> str:
    """The digest of a chunk's rows, which is its name: an input of `derive_key`."""
    return path.rpartition("/")[2].removesuffix(".parquet")


def table_digest(table: pa.Table) -> str:
    """sha256 of the schema and the rows in order, whatever the chunking, the writer or the version of Arrow."""
    whole = hashlib.sha256(str(table.schema.remove_metadata()).encode())
    whole.update(table.num_rows.to_bytes(8, "big"))
    for column in table.columns:
        for part in _column_bytes(column):
            whole.update(part)
    return whole.hexdigest()


def _column_bytes(column: Any) -> Iterator[bytes | memoryview]:
    """Nulls as a mask; then numbers little-endian, or the lengths of the texts and the texts themselves."""
    yield _numbers(pc.is_null(column))
    if not pa.types.is_string(column.type):
        yield _numbers(pc.fill_null(column, pa.scalar(0).cast(column.type)))
        return
    texts = pc.fill_null(column, "")
    yield _numbers(pc.binary_length(texts))
    for part in texts.chunks:
        joined: Any = pc.binary_join(pa.ListArray.from_arrays([0, len(part)], part), "")
        yield memoryview(joined[0].as_buffer())


def _numbers(column: Any) -> bytes:
    values = column.to_numpy()
    return bytes(values.astype(values.dtype.newbyteorder("<")).tobytes())
