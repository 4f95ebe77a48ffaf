"""`sparring sets show`: one version in one terminal screen: the report's figures without its examples.

In: a version. Out: lines, or the manifest and the checks as JSON. What a model wrote cannot steer the terminal.
Reads the store, changes nothing, knows no Prefect.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Annotated

import typer
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from data.manifest import SCRIPTED
from data.rows import score_from_row, task_from_row
from data.version import Version, open_version
from flows.escaping import printable
from flows.report_facts import Facts, facts_of, player, weights
from flows.report_figures import bar, rates_curve
from flows.report_health import Check, examine, verdict
from flows.report_sections import asked, funnel, headline
from flows.reports import task_rows
from flows.store_option import REFERENCE, StoreOption, given_store

TASKS = 5
NAMED = 6
"""Domains and tools that are named; the others are counted."""
TITLE = 10
Rows = Sequence[tuple[str, ...]]


def show_command(
    reference: Annotated[str, typer.Argument(help=REFERENCE)],
    store: StoreOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="the manifest, and the checks as `health`")] = False,
) -> None:
    """One version on one screen: is it healthy, how hard, about what, at what cost; its first tasks."""
    place = given_store(store)
    version = open_version(place, reference)
    facts = facts_of(place, version)
    checks = examine(facts)
    if as_json:
        manifest = dict(version.manifest.to_json())
        print(json.dumps(manifest | {"health": [asdict(check) for check in checks]}, ensure_ascii=False))
        return
    console = Console(highlight=False)
    good = all(check.holds for check in checks)
    for text, style in _screen(facts, version, checks, console.width):
        console.print(Text(text, style={"verdict": "green" if good else "yellow"}.get(style, style)), soft_wrap=True)


def _screen(facts: Facts, version: Version, checks: Sequence[Check], width: int) -> Iterator[tuple[str, str]]:
    """The lines, none wider than `width` where words allow it, each with its style."""
    scripted = "   scripted: no model wrote or attempted these tasks" if facts.origin.engine == SCRIPTED else ""
    yield f"{version.manifest.reference}{scripted}", "bold"
    for title, text in _lines(facts, version):
        yield from ((line, "") for line in _said(title, text, width))
    yield from ((line, "verdict") for line in _said("healthy?", verdict(checks), width))
    for check in checks:
        if not check.holds:
            told = f"{check.name}: {check.found}; healthy is {check.limit}. To do: {check.advice.replace('`', '')}"
            yield from ((line, "") for line in _said("", told, width))
    for rows, right in (_steps(facts), _versions(facts), _tasks(version)):
        yield "", ""
        for place, line in enumerate(_columns(rows, right, width)):
            yield line, "" if place else "dim"
    yield "", ""
    yield f"all of it: {version.location}/report.md", ""


def _lines(facts: Facts, version: Version) -> Iterator[tuple[str, str]]:
    spread = facts.spread
    tasks = max(1, spread.tasks)
    yield "asked", asked(facts)
    yield "result", headline(facts)
    yield "kinds", _counts(spread.kinds)
    yield "domains", _counts(spread.domains)
    yield "tools", _counts(spread.tools)
    players = [f"{slot} {said.get('engine', '')} {weights(said)}, round {said.get('round', 0)}" for slot in
               ("generator", "solver") if (said := player(facts.origin, slot))]  # fmt: skip
    yield "players", "; ".join(players)
    yield (
        "cost",
        f"{facts.tokens():,} tokens ({facts.tokens() / tasks:,.0f} a task), "
        f"{facts.seconds:,.0f} seconds since the last start ({facts.seconds / tasks:,.2f} a task)",
    )
    if parents := version.manifest.parents:
        yield "parents", ", ".join(parents)
    yield "made", f"{version.manifest.created_at}, digest {version.manifest.digest[:16]}"


def _counts(counts: Mapping[str, int]) -> str:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    told = ", ".join(f"{name} {count}" for name, count in ranked[:NAMED])
    return f"{told}, and {len(ranked) - NAMED} more" if len(ranked) > NAMED else told


def _steps(facts: Facts) -> tuple[Rows, Collection[int]]:
    """The ledger as a funnel."""
    whole = max(1, facts.briefs)
    steps = [(name, bar(count, whole), f"{count:,}", f"{count / whole:.1%}", why) for name, count, why in funnel(facts)]
    return [("step", "", "briefs", "of all", "left on the way"), *steps], (2, 3)


def _versions(facts: Facts) -> tuple[Rows, Collection[int]]:
    """Difficulty, beside the versions before."""
    rows: list[tuple[str, ...]] = []
    for one in facts.versions:
        spread, solver = one.spread, player(one.origin, "solver")
        bands = (f"{spread.bands[band]:,}" for band in ("hard", "frontier", "easy"))
        figures = (f"{spread.tasks:,}", f"{spread.mean:.2f}", *bands, f"{spread.dead:.0%}")
        measured_by = f"{solver.get('engine', '')} {weights(solver, 8)}, {one.origin.difficulty.get('harness', '')}"
        rows.append((one.version.partition("-")[0], rates_curve(spread.rates.elements()), *figures, measured_by))
    head = ("version", "0/8..8/8", "tasks", "mean", "hard", "frontier", "easy", "dead", "solver")
    return [head, *rows], range(2, 8)


def _tasks(version: Version) -> tuple[Rows, Collection[int]]:
    """The first tasks."""
    stored = islice((row for batch in version.tasks() for row in batch.slice(0, TASKS).to_pylist()), TASKS)
    names = ("task", "domain", "kind", "band", "pass rate", "question")
    rows = task_rows([(task_from_row(one), score_from_row(one)) for one in stored])
    return [names, *(tuple(str(row[name]) for name in names) for row in rows)], (4,)


def _said(title: str, text: str, width: int) -> list[str]:
    """A title and its text, wrapped beside it."""
    lines = textwrap.wrap(printable(text), max(20, width - TITLE), break_on_hyphens=False) or [""]
    return [f"{title if not place else '':<{TITLE}}{line}" for place, line in enumerate(lines)]


def _columns(rows: Rows, right: Collection[int], width: int) -> list[str]:
    """Rows in columns; the last one takes what is left of the width, and is cut there."""
    shown = [[printable(one) for one in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*shown, strict=True)]
    widths[-1] = max(10, width - sum(widths[:-1]) - 2 * (len(widths) - 1))
    lines = []
    for row in shown:
        cells = [set_cell_size(one, size) for one, size in zip(row, widths, strict=True)]
        for place in right:
            cells[place] = " " * (widths[place] - cell_len(row[place])) + row[place]
        if cell_len(row[-1]) > widths[-1]:
            cells[-1] = set_cell_size(row[-1], widths[-1] - 1) + "…"
        lines.append("  ".join(cells).rstrip())
    return lines
