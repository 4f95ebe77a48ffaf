"""The house rules a machine can hold: who may import whom, and how long a file may be."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("flows", "generator", "solver", "verifiers", "policies", "data")
LEAVES = {"data.records", "data.errors", "data.canonical"}

# A room may import itself, and of the others only modules that start with one of these names.
ALLOWED: dict[str, set[str]] = {
    "flows": set(ROOMS),
    "generator": {"policies.protocol", "verifiers", "data"},
    "solver": {"policies.protocol", "verifiers", "data"},
    "verifiers": LEAVES,
    "policies": LEAVES | {"data.atomic"},
    "data": set(),
}
PREFECT = {"prefect", "prefect_ray", "prefect_dask"}
FILES = sorted(p for room in ROOMS for p in (ROOT / room).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py")) + sorted((ROOT / "benchmarks").rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Absolute dotted names that a file imports, also inside functions."""
    names: set[str] = set()
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0:
                base = node.module or ""
            else:
                base = ".".join([*package[: len(package) - node.level + 1], *(node.module or "").split(".")]).rstrip(
                    "."
                )
            names |= {f"{base}.{alias.name}" for alias in node.names} if base in ROOMS else {base}
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    for name in imported(path):
        top = name.split(".")[0]
        if top in PREFECT:
            assert room == "flows", f"{path} imports {name}: flows/ alone knows Prefect"
        if top in ROOMS and top != room:
            fits = any(name == good or name.startswith(good + ".") for good in ALLOWED[room])
            assert fits, f"{path} imports {name}, which {room}/ may not"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_are_at_most_400_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


@pytest.mark.parametrize("path", TESTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_tests_are_at_most_500_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
