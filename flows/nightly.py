"""The scheduled flow: the curriculum of one night, with the players that are promoted when it starts.

In: `RunConfig`, the same for every night. Out: the path of the published version. The seed is moved by the minute
for which the run was scheduled, so that each night asks for other tasks, and a repeated or resumed night for the same.
"""

from __future__ import annotations

from datetime import datetime

from prefect import flow
from prefect.runtime import flow_run

from flows.curriculum import grow
from flows.flow_options import checked, flow_options
from flows.settings import DEFAULT, RunConfig

SEEDS = 2**31


def _run_name() -> str:
    return f"nightly-{flow_run.scheduled_start_time:%Y-%m-%d-%H%M}"


@flow(name="nightly", **{**flow_options(RunConfig), "flow_run_name": _run_name})
def nightly(config: RunConfig = DEFAULT) -> str:
    """Grow the task set of one night and publish it.

    Args:
        config: What to make. The seed is added to the minute for which the run was scheduled.
    """
    return grow(of_the_night(checked(RunConfig, config, "run"), flow_run.scheduled_start_time))


def of_the_night(config: RunConfig, scheduled: datetime) -> RunConfig:
    """The same configuration with this night's seed."""
    minute = int(scheduled.timestamp()) // 60
    return config.model_copy(update={"seed": (config.seed + minute) % SEEDS})
