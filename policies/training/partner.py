"""The partner: a process of the app's environment that answers what a trainer cannot know: rollouts and rewards.

In: one request, a JSON object. Out: its answer, or `TrainingFault("partner", ...)`. Both travel as one line over the
child's pipes; what it and its libraries say goes to the trainer's own log. It ends when its input does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from policies.training.faults import TrainingFault


class Partner:
    """The child, started at once; the first line it says is that it is ready."""

    def __init__(self, command: list[str], folder: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._process = subprocess.Popen(
            [*command, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=sys.stderr,
            env=environment,
            text=True,
            encoding="utf-8",
        )
        self._answer()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """One request answered."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # The answer says why.
        return self._answer()

    def close(self) -> None:
        """Let it end, with its server."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise TrainingFault("partner", f"the partner ended with status {self._process.wait()}", retryable=True)
        said: dict[str, Any] = json.loads(line)
        if fault := said.get("fault"):
            raise TrainingFault("partner", fault["message"], hint=fault["hint"], retryable=fault["retryable"])
        return said
