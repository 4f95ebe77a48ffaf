"""A server of ours gets ready or says why not, and nothing of it outlives whoever started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from data.errors import EngineUnavailable
from policies.server_process import ServerProcess, tail
from policies.vllm_server import VllmServer
from tests.policies.engine_support import FakeEngine, enter, gone

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    return enter(tmp_path, monkeypatch)


def process(engine: FakeEngine, *, deadline: float = 60) -> ServerProcess:
    server = VllmServer(engine.model)
    port = server.address.rpartition(":")[2]
    command = [str(engine.folder / "env/bin/python"), "-I", "-m", "vllm.entrypoints.openai.api_server", "--port", port]
    environment = {"VLLM_API_KEY": "k"}
    return ServerProcess("the server", command, environment, f"{server.address}/health", deadline=deadline, advice=str)


def test_stopping_ends_the_server_and_its_children(engine: FakeEngine) -> None:
    server = process(engine)
    server.start()
    server.stop()
    assert gone(engine.pids, within=1)


def test_a_server_that_gets_not_ready_is_ended_and_its_log_shown(engine: FakeEngine) -> None:
    (engine.folder / "slow").touch()
    with pytest.raises(EngineUnavailable, match=r"(?s)was not ready within 2 s.*loading weights"):
        process(engine, deadline=2).start()
    assert gone(engine.pids, within=1)


def test_a_server_that_ends_at_once_says_why(engine: FakeEngine) -> None:
    (engine.folder / "broken").touch()
    with pytest.raises(EngineUnavailable, match=r"(?s)ended before it was ready.*head size 7.*status 1"):
        process(engine).start()


def test_children_of_a_server_that_died_are_ended(engine: FakeEngine) -> None:
    server = process(engine)
    server.start()
    os.kill(engine.pids[0], signal.SIGKILL)
    assert gone(engine.pids)


def test_a_start_that_was_stopped_before_starts_nothing(engine: FakeEngine) -> None:
    server = process(engine)
    server.stop()
    with pytest.raises(EngineUnavailable, match="was stopped"):
        server.start()
    assert not (engine.folder / "pids").exists()


def test_a_parent_killed_by_minus_nine_leaves_nothing(engine: FakeEngine) -> None:
    program = (
        "import sys, time; from pathlib import Path; from policies.vllm_server import VllmServer\n"
        "server = VllmServer(Path(sys.argv[1])); server.ensure(); print('ready', flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program, str(engine.model)], cwd=ROOT, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"ready\n"
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert gone(engine.pids)


def test_the_end_of_a_log_begins_with_the_first_error(tmp_path: Path) -> None:
    log = tmp_path / "log"
    lines = ["loading", "torch.OutOfMemoryError: CUDA out of memory", "EngineDeadError: see above"]
    log.write_text("\n".join([*lines, *(f"frame {n}" for n in range(100))]))
    shown = tail(log).splitlines()
    assert shown[0].endswith("CUDA out of memory")
    assert shown[-1] == "frame 99"
