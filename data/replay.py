"""Stored candidates judged again: the same candidates, another acceptance rule.

In: a version and a rule. Out: `Replay`: what the rule would choose, and against the version's own tasks what stays,
comes in and goes out, each with its reason. Everything comes from the version's folder: `candidates.parquet` holds
every proven task with its measurement.
What held-out sets and earlier versions barred stays barred. Figures are those that the first selection saw, before any
`--confirm`. Not promised: versions that were made before candidates kept their tasks; they are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from data.draw import Candidate
from data.errors import UsageError
from data.ledger import PUBLISHED
from data.manifest import Manifest
from data.parquet import read_tables
from data.records import Verdict
from data.rows import score_from_row, task_from_row
from data.rule import DEFAULT_MIX, Rule
from data.schema import CANDIDATES
from data.select import Selection, candidate_of, select
from data.version import Version

BARRED = frozenset({"contaminated", "published_before"})
FILE = "candidates.parquet"


@dataclass(frozen=True, slots=True)
class Replay:
    """What a rule makes of a version's candidates. Numbers are brief indices; `tasks` has the task id of each."""

    rule: Rule
    selection: Selection
    kept: tuple[int, ...]
    came: tuple[int, ...]
    went: tuple[int, ...]
    tasks: dict[int, str]
    before: dict[int, Verdict]
    """Of those that came in: why they were not chosen then."""


def replay(version: Version, rule: Rule) -> Replay:
    """Apply a rule to the stored candidates. `UsageError` if the version does not hold them whole."""
    candidates: list[Candidate] = []
    tasks: dict[int, str] = {}
    fates: dict[int, Verdict] = {}
    published: set[int] = set()
    for table in stored_candidates(version):
        for row in table.to_pylist():
            if not measured(row):
                continue
            index, fate = int(row["index"]), Verdict(row["check"], row["code"], row["detail"])
            barred = fate if row["stage"] == "select" and fate.code in BARRED else None
            candidates.append(candidate_of(index, task_from_row(row), score_from_row(row), barred))
            tasks[index], fates[index] = row["task_id"], fate
            if row["stage"] == PUBLISHED:
                published.add(index)
    selection = select(candidates, rule)
    chosen = set(selection.chosen)
    came = tuple(sorted(chosen - published))
    return Replay(
        rule,
        selection,
        tuple(sorted(chosen & published)),
        came,
        tuple(sorted(published - chosen)),
        tasks,
        {index: fates[index] for index in came},
    )


def stored_candidates(version: Version) -> Iterator[pa.Table]:
    """The candidates of a version, in tables. `UsageError` if they do not hold their tasks."""
    for table in read_tables(version.storage, FILE):
        if table.schema != CANDIDATES:
            raise UsageError(
                f"{version.location}/{FILE} does not hold the tasks of its candidates",
                hint="it is from before they were kept: publish the run again with this sparring",
            )
        yield table


def measured(row: dict[str, Any]) -> bool:
    """Whether a row of `CANDIDATES` is a proven task that was measured."""
    return row["task_id"] is not None and row["pass_rate"] is not None


def rule_of(manifest: Manifest) -> Rule:
    """The rule by which a version was selected, as its manifest says it."""
    config: dict[str, Any] = dict(manifest.origin.config)
    said: dict[str, Any] = config.get("rule") or {
        "n": config.get("tasks", manifest.rows),
        "mix": config.get("mix", DEFAULT_MIX),
        "quotas": config.get("quotas", {}),
        "suspects": config.get("suspects", False),
        "max_dead_share": config.get("max_dead_share", 1.0),
        "eval_share": config.get("eval_share", 0.0),
    }
    lists: dict[str, Any] = {name: tuple(said[name]) for name in ("domains", "pass_rate") if name in said}
    return Rule(**{**said, **lists})
