"""A Prefect server for the tests that run flows: one for the session, with a home of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from flows import cli
from flows.server import prefect_server


class Done(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest of the version that a `run --json` published."""
        content = (Path(json.loads(self.out)["published"]) / "manifest.json").read_bytes()
        loaded: dict[str, Any] = json.loads(content)
        return loaded


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment in which commands find the server."""
    home = tmp_path_factory.mktemp("prefect")
    kept = dict(os.environ)
    os.environ["PREFECT_HOME"] = str(home)
    os.environ.pop("PREFECT_API_URL", None)
    try:
        with prefect_server(home / "server.log"):
            yield dict(os.environ)
    finally:
        os.environ.clear()
        os.environ.update(kept)


def inside(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> Done:
    """`sparring ...` in this process: for commands that start no server."""
    monkeypatch.setattr(sys, "argv", ["sparring", *arguments])
    code = 0
    try:
        cli.main()
    except SystemExit as end:
        code = int(end.code or 0)
    said = capsys.readouterr()
    return Done(code, said.out, said.err)


def sparring(environment: dict[str, str], folder: Path, *arguments: str) -> Done:
    """`sparring ...` in a process of its own, in `folder`."""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "flows.cli", *arguments],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=900,
    )
    return Done(done.returncode, done.stdout, done.stderr)
