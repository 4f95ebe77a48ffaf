"""What the README shows exists: every command parses, every file it links is there, every make target is made."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from flows.cli import app

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [line.partition("  #")[0].strip() for line in README.splitlines() if line.startswith("    sparring ")]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_readme_parses(line: str) -> None:
    command: Any = typer.main.get_command(app)
    name, *words = shlex.split(line)
    context = None
    while hasattr(command, "commands"):
        context = command.make_context(name, words[:1], parent=context, resilient_parsing=True)
        name, *words = words
        command = command.commands[name]
    assert command.make_context(name, words, parent=context).params


@pytest.mark.parametrize("target", re.findall(r"\]\((?!http)([^)]+)\)", README))
def test_a_link_of_the_readme_leads_somewhere(target: str) -> None:
    assert (ROOT / target).exists()


@pytest.mark.parametrize("target", sorted(set(re.findall(r"make ([a-z]+)", README))))
def test_a_make_target_of_the_readme_is_made(target: str) -> None:
    assert re.search(rf"^{target}:.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
