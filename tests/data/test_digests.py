"""The digests of a set are those that its definition gives, computed slowly."""

import hashlib
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from data.canonical import canonical_bytes
from data.digests import json_columns, row_lines, set_digests
from data.schema import MEASUREMENT_COLUMNS, TASKS, to_table
from data.store import Publication

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
strategies = {"string": texts, "int32": st.integers(-(2**31), 2**31 - 1), "bool": st.booleans()}
floats = st.floats(allow_nan=False, allow_infinity=False)


@given(st.fixed_dictionaries({field.name: strategies.get(str(field.type), floats) for field in TASKS}), st.booleans())
def test_a_row_counts_as_its_canonical_json(row: dict[str, object], with_nulls: bool) -> None:
    row |= {field.name: None for field in TASKS if field.nullable and with_nulls}
    assert list(row_lines(json_columns(to_table([row], TASKS)))) == [canonical_bytes(row)]  # type: ignore[arg-type]


def test_the_digest_of_a_set_is_the_sha256_over_the_sorted_sha256_of_its_rows(
    publication: Callable[..., Publication],
) -> None:
    tables = list(publication(5).tasks)
    rows = [row for table in tables for row in table.to_pylist()]
    identity = [name for name in TASKS.names if name not in MEASUREMENT_COLUMNS]
    lines = sorted(hashlib.sha256(canonical_bytes({name: row[name] for name in identity})).hexdigest() for row in rows)
    assert set_digests(tables).digest == hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
