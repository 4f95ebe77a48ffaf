"""The two player slots and whose weights stand in them.

In: a folder with one JSON file for each slot that had a promotion, and the engine a run is to play with. Out: a
`Player`: the promoted one if it descends from that engine, else that engine as it is. Each promotion appends to
the slot's lineage; nothing is ever taken out of it. Not promised: that the weights of a lineage still exist on disk, or
more than one writer at a time.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from data.errors import PolicyError, StoreError
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


def resolve(home: Path, slot: Slot, engine: str = BASE) -> Player:
    """The player for one run: the last of the slot's promotions that began with `engine`, else `engine` itself.

    So a run on `scripted` or a URL never gets the promoted embedded weights, and the default run always does. Raises
    `UsageError` for an unknown engine, `PolicyError` for unreadable weights or a damaged slot file.
    """
    promoted = [player for player in lineage(home, slot) if player.base == engine]
    return promoted[-1] if promoted else Player(slot, engine, engine_digest(engine, slot), engine)


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
    """Put the weights that `engine` opens into `slot`, as the child of what stands there; returns the new player.

    Raises as `resolve` does, and `StoreError` if the slot's file cannot be written; the slot is then as it was.
    """
    parent = resolve(home, slot)
    child = Player(slot, engine, engine_digest(engine, slot), parent.base, parent.round + 1, parent.digest)
    text = json.dumps({"lineage": [asdict(player) for player in [*lineage(home, slot), child]]}, indent=1)
    path, part = home / f"{slot}.json", home / f".{slot}-{os.getpid()}.json"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as fault:
        part.unlink(missing_ok=True)
        raise StoreError(
            f"the player slot {path} cannot be written: {fault.strerror}", hint="free space there or mend its rights"
        ) from fault
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
            hint="the two players are trained apart: promote other weights in one of the slots, "
            "or name another engine with --generator or --solver",
        )
