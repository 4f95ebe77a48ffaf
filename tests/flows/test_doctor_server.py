"""`sparring doctor` against a Prefect server: pool, worker, deployments, dead runs, the login."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.flows.served_support import ROOT, Served

pytestmark = pytest.mark.flow
IMPATIENT = """
from datetime import timedelta
from flows import cli, doctor_services
doctor_services.SILENCE = timedelta(seconds=1)
cli.main()
"""


def checks(environment: dict[str, str], folder: Path, *python: str) -> dict[str, dict[str, Any]]:
    """The last finding of each check."""
    command = [sys.executable, *(python or ("-m", "flows.cli")), "doctor", "--json", "--store", "store"]
    given = environment | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, timeout=300)
    assert "Traceback" not in done.stderr
    return {one["check"]: one for one in json.loads(done.stdout)["checks"]}


def test_a_bare_server_lacks_pool_and_deployments_and_a_dead_run_is_named(
    server: dict[str, str], tmp_path: Path
) -> None:
    api = server["PREFECT_API_URL"]
    flow = httpx.post(f"{api}/flows/", json={"name": "dead"}, trust_env=False).json()["id"]
    dead = {"flow_id": flow, "name": "lost", "state": {"type": "RUNNING"}}
    run = httpx.post(f"{api}/flow_runs/", json=dead, trust_env=False).json()["id"]
    try:
        said = checks(server, tmp_path, "-c", IMPATIENT)
    finally:
        httpx.delete(f"{api}/flow_runs/{run}", trust_env=False)
    assert [said[name]["mark"] for name in ("prefect", "work pool", "deployments")] == ["ok", "note", "note"]
    assert "without a heartbeat" in said["deployments"]["said"]
    assert said["runs"]["mark"] == "fault"
    assert f"lost ({run})" in said["runs"]["said"]
    assert f"prefect flow-run cancel {run}" in said["runs"]["do"]


def test_what_make_serve_starts_is_well_and_asks_for_the_login(served: Served, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    environment |= {"PREFECT_API_URL": served.api, "PREFECT_HOME": str(tmp_path / "home")}
    locked = checks(environment, tmp_path)["prefect"]
    assert (locked["mark"], "PREFECT_API_AUTH_STRING" in locked["do"]) == ("fault", True)
    said = checks(environment | {"PREFECT_API_AUTH_STRING": served.login}, tmp_path)
    assert {said[name]["mark"] for name in ("prefect", "worker", "deployments", "runs")} == {"ok"}
    assert said["worker"]["said"].endswith("local")
    assert served.login.partition(":")[2] not in json.dumps(said)
