"""docs/nightly.md: its commands exist with their options, and those without an id are done on a real server."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
import yaml

from flows.cli import app
from tests.flows.served_support import Served

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "nightly.md").read_text(encoding="utf-8")
LINES = [line.strip() for line in GUIDE.splitlines() if line.startswith("    ")]
SPANS = re.findall(r"`((?:prefect|make|sparring|python) [^`]+)`", GUIDE)
COMMANDS = [part.strip() for line in (*LINES, *SPANS) for part in line.split("&&")]
PREFECT = [command for command in COMMANDS if command.startswith("prefect ")]
RUNS = [command for command in LINES if command.startswith("prefect deployment run")]


def prefect(words: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "prefect", *words]
    given = dict(os.environ) | {"COLUMNS": "200"} | environment
    return subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("command", PREFECT)
def test_a_command_of_prefect_s_exists_with_its_options(command: str, tmp_path: Path) -> None:
    words = shlex.split(command)[1:]
    verb = [word for word in words if re.fullmatch(r"[a-z][a-z-]+", word)][: 3 if "schedule" in words else 2]
    done = prefect([*verb, "--help"], PREFECT_HOME=str(tmp_path))
    assert done.returncode == 0
    for option in (word for word in words if word.startswith("--") and word != "--no-prompt"):
        assert option in done.stdout


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.startswith("make ")])
def test_a_make_target_is_there(command: str) -> None:
    assert re.search(rf"^{command.split()[1]}:.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.startswith("sparring ")])
def test_a_command_of_ours_parses(command: str) -> None:
    words = shlex.split(command)[1:]
    group = typer.main.get_command(app)
    while hasattr(group, "commands"):
        group = group.commands[words.pop(0)]
    assert group.make_context("sparring", words).params


@pytest.mark.parametrize("target", re.findall(r"\]\((?!http)([^)]+)\)", GUIDE))
def test_a_link_leads_somewhere(target: str) -> None:
    assert (ROOT / "docs" / target).exists()


def test_the_guide_lists_the_deployments_that_there_are() -> None:
    deployments = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    listed = re.findall(r"^\| `[a-z]+/([a-z-]+)` \| `(.*)` \|", GUIDE, re.M)
    assert listed == [(one["name"], one["entrypoint"].partition(":")[0]) for one in deployments]


@pytest.mark.flow
@pytest.mark.parametrize("command", RUNS)
def test_a_run_of_the_guide_is_accepted_by_the_server(served: Served, command: str, tmp_path: Path) -> None:
    access = {"PREFECT_API_URL": served.api, "PREFECT_API_AUTH_STRING": served.login, "PREFECT_HOME": str(tmp_path)}
    # Not now, so that no worker takes it.
    done = prefect([*shlex.split(command)[1:], "--start-in", "3 days"], **access)
    assert done.returncode == 0, done.stdout + done.stderr
    if "--params" in command:
        assert json.loads(shlex.split(command)[-1])["config"]
    for look in ("flow-run ls", "deployment schedule ls nightly/nightly-curriculum"):
        assert prefect(look.split(), **access).returncode == 0
