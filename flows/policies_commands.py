"""`sparring policies`: both players' checkpoints, which of them play, and how each came to be.

In: names of checkpoints. Out: tables for a person, or JSON that leaves nothing out. `promote` and `add` alone change
anything, and neither ever takes anything away. Knows no Prefect.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from data.errors import PolicyError, UsageError
from data.version import open_version
from flows.escaping import printable
from flows.settings import policies_home
from flows.store_option import REFERENCE, JsonOption, StoreOption, given_store
from policies.checkpoints import Checkpoint, add, ancestry, checkpoints, folders, read, short, unfinished, verify
from policies.connect import SLOTS, Role
from policies.players import PROMOTED, find
from policies.promotions import Promotion, demote, history, playing, promote

UNTRAINED = "base"
NAMED = f"a checkpoint's name or its beginning, the beginning of its digest, or {PROMOTED} with --slot"
SlotOption = Annotated[str, typer.Option(help="generator or solver")]


def register(app: typer.Typer) -> None:
    """Add the group to the application."""
    group = typer.Typer(help="Look at the players' checkpoints, and say which of them play.", no_args_is_help=True)
    group.command("list")(list_command)
    group.command("show")(show_command)
    group.command("log")(log_command)
    group.command("promote")(promote_command)
    group.command("add")(add_command)
    app.add_typer(group, name="policies")


def list_command(slot: SlotOption = "", as_json: JsonOption = False) -> None:
    """Every checkpoint by slot and round, and which are promoted. Exit code 1 if one cannot be read."""
    home, wanted = policies_home(), _slots(slot)
    found, faults = _readable(home)
    mine = [one for one in found if one.slot in wanted]
    plays = _playing(home)
    rests = [path.name for path in unfinished(home)]
    if as_json:
        rows = [_said(one) | {"promoted": plays.get(one.name, [])} for one in mine]
        print(json.dumps({"checkpoints": rows, "unfinished": rests, "faults": faults}))
    else:
        _print_list(mine, plays, {one.digest: one.name for one in found})
        for name in rests:
            _say(f"{name} is what a writer at work, or one that died, has there; of a dead one it may be removed")
    if faults:
        raise PolicyError("; ".join(faults), hint="restore it from a copy, or move its folder away")


def show_command(
    reference: Annotated[str, typer.Argument(help=NAMED)], slot: SlotOption = "", as_json: JsonOption = False
) -> None:
    """All that is known of one checkpoint, its files read again. Exit code 1 if one differs from what was added."""
    home = policies_home()
    one = find(home, reference, _slot(slot) if slot else None)
    names = {other.digest: other.name for other in checkpoints(home)}
    chain = [names.get(digest, digest) for digest in ancestry(home, one.digest)]
    told = [entry for slot in SLOTS for entry in history(home, slot) if entry.checkpoint == one.name]
    if as_json:
        print(json.dumps(_said(one) | {"ancestry": chain, "promotions": [asdict(entry) for entry in told]}))
    else:
        _print_one(one, chain, told)
    verify(one)
    if not as_json:
        _say(f"every file is as it was added, in {one.folder}")


def log_command(slot: Annotated[str, typer.Argument(help="generator or solver")], as_json: JsonOption = False) -> None:
    """Every promotion of a slot, oldest first: what it replaced, why, and the figures that decided."""
    told = history(policies_home(), _slot(slot))
    if as_json:
        print(json.dumps([asdict(entry) for entry in told]))
    elif told:
        _print_promotions(told)
    else:
        _say(f"the {slot}'s slot holds the base: nothing was promoted yet")


def promote_command(
    reference: Annotated[str, typer.Argument(help=f"{NAMED}; {UNTRAINED} with --slot goes back to the base")],
    slot: SlotOption = "",
    why: Annotated[str, typer.Option(help="is kept with the promotion")] = "by hand",
    as_json: JsonOption = False,
) -> None:
    """Let a checkpoint play in its slot; what it replaces stays, and an older one is promoted in the same way."""
    home = policies_home()
    if reference == UNTRAINED:
        done = demote(home, _slot(slot), why)
    else:
        one = find(home, reference, _slot(slot) if slot else None)
        done = promote(home, one, why, one.metrics, slot=_slot(slot) if slot else None)
    if as_json:
        print(json.dumps(asdict(done)))
    else:
        _say(
            f"{done.checkpoint or done.base} plays in the lineage of {done.base}; before: {done.replaced or done.base}"
        )


def add_command(
    slot: Annotated[str, typer.Argument(help="generator or solver")],
    weights: Annotated[Path, typer.Argument(help="a PEFT adapter, a model's folder with safetensors, or a GGUF")],
    base: Annotated[str, typer.Option(help="the engine it was trained from: vllm, vllm:FOLDER, embedded:FILE")],
    parent: Annotated[str, typer.Option(help="the checkpoint it was trained from; none: from the base")] = "",
    seed: Annotated[int, typer.Option(min=0, help="of its training")] = 0,
    trained_on: Annotated[list[str] | None, typer.Option(help=f"{REFERENCE}; may be repeated")] = None,
    metric: Annotated[list[str] | None, typer.Option(help="a figure, as pass_at_1=0.42; may be repeated")] = None,
    store: StoreOption = "",
    as_json: JsonOption = False,
) -> None:
    """Keep weights that were trained elsewhere as a checkpoint, with where they come from. Promotes nothing."""
    home = policies_home()
    older = find(home, parent) if parent else None
    sets = [open_version(given_store(store), name).manifest for name in trained_on or []]
    made = add(
        home,
        _slot(slot),
        weights,
        base=base,
        parent=older.digest if older else None,
        round=older.round + 1 if older else 1,
        seed=seed,
        trained_on=[{"reference": one.reference, "digest": one.digest} for one in sets],
        metrics=dict(map(_metric, metric or [])),
        config={},
    )
    if as_json:
        print(json.dumps(_said(made)))
    else:
        _say(f"added {made.name}; it plays by checkpoint:{made.name}, or once it is promoted")


def _slots(named: str) -> tuple[Role, ...]:
    return (_slot(named),) if named else SLOTS


def _slot(named: str) -> Role:
    for slot in SLOTS:
        if slot == named:
            return slot
    raise UsageError(f"{named!r} is no slot", hint=f"there are {' and '.join(SLOTS)}: give one, as --slot solver")


def _metric(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise UsageError(f"--metric {text!r} is no figure", hint="write it as pass_at_1=0.42") from None


def _readable(home: Path) -> tuple[list[Checkpoint], list[str]]:
    """The checkpoints, and what is wrong with those that cannot be read."""
    found, faults = [], []
    for folder in folders(home):
        try:
            found.append(read(folder))
        except PolicyError as fault:
            faults.append(fault.message)
    return found, faults


def _playing(home: Path) -> dict[str, list[str]]:
    """The slots in which a checkpoint plays, by its name."""
    slots: dict[str, list[str]] = {}
    for slot in SLOTS:
        for one in playing(home, slot):
            slots.setdefault(one.checkpoint, []).append(slot)
    return slots


def _said(one: Checkpoint) -> dict[str, Any]:
    return asdict(one) | {"folder": str(one.folder)}


def _print_list(found: Sequence[Checkpoint], plays: Mapping[str, list[str]], names: Mapping[str, str]) -> None:
    if not found:
        _say(f"no checkpoint in {policies_home()} yet: both players are the base, until something is trained or added")
        return
    table = Table(Column("checkpoint", no_wrap=True), "plays", "weights", "from", "trained on", "figures")
    for one in found:
        weights = f"{one.weights}, shared" if one.shared else one.weights
        parent = names.get(one.parent, short(one.parent)) if one.parent else one.base
        sets = ", ".join(entry["reference"] for entry in one.trained_on)
        _row(table, one.name, ", ".join(plays.get(one.name, [])), weights, parent, sets, _figures(one.metrics))
    Console().print(table)


def _print_one(one: Checkpoint, chain: Iterable[str], told: Sequence[Promotion]) -> None:
    sets = ", ".join(f"{entry['reference']} {entry['digest']}" for entry in one.trained_on)
    lines = {
        "checkpoint": one.name,
        "engine": one.engine,
        "digest": one.digest,
        "weights": f"{one.weights}, shared by both players" if one.shared else one.weights,
        "base": f"{one.base} {one.base_digest}",
        "lineage": " -> ".join(chain),
        "round": f"{one.round}, seed {one.seed}",
        "trained on": sets or "not said",
        "figures": _figures(one.metrics) or "none",
        "config": json.dumps(one.config) if one.config else "not said",
    }
    for name, value in lines.items():
        _say(f"{name:<12}{value}")
    if told:
        _print_promotions(told)


def _print_promotions(told: Sequence[Promotion]) -> None:
    table = Table("at", Column("plays", no_wrap=True), "lineage of", "instead of", "why", "figures")
    for one in told:
        before = one.replaced or "the base"
        _row(table, one.at[:16], one.checkpoint or "the base", one.base, before, one.why, _figures(one.figures))
    Console().print(table)


def _row(table: Table, *cells: str) -> None:
    table.add_row(*(Text(printable(cell), overflow="fold") for cell in cells))


def _figures(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in figures.items())


def _say(text: str) -> None:
    Console().print(Text(printable(text)), soft_wrap=True)
