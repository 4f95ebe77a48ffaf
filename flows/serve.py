"""`make serve`: server, work pool, deployments and a worker on this machine, until Ctrl-C.

In: PORT (4200), SECURE=1 for a login, CSRF protection and closed CORS, and Prefect's own settings from the environment.
Out: links on standard output; the words of server and worker in `.sparring/`. All it starts ends with it, also when it
is killed. Not promised: a server for others than this machine (docs/nightly.md says what that takes).
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType

from data.errors import SparringError
from flows.server import QUIET, ServerError, child, healthy, last_line, own_server
from flows.settings import state_home

PARALLEL = 2
"""Runs that the worker has at once."""
GRACE_SECONDS = 20
LOGIN_FILE = "server-login"


def serve(root: Path, port: int, *, secure: bool) -> None:
    """Serve from the checkout at `root` until a signal. Raises `ServerError` if a part does not start, or ends."""
    home = state_home()
    home.mkdir(parents=True, exist_ok=True)
    url = f"http://127.0.0.1:{port}/api"
    if healthy(url):
        raise ServerError(f"a Prefect server is at work at {url} already", hint="end it, or give another PORT=")
    login = home / LOGIN_FILE
    os.environ.update(environment(port, os.environ, login if secure else None))
    if secure:
        os.environ.pop("PREFECT_API_KEY", None)  # It would stand before the login.
    print("starting the Prefect server ...", flush=True)
    with own_server(home / "serve-server.log", port):
        # Only now: Prefect reads its settings once, when it is first imported.
        from flows.provision import POOL, provision

        print("making the work pool, deployments and automations ...", flush=True)
        automations = provision(root)
        command = [sys.executable, "-m", "prefect", "worker", "start", "--type", "process"]
        command += ["--pool", POOL, "--name", "local", "--limit", str(PARALLEL)]
        log = home / "serve-worker.log"
        with child(command, log, cwd=root) as worker:
            try:
                print(links(port, automations, login if secure else None), flush=True)
                while worker.poll() is None:
                    time.sleep(0.5)
                raise ServerError(f"the worker ended: {last_line(log)}", hint=f"its words are in {log}")
            finally:
                end_runs(url)  # Before the worker, which would kill them unheard.


def end_runs(url: str) -> None:
    """End the runs of the server at `url` on this machine while it can hear of it; kill those that do not end."""
    deadline = time.monotonic() + GRACE_SECONDS
    for run in _runs(url):
        _send(run, signal.SIGTERM)
    while (left := _runs(url)) and time.monotonic() < deadline:
        time.sleep(0.2)
    for run in left:
        _send(run, signal.SIGKILL)


def _runs(url: str) -> list[int]:
    """Processes that a worker of this server started, by what it puts into their environment."""
    marks = (b"PREFECT__FLOW_RUN_ID=", f"PREFECT_API_URL={url}\0".encode())
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # It has ended, or is another user's.
            variables = (folder / "environ").read_bytes()
            if all(mark in variables for mark in marks):
                found.append(int(folder.name))
    return found


def _send(process: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)


def environment(port: int, given: Mapping[str, str], login: Path | None) -> dict[str, str]:
    """The settings of server, worker and runs; with a `login` file those of a closed server."""
    settings = {key: given.get(key, value) for key, value in QUIET.items()}
    settings["PREFECT_API_URL"] = f"http://127.0.0.1:{port}/api"
    # The page asks where it came from: so another port or name is no fault.
    settings["PREFECT_UI_API_URL"] = "/api"
    # A server that is never emptied grows without end; the report of a version also lies beside its data.
    settings["PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED"] = "events,flow_runs"
    if login is not None:
        secret = given.get("PREFECT_SERVER_API_AUTH_STRING") or _login(login)
        settings["PREFECT_SERVER_API_AUTH_STRING"] = settings["PREFECT_API_AUTH_STRING"] = secret
        settings["PREFECT_SERVER_API_CSRF_PROTECTION_ENABLED"] = "true"
        settings["PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS"] = f"http://127.0.0.1:{port}"
    return settings


def _login(path: Path) -> str:
    """The login in the file, made once, which its owner alone can read."""
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return path.read_text(encoding="utf-8").strip()
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"sparring:{secrets.token_urlsafe(24)}")
    return path.read_text(encoding="utf-8")


def links(port: int, automations: list[str], login: Path | None) -> str:
    """What to open, and how others reach it."""
    page = f"http://127.0.0.1:{port}"
    lines = [
        "",
        f"  start a run   {page}/deployments   (on-demand, then Run: a form)",
        f"  runs          {page}/runs",
        f"  reports       {page}/v2/artifacts",
        f"  automations   {page}/automations   ({', '.join(automations)})",
        f"  command line  export PREFECT_API_URL={page}/api",
    ]
    if login is not None:
        lines += [
            f"                export PREFECT_API_AUTH_STRING=\"$(cat '{login}')\"",
            f"  login         the page asks once for what is in {login} (or your PREFECT_SERVER_API_AUTH_STRING)",
        ]
    return "\n".join([*lines, "", "Ctrl-C ends all of it.", ""])


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Entry point."""
    for number in (signal.SIGTERM, signal.SIGINT):  # A shell lets its background jobs ignore the second.
        signal.signal(number, _stop)
    try:
        serve(Path.cwd(), int(os.environ.get("PORT") or 4200), secure=os.environ.get("SECURE") == "1")
    except KeyboardInterrupt:
        print("ended", flush=True)
    except SparringError as fault:
        sys.exit(f"sparring: {fault}")


if __name__ == "__main__":
    main()
