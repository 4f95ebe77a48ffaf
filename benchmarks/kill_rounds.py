"""kill -9 at random moments of a deployment's run, again and again: nothing lost, nothing twice.

    python -m benchmarks.kill_rounds [--rounds 20] [--seed 1]

Each round starts `curriculum/on-demand` on a server with a worker (`make serve`, in a folder of its own), kills the
process of the flow run (that one alone: what it started has to end by itself) up to three times at random moments of
its life, and each time lets Prefect run it again. Then all of it must be as after an undisturbed run: the digests of
tasks and measurements, the ledger but for its seconds, one version; and nothing may be left: no process, no lock, no
file of a dead writer, no task run or flow run that still claims to be at work. The first difference ends the program.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import signal
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from data.garbage import remnants
from data.storage import open_storage
from tests.flows.served_support import ENDED, Served, processes, serving

ENGINE = "scripted:latency=1"
MOST_KILLS = 3
PATIENCE = 600
"""Seconds after which something is said to hang."""


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """What a run comes to when nobody kills it, and how long its process lives, in seconds."""

    digest: str
    measurement_digest: str
    ledger: list[Any]
    seconds: float


def start(served: Served, name: str) -> str:
    """A run of the same tasks under this name; its id."""
    folder = served.folder
    places = {"store": str(folder / "sets" / name), "workdir": str(folder / "work" / name)}
    return served.start("curriculum/on-demand", name="killed", engine=ENGINE, tasks=30, budget=3000, **places)


def undisturbed(served: Served) -> Undisturbed:
    """A run that nobody kills."""
    run = start(served, "calm")
    begin = appeared(served, run)
    completed(served, run)
    seconds = time.monotonic() - begin
    manifest = the_version(served, "calm")
    return Undisturbed(manifest["digest"], manifest["measurement_digest"], bins(manifest), seconds)


def one_round(served: Served, name: str, calm: Undisturbed, random: Random) -> str:
    """Kill a run, let it be run again, and compare; what happened, in a line. Raises `AssertionError`."""
    run = start(served, name)
    moments = []
    for _ in range(random.randint(1, MOST_KILLS)):
        begin = appeared(served, run)
        moment = random.uniform(0, calm.seconds)
        while time.monotonic() - begin < moment and served.state(run)["type"] not in ENDED:
            time.sleep(0.05)
        if not (alive := processes(run)):
            break  # It was done before its moment came.
        with suppress(ProcessLookupError):
            os.kill(min(alive), signal.SIGKILL)
        moments.append(f"{time.monotonic() - begin:.1f} s")
        nothing_left(served, run, name)
        state = served.ended(run)
        if state["type"] == "COMPLETED":
            break  # Killed on its way out.
        assert state["type"] == "CRASHED", f"after kill -9 the UI says {state['type']}: {state['message']}"
        retry(served, run)
    completed(served, run)
    nothing_left(served, run, name)
    manifest = the_version(served, name)
    for field in ("digest", "measurement_digest"):
        assert manifest[field] == getattr(calm, field), f"{field} differs after a kill at {moments}"
    assert bins(manifest) == calm.ledger, f"the ledger differs after a kill at {moments}"
    left = [one for one in remnants(open_storage(served.folder / "sets" / name)) if one.kind != "temporary"]
    return f"{name}: killed after {', '.join(moments) or 'its end'}; equal; {len(left)} remnants in the store"


def retry(served: Served, run: str) -> None:
    """As the button does."""
    served.set_state(run, "SCHEDULED", "AwaitingRetry")


def appeared(served: Served, run: str) -> float:
    """When the process of the run is there."""
    deadline = time.monotonic() + PATIENCE
    while not processes(run):
        if served.state(run)["type"] == "CRASHED":  # The worker reported the last death only now.
            retry(served, run)
        assert time.monotonic() < deadline, served.worker_log[-3000:]
        time.sleep(0.2)
    return time.monotonic()


def completed(served: Served, run: str) -> None:
    """Wait for a good end, and for the server to have heard of every task run's."""
    deadline = time.monotonic() + PATIENCE
    while (state := served.state(run))["type"] != "COMPLETED":
        assert state["type"] not in ENDED - {"CRASHED"}, state["message"]
        if state["type"] == "CRASHED" and not processes(run):  # As in `appeared`.
            retry(served, run)
        assert time.monotonic() < deadline, f"still {state['type']}: {served.worker_log[-3000:]}"
        time.sleep(1)
    while at_work := unfinished(served, run):
        assert time.monotonic() < deadline, f"done, yet the UI shows at work: {at_work}"
        time.sleep(1)


def unfinished(served: Served, run: str) -> list[str]:
    """Task runs of the run that are not at an end, by the server."""
    runs = served.post("/task_runs/filter", flow_runs={"id": {"any_": [run]}})
    return [f"{one['name']} {one['state_type']}" for one in runs if one["state_type"] not in ENDED]


def nothing_left(served: Served, run: str, name: str) -> None:
    """Soon there is neither a process of the run nor its lock."""
    deadline = time.monotonic() + 60
    lock = served.folder / "work" / name / "lock"
    while processes(run) or (lock.exists() and locked(lock)):
        assert time.monotonic() < deadline, f"left behind: processes {processes(run)}, lock {lock}"
        time.sleep(0.2)


def locked(path: Path) -> bool:
    """Whether somebody holds the lock."""
    with path.open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def the_version(served: Served, name: str) -> dict[str, Any]:
    """The manifest of the one version that the log names."""
    home = served.folder / "sets" / name / "killed"
    entries = [json.loads(path.read_bytes()) for path in (home / "log").glob("*.json")]
    assert len(entries) == 1, f"{len(entries)} versions were published"
    manifest: dict[str, Any] = json.loads((home / "versions" / entries[0]["version"] / "manifest.json").read_bytes())
    return manifest


def bins(manifest: dict[str, Any]) -> list[Any]:
    """The ledger without its seconds, which a resumed run has others of."""
    return [{key: value for key, value in row.items() if key != "seconds"} for row in manifest["ledger"]]


def main() -> None:
    """Run the rounds and say how each went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as served:
        calm = undisturbed(served)
        print(f"undisturbed: {calm.seconds:.1f} s, digest {calm.digest[:12]}", flush=True)
        for number in range(options.rounds):
            print(one_round(served, f"round-{number}", calm, Random(f"{options.seed}:{number}")), flush=True)
    print(f"{options.rounds} rounds: nothing lost, nothing twice")


if __name__ == "__main__":
    main()
