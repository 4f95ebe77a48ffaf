"""What a task set is, as digests of its rows, and what its files are, as digests of their bytes.

In: tables of `data.schema.TASKS`. Out: `digest` (what the tasks are) and `measurement_digest` (and how hard they were),
neither of which depends on the order of rows, their chunking, or the writer of the file.
Not promised: equal file bytes for equal rows; another version of Arrow writes others.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson
import pyarrow as pa

from data.canonical import canonical_bytes, digest_of_digests
from data.schema import IDENTITY_COLUMNS, TASKS


class SetDigests(NamedTuple):
    """`digest` is of the identity columns, `measurement_digest` of all columns (CONTRACT, manifest)."""

    digest: str
    measurement_digest: str


def set_digests(tables: Iterable[pa.Table]) -> SetDigests:
    """Both digests of a task set; a row counts as the sha256 of the canonical JSON of its columns (as an object)."""
    identities: list[bytes] = []
    wholes: list[bytes] = []
    for table in tables:
        identities += [hashlib.sha256(line).digest() for line in row_lines(table, IDENTITY_COLUMNS)]
        wholes += [hashlib.sha256(line).digest() for line in row_lines(table, TASKS.names)]
    return SetDigests(digest_of_digests(map(bytes.hex, identities)), digest_of_digests(map(bytes.hex, wholes)))


def row_lines(table: pa.Table, columns: Sequence[str]) -> Iterator[bytes]:
    """The canonical JSON (RULES J6) of each row as an object of these flat columns; equal to `canonical_bytes`."""
    names = sorted(columns)
    for place, values in enumerate(zip(*(_json_values(table, name) for name in names), strict=True)):
        line = orjson.dumps(dict(zip(names, values, strict=True)))
        if line.isascii() or unicodedata.is_normalized("NFC", line.decode()):
            yield line
        else:
            (row,) = table.select(names).slice(place, 1).to_pylist()
            yield canonical_bytes(row)


def _json_values(table: pa.Table, name: str) -> list[object]:
    """A column's values as orjson prints them canonically (nothing else in a flat row needs care)."""
    values: list[object] = table[name].to_pylist()
    return [_number(value) if isinstance(value, float) else value for value in values]


def _number(value: float) -> object:
    if not math.isfinite(value) or value.is_integer() or abs(value) < 1e-4:
        return orjson.Fragment(canonical_bytes(value))
    return value


def file_digest(path: Path) -> str:
    """sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
