"""The table that decides: every row of the shared cases, in process."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from verifiers.lines import score_line, verify_line

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
TABLES: dict[str, Callable[[bytes, int], dict[str, Any]]] = {
    "verify": verify_line,
    "completions": verify_line,
    "score": score_line,
}
ROWS = [
    (name, json.loads(line))
    for name in TABLES
    if (CASES / f"{name}.jsonl").exists()
    for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    if line.strip()
]


@pytest.mark.skipif(not ROWS, reason="the shared cases are not beside this checkout")
@pytest.mark.parametrize(("table", "row"), ROWS, ids=lambda value: value["id"] if isinstance(value, dict) else value)
def test_a_row_comes_out_as_the_table_says(table: str, row: dict[str, Any]) -> None:
    expected = row["expected"]
    line = json.dumps({key: value for key, value in row.items() if key not in ("expected", "why")}).encode()
    answer = TABLES[table](line, 1)
    first = (answer.get("reasons") or [{}])[0]
    found = {**answer, "check": first.get("check"), "code": first.get("code")}
    assert {key: found[key] for key in expected} == {
        key: pytest.approx(value, abs=1e-4) if key == "reward" else value for key, value in expected.items()
    }
