"""What changed from one version to another: rows, measurements, columns.

In: two versions, of one set or of two. Out: `VersionDiff`. Both are read once, side by side in the order of their task
ids, so that memory grows with the differences alone.
Not promised: what changed inside a column's JSON; the ids say where to look.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import pairwise
from operator import itemgetter
from typing import Any

import pyarrow as pa

from data.digests import plain_values
from data.errors import StoreError
from data.parquet import DAMAGED
from data.schema import MEASUREMENT_COLUMNS
from data.version import Version


@dataclass(frozen=True, slots=True)
class Change:
    """A task that both versions have, and the columns in which its rows differ."""

    task_id: str
    columns: tuple[str, ...]

    @property
    def measured(self) -> bool:
        """Whether only measurements differ: the same row for another solver, or measured again."""
        return all(name in MEASUREMENT_COLUMNS for name in self.columns)


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """A column that one version lacks (its type there is empty) or has with another type."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class VersionDiff:
    """What separates `after` from `before`. Rows are task ids, in order."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[Change, ...]
    same: int
    columns: tuple[ColumnChange, ...]
    rates_before: Counter[float]
    """Pass rate -> tasks."""
    rates_after: Counter[float]


def diff(before: Version, after: Version) -> VersionDiff:
    """Compare two versions. `StoreError` if one cannot be read or its rows are out of order."""
    old, new = before.schema(), after.schema()
    shared = [name for name in old.names if name in new.names]
    sides = _Side(before, shared), _Side(after, shared)
    added: list[str] = []
    removed: list[str] = []
    changed: list[Change] = []
    same = 0
    for task_id, left, right in _joined(*sides):
        if left is None:
            added.append(task_id)
        elif right is None:
            removed.append(task_id)
        elif left == right:
            same += 1
        else:
            pairs = zip(shared, left, right, strict=True)
            changed.append(Change(task_id, tuple(name for name, one, other in pairs if one != other)))
    return VersionDiff(
        tuple(added), tuple(removed), tuple(changed), same, _columns(old, new), sides[0].rates, sides[1].rates
    )


_Row = tuple[Any, ...]


class _Side:
    """The rows of a version in order, and on the way how often each pass rate occurs."""

    def __init__(self, version: Version, columns: Sequence[str]) -> None:
        self.rates: Counter[float] = Counter()
        self._version = version
        self._columns = columns

    def rows(self) -> Iterator[tuple[str, _Row]]:
        """Task id and the values of the columns, of all splits together."""
        yield from merge(*map(self._split_rows, self._version.splits), key=itemgetter(0))

    def _split_rows(self, split: str) -> Iterator[tuple[str, _Row]]:
        last = ""
        for table in self._version.stored_tasks(split):
            ids = plain_values(table["task_id"])
            if any(one >= other for one, other in pairwise([last, *ids])):
                raise StoreError(f"the tasks of {self._version.location} are not in order", hint=DAMAGED)
            last = ids[-1] if ids else last
            self.rates.update(plain_values(table["pass_rate"]))
            yield from zip(ids, zip(*(plain_values(table[name]) for name in self._columns), strict=True), strict=True)


def _joined(before: _Side, after: _Side) -> Iterator[tuple[str, _Row | None, _Row | None]]:
    """Full outer join of two sides that are sorted by id."""
    left, right = before.rows(), after.rows()
    one, other = next(left, None), next(right, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one[0] < other[0]):
            assert one is not None
            yield one[0], one[1], None
            one = next(left, None)
        elif one is None or other[0] < one[0]:
            yield other[0], None, other[1]
            other = next(right, None)
        else:
            yield one[0], one[1], other[1]
            one, other = next(left, None), next(right, None)


def _columns(old: pa.Schema, new: pa.Schema) -> tuple[ColumnChange, ...]:
    before = {field.name: str(field.type) for field in old}
    after = {field.name: str(field.type) for field in new}
    names = [*before, *(name for name in after if name not in before)]
    changes = (ColumnChange(name, before.get(name, ""), after.get(name, "")) for name in names)
    return tuple(one for one in changes if one.before != one.after)
