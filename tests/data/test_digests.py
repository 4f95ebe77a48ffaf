"""The digests of a set are those that its definition gives, computed slowly."""

import hashlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.canonical import canonical_bytes
from data.digests import json_columns, row_lines, set_digests
from data.schema import MEASUREMENT_COLUMNS, TASKS, to_table
from data.store import Publication

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
strategies = {"string": texts, "int32": st.integers(-(2**31), 2**31 - 1), "bool": st.booleans()}
floats = st.floats(allow_nan=False, allow_infinity=False)


rows = st.fixed_dictionaries(
    {
        field.name: st.none() | kind if field.nullable else kind
        for field in TASKS
        for kind in [strategies.get(str(field.type), floats)]
    }
)


def _lines(found: list[dict[str, object]]) -> list[bytes]:
    return list(row_lines(json_columns(to_table(found, TASKS)), len(found)))


@given(st.lists(rows, max_size=4))
def test_a_row_counts_as_its_canonical_json(found: list[dict[str, object]]) -> None:
    assert _lines(found) == [canonical_bytes(row) for row in found]  # type: ignore[arg-type]


# fmt: off
HOSTILE = [
    '","',
    '\\","',
    '"',
    "\\",
    '\\\\",',
    '",',
    ',"',
    '",\n  "',
    "[]",
    "null",
    "e\u0301",
    "\u2028",
    "\x01\x7f",
    "",
    "🙂",
]
ODD = [-0.0, 0.0, 1e16, 2.0**53, 2.0**53 + 2, 1e300, 5e-324, 1e-5, 1e-4, 0.1, -1e22, 123456789012345680.0, 1.5e17]


@pytest.mark.parametrize("column", ["tools_json", "world_json", "world_json?", "reward_mean"])
def test_hostile_values_beside_each_other_stay_apart(column: str, publication: Callable[..., Publication]) -> None:
    """Texts that look like what lies between two texts, and numbers that orjson prints in its own way."""
    name = column.removesuffix("?")
    values: list[object] = [*ODD] if name == "reward_mean" else [*HOSTILE, *([None] if column != name else [])]
    (one, *_) = next(iter(publication(1).tasks)).to_pylist()
    found = [one | {name: first} for first in values]
    assert _lines(found) == [canonical_bytes(row) for row in found]


def test_the_digest_of_a_set_is_the_sha256_over_the_sorted_sha256_of_its_rows(
    publication: Callable[..., Publication],
) -> None:
    tables = list(publication(5).tasks)
    rows = [row for table in tables for row in table.to_pylist()]
    identity = [name for name in TASKS.names if name not in MEASUREMENT_COLUMNS]
    lines = sorted(hashlib.sha256(canonical_bytes({name: row[name] for name in identity})).hexdigest() for row in rows)
    assert set_digests(tables).digest == hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
