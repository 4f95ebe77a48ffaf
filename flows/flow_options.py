"""What all our flows have in common as Prefect flows: names of runs, threads, and who checks the parameters.

In: the model of a flow's only parameter, `config`. Out: options for `@flow`, and `checked` and `begin` for its first
lines. Prefect itself does not check: its fault would be a list of pydantic's, ours is one message as the command line
gives it.
"""

from __future__ import annotations

from typing import Any, TypeVar

from prefect.runtime import flow_run
from prefect.task_runners import ThreadPoolTaskRunner
from pydantic import BaseModel

from flows import runlog
from flows.dead_tasks import bury
from flows.server import end_with_worker
from flows.settings import build

WORKERS = 4
Config = TypeVar("Config", bound=BaseModel)


def flow_options(model: type[BaseModel], *named: str) -> dict[str, Any]:
    """Options of a flow whose runs are called by the fields `named` of its configuration."""

    def run_name() -> str:
        config = flow_run.parameters.get("config", {})  # As it was given: nobody has checked it yet.
        given = config.model_dump() if isinstance(config, BaseModel) else dict(config)
        return "-".join(str(given.get(name, model.model_fields[name].default)) for name in named)

    return {
        "flow_run_name": run_name,
        "task_runner": ThreadPoolTaskRunner(max_workers=WORKERS),
        "persist_result": False,
        "validate_parameters": False,
    }


def begin() -> None:
    """What every flow does first, inside its run: its log goes to Prefect, it ends with its worker, and what an earlier
    process of it left at work is marked dead."""
    runlog.configure()
    end_with_worker()
    bury()


def checked(model: type[Config], given: Config | dict[str, Any], command: str) -> Config:
    """What a flow was given, by code as a model or by a deployment as JSON. Raises `UsageError` as `build` does."""
    return given if isinstance(given, model) else build(model, given, command)  # type: ignore[arg-type]
