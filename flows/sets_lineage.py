"""`sparring sets log` and `diff`: how a set came to be, and what changed from one version to another.

In: names of versions. Out: tables for a person, or JSON that leaves nothing out. Both change nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from data import log
from data.diff import VersionDiff, diff
from data.errors import StoreError
from data.figures import EIGHTHS, eighths
from data.storage import Storage
from data.version import Version, logged_version, open_version, set_history
from flows.store_option import REFERENCE, JsonOption, StoreOption, given_store

SHOWN = 20


def register(sets: typer.Typer) -> None:
    """Add the commands to the group."""
    sets.command("log")(log_command)
    sets.command("diff")(diff_command)


def log_command(
    name: Annotated[str, typer.Argument(help="the set's name")], store: StoreOption = "", as_json: JsonOption = False
) -> None:
    """Every version of a set, oldest first: digest, parents, engine, rows, time. Exit code 1 if one cannot be read."""
    place = given_store(store)
    rows = [_logged(place, name, entry) for entry in set_history(place, name)]
    if as_json:
        print(json.dumps(rows, ensure_ascii=False))
    else:
        table = Table("version", "digest", "parents", "engine", "rows", "made")
        for row in rows:
            known = (", ".join(row["parents"]), row["engine"], str(row["rows"]), row["created_at"])
            rest = known if not row["fault"] else ("", row["engine"], "", "cannot be read")
            table.add_row(row["version"], row["digest"][:16], *rest)
        Console().print(table, markup=False)
    faults = [row["fault"] for row in rows if row["fault"]]
    if faults:
        raise StoreError("; ".join(faults), hint="`sparring sets verify` names what is damaged; restore it from a copy")


def _logged(store: Storage, name: str, entry: log.Entry) -> dict[str, Any]:
    """A log entry with what its version's manifest adds."""
    row: dict[str, Any] = {"version": entry.version, "digest": entry.digest, "engine": entry.engine, "fault": None}
    try:
        manifest = logged_version(store, name, entry).manifest
    except StoreError as error:
        return row | {"parents": [], "rows": None, "created_at": None, "fault": error.message}
    return row | {"parents": list(manifest.parents), "rows": manifest.rows, "created_at": manifest.created_at}


def diff_command(
    before: Annotated[str, typer.Argument(help=REFERENCE)],
    after: Annotated[str, typer.Argument(help="likewise")],
    store: StoreOption = "",
    as_json: JsonOption = False,
) -> None:
    """Rows added, removed and changed from one version to another, pass rates before and after, columns."""
    place = given_store(store)
    old, new = open_version(place, before), open_version(place, after)
    found = diff(old, new)
    if as_json:
        print(json.dumps(_json(old, new, found)))
    else:
        _print(Console(), old, new, found)


def _json(old: Version, new: Version, found: VersionDiff) -> dict[str, Any]:
    """The whole difference: every task id, the pass rates in nine bins around the eighths."""
    return {
        "before": _side(old),
        "after": _side(new),
        "added": list(found.added),
        "removed": list(found.removed),
        "changed": [asdict(one) | {"measured": one.measured} for one in found.changed],
        "same": found.same,
        "columns": [asdict(one) for one in found.columns],
        "pass_rates": {
            "bins": list(EIGHTHS),
            "before": eighths(found.rates_before.elements()),
            "after": eighths(found.rates_after.elements()),
        },
    }


def _side(version: Version) -> dict[str, Any]:
    manifest = version.manifest
    return {
        "name": manifest.name,
        "version": manifest.version,
        "digest": manifest.digest,
        "rows": manifest.rows,
        "schema_version": manifest.schema_version,
        "parents": list(manifest.parents),
    }


def _print(console: Console, old: Version, new: Version, found: VersionDiff) -> None:
    """The difference as a person wants it: counts first, then which figures moved, then the first ids."""
    left, right = old.manifest, new.manifest
    console.print(
        f"{left.reference} ({left.rows} rows) -> {right.reference} ({right.rows} rows)\n"
        f"added {len(found.added)}   removed {len(found.removed)}   changed {len(found.changed)}   same {found.same}",
        markup=False,
    )
    for child, parent in ((left, right), (right, left)):
        if parent.seen_from(child.name) in child.parents:
            console.print(f"{parent.reference} is a parent of {child.reference}", markup=False, soft_wrap=True)
    bins = Table("pass rate", *EIGHTHS, title="tasks by pass rate", title_justify="left")
    bins.add_row("before", *map(str, eighths(found.rates_before.elements())))
    bins.add_row("after", *map(str, eighths(found.rates_after.elements())))
    console.print(bins)
    if found.columns or left.schema_version != right.schema_version:
        columns = Table("column", "before", "after", title="schema", title_justify="left")
        columns.add_row("schema_version", str(left.schema_version), str(right.schema_version))
        for one in found.columns:
            columns.add_row(one.name, one.before or "not there", one.after or "not there")
        console.print(columns)
    if found.changed:
        moved = Counter(name for one in found.changed for name in one.columns)
        figures = ", ".join(f"{name} in {count}" for name, count in moved.most_common())
        console.print(f"changed columns: {figures}", markup=False)
    ids = [("added", one) for one in found.added]
    ids += [("removed", one) for one in found.removed]
    ids += [("changed" if one.measured else "changed, not only measured", one.task_id) for one in found.changed]
    for what, task_id in ids[:SHOWN]:
        console.print(f"{task_id}  {what}", markup=False)
    if len(ids) > SHOWN:
        console.print(f"and {len(ids) - SHOWN} more; --json has all", markup=False)
