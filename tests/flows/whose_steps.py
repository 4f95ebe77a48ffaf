"""A flow of its own process for `test_runners`: by which processes its tasks are done.

    python -m tests.flows.whose_steps RUNNER

Prints JSON: this process, how many tasks can run at once, and the processes that did six.
"""

import json
import os
import sys
import time

from prefect import flow, task

from flows.runners import running_on


@task
def whose() -> int:
    """The process that does it, after a moment in which others are free."""
    time.sleep(0.5)
    return os.getpid()


@flow
def several(runner: str) -> tuple[int, list[int]]:
    """Six tasks on a runner."""
    with running_on(runner, "nowhere") as slots:
        return slots, [future.result() for future in [whose.submit() for _ in range(6)]]


if __name__ == "__main__":
    print(json.dumps([os.getpid(), *several(sys.argv[1])]))
