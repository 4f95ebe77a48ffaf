"""Weights that were trained, kept for ever: each checkpoint an immutable folder that says where it comes from.

In: a folder as PEFT or `save_pretrained` write it (or a GGUF), and what it was trained from, on, with. Out: a folder
`<slot>-<round>-<digest>/` of `home` with `adapter/` or `model/` and `checkpoint.json`; it appears whole or not at all,
and a writer that dies leaves one with a dot, which `unfinished` names. `verify` reads every byte again.

Two digests stand for a model that both engines play, and that is right: a GGUF of 4 bits and the bfloat16 folder
converted of it answer differently. A checkpoint's base is the form it was trained on, as the engine text that opens it
and its digest, so an adapter's base is always the folder. No clock, no path but that of a named base is in a
`checkpoint.json`. Not promised: that the folder of a base still lies where it lay when an adapter was added.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from data.atomic import make_folder, store_errors, sync_file, sync_folder
from data.errors import PolicyError
from data.records import Json
from policies import model_folder, weights
from policies.connect import Role, engine_digest

SCHEMA = 1
RECORD = "checkpoint.json"
UNFINISHED = ".new-"
GGUF = ".gguf"
TENSORS = (".safetensors", GGUF)
Kind = Literal["adapter", "full"]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Trained weights and their lineage.

    `engine` opens them (`policies.connect`), `digest` is what it will have. `base` is the engine the lineage began
    with, `parent` the digest of the checkpoint they were trained from, None for the base itself. `trained_on` names
    task sets by `reference` (`name@version`) and `digest`. `shared` weights play both slots: for the ablation alone.
    """

    slot: Role
    name: str
    engine: str
    digest: str
    base: str
    base_digest: str
    parent: str | None
    round: int
    seed: int
    weights: Kind
    trained_on: tuple[Mapping[str, str], ...]
    shared: bool
    metrics: Mapping[str, float]
    config: Mapping[str, Json]
    files: Mapping[str, str] = field(repr=False)
    """sha256 of each file, by its path inside the checkpoint's folder."""
    folder: Path = field(compare=False)


OF_THE_PLACE = ("name", "engine", "folder")
"""Fields that follow from where a checkpoint lies, and so are not written down."""


def add(
    home: Path,
    slot: Role,
    weights_folder: Path,
    *,
    base: str,
    parent: str | None,
    round: int,
    seed: int,
    trained_on: Sequence[Mapping[str, str]],
    metrics: Mapping[str, float],
    config: Mapping[str, Json],
    shared: bool = False,
) -> Checkpoint:
    """Copy weights into a new checkpoint. Adding the same again gives the one that is there.

    `base` is an engine (`vllm`, `vllm:<folder>`, `embedded`) or the folder of a model. Raises `PolicyError` for weights
    of another base, of no other weights than their parent's, or that are none; `StoreError` if they cannot be written.
    """
    _check_figures(metrics)
    base = _base(base)
    base_digest = engine_digest(base, slot)
    _check_parent(home, slot, parent, base_digest, round)
    make_folder(home)
    part = home / f"{UNFINISHED}{slot}-{round:04}-{uuid.uuid4().hex}"
    try:
        kind, inside = _copy(weights_folder, part, base_digest, base)
        digest, sums = engine_digest(_engine(inside), slot), _sums(part)
        name = f"{slot}-{round:04}-{short(digest)}"
        same = [one for one in checkpoints(home) if one.name != name and same_tensors(sums, one.files)]
        if digest == base_digest or same:
            raise PolicyError(
                f"{weights_folder} holds the weights of {same[0].name if same else base} already: "
                f"{', '.join(same_tensors(sums, sums))}",
                hint="the training changed nothing, or was given the other player's folder: look at its log",
            )
        made = Checkpoint(
            slot, name, _engine(home / name / inside.relative_to(part)), digest, base, base_digest, parent, round, seed,
            kind, tuple(map(dict, trained_on)), shared, dict(metrics), json.loads(json.dumps(config)), sums,
            home / name,
        )  # fmt: skip
        _write_record(part / RECORD, made)
        return _settle(part, made)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def checkpoints(home: Path, slot: Role | None = None) -> list[Checkpoint]:
    """All checkpoints, of one slot or of both, by name: so the rounds of a slot in order. Raises `PolicyError`."""
    return [one for one in map(read, folders(home)) if slot in (None, one.slot)]


