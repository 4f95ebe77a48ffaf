"""What a run leaves in Prefect's database, and how fast the pages that show it open.

    python -m benchmarks.prefect_rows [--candidates 20000]

A scripted run (`sparring run`) with a server of its own; then its database is counted, and a server is started on it.
A page is what the browser asks for: the document with its scripts and styles, then the API calls that V2 of the UI
makes for it, one after the other, so that a page in a browser, which asks side by side, is no slower. Each page is
opened `--times` times; the slowest counts. Beside it the processor time of the server, which is what a page takes on a
machine with a core to spare. Not measured: the browser's own work.
"""

from __future__ import annotations

import argparse
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from benchmarks.scale import asking, database, environment
from flows.server import free_port, own_server

TABLES = ("flow_run", "task_run", "task_run_state", "log", "artifact", "events", "event_resources")


def run(folder: Path, candidates: int) -> float:
    """The run; its wall time in seconds."""
    command = [sys.executable, "-m", "flows.cli", *asking(folder, candidates), "--engine", "scripted"]
    begin = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"the run ended with {done.returncode}: {done.stderr}")
    return time.monotonic() - begin


def rows(path: Path) -> dict[str, int]:
    """Rows of each table."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        return {table: connection.execute(f"select count(*) from {table}").fetchone()[0] for table in TABLES}


def pages(client: httpx.Client, run_id: str) -> dict[str, list[tuple[str, Any]]]:
    """For each page the API calls behind it: a path and a body (None for GET)."""
    only = {"flow_runs": {"id": {"any_": [run_id]}}}
    artifacts = client.post("/api/artifacts/filter", json=only).raise_for_status().json()
    reports = [one["id"] for one in artifacts if one["type"] == "markdown"]
    return {
        "runs": [
            ("/api/flow_runs/filter", {"sort": "START_TIME_DESC", "limit": 50}),
            ("/api/flow_runs/count", {}),
            ("/api/task_runs/filter", {"sort": "EXPECTED_START_TIME_DESC", "limit": 50}),
            ("/api/task_runs/count", {}),
        ],
        "the run": [
            (f"/api/flow_runs/{run_id}", None),
            (f"/api/flow_runs/{run_id}/graph-v2", None),
            ("/api/logs/filter", {"logs": {"flow_run_id": {"any_": [run_id]}}, "limit": 200, "sort": "TIMESTAMP_ASC"}),
            ("/api/task_runs/filter", only | {"limit": 200}),
            ("/api/task_runs/count", only),
            ("/api/artifacts/filter", only),
        ],
        "the report": [(f"/api/artifacts/{one}", None) for one in reports],
        "artifacts": [("/api/artifacts/latest/filter", {"limit": 50}), ("/api/artifacts/latest/count", {})],
    }


def document(client: httpx.Client) -> None:
    """The page itself, with its scripts and styles."""
    text = client.get("/v2/").raise_for_status().text
    for path in re.findall(r'(?:src|href)="(/[^"]+\.(?:js|css))"', text):
        client.get(path).raise_for_status()


def opened(client: httpx.Client, calls: list[tuple[str, Any]]) -> float:
    """Seconds for a page."""
    begin = time.monotonic()
    document(client)
    for path, body in calls:
        answer = client.get(path) if body is None else client.post(path, json=body)
        answer.raise_for_status()
    return time.monotonic() - begin


def server_cpu() -> float:
    """Seconds of processor that the server, our one child, has used so far."""
    children = [pid for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()]
    words = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in children]
    return sum(int(one[11]) + int(one[12]) for one in words) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Run, count, open the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidates", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["PREFECT_HOME"] = str(folder / "prefect")
        print(f"{options.candidates:,} candidates in {run(folder, options.candidates):.1f} s", flush=True)
        home = folder / "prefect"
        print(f"database {database(home)[1]:.1f} MB, {rows(home / 'prefect.db')}", flush=True)
        port = free_port()
        with own_server(folder / "server.log", port), httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
            run_id = client.post("/api/flow_runs/filter", json={}).raise_for_status().json()[0]["id"]
            for page, calls in pages(client, run_id).items():
                busy = server_cpu()
                seconds = sorted(opened(client, calls) for _ in range(options.times))
                busy = (server_cpu() - busy) / options.times
                print(f"{page:<11} {len(calls)} calls, slowest {seconds[-1]:.2f} s, processor {busy:.2f} s a page")


if __name__ == "__main__":
    main()
