"""Who plays: from what a person writes for a slot, and what was promoted there, to one `Player`.

In: the folder of the policies, a slot, and an engine or `checkpoint:NAME`. Out: a `Player`. An engine plays the
checkpoint that was promoted last in the lineage of *its* weights, else itself; nothing plays what was promoted last,
at first `BASE`; `passed_over` says when another stands
in the slot. `checkpoint:` takes a name or its beginning, the beginning of a digest, or `promoted`.
Not promised: that what was checked when a player was resolved still lies on the disk when it is opened.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from data.errors import PolicyError, UsageError
from policies.checkpoints import Checkpoint, checkpoints, folders, read, same_tensors, verify
from policies.connect import Role, engine_digest
from policies.promotions import standing

BASE = "embedded"
"""The engine both slots begin with."""
CHECKPOINT = "checkpoint:"
PROMOTED = "promoted"


@dataclass(frozen=True, slots=True)
class Player:
    """Who plays: `engine` opens it (`policies.connect`), `base` is the engine its lineage began with.

    `round` counts trainings (0: the base); `parent` is the digest of what it was trained from.
    """

    name: Role
    engine: str
    digest: str
    base: str
    round: int = 0
    parent: str | None = None
    checkpoint: str = ""
    shared: bool = False

    @property
    def title(self) -> str:
        """What a person writes to have this player."""
        return CHECKPOINT + self.checkpoint if self.checkpoint else self.engine


def resolve(home: Path, slot: Role, engine: str = "") -> Player:
    """The player for one run: `checkpoint:NAME`, or the promoted one that descends from `engine`, else `engine`.

    Of no engine: what was promoted last in the slot, at first `BASE`. So a run on `scripted` or a URL never gets
    trained weights. Raises `UsageError` for an unknown engine or name, `PolicyError` for unreadable weights, a damaged
    slot or a checkpoint that differs.
    """
    if engine.startswith(CHECKPOINT):
        return named(home, slot, engine)
    if not engine:
        last = standing(home, slot)
        return named(home, slot, CHECKPOINT + last.checkpoint if last else BASE)
    digest = engine_digest(engine, slot)
    there = standing(home, slot, digest)
    return _player(slot, find(home, there.checkpoint), engine) if there else Player(slot, engine, digest, engine)


def named(home: Path, slot: Role, engine: str) -> Player:
    """`checkpoint:NAME`, or exactly the weights that `engine` opens, whatever was promoted. Raises as `resolve`."""
    if engine.startswith(CHECKPOINT):
        found = find(home, engine.removeprefix(CHECKPOINT), slot)
        return _player(slot, found, found.base)
    return Player(slot, engine, engine_digest(engine, slot), engine)


def find(home: Path, reference: str, slot: Role | None = None) -> Checkpoint:
    """The checkpoint of a name, its beginning, or the beginning of its digest; `promoted`: what stands in `slot`.

    Raises `UsageError` for none or several, with what there is.
    """
    if reference == PROMOTED and slot:
        there = standing(home, slot)
        if there is None:
            raise UsageError(
                f"no {slot} was promoted", hint=f"`sparring policies promote` does; there are {_names(home)}"
            )
        reference = there.checkpoint
    if reference in (folder.name for folder in folders(home)):
        return read(home / reference)  # Whatever is wrong with another one.
    known = checkpoints(home)
    start = reference.removeprefix("sha256:")
    found = [
        one
        for one in known
        if reference and (one.name.startswith(reference) or one.digest.removeprefix("sha256:").startswith(start))
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(
            f"{reference!r} is the beginning of several checkpoints", hint=f"of {', '.join(one.name for one in found)}"
        )
    near = get_close_matches(reference, [one.name for one in known], n=3, cutoff=0.5)
    hint = f"is it {' or '.join(near)}?" if near else f"there are {_names(home)}"
    raise UsageError(f"there is no checkpoint {reference!r} in {home}", hint=hint)


def passed_over(home: Path, player: Player) -> str:
    """Why trained weights that stand in the player's slot do not play, where nobody named other weights; else nothing.

    `embedded` and `vllm` are one model in two forms: what was trained on the one is not opened by the other.
    """
    there = standing(home, player.name)
    if player.checkpoint or player.engine not in ("embedded", "vllm") or there is None:
        return ""
    return (
        f"the {player.name} is {player.engine}, untrained: {there.checkpoint} was promoted, but descends from "
        f"{there.base}; it plays by --{player.name} {CHECKPOINT}{PROMOTED}"
    )


def both_base(generator: Player, solver: Player) -> bool:
    """Whether both players are still the base (the manifest's `equal: true`)."""
    return generator.round == solver.round == 0 and generator.base == solver.base


def check_apart(generator: Player, solver: Player) -> None:
    """Raise `PolicyError` if the players have the same weights although one of them was trained; shared ones may."""
    if generator.digest != solver.digest or not (generator.round or solver.round):
        return
    if not (generator.shared and solver.shared):
        raise PolicyError(
            f"generator (round {generator.round}) and solver (round {solver.round}) have the same weights, "
            f"{generator.digest}",
            hint="the two players are trained apart: promote other weights in one of the slots, "
            "or name another engine with --generator or --solver",
        )


def check_trained(home: Path, new: Checkpoint, other: Player) -> None:
    """After a training: `new` has weights of its own, and the other player's are as they were when it began.

    Raises `PolicyError` that names the files. Shared weights have no other player, and are not asked.
    """
    if new.shared:
        return
    if other.checkpoint:
        there = find(home, other.checkpoint)
        verify(there)
        if same := same_tensors(new.files, there.files):
            raise PolicyError(
                f"{new.name} and {there.name} have the same weights: {', '.join(same)}",
                hint="the two players are trained apart: was the training given the other player's folder?",
            )
    elif (digest := engine_digest(other.engine, other.name)) != other.digest:
        raise PolicyError(
            f"training {new.name} changed the weights of the {other.name}: {other.engine} was {other.digest} and is "
            f"{digest}",
            hint="a training writes into a folder of its own: restore the other player's, and drop this checkpoint",
        )


def _names(home: Path) -> str:
    return ", ".join(folder.name for folder in folders(home)) or "none"


def _player(slot: Role, found: Checkpoint, base: str) -> Player:
    """A checkpoint as the player of a slot, if its files are what was added."""
    verify(found)
    parent = found.parent or found.base_digest
    return Player(slot, found.engine, found.digest, base, found.round, parent, found.name, found.shared)
