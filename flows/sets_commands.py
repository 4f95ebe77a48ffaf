"""`sparring sets list` and `show`: what was published. Reads the store, changes nothing, knows no Prefect."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from itertools import islice
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from data.rows import score_from_row, task_from_row
from data.version import Version, list_sets, open_version
from flows import sets_lineage, sets_select, sets_upkeep
from flows.export_command import export_command
from flows.reports import task_rows
from flows.store_option import REFERENCE, JsonOption, StoreOption, given_store

SHOWN = 12


def register(app: typer.Typer) -> None:
    """Add the group to the application."""
    sets = typer.Typer(help="Look at published task sets.", no_args_is_help=True)
    sets.command("list")(list_command)
    sets.command("show")(show_command)
    sets.command("export")(export_command)
    sets_lineage.register(sets)
    sets_upkeep.register(sets)
    sets_select.register(sets)
    app.add_typer(sets, name="sets")


def list_command(store: StoreOption = "", as_json: JsonOption = False) -> None:
    """All task sets of the store, and their newest version."""
    place = given_store(store)
    found = list_sets(place)
    if as_json:
        print(json.dumps([asdict(one) for one in found]))
        return
    table = Table("set", "versions", "newest", "latest")
    for one in found:
        table.add_row(one.name, str(one.versions), one.newest, one.latest or "none (scripted only)")
    empty = f"no task set in {place.location} yet; `sparring run` makes one"
    Console().print(table if found else empty, markup=False)


def show_command(
    reference: Annotated[str, typer.Argument(help=REFERENCE)],
    store: StoreOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="the manifest")] = False,
) -> None:
    """One version: where it comes from, how hard it is, its first tasks."""
    version = open_version(given_store(store), reference)
    if as_json:
        print(json.dumps(version.manifest.to_json(), ensure_ascii=False))
        return
    console = Console()
    console.print(_head(version), markup=False)
    table = Table("task", "domain", "kind", "pass rate", "band", "question")
    rows = list(islice((row for batch in version.tasks() for row in batch.slice(0, SHOWN).to_pylist()), SHOWN))
    for row in task_rows([(task_from_row(one), score_from_row(one)) for one in rows]):
        table.add_row(*(str(row[name]) for name in ("task", "domain", "kind", "pass rate", "band", "question")))
    console.print(table, markup=False)
    console.print(
        f"first {len(rows)} of {version.manifest.rows}; all of it: {version.location}/report.md", markup=False
    )


def _head(version: Version) -> str:
    manifest = version.manifest
    bands = Counter(str(band) for batch in version.tasks() for band in batch["band"].to_pylist())
    bins = ", ".join(
        f"{row.count} {row.stage}{'/' + row.code if row.code else ''}" for row in manifest.ledger if row.count
    )
    return (
        f"{manifest.name} {manifest.version}   {manifest.rows} tasks   engine {manifest.origin.engine}\n"
        f"digest    {manifest.digest}\n"
        f"bands     {', '.join(f'{bands[band]} {band}' for band in ('hard', 'frontier', 'easy'))}\n"
        f"briefs    {bins}\n"
        f"made      {manifest.created_at}, seed {manifest.origin.seed}"
    )
