"""Stored candidates judged again: the same candidates, another acceptance rule.

In: a version and a rule. Out: `Replay`: what the rule would choose, and against the version's own tasks what stays,
comes in and goes out, each with its reason. Everything comes from the version's folder: `candidates.parquet` holds
every proven task with its measurement.
What held-out sets and earlier versions barred stays barred. Figures are those that the first selection saw, before any
`--confirm`. Not promised: versions that were made before candidates kept their tasks; they are refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from data.candidates import Candidate, Candidates
from data.errors import UsageError
from data.ledger import PUBLISHED
from data.manifest import Manifest
from data.parquet import read_schema, read_tables
from data.records import Verdict
from data.rows import messages_from_json, score_from_row
from data.rule import DEFAULT_MIX, Rule
from data.schema import CANDIDATES, MEASURED
from data.select import Selection, candidate, select
from data.version import Version

BARRED = frozenset({"contaminated", "published_before"})
FILE = "candidates.parquet"


@dataclass(frozen=True, slots=True)
class Replay:
    """What a rule makes of a version's candidates. Numbers are brief indices."""

    rule: Rule
    selection: Selection
    kept: tuple[int, ...]
    came: tuple[int, ...]
    went: tuple[int, ...]
    measured: int
    """How many candidates the rule was asked about."""
    tasks: dict[int, str]
    """Task ids of the kept, those that came and those that went."""
    before: dict[int, Verdict]
    """Of those that came in: why they were not chosen then."""


def replay(version: Version, rule: Rule) -> Replay:
    """Apply a rule to the stored candidates. `UsageError` if the version does not hold them whole."""
    candidates = Candidates()
    published: set[int] = set()
    for row in _rows(version, (*_FATE, *_ASKED, *MEASURED)):
        barred = _fate(row) if row["stage"] == "select" and row["code"] in BARRED else None
        candidates.add(_candidate(row, barred))
        if row["stage"] == PUBLISHED:
            published.add(row["index"])
    selection = select(candidates, rule)
    chosen = set(selection.chosen)
    tasks: dict[int, str] = {}
    before: dict[int, Verdict] = {}
    for row in _rows(version, _FATE):
        if (index := row["index"]) in chosen or index in published:
            tasks[index] = row["task_id"]
            if index not in published:
                before[index] = _fate(row)
    kept, came, went = (tuple(sorted(those)) for those in (chosen & published, chosen - published, published - chosen))
    return Replay(rule, selection, kept, came, went, len(candidates), tasks, before)


_FATE = ("index", "task_id", "pass_rate", "stage", "check", "code", "detail")
_ASKED = ("domain", "messages_json", "calls_json", "unanswerable_json")


def stored_candidates(version: Version, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """The candidates of a version, in tables of all columns or of these.

    `UsageError` if they do not hold their tasks.
    """
    if read_schema(version.storage, FILE) != CANDIDATES:
        raise UsageError(
            f"{version.location}/{FILE} does not hold the tasks of its candidates",
            hint="it is from before they were kept: publish the run again with this sparring",
        )
    yield from read_tables(version.storage, FILE, columns)


def _rows(version: Version, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Those of the candidates that were measured."""
    for table in stored_candidates(version, tuple(dict.fromkeys(columns))):
        yield from filter(measured, table.to_pylist())


def _fate(row: dict[str, Any]) -> Verdict:
    return Verdict(row["check"], row["code"], row["detail"])


def _candidate(row: dict[str, Any], barred: Verdict | None) -> Candidate:
    messages, calls = messages_from_json(row["messages_json"]), json.loads(row["calls_json"])
    proof = json.loads(row["unanswerable_json"] or "null")
    return candidate(row["index"], row["domain"], messages, calls, proof, score_from_row(row), barred)


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
