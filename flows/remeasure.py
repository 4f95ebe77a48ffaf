"""An old version measured again: its tasks as chunks for the solver, and both measurements as tables.

In: a version, cut into pieces of a chunk's size, and for each piece the paths of its new attempts and scores. Out: the
rows of the new version, each task's fate, and the comparison. Tasks stay as they are, in their split.
Rows pass a piece at a time. Nothing here samples or knows Prefect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from data.chunks import derive_key, find_chunk, write_chunk
from data.ledger import PUBLISHED
from data.records import Score
from data.rows import messages_from_json, question_of, score_row, stored_text
from data.schema import CANDIDATES, COMPARISON, TASKS, VERIFIED, to_table
from data.version import Version
from flows.harvest import Part, scores_of
from flows.rescore_report import Changes

_COMPARED = ("harness", "attempts", "passes", "pass_rate", "pass_low", "pass_high", "band")


@dataclass(frozen=True, slots=True)
class Remeasured:
    """A version and its new measurement; `size` rows a piece, `parts` in the order of the pieces."""

    version: Version
    size: int
    parts: Sequence[Part]

    def pieces(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """The old rows of the version by piece, each of one split."""
        yield from pieces(self.version, self.size)

    def task_tables(self, split: str, solver_digest: str) -> Iterator[pa.Table]:
        """The new rows of a split; a task that has no valid attempt has none."""
        for name, rows, scores in self._joined():
            if name == split:
                yield to_table(
                    [_measured(row, scores[row["task_id"]], solver_digest) for row in rows if row["task_id"] in scores],
                    TASKS,
                )

    def candidate_tables(self) -> Iterator[pa.Table]:
        """Every old task's fate."""
        index = 0
        for _, rows, scores in self._joined():
            yield to_table(
                [_fate(index + place, row, scores.get(row["task_id"])) for place, row in enumerate(rows)], CANDIDATES
            )
            index += len(rows)

    def comparison_tables(self) -> Iterator[pa.Table]:
        """Both measurements of each task."""
        for _, rows, scores in self._joined():
            pairs = [(row, scores[row["task_id"]]) for row in rows if row["task_id"] in scores]
            yield to_table([_compared(row, score) for row, score in pairs], COMPARISON)

    def changes(self) -> Changes:
        """What the new measurement says against the old one."""
        found = Changes()
        for _, rows, scores in self._joined():
            for row in rows:
                found.add(row, scores.get(row["task_id"]))
        return found

    def _joined(self) -> Iterator[tuple[str, list[dict[str, Any]], dict[str, Score]]]:
        for (split, rows), part in zip(self.pieces(), self.parts, strict=True):
            yield split, rows, scores_of(part)


def pieces(version: Version, size: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The rows of a version, split by split, at most `size` at a time; the same every time."""
    for split in version.splits:
        held: list[dict[str, Any]] = []
        for table in version.tasks(split):
            held += table.to_pylist()
            while len(held) >= size:
                yield split, held[:size]
                held = held[size:]
        if held:
            yield split, held


def load(folder: str, version: Version, first: int, rows: Sequence[dict[str, Any]]) -> str:
    """A piece as the solver's step reads it: a chunk of proven tasks."""
    key = derive_key("load", [version.manifest.measurement_digest], {"first": first, "rows": len(rows)})
    if found := find_chunk(folder, "load", key):
        return found
    table = to_table([_proven(first + place, row) for place, row in enumerate(rows)], VERIFIED)
    return write_chunk(folder, "load", key, table, VERIFIED)


def _proven(index: int, row: dict[str, Any]) -> dict[str, object]:
    whole: dict[str, object] = dict.fromkeys(VERIFIED.names)
    whole |= {name: row[name] for name in VERIFIED.names if name in row}
    question = stored_text(question_of(messages_from_json(row["messages_json"])))
    return whole | {"index": index, "stage": "verify", "check": "", "code": "", "detail": "", "question": question}


def _measured(row: dict[str, Any], score: Score, solver_digest: str) -> dict[str, object]:
    group = f"{row['task_id']}:{score.harness}"
    return row | score_row(score) | {"group_key": group, "solver_digest": solver_digest}


def _fate(index: int, row: dict[str, Any], score: Score | None) -> dict[str, object]:
    whole: dict[str, object] = dict.fromkeys(CANDIDATES.names)
    proven = _proven(index, row)
    whole |= {name: proven[name] for name in CANDIDATES.names if name in proven}
    whole |= {"completion": "", "finish_reason": "stop", "prompt_tokens": 0, "completion_tokens": 0}
    if score is None:
        return whole | {"stage": "solve", "check": "reachability", "code": "no_valid_attempt"}
    return whole | score_row(score) | {"stage": PUBLISHED}


def _compared(row: dict[str, Any], score: Score) -> dict[str, object]:
    old = {f"previous_{name}": row[name] for name in _COMPARED}
    return (
        {"task_id": row["task_id"], "domain": row["domain"]} | old | {name: getattr(score, name) for name in _COMPARED}
    )
