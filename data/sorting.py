"""Rows sorted by `task_id` with flat memory, whatever their number.

In: tables in any order and a scratch folder. Out: tables that together are all rows in the order of their ids, each id
once. Tables are gathered up to `HELD` bytes and sorted; if that was not all, such runs are cut at 63 borders between
first hex digits and laid down as 64 batches each of one Arrow file, and then the batches between two borders are read
together and sorted. Ids are digests, so those are evenly full: memory holds a few times `HELD`, or 1/64 of the rows.
Not promised: that evenness for ids that are no digests (they are sorted as well, with less even memory).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.errors import StoreError

HELD = 16 << 20
_SHARES = 64
_BORDERS = [f"{number * 256 // _SHARES:02x}" for number in range(1, _SHARES)]


def sorted_by_id(tables: Iterable[pa.Table], schema: pa.Schema, scratch: Path) -> Iterator[pa.Table]:
    """All rows of tables of this schema in the order of `task_id`. `StoreError` for an id that is there twice."""
    runs = _runs(tables, schema)
    first, second = next(runs, schema.empty_table()), next(runs, None)
    if second is None:
        yield _once(first)
        return
    path = scratch / "unsorted.arrow"
    count = 0
    with pa.ipc.new_file(str(path), schema) as file:
        for run in chain((first, second), runs):
            for part in _parts(run):
                file.write_batch(part)
            count += 1
    # Read, not mapped: the pages of a mapped file would count as memory of ours.
    with pa.OSFile(str(path), "rb") as source, pa.ipc.open_file(source) as spilled:
        for share in range(_SHARES):
            parts = [spilled.get_batch(run * _SHARES + share) for run in range(count)]
            yield _once(_sorted(pa.Table.from_batches(parts, schema)))
    path.unlink()


def _runs(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """The tables gathered into sorted ones of at least `HELD` bytes (the last may be smaller)."""
    held: list[pa.Table] = []
    size = 0
    for table in tables:
        if table.schema != schema:
            raise StoreError(f"a table has other columns than expected: {table.schema.names}", hint="see data.schema")
        held.append(table)
        size += table.nbytes
        if size >= HELD:
            yield _sorted(pa.concat_tables(held))
            held, size = [], 0
    if held:
        yield _sorted(pa.concat_tables(held))


def _sorted(table: pa.Table) -> pa.Table:
    """Sorted by id, each column in one piece."""
    whole = table.combine_chunks()
    return whole.take(pc.sort_indices(whole["task_id"]))


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
