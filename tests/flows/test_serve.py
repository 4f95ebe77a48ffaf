"""`make serve` before anything is started: settings, the login, the end of what it starts; and what a log may say."""

import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from prefect.logging import get_logger

from flows import runlog
from flows.serve import environment, links

ROOT = Path(__file__).resolve().parents[2]


def test_a_closed_server_has_a_login_csrf_and_no_other_origin(tmp_path: Path) -> None:
    settings = environment(4300, {}, tmp_path / "login")
    assert settings["PREFECT_SERVER_API_AUTH_STRING"] == settings["PREFECT_API_AUTH_STRING"]
    assert settings["PREFECT_SERVER_API_CSRF_PROTECTION_ENABLED"] == "true"
    assert settings["PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS"] == "http://127.0.0.1:4300"


def test_the_login_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    first, second = (environment(4300, {}, tmp_path / "login") for _ in range(2))
    assert first == second
    assert len(first["PREFECT_API_AUTH_STRING"]) > 30
    assert (tmp_path / "login").stat().st_mode & 0o777 == 0o600


def test_a_login_from_the_environment_is_taken_and_not_written_down(tmp_path: Path) -> None:
    given = {"PREFECT_SERVER_API_AUTH_STRING": "me:mine"}
    assert environment(4300, given, tmp_path / "login")["PREFECT_API_AUTH_STRING"] == "me:mine"
    assert not (tmp_path / "login").exists()


def test_the_links_do_not_show_the_login(tmp_path: Path) -> None:
    settings = environment(4300, {}, tmp_path / "login")
    said = links(4300, ["a"], tmp_path / "login")
    assert "http://127.0.0.1:4300" in said
    assert settings["PREFECT_API_AUTH_STRING"] not in said


RUN = "from flows.server import end_with_worker as e; e(); print('ready', flush=True); import time; time.sleep(60)"
WORKER = """
import os, subprocess, sys, time
run = subprocess.Popen([sys.executable, "-c", sys.argv[1]], env=os.environ | {"PREFECT__FLOW_RUN_ID": "one"})
print(run.pid, flush=True)
time.sleep(60)
"""


def test_a_run_ends_with_its_killed_worker() -> None:
    command = [sys.executable, "-c", WORKER, RUN]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    worker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
    assert worker.stdout
    said = [worker.stdout.readline().strip() for _ in range(2)]
    (run,) = (Path(f"/proc/{word}/status") for word in said if word != "ready")
    worker.kill()
    worker.wait()
    deadline = time.monotonic() + 30
    while run.exists() and "State:\tZ" not in run.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_log_line_and_its_traceback_hold_no_credential() -> None:
    try:
        raise ValueError("refused: Bearer abcdef123456")
    except ValueError:
        record = logging.LogRecord("x", 40, "", 1, "key %s", ("sk-abcdefghijklmnopqrst",), sys.exc_info())
    assert runlog.without_credentials(record)
    said = logging.Formatter().format(record)
    assert "sk-abc" not in said
    assert "abcdef123456" not in said
    assert "ValueError" in said


@pytest.mark.parametrize("name", ["sparring", "prefect.flow_runs", "prefect.task_runs"])
def test_the_logs_of_runs_pass_the_redaction(name: str) -> None:
    runlog.configure()
    assert runlog.without_credentials in get_logger(name).filters
