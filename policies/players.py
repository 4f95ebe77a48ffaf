"""The two player slots and whose weights stand in them.

In: a folder of slot files (one JSON file for each promoted player) and the engine a person asked for, if any. Out: a
`Player`. A slot without a file holds the base. Each promotion appends to the slot's lineage; nothing is ever taken out
of it. Not promised: that the weights of a lineage still exist on disk, or more than one writer at a time.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from data.errors import PolicyError
from policies.connect import engine_digest

Slot = Literal["generator", "solver"]
BASE = "embedded"
"""The engine both slots begin with."""


@dataclass(frozen=True, slots=True)
class Player:
    """Who plays: `engine` opens it (`policies.connect`), `base` is the engine its lineage began with.

    `round` counts promotions (0: the base); `parent` is the digest it was trained from.
    """

    name: str
    engine: str
    digest: str
    base: str
    round: int = 0
    parent: str | None = None


def resolve(home: Path, slot: Slot, override: str = "") -> Player:
    """The player for one run: `override` if it is given, else the promoted one of `slot` in the folder `home`.

    Raises `UsageError` for an unknown engine, `PolicyError` for missing weights or a damaged slot file.
    """
    if not override:
        known = lineage(home, slot)
        if known:
            return known[-1]
    engine = override or BASE
    return Player(slot, engine, engine_digest(engine, slot), engine)


def lineage(home: Path, slot: Slot) -> list[Player]:
    """The promoted players of a slot, oldest first; empty while it holds the base. Raises `PolicyError`."""
    path = home / f"{slot}.json"
    try:
        return [Player(**entry) for entry in json.loads(path.read_bytes())["lineage"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise PolicyError(
            f"the player slot {path} cannot be read: {fault}",
            hint="mend or remove the file; without it the slot holds the base",
        ) from fault


def promote(home: Path, slot: Slot, engine: str) -> Player:
    """Put the weights that `engine` opens into `slot`, as the child of what stands there; returns the new player."""
    parent = resolve(home, slot)
    child = Player(slot, engine, engine_digest(engine, slot), parent.base, parent.round + 1, parent.digest)
    path = home / f"{slot}.json"
    home.mkdir(parents=True, exist_ok=True)
    part = home / f".{slot}-{os.getpid()}.json"
    with part.open("w", encoding="utf-8") as file:
        json.dump({"lineage": [asdict(player) for player in [*lineage(home, slot), child]]}, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    return child


def both_base(generator: Player, solver: Player) -> bool:
    """Whether both players are still the base (the manifest's `equal: true`)."""
    return generator.round == solver.round == 0 and generator.base == solver.base


def check_apart(generator: Player, solver: Player) -> None:
    """Raise `PolicyError` if the players have the same weights although one of them was promoted."""
    if generator.digest == solver.digest and (generator.round or solver.round):
        raise PolicyError(
            f"generator (round {generator.round}) and solver (round {solver.round}) have the same weights, "
            f"{generator.digest}",
            hint="the two players are trained apart: name another engine with --generator or --solver",
        )
