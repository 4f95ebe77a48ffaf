"""How difficulty moved from one measurement to the next: counts, and what the report of a re-scoring says of them.

In: old rows and new scores, one task at a time. Out: `Changes`, and sections in which everything a model wrote is text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from data.figures import EIGHTHS, eighths
from data.records import Score
from data.rows import messages_from_json, question_of
from data.rule import BANDS
from flows.escaping import cell, escaped, markdown_table

NAMED = 200
"""Tasks that the report names; `comparison.parquet` has all."""


@dataclass(slots=True)
class Changes:
    """How difficulty moved: tasks by band before and after, pass rates, and who left the frontier."""

    bands: Counter[tuple[str, str]] = field(default_factory=Counter)
    before: Counter[float] = field(default_factory=Counter)
    after: Counter[float] = field(default_factory=Counter)
    fell: list[tuple[str, str, str, float, float]] = field(default_factory=list)
    """(task id, domain, question, pass rate before, after) of those that left the frontier"""
    unmeasured: list[str] = field(default_factory=list)

    def add(self, row: dict[str, Any], score: Score | None) -> None:
        self.before[row["pass_rate"]] += 1
        if score is None:
            self.unmeasured.append(row["task_id"])
            return
        self.after[score.pass_rate] += 1
        self.bands[row["band"], score.band] += 1
        if row["band"] == "frontier" != score.band:
            question = question_of(messages_from_json(row["messages_json"]))
            self.fell.append((row["task_id"], row["domain"], question, row["pass_rate"], score.pass_rate))

    def headline(self) -> str:
        """One sentence."""
        measured = sum(self.bands.values())
        stayed = self.bands["frontier", "frontier"]
        came = sum(count for (old, new), count in self.bands.items() if old != "frontier" == new)
        moved = f"{stayed} stay at the frontier, {len(self.fell)} fell out of it, {came} came in"
        text = f"{measured} tasks measured again: {moved}"
        return f"{text}; {len(self.unmeasured)} without a valid attempt." if self.unmeasured else f"{text}."


def sections(name: str, facts: Sequence[tuple[object, ...]], changes: Changes) -> list[str]:
    """What the report says of the change from the version `name`, GitHub-flavoured Markdown."""
    after, before = eighths(changes.after.elements()), eighths(changes.before.elements())
    moved = [(old, *(changes.bands[old, new] for new in BANDS)) for old in BANDS]
    fell = sorted(changes.fell, key=lambda one: (-abs(one[3] - one[4]), one[0]))
    parts = [
        f"## Against {escaped(name)}\n\n{changes.headline()}",
        markdown_table(("", "before", "now"), facts),
        "### Pass rates\n\nTasks by the share of valid attempts that were right.",
        markdown_table(("", *EIGHTHS), [("before", *before), ("now", *after)], right=range(1, 10)),
        "### Bands\n\nRows: the band before. Columns: the band now.",
        markdown_table(("", *BANDS), moved, right=range(1, 4)),
        f"### Fell out of the frontier\n\n{len(fell)} tasks"
        + (f", the first {NAMED} by change" if len(fell) > NAMED else "")
        + "; `comparison.parquet` has both measurements of every task.",
    ]
    if fell:
        rows = [
            (one[:12], domain, f"{was:.3f}", f"{now:.3f}", cell(text)) for one, domain, text, was, now in fell[:NAMED]
        ]
        parts.append(markdown_table(("task", "domain", "before", "now", "question"), rows, right=(2, 3)))
    if changes.unmeasured:
        parts.append(
            "### Without a valid attempt\n\nNot in this version: "
            + ", ".join(f"`{one[:12]}`" for one in changes.unmeasured)
        )
    return parts
