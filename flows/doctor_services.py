"""The doctor on what answers: the Prefect server with its pool, workers and runs, and the engines asked for.

In: settings of the environment, an engine as text. Out: findings. Keys are told by name, never by value.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import yaml

from data.errors import SparringError
from flows.doctor import Finding
from flows.server import find_server
from flows.settings import checkout
from policies.connect import engine_digest, engine_kind, open_policy
from policies.endpoint import KEYS
from policies.engine import Engine
from policies.server_list import is_list, listed

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient
    from prefect.client.schemas.objects import FlowRun

SILENCE = timedelta(minutes=9)
"""As in automations/zombies.yaml."""
HEARTBEAT = "prefect.flow-run.heartbeat"
HERE = ("127.0.0.1", "localhost")


def keys() -> Iterator[Finding]:
    """Which keys for model servers there are."""
    there = [name for name in KEYS if os.environ.get(name)]
    unset = f"{' and '.join(KEYS)} are not set: servers that want a key will refuse"
    yield Finding("keys", "ok", f"{there[0]} is set" if there else unset)


def engines(engine: str) -> Iterator[Finding]:
    """The engine asked for: each of its servers answers and has the model; other weights are there."""
    if engine_kind(engine) != "url":
        yield Finding("engine", "ok", f"{engine}, {engine_digest(engine, 'solver')[:19]}")
        return
    urls, model = listed(engine) if is_list(engine) else ([engine.partition("#")[0]], engine.partition("#")[2])
    for url in urls:
        one = f"{url}#{model}".rstrip("#")
        try:
            asyncio.run(_check(open_policy(one, role="solver")))
            yield Finding("endpoint", "ok", f"{one} answers and has the model")
        except SparringError as fault:
            yield Finding("endpoint", "fault", fault.message, fault.hint)


async def _check(opened: Engine) -> None:
    try:
        await opened.check()
    finally:
        await opened.close()


def proxies() -> Iterator[Finding]:
    """A proxy in the environment is not asked for addresses of this machine: Prefect's client would ask it."""
    named = [name for name in os.environ if name.lower() in ("http_proxy", "all_proxy") and os.environ[name]]
    spared = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    if named and spared != "*" and not set(HERE) & {part.strip() for part in spared.split(",")}:
        do = f"export NO_PROXY={','.join(HERE)}"
        yield Finding("proxy", "fault", f"{named[0]} also catches the Prefect server of this machine", do)


def prefect() -> Iterator[Finding]:
    """The server that a run would find, its pool, workers, deployments and runs; raises `ServerError` as a run."""
    url = find_server()
    # Only now: Prefect reads its settings once, when it is first imported.
    import prefect as installed
    from prefect.client.orchestration import get_client
    from prefect.context import get_settings_context

    profile = get_settings_context().profile
    if not url:
        yield Finding("prefect", "ok", f"{installed.__version__}; no server is up: each run has one of its own")
        if elsewhere := profile.to_environment_variables().get("PREFECT_API_URL"):
            said = f"the profile {profile.name!r} names {elsewhere}, and `sparring run` looks at the environment alone"
            yield Finding("prefect", "note", said, f"export PREFECT_API_URL={elsewhere}, if runs are to be seen there")
        return
    with get_client(sync_client=True) as client:
        theirs = client.api_version()
        said = f"{url} answers, version {theirs}, profile {profile.name!r}"
        if theirs.split(".")[:2] != installed.__version__.split(".")[:2]:
            do = "bring both to the same minor version"
            yield Finding("prefect", "fault", f"{said}; the client here is {installed.__version__}", do)
        else:
            yield Finding("prefect", "ok", said)
        yield from _pool(client)
        yield from _deployments(client)
        yield from _runs(client)


def _pool(client: SyncPrefectClient) -> Iterator[Finding]:
    """The work pool, and whether a worker is at it."""
    from prefect.exceptions import ObjectNotFound

    from flows.provision import POOL

    try:
        pool = client.read_work_pool(POOL)
    except ObjectNotFound:
        do = "python -m flows.provision (or `make serve`), if runs are to be started there"
        yield Finding("work pool", "note", f"there is no work pool {POOL!r}", do)
        return
    if pool.is_paused:
        yield Finding("work pool", "fault", f"{POOL!r} is paused", f"prefect work-pool resume {POOL}")
    online = [worker.name for worker in client.read_workers_for_work_pool(POOL) if worker.status == "ONLINE"]
    if online:
        yield Finding("worker", "ok", f"at work in {POOL!r}: {', '.join(online)}")
    else:
        do = f"prefect worker start --pool {POOL} (or `make serve`)"
        yield Finding("worker", "fault", f"no worker is at work in {POOL!r}: what is started there stays Late", do)


def _deployments(client: SyncPrefectClient) -> Iterator[Finding]:
    """Those of prefect.yaml are on the server, and so is the automation for dead runs."""
    root = checkout()
    if root is None or not (root / "prefect.yaml").is_file():  # An image has the code alone.
        return
    wanted = {one["name"] for one in yaml.safe_load((root / "prefect.yaml").read_bytes())["deployments"]}
    there = {str(one.name) for one in client.read_deployments()}
    automation = yaml.safe_load((root / "automations" / "zombies.yaml").read_bytes())["name"]
    awake = any(one.enabled for one in client.read_automations_by_name(automation))
    missing = [*sorted(wanted - there), *([] if awake else [f"the automation {automation!r}"])]
    if missing:
        do = "python -m flows.provision (or `make serve`), if runs are to be started there"
        yield Finding("deployments", "note", f"not on the server: {', '.join(missing)}", do)
    else:
        yield Finding("deployments", "ok", f"{len(wanted)}, and the automation that marks dead runs")


def _runs(client: SyncPrefectClient) -> Iterator[Finding]:
    """Runs that claim to be at work and were not heard of, and runs that nobody takes."""
    from prefect.client.schemas.filters import FlowRunFilter

    def those(part: str, name: str) -> list[FlowRun]:
        asked = FlowRunFilter.model_validate({"state": {part: {"any_": [name]}}})
        return client.read_flow_runs(flow_run_filter=asked)

    running = those("type", "RUNNING")
    now = datetime.now(UTC)
    old = [run for run in running if run.start_time is not None and run.start_time < now - SILENCE]
    dead = [run for run in old if not _heard(client, run, now)]
    if dead:
        names = ", ".join(f"{run.name} ({run.id})" for run in dead)
        do = f"prefect flow-run cancel {dead[0].id}; then the same parameters resume it (docs/nightly.md)"
        yield Finding("runs", "fault", f"Running, but not heard of for {SILENCE.seconds // 60} minutes: {names}", do)
    else:
        yield Finding("runs", "ok", f"{len(running)} at work, each of them heard of")
    if late := those("name", "Late"):
        do = "start a worker, or wait until one is free"
        yield Finding("runs", "note", f"{len(late)} are Late: no worker has taken them", do)


def _heard(client: SyncPrefectClient, run: FlowRun, now: datetime) -> bool:
    """Whether the run's process has sent a heartbeat lately."""
    from prefect.events.filters import EventFilter

    asked = {
        "occurred": {"since": now - SILENCE, "until": now},
        "event": {"name": [HEARTBEAT]},
        "resource": {"id": [f"prefect.flow-run.{run.id}"]},
    }
    return bool(client.read_events(filter=EventFilter.model_validate(asked), limit=1).events)
