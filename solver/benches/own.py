"""Task sets of our own as a benchmark: a published version, or one Parquet file of its columns.

In: a version, or a path. Out: a `Bench` whose categories are the kinds of task. Not promised: that a set is held out;
`sparring sets` says what it was made for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from data.errors import UsageError
from data.parquet import read_tables
from data.rows import task_from_row
from data.schema import Row
from data.storage import LocalStorage
from data.version import Version
from solver.benches.base import Bench, Item, bench


def read_version(version: Version) -> Bench:
    """The published tasks of a version, every split."""
    rows = (row for table in version.tasks() for row in table.to_pylist())
    made = bench("set", [], _items(rows))
    files = tuple((entry.path, entry.sha256) for entry in version.task_files())
    return Bench(version.manifest.reference, files, made.items)


def read(path: Path) -> Bench:
    """The tasks of one Parquet file. Raises `UsageError` if it has not the columns of a task set."""
    rows = (row for table in read_tables(LocalStorage(path.parent), path.name) for row in table.to_pylist())
    try:
        return bench("set", [path], _items(rows))
    except (KeyError, ValueError) as fault:
        raise UsageError(
            f"{path} is no task set: {type(fault).__name__}: {fault}", hint="give the data/*.parquet of a version"
        ) from None


def _items(rows: Iterable[Row]) -> Iterator[tuple[str, Item | str]]:
    for row in rows:
        task = task_from_row(row)
        yield task.task_id, Item(task.task_id, task.kind, task)
