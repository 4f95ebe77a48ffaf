"""Real lists of tools and real gold calls, made by other people, pass checks `menu` and `calls`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.records import Verdict
from verifiers.calls import check_calls
from verifiers.menu import Menu, read_menu

SHARED = Path(__file__).parents[3] / "shared"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the real inputs are not beside the repository")

WRONG_GOLDS = {
    "simple_python_200": ("missing_argument", "its gold leaves out `fuel_efficiency`, which its own tool requires"),
}


def lines(name: str) -> Iterator[Any]:
    for line in (SHARED / "real" / "bfcl" / name).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def first(value: Any) -> Any:
    """The first acceptable value; inside objects each value is a list of acceptable ones, "" meaning left out."""
    if isinstance(value, dict):
        return {name: first(inner[0]) for name, inner in value.items() if inner and inner[0] != ""}
    return [first(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("name", "count"), [("aws_dynamodb", 30), ("filesystem", 14), ("git", 12), ("notion", 24), ("playwright", 50)]
)
def test_the_tools_of_mcp_servers_load(name: str, count: int) -> None:
    listed = json.loads((SHARED / "real" / "tools" / f"{name}.json").read_text(encoding="utf-8"))
    menu = read_menu(listed["tools"])
    assert isinstance(menu, Menu), menu
    assert len(menu.tools) == count


@pytest.mark.parametrize("category", ["simple_python", "multiple", "parallel"])
def test_the_golds_of_bfcl_pass(category: str) -> None:
    answers = {row["id"]: row["ground_truth"] for row in lines(f"possible_answer/BFCL_v4_{category}.json")}
    refused = {}
    for row in lines(f"BFCL_v4_{category}.json"):
        menu = read_menu(row["function"])
        assert isinstance(menu, Menu), (row["id"], menu)
        golds = [item for call in answers[row["id"]] for item in call.items()]
        found = check_calls(menu, [{"name": name, "arguments": first(arguments)} for name, arguments in golds])
        if isinstance(found, Verdict):
            refused[row["id"]] = found.code
    assert refused == {name: code for name, (code, _) in WRONG_GOLDS.items() if name.startswith(category)}


def test_the_menus_of_bfcl_without_answers_load() -> None:
    assert all(isinstance(read_menu(row["function"]), Menu) for row in lines("BFCL_v4_irrelevance.json"))


def cases() -> list[Any]:
    path = SHARED / "cases" / "verify.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []
    return [pytest.param(row, id=row["id"]) for row in rows]


@pytest.mark.parametrize("row", cases())
def test_the_cases_come_out_as_they_must(row: Any) -> None:
    expected = row["expected"]
    want = expected["code"] if expected.get("check") in ("menu", "calls") else None
    found: Any = read_menu(row["tools"])
    if isinstance(found, Menu):
        found = check_calls(found, row["calls"], allow_none="unanswerable" in row)
    assert (found.code if isinstance(found, Verdict) else None) == want
