"""Checkpoints of weights that only look like weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from policies.checkpoints import Checkpoint, add
from tests.policies.engine_support import make_adapter

TRAINED_ON = ({"reference": "curriculum@v0001", "digest": "0123"},)


def put(home: Path, folder: Path, base: Path | str, **changes: Any) -> Checkpoint:
    said: dict[str, Any] = {
        "slot": "solver",
        "base": str(base),
        "parent": None,
        "round": 1,
        "seed": 7,
        "trained_on": TRAINED_ON,
        "metrics": {"reward": 0.5},
        "config": {"steps": 60},
    }
    return add(home, weights_folder=folder, **said | changes)


def trained(home: Path, base: Path, name: str, **changes: Any) -> Checkpoint:
    """An adapter of its own, added."""
    return put(home, make_adapter(home.parent / name, base, name.encode()), base, **changes)
