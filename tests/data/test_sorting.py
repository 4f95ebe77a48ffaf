"""Sorting with flat memory gives what sorting at once would."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from data import sorting
from data.digests import plain_values
from data.errors import StoreError
from data.schema import TASKS
from data.sorting import sorted_by_id
from data.store import Publication


@pytest.fixture(params=[1 << 30, 10_000, 1], ids=["one run", "some runs", "a run a table"])
def held(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many bytes are gathered before they are laid down."""
    monkeypatch.setattr(sorting, "HELD", request.param)


def shuffled(publication: Callable[..., Publication], rows: int) -> list[pa.Table]:
    tables = list(publication(rows).tasks)
    Random(1).shuffle(tables)
    return tables


@pytest.mark.usefixtures("held")
def test_all_rows_come_in_the_order_of_their_ids(publication: Callable[..., Publication], tmp_path: Path) -> None:
    tables = shuffled(publication, 60)
    found = pa.concat_tables(sorted_by_id(tables, TASKS, tmp_path))
    assert found == pa.concat_tables(tables).sort_by("task_id")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("held")
def test_no_rows_are_no_rows(tmp_path: Path) -> None:
    assert pa.concat_tables(sorted_by_id([], TASKS, tmp_path)) == TASKS.empty_table()


@pytest.mark.usefixtures("held")
def test_an_id_that_is_there_twice_is_named(publication: Callable[..., Publication], tmp_path: Path) -> None:
    tables = shuffled(publication, 30)
    with pytest.raises(StoreError, match=f"{tables[7]['task_id'][0]} is there twice"):
        list(sorted_by_id([*tables, tables[7]], TASKS, tmp_path))


@pytest.mark.usefixtures("held")
def test_ids_that_are_no_digests_are_sorted_too(tmp_path: Path) -> None:
    schema = pa.schema([("task_id", pa.string())])
    names = ["zz", "", "é", "0", "ff", "G", "aaaa", "00"]
    tables = [pa.table({"task_id": [name]}, schema) for name in names]
    found = [one for table in sorted_by_id(tables, schema, tmp_path) for one in plain_values(table["task_id"])]
    assert found == sorted(names)


def test_tables_are_taken_one_at_a_time(
    publication: Callable[..., Publication], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sorting, "HELD", 1)
    alive: list[int] = []

    def tables() -> Iterator[pa.Table]:
        for table in publication(20).tasks:
            before = pa.total_allocated_bytes()
            yield table
            alive.append(pa.total_allocated_bytes() - before)

    list(sorted_by_id(tables(), TASKS, tmp_path))
    assert max(alive[5:]) < 100_000
