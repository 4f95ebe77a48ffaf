"""`sparring sets verify` and `gc`: whether a store still holds what was published, and what crashed writers left in it.

In: names, or nothing for the whole store. Out: what differs, and what is garbage, one line each. `gc` shows and removes
nothing unless it is told `--yes`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from data.errors import StoreError
from data.garbage import Remnant, older, remnants, take_back
from data.storage import Storage
from data.verification import verify_version
from data.version import list_sets, logged_version, open_version, set_history
from flows.store_option import JsonOption, StoreOption, given_store


def register(sets: typer.Typer) -> None:
    """Add the commands to the group."""
    sets.command("verify")(verify_command)
    sets.command("gc")(gc_command)


@dataclass(frozen=True, slots=True)
class Checked:
    """A version that was read again, and what differs in it."""

    version: str
    faults: tuple[str, ...]


def verify_command(
    reference: Annotated[
        str, typer.Argument(help="NAME for all its versions, NAME@v0003, or a version's folder or URL")
    ] = "",
    store: StoreOption = "",
    as_json: JsonOption = False,
) -> None:
    """Read everything again and name each file that differs from its manifest. Exit code 1 if one does."""
    checked = []
    for one in _checked(given_store(store), reference):
        checked.append(one)
        if not as_json:
            print(f"{one.version}: {'as published' if not one.faults else ''}")
            print("".join(f"  {fault}\n" for fault in one.faults), end="", flush=True)
    if as_json:
        print(json.dumps([asdict(one) for one in checked], ensure_ascii=False))
    bad = [one.version for one in checked if one.faults]
    if bad:
        raise StoreError(
            f"{len(bad)} of {len(checked)} versions are not as they were published: {', '.join(bad)}",
            hint="restore what differs from a copy; trust no figure of theirs meanwhile",
        )


def _checked(store: Storage, reference: str) -> Iterator[Checked]:
    """The versions that a reference means, read again, one after the other."""
    if "@" in reference or "/" in reference:
        version = open_version(store, reference)
        yield Checked(version.manifest.reference, verify_version(version))
        return
    for name in [reference] if reference else [one.name for one in list_sets(store)]:
        for entry in set_history(store, name):
            try:
                faults = verify_version(logged_version(store, name, entry))
            except StoreError as error:
                faults = (error.message,)
            yield Checked(f"{name}@{entry.version}", faults)


def gc_command(
    store: StoreOption = "",
    age: Annotated[float, typer.Option(help="only what nobody has written to for so many hours", min=0)] = 24.0,
    unlogged: Annotated[bool, typer.Option(help="also whole versions that no log names")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="remove; without it, it is only shown")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show, or with --yes remove, what writers that died have left. Published versions are never touched."""
    place = given_store(store)
    now = datetime.now(UTC)
    old = list(older(remnants(place), now - timedelta(hours=age)))
    going = [one for one in old if unlogged or one.kind != "unlogged"]
    if yes:
        for one in going:
            take_back(place, one.keys)
    if as_json:
        rows = [{"where": one.where, "kind": one.kind, "bytes": one.bytes} for one in old]
        print(json.dumps([row | {"removed": yes and one in going} for row, one in zip(rows, old, strict=True)]))
    else:
        _print(Console(), old, going, now, removed=yes)


def _print(console: Console, old: list[Remnant], going: list[Remnant], now: datetime, *, removed: bool) -> None:
    table = Table("what", "kind", "bytes", "hours old", "")
    for one in old:
        fate = ("removed" if removed else "garbage") if one in going else "whole, kept (--unlogged takes it too)"
        hours = (now - one.modified).total_seconds() / 3600
        table.add_row(one.where, one.kind, f"{one.bytes:,}", f"{hours:.1f}", fate)
    console.print(table if old else "nothing was left behind", markup=False)
    if going and not removed:
        console.print(f"{len(going)} to remove: give the same command with --yes", markup=False)
