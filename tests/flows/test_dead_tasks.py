"""What a killed run left Running on the server is Crashed once the run is taken up again, and nothing else is."""

import os
import subprocess
import sys
from typing import Any

import httpx
import pytest

from tests.flows.served_support import ROOT

pytestmark = pytest.mark.flow
RUNNING = {"type": "RUNNING"}


def test_what_a_killed_attempt_left_is_crashed_and_others_are_left_alone(server: dict[str, str]) -> None:
    client = httpx.Client(base_url=server["PREFECT_API_URL"], trust_env=False, timeout=60)

    def post(path: str, **body: Any) -> str:
        return str(client.post(path, json=body).raise_for_status().json()["id"])

    def task(run: str, kind: str = "RUNNING") -> str:
        return post("/task_runs/", flow_run_id=run, task_key="t", dynamic_key=os.urandom(4).hex(), state={"type": kind})

    def state(path: str) -> str:
        return str(client.get(path).raise_for_status().json()["state_type"])

    flow = post("/flows/", name="buried")
    mine, other = (post("/flow_runs/", flow_id=flow, state=RUNNING) for _ in range(2))
    dead, waiting, done, elsewhere = task(mine), task(mine, "PENDING"), task(mine, "COMPLETED"), task(other)
    child = post("/flow_runs/", flow_id=flow, state=RUNNING, parent_task_run_id=dead)
    grandchild = task(child)
    environment = server | {"PYTHONPATH": str(ROOT), "PREFECT__RUNTIME__FLOW_RUN__ID": mine}
    command = [sys.executable, "-c", "from flows.dead_tasks import bury; bury()"]
    subprocess.run(command, env=environment, cwd=ROOT, check=True, timeout=300)
    found = {one: state(f"/task_runs/{one}") for one in (dead, waiting, grandchild, done, elsewhere)}
    assert list(found.values()) == ["CRASHED", "CRASHED", "CRASHED", "COMPLETED", "RUNNING"]
    assert [state(f"/flow_runs/{one}") for one in (child, mine, other)] == ["CRASHED", "RUNNING", "RUNNING"]
    for one in (mine, other, child):
        client.delete(f"/flow_runs/{one}").raise_for_status()
