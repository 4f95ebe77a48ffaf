"""Where a training goes on: its last whole save, and the metrics up to there.

In: a job's folder and a stage. Out: the checkpoint, or None to begin; saves that a kill cut off are removed, and lines
of steps that are done again are dropped. Standard library alone.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from policies.training.job import METRICS, write_whole


def last_save(folder: Path, stage: str) -> Path | None:
    """The last whole checkpoint of a stage; the rest of the folder is as it was when that was written."""
    found = [path for path in (folder / stage).glob("checkpoint-*") if path.is_dir()]
    for path in sorted(found, key=_step_of, reverse=True):
        try:
            json.loads((path / "trainer_state.json").read_bytes())  # transformers writes it last
        except (OSError, ValueError):
            shutil.rmtree(path)
            continue
        _forget_after(folder / METRICS, stage, _step_of(path))
        return path
    _forget_after(folder / METRICS, stage, 0)
    return None


def _step_of(checkpoint: Path) -> int:
    return int(checkpoint.name.rpartition("-")[2])


def _forget_after(metrics: Path, stage: str, step: int) -> None:
    if not metrics.exists():
        return
    kept = [line for line in _whole_lines(metrics) if line["stage"] != stage or line["step"] <= step]
    write_whole(metrics, "".join(json.dumps(line) + "\n" for line in kept))


def _whole_lines(path: Path) -> list[Any]:
    """The lines but a last one that a kill has torn."""
    text = path.read_bytes()
    return [json.loads(line) for line in text[: text.rfind(b"\n") + 1].splitlines()]
