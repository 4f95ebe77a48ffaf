"""A server of ours as a process: started, waited for, watched, stopped; it never outlives this process.

In: a command, its environment, and the URL that answers 200 once it is ready. Out: a server that answers, or
`EngineUnavailable` with the end of its log. It runs on a leash (`policies.leash`) in a process group of its own, which
ends with this process, also on kill -9. Its log lies in a temporary folder, which is also its working folder, and
which is kept if the server failed. Every method may be called from any thread; `start` waits there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

import httpx

from data.errors import EngineUnavailable
from policies import leash

TAIL_LINES = 12
LINE_CHARACTERS = 300
LOG_BYTES = 256 << 10
"""As much of a log's end is looked at."""
STOP = leash.GRACE + 5.0


class ServerProcess:
    """One server, started once."""

    def __init__(
        self,
        what: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        health: str,
        *,
        deadline: float,
        advice: Callable[[str], str],
    ) -> None:
        """`command` begins with a Python, which also runs the leash; `deadline` is the time to get ready, in seconds;
        `advice` says what to do, given the end of the log of a server that failed.
        """
        self._what, self._command, self._environment = what, list(command), dict(environment)
        self._health, self._deadline, self._advice = health, deadline, advice
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: Path | None = None
        self._stopping = threading.Event()
        self._spawning = threading.Lock()
        self._ready = False

    @property
    def running(self) -> bool:
        """Whether it got ready and has not ended since."""
        return self._ready and self._alive

    @property
    def log(self) -> Path | None:
        """The log of the last start."""
        return self._folder / "server.log" if self._folder else None

    def start(self) -> float:
        """Start and wait until it is ready; the seconds that took. Raises `EngineUnavailable`, and then it is ended."""
        begin = time.monotonic()
        with self._spawning:
            if not self._stopping.is_set():
                self._folder = Path(tempfile.mkdtemp(prefix="sparring-server-"))
                with (self._folder / "server.log").open("wb") as log:
                    self._process = self._spawn(log)
        while not self._stopping.wait(0.1):
            if not self._alive:
                raise self._failed("ended before it was ready")
            if self._healthy():
                self._ready = True
                return time.monotonic() - begin
            if time.monotonic() - begin > self._deadline:
                self._end()
                raise self._failed(f"was not ready within {self._deadline:g} s")
        raise EngineUnavailable(f"{self._what} was stopped before it was ready")

    def stop(self) -> None:
        """End it, and a start under way; when this returns nothing of it runs. Calling it twice is fine."""
        self._stopping.set()
        with self._spawning:
            self._end()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def fault(self) -> EngineUnavailable | None:
        """That it has ended by itself, with the end of its log; else None."""
        ended = self._ready and not self._alive and not self._stopping.is_set()
        return self._failed("ended by itself") if ended else None

    @property
    def _alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _spawn(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [self._command[0], "-I", leash.__file__, *self._command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env={**os.environ, **self._environment},
                start_new_session=True,
            )
        except OSError as fault:
            raise EngineUnavailable(f"{self._what} cannot be started: {fault}", hint="run `make engine`") from fault

    def _healthy(self) -> bool:
        try:
            # A proxy in the environment must not get between us and this machine.
            return httpx.get(self._health, timeout=2, trust_env=False).status_code == 200
        except httpx.HTTPError:
            return False

    def _end(self) -> None:
        """Let go of the leash and wait for it; it ends the group."""
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _failed(self, how: str) -> EngineUnavailable:
        said = tail(self.log) if self.log else ""
        return EngineUnavailable(
            f"{self._what} {how}; its log {self.log} ends:\n{_indented(said)}", hint=self._advice(said)
        )


def tail(log: Path) -> str:
    """The last lines of a log, and before them the first error in it: those after it follow from it."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - LOG_BYTES))
            lines = [line.rstrip() for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    except OSError:
        return ""
    last = lines[-TAIL_LINES:]
    errors = [line for line in lines[:-TAIL_LINES] if "Error: " in line]
    return "\n".join(line[:LINE_CHARACTERS] for line in errors[:1] + last)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
