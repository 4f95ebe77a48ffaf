"""Where the steps of a run run: threads of this process, or the processes of a Dask or a Ray cluster.

In: `RunConfig.runner`. Out: for as long as the block lasts, `task.submit` inside the flow goes there; and how many
steps can run at once. Steps are the same everywhere: what travels is the work folder's path and those of chunks, and
each process opens its own engines. A cluster without an address is our own, of processes on this machine, and ends
with the block. A step whose process dies is run again by the cluster; what it had finished is found by its derivation.
Not promised: that a cluster's own retries are shown in Prefect; a bound on what engines are asked by all processes
together (each process has its own).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from prefect.context import FlowRunContext
from prefect.task_runners import ThreadPoolTaskRunner

from data.errors import SparringError, UsageError
from flows.context import forget
from flows.flow_options import WORKERS


@contextmanager
def running_on(runner: str, root: str) -> Iterator[int]:
    """Steps of the run in `root` go to `runner`; yields how many can run at once.

    Raises `UsageError` without the package it needs, `SparringError` where no cluster answers.
    """
    kind, _, where = runner.partition(":")
    with _KINDS[kind](where, root) as (tasks, slots):
        flow_run = FlowRunContext.get()
        assert flow_run is not None, "steps run inside a flow"
        # The flow's own runner stays what it was declared with: that is the one which processes of a cluster enter.
        with flow_run.model_copy(update={"task_runner": tasks}):
            yield slots


@contextmanager
def _threads(_where: str, _root: str) -> Iterator[tuple[Any, int]]:
    tasks: ThreadPoolTaskRunner[Any] = ThreadPoolTaskRunner(max_workers=WORKERS)
    with tasks:
        yield tasks, WORKERS


@contextmanager
def _dask(where: str, root: str) -> Iterator[tuple[Any, int]]:
    try:
        from prefect_dask.task_runners import DaskTaskRunner
    except ModuleNotFoundError as fault:
        raise _lacking("dask", fault) from fault
    if own := _processes(where):
        # One thread each: checks are Python, and two of them in one process would wait for each other.
        kwargs = {"n_workers": own, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        tasks = DaskTaskRunner(cluster_kwargs=kwargs)
    else:
        tasks = DaskTaskRunner(address=where, client_kwargs={"timeout": 30})
    with tasks:
        try:
            client: Any = tasks.client
        except (OSError, TimeoutError, ValueError) as fault:
            raise _unreached("dask", where, fault) from fault
        slots = sum(client.nthreads().values())
        if not slots:
            raise _unreached("dask", where, "it has no workers")
        try:
            yield tasks, slots
        finally:
            client.run(forget, root)


@contextmanager
def _ray(where: str, _root: str) -> Iterator[tuple[Any, int]]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        from prefect_ray.task_runners import RayTaskRunner
    except ModuleNotFoundError as fault:
        raise _lacking("ray", fault) from fault
    quiet = {"log_to_driver": False, "logging_level": "warning"}
    if own := _processes(where):
        tasks = RayTaskRunner(init_kwargs={"num_cpus": own, "include_dashboard": False, **quiet})
    else:
        tasks = RayTaskRunner(address=where, init_kwargs=quiet)
    with ExitStack() as stack:
        try:
            stack.enter_context(tasks)  # Its processes end with the block, and their engines with them.
        except (OSError, RuntimeError, ValueError) as fault:
            raise _unreached("ray", where, fault) from fault
        yield tasks, max(1, int(ray.cluster_resources().get("CPU", 0)))


_KINDS = {"threads": _threads, "dask": _dask, "ray": _ray}


def _processes(where: str) -> int:
    """How many processes our own cluster has; 0 for an address."""
    if not where:
        return len(os.sched_getaffinity(0))
    return int(where) if where.isdecimal() else 0


def _lacking(extra: str, fault: ModuleNotFoundError) -> UsageError:
    return UsageError(
        f"--runner {extra} needs the package {fault.name}", hint=f"install it: pip install 'sparring[{extra}]'"
    )


def _unreached(kind: str, where: str, why: object) -> SparringError:
    return SparringError(
        f"no {kind} cluster to run on at {where or 'this machine'}: {why}",
        hint="start its scheduler and workers, or mend the address of --runner",
    )
