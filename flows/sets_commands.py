"""`sparring sets` and its `list`: what was published. Reads the store, changes nothing, knows no Prefect."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer
from rich.console import Console
from rich.table import Table

from data.version import list_sets
from flows import sets_lineage, sets_select, sets_upkeep
from flows.export_command import export_command
from flows.sets_show import show_command
from flows.store_option import JsonOption, StoreOption, given_store


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
