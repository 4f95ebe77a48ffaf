"""What a task set is, as digests of its rows, and what a file is, as one of its bytes.

In: tables of tasks. Out: `digest` (what the tasks are) and `measurement_digest` (and how hard they were), neither of
which depends on the order of rows, their chunking, or the writer of the file. A row that was published before some
column existed counts without it.
Memory: 64 bytes a row. Not promised: equal file bytes for equal rows; another version of Arrow writes others.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import pyarrow as pa

from data.canonical import canonical_bytes
from data.schema import MEASUREMENT_COLUMNS

_BLOCK = 4096


class SetDigests(NamedTuple):
    """`digest` is of the identity columns, `measurement_digest` of all columns (CONTRACT, manifest)."""

    digest: str
    measurement_digest: str
    rows: int


def set_digests(tables: Iterable[pa.Table]) -> SetDigests:
    """Both digests of a task set; a row counts as the sha256 of the canonical JSON of its columns (as an object)."""
    identities = bytearray()
    wholes = bytearray()
    for table in tables:
        columns = json_columns(table)
        identity = {name: values for name, values in columns.items() if name not in MEASUREMENT_COLUMNS}
        identities += b"".join([hashlib.sha256(line).digest() for line in row_lines(identity)])
        wholes += b"".join([hashlib.sha256(line).digest() for line in row_lines(columns)])
    return SetDigests(_digest_of(identities), _digest_of(wholes), len(wholes) // 32)


def _digest_of(digests: bytearray) -> str:
    """sha256 over the sorted hex form of sha256 digests laid end to end, each ended by a newline."""
    rows = np.sort(np.frombuffer(digests, dtype="S32"))
    whole = hashlib.sha256()
    for start in range(0, len(rows), _BLOCK):
        whole.update(rows[start : start + _BLOCK].tobytes().hex("\n", 32).encode() + b"\n")
    return whole.hexdigest()


def file_digest(path: Path) -> str:
    """sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def row_lines(columns: Mapping[str, list[Any]]) -> Iterator[bytes]:
    """The canonical JSON (RULES J6) of each row, as an object of these columns (from `json_columns`)."""
    for values in zip(*columns.values(), strict=True):
        line = orjson.dumps(dict(zip(columns, values, strict=True)))
        if line.isascii() or unicodedata.is_normalized("NFC", line.decode()):
            yield line
        else:
            yield canonical_bytes(orjson.loads(line))


def json_columns(table: pa.Table) -> dict[str, list[Any]]:
    """The table's columns by name, in order, with values that orjson prints canonically (but for NFC)."""
    return {name: _json_values(table[name]) for name in sorted(table.column_names)}


def _json_values(column: Any) -> list[Any]:
    """A column's values; of the flat types only floats need care."""
    values = plain_values(column)
    if pa.types.is_floating(column.type):
        numbers = column.to_numpy()
        whole = (np.trunc(numbers) == numbers) & (np.abs(numbers) < 2**53)
        for place in np.flatnonzero(whole).tolist():
            values[place] = int(values[place])
        for place in np.flatnonzero(~whole & ~((np.abs(numbers) >= 1e-4) & (np.abs(numbers) < 2**53))).tolist():
            values[place] = orjson.Fragment(canonical_bytes(values[place]))
    return values


def plain_values(column: Any) -> list[Any]:
    """`to_pylist` of a flat column, by way of numpy: several times faster, and nulls of text are None there too."""
    if column.null_count and not pa.types.is_string(column.type):
        values: list[Any] = column.to_pylist()
        return values
    found: list[Any] = column.to_numpy().tolist()
    return found
