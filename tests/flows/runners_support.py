"""Runs on clusters in tests: the environment, a cluster of their own, a process of it to be killed, what came out."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from data.storage import Storage, open_storage
from tests.flows.flows_support import Done

ROOT = Path(__file__).resolve().parents[2]
RUN = ("run", "--engine", "scripted:latency=0.5", "--tasks", "40", "--budget", "1500", "--seed", "5", "--k", "4")


def placed(url: str, runner: str) -> tuple[str, ...]:
    """The command of a run whose files all lie in a bucket."""
    return (*RUN, "--json", "--store", f"{url}/sets", "--workdir", f"{url}/work", "--runner", runner)


def start(environment: dict[str, str], folder: Path, url: str, runner: str) -> subprocess.Popen[str]:
    """The same run as a process, which is at work when this returns: its first chunk is there."""
    process = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", *placed(url, runner)],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    chunks = open_storage(f"{url}/work/chunks")
    until(lambda: process.poll() is not None or any(chunks.items()))
    assert process.poll() is None, "the run ended before it could be disturbed"
    return process


def said(manifest: dict[str, Any]) -> dict[str, Any]:
    """What two runs of the same parameters must agree on."""
    ledger = [(row["stage"], row["code"], row["count"], row["tokens"]) for row in manifest["ledger"]]
    return {name: manifest[name] for name in ("digest", "measurement_digest", "rows", "version")} | {"ledger": ledger}


def published(done: Done) -> dict[str, Any]:
    """The same of a run that went well, wherever its version lies."""
    assert done.code == 0, done.err
    last = done.out.splitlines()[-1]  # Before it Ray may have said that a process died.
    version: Storage = open_storage(json.loads(last)["published"])
    return said(json.loads(version.read("manifest.json")))


@contextmanager
def cluster(environment: dict[str, str], folder: Path, workers: int = 2) -> Iterator[str]:
    """The address of a Dask scheduler with workers, each in a folder of its own."""
    here = folder / "scheduler.json"
    scheduler = ["scheduler", "--scheduler-file", str(here), "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    worker = ["worker", "--scheduler-file", str(here), "--nthreads", "1", "--no-dashboard"]
    parts = []
    try:
        for place, arguments in enumerate([scheduler, *[worker] * workers]):
            home = folder / f"part{place}"
            home.mkdir()
            command = [sys.executable, "-m", "dask", *arguments]
            log = (home / "log").open("wb")
            parts.append(subprocess.Popen(command, cwd=home, env=environment, stdout=log, stderr=log))
            until(here.exists)
        yield json.loads(here.read_text())["address"]
    finally:
        for part in reversed(parts):
            part.terminate()
            part.wait(timeout=60)


def children(pid: int, words: bytes) -> list[int]:
    """The processes directly below one, whose command line holds `words`."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found += [int(entry.name)] if words in (entry / "cmdline").read_bytes() else []
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def at_work(pid: int, runner: str) -> list[int]:
    """The processes of a run's own cluster that do its steps; those of Ray are named by the step they are at."""
    if runner.startswith("dask"):
        return children(pid, b"spawn_main")
    steps = (b"ray::propose", b"ray::verify", b"ray::solve", b"ray::rate")
    return [one for raylet in children(pid, b"raylet") for step in steps for one in children(raylet, step)]


def alive(pid: int) -> bool:
    """Whether a process is there and does something."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def until(true: Callable[[], bool], seconds: float = 240) -> None:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)