def folders(home: Path) -> list[Path]:
    """Where the checkpoints lie, by name; nothing is read."""
    return sorted(path.parent for path in home.glob(f"[!.]*/{RECORD}"))


def unfinished(home: Path) -> list[Path]:
    """Folders that writers at work, or that died at it, have there."""
    return sorted(home.glob(f"{UNFINISHED}*"))


def read(folder: Path) -> Checkpoint:
    """The checkpoint in `folder`, as it was written down. Raises `PolicyError` for a damaged `checkpoint.json`."""
    path = folder / RECORD
    try:
        said: dict[str, Any] = json.loads(path.read_bytes())
        if said.pop("schema") != SCHEMA:
            raise ValueError(f"it is not of schema {SCHEMA}")
        said["trained_on"] = tuple(said["trained_on"])
        made = Checkpoint(name=folder.name, engine=_engine_of(folder, said), folder=folder, **said)
        if folder.name != f"{made.slot}-{made.round:04}-{short(made.digest)}":
            raise ValueError(f"it is of {made.slot}, round {made.round}, {short(made.digest)}")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as fault:
        raise PolicyError(
            f"{path} cannot be read: {fault}", hint="restore it from a copy, or move the folder away"
        ) from fault
    return made


def verify(checkpoint: Checkpoint) -> None:
    """Read every file again. Raises `PolicyError` that names those which differ, and a base that is another now."""
    try:
        found = _sums(checkpoint.folder)
    except OSError as fault:
        raise PolicyError(f"{checkpoint.name} cannot be read: {fault}", hint="restore it from a copy") from fault
    names = checkpoint.files.keys() | found.keys()
    if wrong := sorted(name for name in names if checkpoint.files.get(name) != found.get(name)):
        raise PolicyError(
            f"{checkpoint.name} is not as it was added: {', '.join(wrong)}",
            hint=f"restore {checkpoint.folder} from a copy, or promote another checkpoint",
        )
    if (digest := engine_digest(checkpoint.engine, checkpoint.slot)) != checkpoint.digest:
        raise PolicyError(
            f"{checkpoint.name} is as it was added, and yet another player, {short(digest)}: its base "
            f"{checkpoint.base} has other files now",
            hint="put the base back as it was",
        )


def ancestry(home: Path, digest: str) -> list[str]:
    """Digests from the base on to `digest`, each trained from the one before; of unknown weights their own alone."""
    known = {one.digest: one for one in checkpoints(home)}
    chain = [digest]
    while (one := known.get(chain[-1])) is not None:
        chain.append(one.parent or one.base_digest)
    return chain[::-1]


def _base(named: str) -> str:
    """The base as an engine's text: of the folder that the default weights were converted to, `vllm`."""
    kind, _, rest = named.partition(":")
    if kind in ("embedded", "vllm"):
        path = rest
    else:
        kind, path = "vllm", named
    if not path:
        return kind
    folder = Path(path).expanduser().absolute()
    return "vllm" if folder == weights.cache_folder() / model_folder.DEFAULT else f"{kind}:{folder}"


def _check_figures(metrics: Mapping[str, float]) -> None:
    if wrong := [f"{name} {value}" for name, value in metrics.items() if not math.isfinite(value)]:
        raise PolicyError(
            f"the metrics of a checkpoint are numbers, not {', '.join(wrong)}", hint="leave out what was not measured"
        )


def _check_parent(home: Path, slot: Role, parent: str | None, base_digest: str, round: int) -> None:
    """The parent is there, of the same base and of an earlier round."""
    if round < 1:
        raise PolicyError(f"round {round} holds nothing trained", hint="rounds begin at 1; round 0 is the base")
    if parent is None:
        return
    known = {one.digest: one for one in checkpoints(home)}
    if (one := known.get(parent)) is None:
        raise PolicyError(
            f"the parent {parent} is no checkpoint in {home}",
            hint=f"there are {', '.join(one.name for one in known.values()) or 'none'}; of the base it is None",
        )
    if one.slot != slot and not one.shared:
        raise PolicyError(f"the parent {one.name} is a {one.slot}", hint=f"a {slot} is trained from a {slot}")
    if one.base_digest != base_digest:
        raise PolicyError(
            f"the parent {one.name} descends from {one.base} ({short(one.base_digest)}), not from {short(base_digest)}",
            hint="a lineage has one base: name the parent's",
        )
    if one.round >= round:
        raise PolicyError(f"round {round} cannot come after {one.name}", hint=f"it is at least {one.round + 1}")


