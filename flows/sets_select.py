"""`sparring sets select`: what another acceptance rule would have made of a version's candidates; perhaps its version.

In: a version and a rule file. Out: what stays, comes in and goes out, with reasons, for a person or as JSON; with
`--publish` a new version of the same set whose parent is the old one. Nothing is generated or measured. Knows no
Prefect.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import typer
from rich.console import Console
from rich.table import Table

from data.errors import Shortfall
from data.ledger import PUBLISHED
from data.parquet import read_tables
from data.replay import Replay, measured, replay, rule_of, stored_candidates
from data.rows import published_row, score_from_row, task_from_row
from data.rule import read_rule
from data.schema import CANDIDATES, TASKS, to_table
from data.storage import Storage
from data.store import Publication, publish
from data.version import Version, open_version
from flows.escaping import cell, escaped, fenced, folded, markdown_table
from flows.harvest import env_index
from flows.judging import compact_brief
from flows.report_remade import remade
from flows.reports import report
from flows.store_option import REFERENCE, JsonOption, StoreOption, given_store

SHOWN = 12
NAMED = 200
"""Changes that the report names; `candidates.parquet` has every fate."""


def register(sets: typer.Typer) -> None:
    """Add the command to the group."""
    sets.command("select")(select_command)


def select_command(
    source: Annotated[str, typer.Option("--from", help=REFERENCE)],
    rule: Annotated[Path, typer.Option(help="JSON or YAML; what it leaves out is as in the version's own rule")],
    store: StoreOption = "",
    publishing: Annotated[bool, typer.Option("--publish", help="publish the result as a new version")] = False,
    as_json: JsonOption = False,
) -> None:
    """Judge the stored candidates of a version by another rule."""
    place = given_store(store)
    version = open_version(place, source)
    found = replay(version, read_rule(rule, rule_of(version.manifest)))
    made = publish(place, publication(place, version, found)) if publishing and found.selection.chosen else None
    if as_json:
        print(json.dumps(_json(version, found, made)))
    else:
        _print(Console(), version, found, made)
    if publishing and found.selection.missing:
        raise Shortfall(
            found.selection.describe() + ("" if made else "; nothing was published"),
            hint="ask for fewer tasks (n) or let more of the candidates in",
            path=made.location if made else None,
        )


def publication(store: Storage, version: Version, found: Replay) -> Publication:
    """The replay as a publication on top of its version."""
    manifest, origin = version.manifest, version.manifest.origin
    config = dict(origin.config) | {"rule": found.rule.to_json(), "selected_from": manifest.reference}
    sides = (False, True) if found.selection.eval else (False,)
    figures = remade(
        store,
        manifest.name,
        replace(origin, config=config),
        found.rule,
        chain.from_iterable(_tasks(version, found, held=held) for held in sides),
        _candidates(version, found),
        [row for row in manifest.ledger if not row.count],
        changes=_sections(version, found),
        shortfall=found.selection.describe(),
    )
    facts = figures.facts
    return Publication(
        name=manifest.name,
        tasks=_tasks(version, found, held=False),
        eval=_tasks(version, found, held=True) if found.selection.eval else None,
        candidates=_candidates(version, found),
        attempts=read_tables(version.storage, "attempts.parquet"),
        ledger=facts.ledger,
        origin=facts.origin,
        report=lambda number: report(replace(figures, facts=replace(facts, version=number))),
        sources=(manifest.version,),
    )


def _tasks(version: Version, found: Replay, *, held: bool) -> Iterator[pa.Table]:
    """The chosen rows of a split: as they were published, else as candidates."""
    chosen = {found.tasks[index]: index for index in found.selection.chosen if (index in found.selection.eval) == held}
    kept = {found.tasks[index] for index in found.kept}
    for table in version.tasks():
        yield to_table([row for row in table.to_pylist() if row["task_id"] in chosen], TASKS)
    players: Any = version.manifest.origin.players
    digests = {f"{slot}_digest": players[slot]["digest"] for slot in ("generator", "solver")}
    for table in stored_candidates(version):
        rows = [row for row in table.to_pylist() if chosen.get(row["task_id"]) == row["index"]]
        yield to_table([_row(row, digests) for row in rows if row["task_id"] not in kept], TASKS)


def _row(row: dict[str, Any], digests: dict[str, str]) -> dict[str, object]:
    task = task_from_row(row | {"brief_json": compact_brief(row["brief_json"])})
    return published_row(task, score_from_row(row), env_index=env_index(task.domain), **digests)


def _candidates(version: Version, found: Replay) -> Iterator[pa.Table]:
    """The same candidates with their new fates."""
    chosen = set(found.selection.chosen)
    for table in stored_candidates(version):
        rows = table.to_pylist()
        for row in filter(measured, rows):
            if row["index"] in chosen:
                row |= {"stage": PUBLISHED, "check": "", "code": "", "detail": ""}
            else:
                verdict = found.selection.refused[row["index"]]
                row |= {"stage": "select", "check": verdict.check, "code": verdict.code, "detail": verdict.detail}
        yield to_table(rows, CANDIDATES)


def _json(version: Version, found: Replay, made: Version | None) -> dict[str, Any]:
    refused = found.selection.refused
    return {
        "from": version.manifest.reference,
        "rule": found.rule.to_json(),
        "kept": [found.tasks[index] for index in found.kept],
        "in": [{"task_id": found.tasks[one], "index": one, "was": found.before[one].code} for one in found.came],
        "out": [
            {"task_id": found.tasks[one], "index": one, "code": refused[one].code, "detail": refused[one].detail}
            for one in found.went
        ],
        "short": found.selection.describe(),
        "published": made.location if made else None,
    }


def _print(console: Console, version: Version, found: Replay, made: Version | None) -> None:
    console.print(_headline(version, found), markup=False)
    if short := found.selection.describe():
        console.print(f"short: {short}", markup=False)
    table = Table("", "task", "brief", "why")
    for sign, index, why in list(_changes(found))[:SHOWN]:
        table.add_row(sign, found.tasks[index][:12], str(index), why)
    if table.row_count:
        console.print(table, markup=False)
    if (rest := len(found.came) + len(found.went) - SHOWN) > 0:
        console.print(f"and {rest} more (--json lists all)", markup=False)
    if made is not None:
        name = made.manifest.reference
        console.print(f"published as {name}\n  report   {made.location}/report.md", markup=False, soft_wrap=True)


def _headline(version: Version, found: Replay) -> str:
    name = version.manifest.reference
    return (
        f"{name}: of {version.manifest.rows} tasks {len(found.kept)} stay, {len(found.went)} go out and "
        f"{len(found.came)} come in, of {found.measured} measured candidates"
    )


def _changes(found: Replay) -> Iterator[tuple[str, int, str]]:
    """What changes: `-` or `+`, the brief, and why it is out now, or was then."""
    for index in found.went:
        verdict = found.selection.refused[index]
        yield "-", index, f"{verdict.code}: {verdict.detail}"
    for index in found.came:
        verdict = found.before[index]
        yield "+", index, f"was {verdict.code}: {verdict.detail}"


def _sections(version: Version, found: Replay) -> list[str]:
    """What the report says of the change."""
    changes = [
        ("out" if sign == "-" else "in", found.tasks[one][:12], one, cell(why)) for sign, one, why in _changes(found)
    ]
    parts = [
        f"## Against {escaped(version.manifest.reference)}\n\n{_headline(version, found)}. "
        "Nothing was generated or measured anew.",
        folded("The rule", fenced(json.dumps(found.rule.to_json(), indent=1, sort_keys=True))),
    ]
    if changes:
        table = markdown_table(("", "task", "brief", "why"), changes[:NAMED], right=(2,))
        rest = f"\n\nand {len(changes) - NAMED:,} more." if len(changes) > NAMED else ""
        parts.append(f"### What comes in and goes out\n\n{table}{rest}")
    return parts
