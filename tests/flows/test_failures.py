"""What goes away in the middle of a run: the run ends and says what to do, and the same command completes it."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flows.server import free_port, healthy
from flows.workdir import open_workdir
from tests.flows.flows_support import Done, sparring
from tests.flows.served_support import ROOT
from tests.policies.fake_server import FakeServer, Handler, answer, serve

pytestmark = pytest.mark.flow
ASKED = ("--tasks", "12", "--seed", "3", "--budget", "1500", "--json", "--store", "store", "--workdir", "work")
RUN = ("run", "--engine", "scripted:latency=2", *ASKED)
PATIENCE = 600
FULL_DISK = """
import errno, os

def _full(handle, sync=os.fsync):
    if os.path.exists("full"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    sync(handle)

os.fsync = _full
"""


@pytest.fixture(scope="module")
def undisturbed(server: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of a run in whose way nothing comes."""
    done = sparring(server, tmp_path_factory.mktemp("undisturbed"), *RUN)
    assert done.code == 0, done.err
    return str(done.manifest["digest"])


@contextmanager
def under_way(environment: dict[str, str], folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """The run, once it has finished a chunk; killed if it is still there at the end."""
    command = [sys.executable, "-m", "flows.cli", *RUN]
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_for(lambda: any((folder / "work" / "chunks").glob("propose/*")), process)
        yield process
    finally:
        process.kill()
        process.wait()


def wait_for(there: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + PATIENCE
    while not there():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.1)


def ended(process: "subprocess.Popen[str]") -> Done:
    out, err = process.communicate(timeout=PATIENCE)
    return Done(process.returncode, out, err)


def is_free(work: Path) -> None:
    """No lock is left: raises if one is."""
    identity = (work / "run.json").read_bytes()
    with pytest.raises(Exception, match="holds another run"), open_workdir(work, {}):
        pass
    assert (work / "run.json").read_bytes() == identity


def test_a_second_run_in_the_same_work_folder_is_refused_and_the_first_unharmed(
    server: dict[str, str], tmp_path: Path, undisturbed: str
) -> None:
    with under_way(server | {"PYTHONPATH": str(ROOT)}, tmp_path) as first:
        second = sparring(server, tmp_path, *RUN)
        done = ended(first)
    assert (second.code, "another run is at work in" in second.err) == (1, True)
    assert "--workdir" in second.err
    assert (done.code, done.manifest["digest"]) == (0, undisturbed)


def test_a_disk_that_fills_up_is_said_and_the_same_command_ends_the_run(
    server: dict[str, str], tmp_path: Path, undisturbed: str
) -> None:
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(FULL_DISK)
    environment = server | {"PYTHONPATH": os.pathsep.join([str(tmp_path / "hook"), str(ROOT)])}
    with under_way(environment, tmp_path) as process:
        (tmp_path / "full").touch()
        done = ended(process)
    assert done.code == 1
    assert "the disk is full: free some space" in done.err
    assert "Traceback" not in done.err
    is_free(tmp_path / "work")
    (tmp_path / "full").unlink()
    again = sparring(server, tmp_path, *RUN)
    assert (again.code, again.manifest["digest"]) == (0, undisturbed)


@contextmanager
def prefect_server(home: Path, port: int) -> Iterator["subprocess.Popen[bytes]"]:
    """A Prefect server as `make server` starts it."""
    environment = os.environ | {"PREFECT_HOME": str(home), "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    home.mkdir(exist_ok=True)
    with (home / "server.log").open("ab") as log:
        process = subprocess.Popen(command, cwd=home, env=environment, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + PATIENCE
        while not healthy(f"http://127.0.0.1:{port}/api"):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.2)
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_a_prefect_server_that_dies_in_the_middle_costs_no_chunk(tmp_path: Path, undisturbed: str) -> None:
    port = free_port()
    environment = dict(os.environ) | {
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_HOME": str(tmp_path / "home"),
        "PREFECT_CLIENT_MAX_RETRIES": "1",  # The default waits for minutes.
        "PYTHONPATH": str(ROOT),
    }
    with prefect_server(tmp_path / "home", port) as first, under_way(environment, tmp_path) as process:
        first.kill()
        done = ended(process)
    assert done.code == 1
    assert "went away in the middle of the run" in done.err
    assert "the same command" in done.err
    assert "Traceback" not in done.err
    is_free(tmp_path / "work")
    with prefect_server(tmp_path / "home", port):
        again = sparring(environment, tmp_path, *RUN)
    assert (again.code, again.manifest["digest"]) == (0, undisturbed)


class Mortal:
    """Answers so many requests, then hangs up for good, as a server that was killed."""

    def __init__(self, lives: int) -> None:
        self.lives = lives

    def __call__(self, handler: Handler) -> None:
        if self.lives:
            self.lives -= 1
            answer("no task")(handler)
        else:
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)


def test_an_engine_server_that_dies_in_the_middle_is_named_and_nothing_is_asked_twice(
    server: dict[str, str], tmp_path: Path
) -> None:
    def command(gone: FakeServer) -> tuple[str, ...]:
        return ("run", "--engine", f"{gone.url}#m", "--tasks", "2", "--budget", "64", "--workdir", "work")

    with serve(*[Mortal(5)] * 500) as engine:
        died = sparring(server, tmp_path, *command(engine))
        before = [body["seed"] for body in engine.bodies]
        assert died.code == 1
        assert engine.url in died.err
        assert "Traceback" not in died.err
        is_free(tmp_path / "work")
        engine.script[:] = [answer("no task")] * 500
        again = sparring(server, tmp_path, *command(engine))
        after = [body["seed"] for body in engine.bodies[len(before) :]]
    assert "none of 64 briefs became a task" in again.err
    assert len(set(after)) == len(after) == 64 - 5
    assert len(set(before) | set(after)) == 64
