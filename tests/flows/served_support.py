"""`make serve SECURE=1` as a person has it, in a folder of its own that stands for the checkout; and its API."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from flows.server import free_port

ROOT = Path(__file__).resolve().parents[2]
PARTS = (
    "flows",
    "generator",
    "solver",
    "verifiers",
    "policies",
    "data",
    "automations",
    "prefect.yaml",
    "pyproject.toml",
)
PATIENCE = 240
ENDED = {"COMPLETED", "FAILED", "CANCELLED", "CRASHED"}


class Served:
    """A server with worker and deployments, and a person who has the login."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.api = f"http://127.0.0.1:{port}/api"
        self.login = (folder / ".sparring" / "server-login").read_text()
        user, _, password = self.login.partition(":")
        self.client = httpx.Client(base_url=self.api, auth=(user, password), timeout=30, trust_env=False)
        token = self.client.get("/csrf-token", params={"client": "tests"}).json()["token"]
        self.client.headers.update({"Prefect-Csrf-Client": "tests", "Prefect-Csrf-Token": token})

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Asked again while the database is busy, as Prefect's own client does."""
        for _ in range(20):
            if (answer := self.client.request(method, path, **more)).status_code != 503:
                break
            time.sleep(1)
        return answer.raise_for_status()

    def get(self, path: str) -> Any:
        return self.ask("GET", path).json()

    def post(self, path: str, **body: Any) -> Any:
        return self.ask("POST", path, json=body).json()

    def start(self, deployment: str, **config: Any) -> str:
        """A run as the form starts it; its id."""
        found = self.get(f"/deployments/name/{deployment}")
        made = self.post(f"/deployments/{found['id']}/create_flow_run", parameters={"config": config})
        return str(made["id"])

    def state(self, run: str) -> Any:
        return self.get(f"/flow_runs/{run}")["state"]

    def set_state(self, run: str, kind: str, name: str) -> None:
        self.post(f"/flow_runs/{run}/set_state", state={"type": kind, "name": name})

    def ended(self, run: str) -> Any:
        """The state in which the run ended."""
        return self.wait(run, ENDED)

    def wait(self, run: str, kinds: set[str]) -> Any:
        deadline = time.monotonic() + PATIENCE
        while (state := self.state(run))["type"] not in kinds:
            assert time.monotonic() < deadline, f"still {state['type']}: {state['message']}; {self.worker_log[-3000:]}"
            time.sleep(0.5)
        return state

    @property
    def worker_log(self) -> str:
        return (self.folder / ".sparring" / "serve-worker.log").read_text(errors="replace")


def processes(run: str) -> list[int]:
    """The processes of a flow run, by the mark that the worker puts into their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"PREFECT__FLOW_RUN_ID={run}".encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """`make serve SECURE=1` in `folder` until the context ends with Ctrl-C."""
    for part in PARTS:
        if not (folder / part).exists():
            (folder / part).symlink_to(ROOT / part)
    port = free_port()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    environment = kept | {
        "PREFECT_HOME": str(folder / "prefect"),
        "PREFECT_WORKER_QUERY_SECONDS": "1",
        "PYTHONPATH": str(folder),
        "PORT": str(port),
        "SECURE": "1",
        "SPARRING_ENGINE_ENV": str(folder / "no-engine"),
    }
    said = folder / "serve.log"
    with said.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "flows.serve"], cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        deadline = time.monotonic() + PATIENCE
        while "Ctrl-C" not in said.read_text():
            assert process.poll() is None, said.read_text()
            assert time.monotonic() < deadline, said.read_text()
            time.sleep(0.5)
        yield Served(folder, port)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=90)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One for the session."""
    with serving(tmp_path_factory.mktemp("checkout")) as made:
        yield made
