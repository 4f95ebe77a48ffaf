"""docs/tools.md: its files are what they are said to be, and its commands do what it says."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from generator.catalogue import load_catalogue
from tests.flows.flows_support import sparring

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)```", GUIDE, re.S))
COMMANDS = [line.strip() for line in GUIDE.splitlines() if line.startswith("    sparring ")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def test_the_guide_has_a_file_for_each_of_its_commands() -> None:
    assert set(FILES) == {"tools.json", "shop.yaml", "server.py"}
    assert [next(name for name in FILES if name in command) for command in COMMANDS] == list(FILES)


def test_the_document_of_the_guide_makes_the_tools_it_says(folder: Path) -> None:
    catalogue = load_catalogue(folder / "shop.yaml")
    taken = {entry.name: set(entry.parameters["properties"]) for entry in catalogue.entries}  # type: ignore[arg-type]
    assert taken == {
        "getOrder": {"orderNumber"},
        "patch_orders_orderNumber": {"orderNumber", "carrier", "gift"},
    }
    assert [one.name for one in catalogue.refused] == ["addPhoto", "orderShipped"]


@pytest.mark.flow
@pytest.mark.parametrize("command", COMMANDS, ids=list(FILES))
def test_a_command_of_the_guide_publishes_its_tasks(server: dict[str, str], folder: Path, command: str) -> None:
    if "mcp:" in command:
        pytest.importorskip("mcp")
    words = shlex.split(command.replace("mcp:python ", f"mcp:{shlex.quote(sys.executable)} "))[1:]
    done = sparring(server, folder, *words, "--store", "store")
    assert done.code == 0, done.err
    assert f"{words[-1]} tasks published" in done.out
    told = {line.split(": ")[1] for line in done.err.splitlines() if line.startswith("left out of the tools: ")}
    assert told == ({"addPhoto", "orderShipped"} if "shop.yaml" in command else set())
