"""A Prefect server for a run: the one that is configured, the one of `make server`, or our own for the time being.

Out: the API's URL in `PREFECT_API_URL`, set before Prefect is imported anywhere (settings are read once). Our own
server is a child that the kernel ends with us, also after kill -9, and keeps its database in `PREFECT_HOME`, so
that `make server` shows the run later. No call leaves this machine: analytics are off.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from data.errors import SparringError

LOCAL_URL = "http://127.0.0.1:4200/api"
START_SECONDS = 300
"""One that ends is seen at once; one on a busy machine or a slow disk takes its time."""
DRAIN_SECONDS = 10
PR_SET_PDEATHSIG = 1
QUIET = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
}


class ServerError(SparringError):
    """No Prefect server to run against."""


def healthy(url: str) -> bool:
    """Whether a Prefect API answers at `url`."""
    try:
        return httpx.get(f"{url}/health", timeout=3, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


@contextmanager
def prefect_server(log: Path) -> Iterator[tuple[str, bool]]:
    """Yield the API's URL and whether it stays after the run; `log` takes the words of a server of our own.

    Raises:
        ServerError: the configured server does not answer, or ours does not come up.
    """
    os.environ.update({key: os.environ.get(key, value) for key, value in QUIET.items()})
    if url := find_server():
        yield url, True
    else:
        with own_server(log, free_port()) as url:
            os.environ["PREFECT_API_URL"] = url
            try:
                yield url, False
            finally:
                del os.environ["PREFECT_API_URL"]


def find_server() -> str:
    """The API's URL of the server that is there for a run, then also in `PREFECT_API_URL`; empty where none is.

    Raises `ServerError` if the configured one does not answer, or either wants a login that this process lacks.
    """
    configured = os.environ.get("PREFECT_API_URL", "")
    if configured and not healthy(configured):
        raise ServerError(
            f"no Prefect server answers at {configured} (PREFECT_API_URL)",
            hint="start it (`make serve`), or unset PREFECT_API_URL: a run then has a server of its own",
        )
    url = configured or (LOCAL_URL if healthy(LOCAL_URL) else "")
    if url:
        _check_admitted(url)
        os.environ["PREFECT_API_URL"] = url
    return url


def _check_admitted(url: str) -> None:
    """Raise `ServerError` if the server wants a login that this process does not have."""
    login = os.environ.get("PREFECT_API_AUTH_STRING", "")
    auth = tuple(login.split(":", 1)) if ":" in login else None
    answer = httpx.get(f"{url}/version", timeout=10, trust_env=False, auth=auth)  # type: ignore[arg-type]
    if answer.status_code in (401, 403):
        raise ServerError(
            f"the Prefect server at {url} wants a login, and PREFECT_API_AUTH_STRING does not have it",
            hint='export PREFECT_API_AUTH_STRING="$(cat .sparring/server-login)"  (see docs/nightly.md)',
        )


@contextmanager
def drained() -> Iterator[None]:
    """At the end, wait until what the run said (logs, task states) has left this process."""
    from prefect.events.worker import EventsWorker
    from prefect.logging.handlers import APILogWorker

    try:
        yield
    finally:
        EventsWorker.drain_all(timeout=DRAIN_SECONDS)
        APILogWorker.drain_all(timeout=DRAIN_SECONDS)


@contextmanager
def own_server(log: Path, port: int) -> Iterator[str]:
    """A server of our own on this machine for as long as the context lasts; raises `ServerError`."""
    url = f"http://127.0.0.1:{port}/api"
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    # Its own folder is not on the path: a package of ours must not shadow one of the server's.
    with child(command, log, cwd=log.parent) as process:
        deadline = time.monotonic() + START_SECONDS
        while not healthy(url):
            late = time.monotonic() > deadline
            if process.poll() is not None or late:
                how = f"did not come up within {START_SECONDS} s" if late else "ended before it was up"
                raise ServerError(f"the Prefect server {how}: {last_line(log)}", hint=f"its words are in {log}")
            time.sleep(0.2)
        yield url


@contextmanager
def child(command: list[str], log: Path, *, cwd: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that writes to `log`, and ends with the context or, by the kernel, with us."""
    libc = ctypes.CDLL(None)
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            # A Ctrl-C is for us: we end our children in the right order.
            start_new_session=True,
            preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM),
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def last_line(log: Path) -> str:
    """What a child said last."""
    return (log.read_text(errors="replace").strip().splitlines() or ["it said nothing"])[-1]


def end_with_worker() -> None:
    """Inside a run of a worker: end (SIGTERM, so that the run is recorded as crashed) when the worker is killed."""
    if "PREFECT__FLOW_RUN_ID" in os.environ:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
