"""The chunk steps as Prefect tasks: names and retries.

Paths travel, rows do not. The chunk files alone are the truth: a finished chunk is found again in its work folder by
its derivation. Prefect remembers no results: they would name chunks in another, perhaps removed, folder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.tasks import Task, exponential_backoff

from data.errors import SparringError
from flows import runlog, steps


def _worth_retrying(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Infrastructure faults only: a rejected draft is data, and a wrong parameter stays wrong."""
    fault = state.result(raise_on_failure=False)
    return isinstance(fault, SparringError) and fault.retryable


OPTIONS: dict[str, Any] = {
    "cache_policy": NO_CACHE,
    "persist_result": False,
    "retries": 2,
    "retry_delay_seconds": exponential_backoff(backoff_factor=5),
    "retry_jitter_factor": 0.5,
    "retry_condition_fn": _worth_retrying,
}


def _done(step: Callable[..., str], *arguments: Any) -> str:
    """The step's chunk; what is logged meanwhile goes to the run's log, in whatever process this is."""
    runlog.configure()
    return step(*arguments)


@task(name="propose", task_run_name="propose {first}", **OPTIONS)
def propose(root: str, first: int, last: int) -> str:
    """Briefs `first` to `last - 1` to completions of the generator."""
    return _done(steps.propose, root, first, last)


@task(name="verify", task_run_name="verify {first}", **OPTIONS)
def verify(root: str, first: int, proposals: str) -> str:
    """Completions to proven tasks, or the check each failed."""
    return _done(steps.verify, root, proposals)


@task(name="solve", task_run_name="solve {first}", **OPTIONS)
def solve(root: str, first: int, verified: str) -> str:
    """Proven tasks to the solver's attempts."""
    return _done(steps.solve, root, verified)


@task(name="rate", task_run_name="rate {first}", **OPTIONS)
def rate(root: str, first: int, attempts: str) -> str:
    """Attempts to difficulty."""
    return _done(steps.rate, root, attempts)


@task(name="confirm", task_run_name="confirm {first}", **OPTIONS)
def confirm(root: str, first: int, verified: str, chosen: list[int]) -> str:
    """The chosen tasks of a chunk to fresh attempts."""
    return _done(steps.confirm, root, verified, chosen)
