"""The result of an evaluation for a person's eyes.

In: the result object of `flows.evaluation`. Out: on standard output a table for each solver in each harness on each
benchmark, one for each paired difference, then what was left out and where the whole result lies.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.escaping import escaped, markdown_table


def print_tables(result: dict[str, Any], path: str) -> None:
    """Print the result; `path` is where all of it was written."""
    console = Console()
    for title, rows in groupby(result["metrics"], key=_run):
        _print(console, title, rows, ("pass@1, %", "graded reward"), signed=False)
    for title, rows in groupby(result["differences"], key=_pair):
        _print(console, title, rows, ("pass@1, points", "graded reward"), signed=True)
    for bench in result["benches"]:
        if bench["left_out"]:
            first = bench["left_out"][0]
            said = (
                f"{bench['name']}: {len(bench['left_out'])} rows left out, the first {first['id']}: {first['reason']}"
            )
            console.print(Text(said), soft_wrap=True)
    console.print(Text(f"95 % intervals over items and seeds; every answer: {path}"), soft_wrap=True)


def markdown(result: dict[str, Any]) -> str:
    """The same tables for Prefect's page."""
    parts = []
    for rows, title, signed in ((result["metrics"], _run, False), (result["differences"], _pair, True)):
        for name, group in groupby(rows, key=title):
            cells = [
                (one["category"], f"{one['items']} x {one['seeds']}", *_figures(one, signed=signed)) for one in group
            ]
            head = ("category", "items x seeds", "pass@1, points" if signed else "pass@1, %", "graded reward")
            parts.append(f"## {escaped(name)}\n\n{markdown_table(head, cells)}")
    return "\n\n".join(parts) + "\n"


def _run(row: dict[str, Any]) -> str:
    return f"{row['bench']}: {row['solver']}, {row['harness']} ({row['style']})"


def _pair(row: dict[str, Any]) -> str:
    first, second = row["styles"]
    styles = f"both {first}" if first == second else f"the first {first}, the second {second}: prompts differ, too"
    same = row["solver"] if row["of"] == "harness" else row["harness"]
    return f"{row['bench']}: {row['first']} less {row['second']}, both {same}, {styles}"


def _print(
    console: Console, title: str, rows: Iterable[dict[str, Any]], figures: tuple[str, str], *, signed: bool
) -> None:
    console.print(Text(title), soft_wrap=True)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("category", "items x seeds", *figures):
        table.add_column(name, no_wrap=True)
    for row in rows:
        size = f"{row['items']} x {row['seeds']}"
        table.add_row(Text(row["category"]), size, *map(Text, _figures(row, signed=signed)))
    console.print(table)


def _figures(row: dict[str, Any], *, signed: bool) -> tuple[str, str]:
    """pass@1 in percent or points, and the reward."""
    passed, reward = row["pass_at_1"], row["reward_mean"]
    sign = "+" if signed else ""
    return (
        f"{100 * passed['mean']:{sign}.1f} [{100 * passed['low']:{sign}.1f}, {100 * passed['high']:{sign}.1f}]",
        f"{reward['mean']:{sign}.3f} [{reward['low']:{sign}.3f}, {reward['high']:{sign}.3f}]",
    )
