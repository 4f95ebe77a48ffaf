"""Chunk files: the unit of work, cached by what they were made of and named by what they hold.

A chunk is `<folder>/<step>/<sha256 of its rows>.parquet`; `<folder>/<step>/<key>.json`, written last, says that the
derivation `key` (step, inputs, configuration) gave that file. A step is `f(chunk paths, config) -> chunk path`: it asks
`find_chunk` first, so that finished work is never done twice.
Reading checks the rows against the name: a chunk that was cut or changed is refused by name.
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

from data.atomic import replacing, store_errors, write_bytes
from data.canonical import canonical_bytes, digest
from data.errors import StoreError
from data.records import Json
from data.schema import conform

_AGAIN = "remove it, and the same command makes it anew"


def derive_key(step: str, inputs: Sequence[str], config: Json) -> str:
    """The name of a derivation: digest of the step, its inputs (digests, in order) and its configuration."""
    return digest({"step": step, "inputs": list(inputs), "config": config})


def write_chunk(folder: Path, step: str, key: str, table: pa.Table, schema: pa.Schema) -> Path:
    """Store the rows of a finished step, durable when this returns; the path is the chunk's."""
    path = folder / step / f"{table_digest(conform(table, schema))}.parquet"
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")
    record: Json = {"step": step, "key": key, "file": path.name, "rows": table.num_rows}
    write_bytes(_record(folder, step, key), canonical_bytes(record))
    return path


def find_chunk(folder: Path, step: str, key: str) -> Path | None:
    """The chunk that this derivation gave, or None if it was not finished. `StoreError` if its record is broken."""
    record = _record(folder, step, key)
    with store_errors(record, "read"):
        try:
            content = record.read_bytes()
        except FileNotFoundError:
            return None
    try:
        path = record.parent / str(json.loads(content)["file"])
    except (ValueError, KeyError, TypeError):
        raise StoreError(f"the chunk record {record} is broken", hint=_AGAIN) from None
    if not path.is_file():
        raise StoreError(f"the chunk {path} is gone, which {record.name} names", hint=f"{_AGAIN} (the record too)")
    return path


def read_chunk(path: Path, schema: pa.Schema) -> pa.Table:
    """The rows of a chunk. `StoreError` names a chunk that is missing, cut, changed, or of another schema."""
    try:
        with store_errors(path, "read"):
            table = pq.read_table(path, schema=schema, memory_map=False, partitioning=None)
    except pa.ArrowException as error:
        raise StoreError(f"the chunk {path} is broken: {error}", hint=_AGAIN) from error
    if table_digest(table) != chunk_digest(path):
        raise StoreError(f"the chunk {path} does not hold what its name says", hint=_AGAIN)
    return table


def chunk_digest(path: Path) -> str:
    """The digest of a chunk's rows, which is its name: an input of `derive_key`."""
    return path.stem


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


def _record(folder: Path, step: str, key: str) -> Path:
    return folder / step / f"{key}.json"
