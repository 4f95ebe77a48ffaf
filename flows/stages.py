"""What is finished is not done again: the stages of an evolution, each with its result as a file.

In: a folder, a stage's name and the work that makes its result, a JSON object. Out: the result, made now or read again.
A file appears whole, after the work is done: a kill in between leaves the work to be done again, so that work has to
come to the same when it is repeated, as chunk files, journals and training jobs do.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.atomic import make_folder, write_bytes
from data.errors import StoreError

Result = dict[str, Any]
RESULT = "result.json"
"""What all stages of an evolution came to together."""


@dataclass(frozen=True, slots=True)
class Stages:
    """The finished stages in a folder."""

    folder: Path

    def once(self, name: str, work: Callable[[], Result]) -> Result:
        """The result of stage `name`. Raises `StoreError` for a damaged file, and what `work` raises."""
        found = self.find(name)
        if found is None:
            found = work()
            make_folder(self.folder)
            write_bytes(self._path(name), json.dumps(found, indent=1, sort_keys=True, allow_nan=False).encode())
        return found

    def find(self, name: str) -> Result | None:
        """The result of a stage that is finished."""
        try:
            found: Result = json.loads(self._path(name).read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as fault:
            raise StoreError(
                f"the finished stage {self._path(name)} cannot be read: {fault}",
                hint="remove the file: the stage is then done again",
            ) from fault
        return found

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"
