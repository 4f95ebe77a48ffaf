"""Rows sorted by `task_id` with flat memory, whatever their number.

In: tables in any order and a scratch folder. Out: tables that together are all rows in the order of their ids, each id
once. Tables are gathered up to `HELD` bytes and sorted; if that was not all, such runs are cut at 127 borders between
first hex digits and laid down as 128 batches each of one Arrow file, and then the batches between two borders (or more,
up to `HELD` bytes) are read together and sorted. Ids are digests, so those are evenly full: memory holds a few times
`HELD`, or 1/128 of the rows.
Not promised: that evenness for ids that are no digests (they are sorted as well, with less even memory).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice, pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.errors import StoreError
from data.schema import check_columns

HELD = 8 << 20
_SHARES = 128
_BORDERS = [f"{number * 256 // _SHARES:02x}" for number in range(1, _SHARES)]
_BUFFER = 1 << 20
"""Bytes written at once: Arrow writes each buffer of each column of each batch by itself."""


def sorted_by_id(tables: Iterable[pa.Table], schema: pa.Schema, scratch: Path) -> Iterator[pa.Table]:
    """All rows of tables of this schema in the order of `task_id`. `StoreError` for an id that is there twice."""
    runs = _runs(tables, schema)
    begun = list(islice(runs, 2))
    if len(begun) < 2:
        yield _once(begun[0] if begun else schema.empty_table())
        return
    path = scratch / "unsorted.arrow"
    count = _lay_down(path, chain(_handed_over(begun), runs), schema)
    # Read, not mapped: the pages of a mapped file would count as memory of ours.
    with pa.OSFile(str(path), "rb") as source, pa.ipc.open_file(source) as spilled:
        together = max(1, HELD * _SHARES // path.stat().st_size)
        for first in range(0, _SHARES, together):
            shares = range(first, min(first + together, _SHARES))
            yield _once(_read(spilled, [run * _SHARES + share for run in range(count) for share in shares]))
    path.unlink()


def _runs(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """The tables gathered into sorted ones of at least `HELD` bytes (the last may be smaller)."""
    held: list[pa.Table] = []
    size = 0
    for table in tables:
        check_columns(table, schema)
        held.append(table)
        size += table.nbytes
        if size >= HELD:
            run = _sorted(pa.concat_tables(held))
            held, size = [], 0
            yield run
    if held:
        yield _sorted(pa.concat_tables(held))


def _sorted(table: pa.Table) -> pa.Table:
    """Sorted by id, each column in one piece."""
    return table.take(pc.sort_indices(table["task_id"])).combine_chunks()


def _lay_down(path: Path, runs: Iterable[pa.Table], schema: pa.Schema) -> int:
    """Write each run as one batch a share; how many runs there were."""
    count = 0
    with (
        pa.OSFile(str(path), "wb") as file,
        pa.BufferedOutputStream(file, _BUFFER) as buffered,
        pa.ipc.new_file(buffered, schema) as spilled,
    ):
        for part in chain.from_iterable(map(_parts, runs)):
            spilled.write_batch(part)
            count += 1
    return count // _SHARES


def _read(spilled: pa.ipc.RecordBatchFileReader, places: Iterable[int]) -> pa.Table:
    """The batches at these places as one sorted table."""
    return _sorted(pa.Table.from_batches([spilled.get_batch(place) for place in places], spilled.schema))


def _handed_over(tables: list[pa.Table]) -> Iterator[pa.Table]:
    """The tables, each given away: memory need not hold it longer than its taker does."""
    while tables:
        yield tables.pop(0)


def _parts(run: pa.Table) -> Iterator[pa.RecordBatch]:
    """A sorted run as one batch a share."""
    (whole,) = run.combine_chunks().to_batches()
    ids = whole["task_id"].to_numpy(zero_copy_only=False)
    for start, end in pairwise([0, *np.searchsorted(ids, _BORDERS).tolist(), len(ids)]):
        yield whole.slice(start, end - start)


def _once(table: pa.Table) -> pa.Table:
    """The sorted table, if no id is there twice."""
    ids = table["task_id"].combine_chunks()
    twice = pc.filter(ids[1:], pc.equal(ids[1:], ids[:-1])) if len(ids) > 1 else ids[:0]
    if len(twice):
        raise StoreError(f"the task {twice[0]} is there twice", hint="publish each task once")
    return table
