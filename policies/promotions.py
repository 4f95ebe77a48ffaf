"""Which checkpoint stands in a slot, and each that ever stood there: one file a slot, replaced by one rename.

In: a checkpoint, why it is promoted, and the figures that decided. Out: `<slot>.json` with every promotion in turn,
the last one of a base's lineage is what plays. To go back is to promote the older one, or the base. The kernel's lock
puts promotions in a row, so none is lost. `at` is the wall clock, for people: nothing that is identified rests on it.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from data.atomic import make_folder, store_errors, write_bytes
from data.errors import PolicyError
from policies.checkpoints import Checkpoint, verify
from policies.connect import Role


@dataclass(frozen=True, slots=True)
class Promotion:
    """One change of a slot. `checkpoint` and `replaced`, which stood in its lineage, are names, empty for the base."""

    checkpoint: str
    digest: str
    base: str
    base_digest: str
    replaced: str
    why: str
    figures: Mapping[str, float]
    at: str


def history(home: Path, slot: Role) -> list[Promotion]:
    """The promotions of a slot, oldest first; empty while it holds the base. Raises `PolicyError`."""
    path = home / f"{slot}.json"
    try:
        return [Promotion(**entry) for entry in json.loads(path.read_bytes())["promotions"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise PolicyError(
            f"the player slot {path} cannot be read: {fault}",
            hint="mend or remove the file; without it the slot holds the base, and no checkpoint is lost",
        ) from fault


def standing(home: Path, slot: Role, base_digest: str = "") -> Promotion | None:
    """The last promotion in the lineage of a base, or of the slot; None while no trained weights stand there."""
    mine = [one for one in history(home, slot) if base_digest in ("", one.base_digest)]
    return mine[-1] if mine and mine[-1].checkpoint else None


def playing(home: Path, slot: Role) -> list[Promotion]:
    """The promotions that stand, one for each lineage of the slot."""
    bases = {one.base_digest: None for one in history(home, slot)}  # as a set that keeps its order
    return [there for base in bases if (there := standing(home, slot, base))]


def promote(
    home: Path, checkpoint: Checkpoint, why: str, figures: Mapping[str, float], *, slot: Role | None = None
) -> Promotion:
    """Let `checkpoint` play in its slot; `slot` is for shared weights, which may play in either.

    What was promoted last is not promoted again. Raises `PolicyError` if its files are not as they were added or it
    is of the other slot, `StoreError` if the slot's file cannot be written; the slot is then as it was.
    """
    slot = slot or checkpoint.slot
    if slot != checkpoint.slot and not checkpoint.shared:
        raise PolicyError(
            f"{checkpoint.name} is a {checkpoint.slot}, not a {slot}",
            hint=f"name a {slot}: `sparring policies list` shows them",
        )
    verify(checkpoint)
    new = Promotion(
        checkpoint.name, checkpoint.digest, checkpoint.base, checkpoint.base_digest, "", why, dict(figures), _now()
    )
    return _append(home, slot, new)


def demote(home: Path, slot: Role, why: str) -> Promotion:
    """Let the base play again in the lineage of what stands in `slot`. Raises as `promote` does."""
    there = standing(home, slot)
    if there is None:
        raise PolicyError(f"the {slot}'s slot holds the base already", hint="there is nothing to go back from")
    return _append(home, slot, Promotion("", there.base_digest, there.base, there.base_digest, "", why, {}, _now()))


def _append(home: Path, slot: Role, new: Promotion) -> Promotion:
    """The slot's file with one more entry, which knows what it replaces."""
    with _alone(home, slot):
        last = standing(home, slot)
        if last and last.digest == new.digest:
            return last
        before = standing(home, slot, new.base_digest)
        replaced = before.checkpoint if before else ""
        entries = [asdict(one) for one in history(home, slot)] + [asdict(new) | {"replaced": replaced}]
        write_bytes(home / f"{slot}.json", json.dumps({"promotions": entries}, indent=1, sort_keys=True).encode())
    return Promotion(**entries[-1])


@contextmanager
def _alone(home: Path, slot: Role) -> Iterator[None]:
    """One writer at a time; who comes second waits the moment that the first one needs."""
    path = make_folder(home) / f".{slot}.lock"
    with store_errors(path, "lock"):
        handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
