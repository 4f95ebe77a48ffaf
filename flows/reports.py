"""A curriculum as a person reads it: Markdown for the UI and for `report.md`, rows for the table artifacts.

In: `Curriculum`, one version. Out: text and rows. The file links the version's figures and ends with the tasks; the
artifact draws its own, because Prefect shows no files, and has its tasks in a table beside it.
Prefect renders GFM tables, `<details>` and mermaid; a table always stands under a chart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from data.manifest import SCRIPTED
from data.records import Json, Score, Task
from data.rows import question_of
from flows import report_sections as sections
from flows.escaping import cell, cut, escaped, fenced, folded, markdown_table
from flows.redact import redact
from flows.report_facts import Facts, Fates
from flows.report_health import examine, verdict

TABLE_ROWS = 500
ANSWERS = 8
"""Different answers of a sample that are shown."""
WHY = 48
"""Characters of a cell that another one should stand beside."""
LONGEST = 2000
"""Characters of a shown answer."""

Row = dict[str, str | int | float | bool | None]
Rows = list[Row]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the solver answered to a task, and how often."""

    completion: str
    outcome: str
    reward: float
    count: int


@dataclass(frozen=True, slots=True)
class Sample:
    """A published task with its difficulty and what the solver answered, most frequent first."""

    task: Task
    score: Score
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Curriculum:
    """What one run came to."""

    facts: Facts
    path: str = ""
    shortfall: str = ""
    samples: tuple[Sample, ...] = ()
    lineage: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Digests of each player's weights, from the base on."""
    tasks: Rows = field(default_factory=list)
    """The first `TABLE_ROWS` tasks, as `task_rows` has them."""
    changes: Sequence[str] = ()
    """Sections of what was made of another version: what changed."""


def headline(run: Curriculum) -> str:
    """What was asked, what came out, is it healthy."""
    text = f"{sections.headline(run.facts)}. {verdict(examine(run.facts))}"
    return f"{text} Short: {run.shortfall}" if run.shortfall else text


def report(run: Curriculum, tables: Mapping[str, str] | None = None) -> str:
    """The whole report, GitHub-flavoured Markdown: as a file beside the data, or as an artifact.

    `tables` are for an artifact the links of the table artifacts beside it, by what they are called.
    """
    linked = tables is None
    facts = run.facts
    checks = examine(facts)
    parts = [
        f"# {escaped(facts.name)} {facts.version}",
        *(["*Made by the scripted stand-in engine: no model wrote or attempted these tasks.*"] * _scripted(facts)),
        markdown_table(
            ("", ""),
            [
                ("asked", sections.asked(facts)),
                ("result", sections.headline(facts)),
                *([("short", run.shortfall)] if run.shortfall else []),
                ("healthy?", verdict(checks)),
                *([("folder", run.path)] if run.path else []),
            ],
        ),
        *(["To search: " + ", ".join(f"[{name}]({link})" for name, link in tables.items())] if tables else []),
        *run.changes,
        "## Is it healthy?",
        sections.health(checks),
        "## From briefs to tasks\n\nEvery brief ends in exactly one bin.",
        sections.ledger(facts),
        *filter(None, [sections.control(facts)]),
        "## How hard the tasks are\n\nTasks by the share of the solver's valid attempts that were right.",
        sections.difficulty(facts, linked=linked),
        "### Against the versions before",
        sections.against(facts),
        "## What the tasks are about",
        sections.coverage(facts, linked=linked),
    ]
    if run.samples:
        parts += ["## Tasks in full", *(_sample(one, opened=one is run.samples[0]) for one in run.samples)]
    if told := list(sections.rejections(facts)):
        parts += ["## What was turned down\n\nEach reason with the first briefs that ended there.", *told]
    parts += ["## Players", sections.players(facts, run.lineage), "## Cost", sections.cost(facts)]
    if linked and run.tasks:
        rows = [list(row.values()) for row in run.tasks]
        parts += ["## Tasks", _first_of(len(rows), facts), markdown_table(list(run.tasks[0]), rows)]
    return redact("\n\n".join(parts) + "\n")


def task_rows(tasks: Sequence[tuple[Task, Score]]) -> Rows:
    """Rows of the table artifact: what a person looks for stands where the page shows it without scrolling."""
    return [
        {
            "task": task.task_id[:12],
            "domain": cell(task.domain),
            "kind": task.kind,
            "band": score.band,
            "pass rate": cell(score.pass_rate),
            "question": cell(question_of(task.messages)),
            "tools": cell(", ".join(str(call["name"]) for call in task.calls)),
            "interval": f"{score.pass_low:.2f}–{score.pass_high:.2f}",
            "attempts": score.attempts,
            "signal": cell(score.signal_g8),
        }
        for task, score in tasks
    ]


def rejection_rows(fates: Fates) -> Rows:
    """Rows of the table artifact of rejections, at most `TABLE_ROWS`: the first of each reason, in turns."""
    rows: Rows = []
    for place in range(max(map(len, fates.examples.values()), default=0)):
        for (_, check, code), kept in sorted(fates.examples.items()):
            if place < len(kept):
                one = kept[place]
                row: Row = {"brief": one.index, "check": check, "code": code, "domain": cell(one.domain, WHY)}
                rows.append(row | {"why": cell(one.detail, WHY), "written": cell(one.text)})
    return rows[:TABLE_ROWS]


def _scripted(facts: Facts) -> bool:
    return facts.origin.engine == SCRIPTED


def _first_of(count: int, facts: Facts) -> str:
    whole = facts.spread.tasks
    return f"The first {count:,} of {whole:,}." if count < whole else f"All {whole:,}."


def _sample(sample: Sample, *, opened: bool) -> str:
    score, task = sample.score, sample.task
    tools = ", ".join(dict.fromkeys(str(call["name"]) for call in task.calls)) or "no call due"
    calls = "\n".join(json.dumps(call, ensure_ascii=False) for call in task.calls)
    parts = [
        f"Task `{task.task_id[:12]}`",
        fenced("\n".join(f"{message.role}: {message.content}" for message in task.messages)),
        f"The menu, {len(task.tools)} tools:",
        fenced("\n".join(map(_signature, task.tools))),
        "Right:",
        fenced(calls or "no call"),
    ]
    for one in sample.answers[:ANSWERS]:
        parts += [
            f"{one.count} × {escaped(one.outcome)}, reward {one.reward:.2f}:",
            fenced(cut(one.completion, LONGEST)),
        ]
    if rest := sum(one.count for one in sample.answers[ANSWERS:]):
        parts.append(f"and {rest} other attempts.")
    head = f"{score.passes} of {score.attempts} right ({score.band}), {task.domain}, {task.kind}: {cell(tools)}"
    return folded(head, "\n\n".join(parts), opened=opened)


def _signature(tool: Mapping[str, Json]) -> str:
    schema = tool.get("parameters")
    names = schema.get("properties") if isinstance(schema, Mapping) else None
    return f"{tool['name']}({', '.join(names) if isinstance(names, Mapping) else ''}): {tool.get('description', '')}"