def same_tensors(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """Names of the weight files of `one`, if all of them have the bytes of those of `other`; else nothing.

    Not by digest: PEFT writes its configuration in an order that is another each time.
    """
    ours, theirs = ({sha: name for name, sha in files.items() if name.endswith(TENSORS)} for files in (one, other))
    return sorted(ours.values()) if ours.keys() == theirs.keys() else []


def _copy(source: Path, part: Path, base_digest: str, base: str) -> tuple[Kind, Path]:
    """What decides what the model says, down to the disk; a trainer's state stays behind."""
    source = source.expanduser().absolute()
    if source.suffix == GGUF:
        weights.existing(source, "the checkpoint")
        return "full", _copied([source], part / "model") / source.name
    found = model_folder.find(str(source))
    if found.adapter is None:
        return "full", _copied(model_folder.files(source), part / "model")
    if found.base_digest != base_digest:
        raise PolicyError(
            f"the adapter {source} is for another base: {found.base} ({short(found.base_digest)}), not {base} "
            f"({short(base_digest)})",
            hint="name the base it was trained on",
        )
    folder = _copied(model_folder.files(source), part / "adapter")
    with store_errors(folder, "write"):
        model_folder.place(folder, found.base)
        sync_file(folder / model_folder.ADAPTER)
    return "adapter", folder


def _copied(files: Sequence[Path], folder: Path) -> Path:
    make_folder(folder)
    for file in files:
        with store_errors(folder / file.name, "write"):
            shutil.copyfile(file, folder / file.name)
            sync_file(folder / file.name)
    return folder


def _write_record(path: Path, made: Checkpoint) -> None:
    said = {key: value for key, value in asdict(made).items() if key not in OF_THE_PLACE}
    with store_errors(path, "write"):
        path.write_text(json.dumps({"schema": SCHEMA, **said}, indent=1, sort_keys=True), encoding="utf-8")
        sync_file(path)
        for folder, _, names in os.walk(path.parent):
            for name in names:
                Path(folder, name).chmod(0o444)
            sync_folder(Path(folder))


def _settle(part: Path, made: Checkpoint) -> Checkpoint:
    """Give the whole folder its name, unless these weights are there; then they must have the same history."""
    if not made.folder.exists():
        with store_errors(made.folder, "write"):
            try:
                part.rename(made.folder)
                sync_folder(made.folder.parent)
                return made
            except FileExistsError:
                pass  # Another one was faster.
            except OSError:
                if not made.folder.exists():
                    raise
    there = read(made.folder)
    verify(there)
    told = ("base_digest", "parent", "round", "seed", "trained_on", "config", "shared")
    if differing := [key for key in told if getattr(there, key) != getattr(made, key)]:
        raise PolicyError(
            f"{made.name} is there with another {', '.join(differing)}",
            hint="equal weights of two trainings: was the same one added twice under other names?",
        )
    return there


def _engine_of(folder: Path, said: Mapping[str, Any]) -> str:
    if said["weights"] == "adapter":
        return _engine(folder / "adapter")
    ggufs = [name for name in said["files"] if name.endswith(GGUF)]
    return _engine(folder / (ggufs[0] if ggufs else "model"))


def _engine(path: Path) -> str:
    return f"{'embedded' if path.suffix == GGUF else 'vllm'}:{path}"


def _sums(folder: Path) -> dict[str, str]:
    """sha256 of every file below `folder` but the record."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / RECORD)
    return {str(path.relative_to(folder)): weights.sha256(path) for path in files}


def short(digest: str) -> str:
    """A digest as names hold it."""
    return digest.removeprefix("sha256:")[:12]
