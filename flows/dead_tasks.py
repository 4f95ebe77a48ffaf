"""Task runs and subflows that a killed process left behind, put right on the Prefect server.

Their states are told by their own process. Of one that was killed nobody tells the end, so that the UI shows them as
Running for ever, even within a run that was taken up again and completed. In: the flow run this is called in, at its
start, before it has any of its own. Out: those of its earlier attempts are Crashed, and so are task runs of runs that
crashed. Not promised: those of a crashed run before the next run on the same server starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from loguru import logger
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter, TaskRunFilter
from prefect.client.schemas.objects import State, TaskRun
from prefect.runtime import flow_run
from prefect.states import Crashed

AT_WORK: dict[str, Any] = {"state": {"type": {"any_": ["RUNNING", "PENDING"]}}}
GRACE = timedelta(minutes=1)
"""What a process said last may still be on its way."""


def bury() -> None:
    """Mark them. To be called inside a flow run."""
    dead: State[Any] = Crashed(message="its process was killed")
    with get_client(sync_client=True) as client:
        count = 0
        children = FlowRunFilter.model_validate({"parent_flow_run_id": {"any_": [flow_run.id]}, **AT_WORK})
        for child in client.read_flow_runs(flow_run_filter=children):
            client.set_flow_run_state(child.id, dead, force=True)
            count += 1
        for left in _left(client):
            client.set_task_run_state(left.id, dead, force=True)
            count += 1
    if count:
        logger.info("{} task runs and subflows of killed processes are marked as crashed", count)


def _left(client: SyncPrefectClient) -> Iterator[TaskRun]:
    """Task runs that claim to be at work in runs that are not."""
    before = datetime.now(UTC) - GRACE
    whose: list[dict[str, Any]] = [
        {"id": {"any_": [flow_run.id]}},
        {"parent_flow_run_id": {"any_": [flow_run.id]}},
        {"state": {"type": {"any_": ["CRASHED"]}}, "end_time": {"before_": before}},
    ]
    for runs in whose:
        wanted = FlowRunFilter.model_validate(runs), TaskRunFilter.model_validate(AT_WORK)
        seen: set[UUID] = set()
        while found := [
            run
            for run in client.read_task_runs(flow_run_filter=wanted[0], task_run_filter=wanted[1])
            if run.id not in seen
        ]:
            seen.update(run.id for run in found)
            yield from found
