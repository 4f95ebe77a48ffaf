"""What a task set is, as digests of its rows, and what a file is, as one of its bytes.

In: tables of tasks. Out: `digest` (what the tasks are) and `measurement_digest` (and how hard they were), neither of
which depends on the order of rows, their chunking, or the writer of the file. A row that was published before some
column existed counts without it.
Each column becomes JSON once, and each row's two texts are joined of such pieces.
Memory: 64 bytes a row. Not promised: equal file bytes for equal rows; another version of Arrow writes others.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

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
        identity = {name: column for name, column in columns.items() if name not in MEASUREMENT_COLUMNS}
        identities += _hashes(row_lines(identity, table.num_rows))
        wholes += _hashes(row_lines(columns, table.num_rows))
    return SetDigests(_digest_of(identities), _digest_of(wholes), len(wholes) // 32)


def _hashes(lines: Iterable[bytes]) -> bytes:
    """The sha256 of each, laid end to end."""
    return b"".join([hashlib.sha256(line).digest() for line in lines])


def _digest_of(digests: bytearray) -> str:
    """sha256 over the sorted hex form of sha256 digests laid end to end (sorted in place), each ended by a newline."""
    rows = np.frombuffer(digests, dtype="S32")
    rows.sort()
    whole = hashlib.sha256()
    for start in range(0, len(rows), _BLOCK):
        whole.update(rows[start : start + _BLOCK].tobytes().hex("\n", 32).encode() + b"\n")
    return whole.hexdigest()


def file_digest(path: Path) -> str:
    """sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class JsonColumn(NamedTuple):
    """A column as canonical JSON (RULES J6): a text a row, or one for all rows, to stand between two `quote`s."""

    quote: bytes
    texts: list[bytes]


def row_lines(columns: Mapping[str, JsonColumn], rows: int) -> Iterator[bytes]:
    """The canonical JSON of each row, as an object of these columns (of a table of so many rows, by `json_columns`)."""
    parts: list[Iterable[bytes]] = []
    before = b"{"
    for name, (quote, texts) in columns.items():
        before += orjson.dumps(name) + b":" + quote
        if len(texts) == 1:
            before += texts[0]
        else:
            parts += [repeat(before), texts]
            before = b""
        before += quote + b","
    return islice(map(b"".join, zip(*parts, repeat(before[:-1] + b"}"))), rows)


def json_columns(table: pa.Table) -> dict[str, JsonColumn]:
    """The table's columns by name, in order."""
    return {name: _json_column(table[name]) for name in sorted(table.column_names)}


def _json_column(column: Any) -> JsonColumn:
    """All values are printed at once, which is several times faster than one by one, and cut apart again."""
    if not len(column):
        return JsonColumn(b"", [])
    if column.null_count == len(column) or pc.all(pc.equal(column, column[0]), skip_nulls=False).as_py():
        column = column.slice(0, 1)
    if not pa.types.is_string(column.type):
        return JsonColumn(b"", orjson.dumps(_numbers(column)).strip(b"[]").split(b","))
    values = plain_values(column)
    text = orjson.dumps(values, option=orjson.OPT_INDENT_2)
    if not text.isascii():
        values = [value and unicodedata.normalize("NFC", value) for value in values]
        text = orjson.dumps(values, option=orjson.OPT_INDENT_2)
    if column.null_count:
        return JsonColumn(b"", [orjson.dumps(value) for value in values])
    # No text has a bare line feed, so this cuts between texts alone.
    return JsonColumn(b'"', text[5:-3].split(b'",\n  "'))


def _numbers(column: Any) -> list[Any]:
    """A column's numbers, truths or nulls as orjson prints them canonically; only floats need care."""
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
