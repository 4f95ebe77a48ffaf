"""A curriculum as a person reads it: Markdown for the UI and for `report.md`, rows for the table artifact.

In: `Curriculum`, the figures of one version. Out: text and rows. Everything a model wrote is shown as text: fenced or
escaped, never as markup. Prefect renders GFM tables, `<details>` and mermaid; a table always stands under a chart.
"""

from __future__ import annotations

import html
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from data.figures import EIGHTHS, eighths
from data.records import Json, Score, Task
from data.rows import question_of
from flows.escaping import cell, fenced, markdown_table
from flows.redact import redact

TABLE_ROWS = 500
GROUP = 8
"""Answers a group, as in the column `signal_g8`."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A published task with its difficulty and what the solver answered, most frequent first."""

    task: Task
    score: Score
    answers: tuple[tuple[str, str, int], ...]
    """(completion, outcome, count)"""


@dataclass(frozen=True, slots=True)
class Curriculum:
    """What one run came to."""

    name: str
    version: str
    path: str
    asked: int
    published: int
    briefs: int
    shortfall: str
    engine: str
    harness: str
    k: int
    seconds: float
    tokens: int
    equal: bool
    generator: str
    solver: str
    ledger: tuple[tuple[str, str, int], ...]
    """(stage, code, briefs)"""
    pass_rates: tuple[float, ...]
    tools: Mapping[str, int]
    domains: Mapping[str, int]
    samples: tuple[Sample, ...]

    @property
    def frontier(self) -> int:
        return sum(0.25 <= rate <= 0.75 for rate in self.pass_rates)

    @property
    def dead(self) -> float:
        """The expected share of groups in which all answers are right or all are wrong."""
        shares = [rate**GROUP + (1 - rate) ** GROUP for rate in self.pass_rates]
        return math.fsum(shares) / max(1, len(shares))


def headline(run: Curriculum) -> str:
    """One sentence: what was asked, what came out."""
    text = (
        f"{run.published} of {run.asked} tasks published from {run.briefs} briefs; "
        f"{run.frontier} at the frontier (pass rate 0.25 to 0.75), {len(run.tools)} tools, {len(run.domains)} domains"
    )
    return f"{text}. Short: {run.shortfall}" if run.shortfall else f"{text}."


def report(run: Curriculum) -> str:
    """The whole report, GitHub-flavoured Markdown."""
    parts = [
        f"# Curriculum {run.name} {run.version}",
        headline(run),
        markdown_table(
            ("", ""),
            [
                ("engine", run.engine),
                ("generator weights", run.generator),
                ("solver weights", run.solver + (" (the same: both players are still the base)" if run.equal else "")),
                ("harness, attempts", f"{run.harness}, k = {run.k}"),
                ("dead groups expected", f"{run.dead:.1%} of groups of {GROUP} would not disagree"),
                ("tokens sampled", f"{run.tokens:,}"),
                ("seconds", f"{run.seconds:.0f}"),
                *([("folder", run.path)] if run.path else []),
            ],
        ),
        "## Pass rates\n\nShare of the solver's valid attempts that were right.",
        _histogram(run.pass_rates),
        "## Ledger\n\nEvery brief ends in exactly one bin.",
        markdown_table(
            ("stage", "code", "briefs", "share"),
            [(stage, code, count, f"{count / run.briefs:.1%}") for stage, code, count in run.ledger]
            + [("all", "", run.briefs, "100.0%")],
        ),
        "## What the tasks are about",
        markdown_table(("domain", "tasks"), _ranked(run.domains)),
        markdown_table(("tool called", "tasks"), _ranked(run.tools)),
    ]
    if run.samples:
        parts.append("## Sample tasks")
        parts.extend(_sample(sample) for sample in run.samples)
    return redact("\n\n".join(parts) + "\n")


def task_rows(tasks: Sequence[tuple[Task, Score]]) -> list[dict[str, str | int | float | bool | None]]:
    """Rows of the table artifact; long text last."""
    return [
        {
            "task": task.task_id[:12],
            "domain": cell(task.domain),
            "kind": task.kind,
            "pass rate": cell(score.pass_rate),
            "interval": f"{score.pass_low:.2f}–{score.pass_high:.2f}",
            "attempts": score.attempts,
            "band": score.band,
            "signal": cell(score.signal_g8),
            "tools": cell(", ".join(_called(task))),
            "question": cell(question_of(task.messages)),
        }
        for task, score in tasks
    ]


def _called(task: Task) -> list[str]:
    return [str(call["name"]) for call in task.calls]


def _ranked(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _histogram(rates: Sequence[float]) -> str:
    counts = eighths(rates)
    labels = EIGHTHS
    chart = "\n".join(
        [
            "```mermaid",
            "xychart-beta",
            f"    x-axis [{', '.join(json.dumps(label) for label in labels)}]",
            f'    y-axis "tasks" 0 --> {max([1, *counts])}',
            f"    bar [{', '.join(map(str, counts))}]",
            "```",
        ]
    )
    return f"{chart}\n\n{markdown_table(('pass rate', *labels), [('tasks', *counts)])}"


def _sample(sample: Sample) -> str:
    score = sample.score
    head = f"{sample.task.task_id[:12]}: {score.passes} of {score.attempts} right, {score.band}"
    lines = [f"<details><summary>{html.escape(head)}</summary>", ""]
    lines += [fenced("\n".join(f"{m.role}: {m.content}" for m in sample.task.messages)), "", "Tools:", ""]
    lines += [fenced("\n".join(_signature(tool) for tool in sample.task.tools)), "", "Right calls:", ""]
    lines += [fenced("\n".join(json.dumps(call, ensure_ascii=False) for call in sample.task.calls) or "none"), ""]
    lines += ["Answers of the solver:", ""]
    lines += [fenced("\n".join(f"{count}x {outcome}: {cell(text, 200)}" for text, outcome, count in sample.answers))]
    return "\n".join([*lines, "", "</details>"])


def _signature(tool: Mapping[str, Json]) -> str:
    schema = tool.get("parameters")
    names = schema.get("properties") if isinstance(schema, Mapping) else None
    return f"{tool['name']}({', '.join(names) if isinstance(names, Mapping) else ''}): {tool.get('description', '')}"
