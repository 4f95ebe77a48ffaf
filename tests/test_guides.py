"""Every guide in docs/: its commands parse, its make targets and links exist."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from flows.cli import app

ROOT = Path(__file__).resolve().parents[1]
GUIDES = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}


def commands(guide: str) -> list[str]:
    """What a guide shows to be typed, a line each, without its comment."""
    whole = GUIDES[guide].replace("\\\n", " ")
    lines = [line.strip().partition("  #")[0] for line in whole.splitlines() if line.startswith("    ")]
    return [part.strip() for text in lines for part in text.split("&&")]


def spoken_of(guide: str) -> list[str]:
    """Commands within a sentence, perhaps without their arguments."""
    return re.findall(r"`((?:sparring|make) [^`]+)`", GUIDES[guide])


def typed(program: str, find: Callable[[str], list[str]] = commands) -> list[tuple[str, str]]:
    return [(guide, one) for guide in GUIDES for one in find(guide) if one.startswith(f"{program} ")]


@pytest.mark.parametrize(("guide", "line"), typed("sparring"))
def test_a_command_of_a_guide_parses(guide: str, line: str) -> None:
    command, name, words, context = _found(line)
    assert command.make_context(name, words, parent=context).params


@pytest.mark.parametrize(("guide", "line"), typed("sparring", spoken_of))
def test_a_command_that_a_guide_speaks_of_is_there(guide: str, line: str) -> None:
    assert _found(line)


def _found(line: str) -> tuple[Any, str, list[str], Any]:
    """The command, its name, what follows it, and the context of its group."""
    command: Any = typer.main.get_command(app)
    name, *words = shlex.split(line)
    context = None
    while hasattr(command, "commands") and words:
        context = command.make_context(name, words[:1], parent=context, resilient_parsing=True)
        name, *words = words
        command = command.commands[name]
    return command, name, words, context


@pytest.mark.parametrize(("guide", "line"), [*typed("make"), *typed("make", spoken_of)])
def test_a_make_target_of_a_guide_is_made(guide: str, line: str) -> None:
    assert re.search(rf"^{line.split()[1]}:.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize(
    ("guide", "target"),
    [(guide, link) for guide, text in GUIDES.items() for link in re.findall(r"\]\((?!http)([^)#]+)[^)]*\)", text)],
)
def test_a_link_of_a_guide_leads_somewhere(guide: str, target: str) -> None:
    assert (ROOT / "docs" / target).exists()


def test_every_guide_is_looked_at() -> None:
    assert {guide for guide, _ in typed("sparring")} >= {
        "curation.md",
        "models.md",
        "nightly.md",
        "report.md",
        "tools.md",
    }
