"""Deployments through a real worker, on a server with a login: published, told, cancelled, killed, resumed, refused."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from policies.promotions import demote, promote
from tests.flows.served_support import ROOT, Served, processes, serving
from tests.policies.checkpoint_support import trained
from tests.policies.engine_support import make_model

pytestmark = pytest.mark.flow
SLOW = "scripted:latency=3"


def asked(served: Served, name: str, **more: Any) -> dict[str, Any]:
    folder = served.folder
    return {
        "name": name,
        "engine": "scripted",
        "tasks": 5,
        "budget": 100,
        "store": str(folder / "sets"),
        "workdir": str(folder / "work" / name),
        **more,
    }


def manifest(served: Served, name: str) -> dict[str, Any]:
    """The one version of the set `name`."""
    (path,) = (served.folder / "sets" / name / "versions").glob("*/manifest.json")
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content


@pytest.fixture(scope="module")
def on_demand(served: Served) -> str:
    """A run that was started on demand and ended well."""
    run = served.start("curriculum/on-demand", **asked(served, "asked"))
    state = served.ended(run)
    assert state["type"] == "COMPLETED", state["message"]
    return run


def test_a_run_on_demand_publishes_a_version(served: Served, on_demand: str) -> None:
    assert manifest(served, "asked")["rows"] == 5


def test_a_run_with_a_login_is_recorded_to_its_task_runs(served: Served, on_demand: str) -> None:
    deadline = time.monotonic() + 60
    names: set[str] = set()
    while len(names) < 4 and time.monotonic() < deadline:
        runs = served.post("/task_runs/filter", flow_runs={"id": {"any_": [on_demand]}})
        names = {run["name"].split()[0] for run in runs if run["state_type"] == "COMPLETED"}
    assert names == {"propose", "verify", "solve", "rate"}
    assert served.post("/logs/filter", logs={"flow_run_id": {"any_": [on_demand]}})
    assert served.post("/artifacts/filter", artifacts={"flow_run_id": {"any_": [on_demand]}})


def test_a_published_version_starts_the_training_downstream(served: Served) -> None:
    environment = dict(os.environ) | {"PREFECT_API_URL": served.api, "PREFECT_API_AUTH_STRING": served.login}
    command = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all"]
    subprocess.run(command, cwd=ROOT / "automations" / "training", env=environment, check=True, capture_output=True)
    run = served.start("curriculum/on-demand", **asked(served, "trained-on", seed=7))
    assert served.ended(run)["type"] == "COMPLETED"
    deployment = served.get("/deployments/name/train/on-new-tasks")["id"]
    deadline = time.monotonic() + 120
    while not (runs := served.post("/flow_runs/filter", deployments={"id": {"any_": [deployment]}})):
        assert time.monotonic() < deadline
        time.sleep(1)
    assert served.ended(runs[0]["id"])["type"] == "COMPLETED"
    assert runs[0]["parameters"]["digest"] == manifest(served, "trained-on")["digest"]
    served.ask("DELETE", f"/deployments/{deployment}")


def test_a_night_is_played_by_the_promoted_and_asks_for_its_own_tasks(served: Served) -> None:
    """No engine here opens trained weights: who was to play stands in the plan, and the night says why not."""
    home = served.folder / ".sparring" / "policies"
    one = trained(home, make_model(served.folder / "model"), "one")
    promote(home, one, "a test", {})
    try:
        players = {"engine": "", "generator": "scripted"}
        state = served.ended(served.start("nightly/nightly-curriculum", **asked(served, "night", seed=3) | players))
    finally:
        demote(home, "solver", "the test is over")
    assert state["type"] == "FAILED"
    assert "make engine" in state["message"]
    plan = json.loads((served.folder / "work" / "night" / "plan.json").read_bytes())
    assert (plan["solver"]["checkpoint"], plan["solver"]["round"], plan["generator"]["round"]) == (one.name, 1, 0)
    assert plan["config"]["seed"] > 29_000_000


def test_what_the_form_lets_through_fails_with_every_fault_in_one_message(served: Served) -> None:
    run = served.start("curriculum/on-demand", **asked(served, "wrong", k=9, budget=2, parent="other@v0001"))
    state = served.ended(run)
    assert state["type"] == "FAILED"
    for fault in ("--k-max 8 is below --k 9", "--budget 2 cannot give --tasks 5", "--mode mutate and --parent"):
        assert fault in state["message"]
    assert "pydantic" not in state["message"]


def test_bounds_and_choices_are_refused_before_there_is_a_run(served: Served) -> None:
    with pytest.raises(httpx.HTTPStatusError) as refused:
        served.start("curriculum/on-demand", **asked(served, "wrong", domains=["astrology"]))
    assert "astrology" in refused.value.response.text


def under_way(served: Served, name: str) -> str:
    """A slow run that has finished a chunk and works at the next."""
    run = served.start("curriculum/on-demand", **asked(served, name, engine=SLOW, tasks=30, budget=3000))
    deadline = time.monotonic() + 120
    while not list((served.folder / "work" / name / "chunks").glob("propose*")):
        assert time.monotonic() < deadline, served.worker_log[-3000:]
        time.sleep(0.2)
    return run


def nothing_left(served: Served, run: str, name: str) -> None:
    """Soon there is neither a process of the run nor its lock."""
    deadline = time.monotonic() + 60
    with (served.folder / "work" / name / "lock").open("rb") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not processes(run):
                    return
            except BlockingIOError:
                pass
            assert time.monotonic() < deadline, processes(run)
            time.sleep(0.5)


@pytest.fixture(scope="module")
def undisturbed(served: Served) -> str:
    """The digest of the slow run when nobody disturbs it."""
    run = served.start("curriculum/on-demand", **asked(served, "undisturbed", engine=SLOW, tasks=30, budget=3000))
    state = served.ended(run)
    assert state["type"] == "COMPLETED", state["message"]
    return str(manifest(served, "undisturbed")["digest"])


def test_a_cancelled_run_leaves_nothing_and_can_be_taken_up_again(served: Served, undisturbed: str) -> None:
    run = under_way(served, "cancelled")
    served.set_state(run, "CANCELLING", "Cancelling")
    assert served.ended(run)["type"] == "CANCELLED"
    nothing_left(served, run, "cancelled")
    again = served.start("curriculum/on-demand", **asked(served, "cancelled", engine=SLOW, tasks=30, budget=3000))
    assert served.ended(again)["type"] == "COMPLETED"
    assert manifest(served, "cancelled")["digest"] == undisturbed


def test_a_killed_run_retried_gives_the_digest_of_an_undisturbed_one(served: Served, undisturbed: str) -> None:
    run = under_way(served, "killed")
    for process in processes(run):
        os.kill(process, signal.SIGKILL)
    nothing_left(served, run, "killed")
    # The worker saw its child die; where the worker dies too, the automation of automations/zombies.yaml says the same.
    assert served.ended(run)["type"] == "CRASHED"
    served.set_state(run, "SCHEDULED", "AwaitingRetry")
    served.wait(run, {"RUNNING"})
    assert served.ended(run)["type"] == "COMPLETED"
    assert manifest(served, "killed")["digest"] == undisturbed


def test_ctrl_c_ends_what_it_started_and_the_next_time_the_state_is_true(tmp_path: Path) -> None:
    with serving(tmp_path) as first:
        run = under_way(first, "stopped")
    nothing_left(first, run, "stopped")
    with pytest.raises(httpx.ConnectError):
        first.state(run)
    with serving(tmp_path) as second:
        assert second.state(run)["type"] == "CRASHED"


def test_without_the_login_nothing_is_answered(served: Served) -> None:
    for auth in (None, ("sparring", "guess")):
        answer = httpx.post(f"{served.api}/flow_runs/filter", json={}, auth=auth, trust_env=False)
        assert answer.status_code in (401, 403)
        assert "flow_id" not in answer.text


def test_a_page_of_another_site_can_neither_read_nor_write(served: Served) -> None:
    user, _, password = served.login.partition(":")
    asked = {"auth": (user, password), "headers": {"Origin": "https://evil.example"}, "trust_env": False}
    read = httpx.get(f"{served.api}/version", **asked)  # type: ignore[arg-type]
    assert "access-control-allow-origin" not in read.headers
    write = httpx.post(f"{served.api}/flow_runs/filter", json={}, **asked)  # type: ignore[arg-type]
    assert write.status_code == 403
    assert "CSRF" in write.text


def test_the_login_is_its_owner_s_alone(served: Served) -> None:
    assert (served.folder / ".sparring" / "server-login").stat().st_mode & 0o777 == 0o600


def test_sparring_run_without_the_login_says_how_to_get_it(served: Served, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    environment |= {"PREFECT_API_URL": served.api, "PYTHONPATH": str(ROOT), "PREFECT_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "flows.cli", "run", "--engine", "scripted"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "PREFECT_API_AUTH_STRING" in done.stderr
