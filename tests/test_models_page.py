"""What docs/models.md shows exists: every command parses."""

from pathlib import Path

import pytest

from tests.test_readme import test_a_command_of_the_readme_parses as parses

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "models.md").read_text(encoding="utf-8")
COMMANDS = [line.strip() for line in PAGE.splitlines() if line.startswith("    sparring ")]


def test_the_page_shows_commands() -> None:
    assert len(COMMANDS) >= 5


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_page_parses(line: str) -> None:
    parses(line)
