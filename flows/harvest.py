"""From finished chunks to a version: what selection sees, every brief's fate, the published rows.

In: the paths of each chunk's four files. Out: candidates for selection, and tables made one chunk at a time, so that a
million briefs never stand in memory as Python objects. Nothing here samples or knows Prefect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from data.candidates import Candidates
from data.chunks import read_chunk
from data.ledger import PUBLISHED
from data.records import Score, Task
from data.rows import published_row, raw_text, score_from_row, task_from_row
from data.schema import ATTEMPTS, CANDIDATES, MEASURED, PROPOSALS, SCORES, TASKS, VERIFIED, Row, to_table
from data.screen import Screen
from data.select import Selection, candidate_of
from flows.context import Context
from flows.judging import parts_of, reward_columns
from flows.reports import Answer, Sample
from generator.domains import DOMAINS
from verifiers.worlds import WORLDS

ENVIRONMENTS = tuple(dict.fromkeys([*DOMAINS, *sorted(WORLDS)]))
"""What `env_index` counts; the last number is any other domain's."""
_JUDGED = tuple(name for name in CANDIDATES.names if name in VERIFIED.names)  # Arrow makes `names` anew at each look.


def env_index(domain: str) -> int:
    """The column of that name (CONTRACT)."""
    return ENVIRONMENTS.index(domain) if domain in ENVIRONMENTS else len(ENVIRONMENTS)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The files of one finished chunk of briefs."""

    first: int
    proposals: str
    verified: str
    attempts: str
    scores: str


@dataclass(frozen=True, slots=True)
class Part:
    """The files of a measurement alone."""

    attempts: str
    scores: str


@dataclass(frozen=True, slots=True)
class Counts:
    """What a chunk came to."""

    briefs: int
    proven: int
    tokens: int
    """The solver's, read and written."""


def harvest(chunk: Chunk, screen: Screen, candidates: Candidates) -> Counts:
    """Add the measured tasks of a chunk to the candidates. Returns its counts."""
    verified = read_chunk(chunk.verified, VERIFIED).to_pylist()
    scores = scores_of(chunk)
    proven = [row for row in verified if row["task_id"] is not None]
    for row in proven:
        if row["task_id"] in scores:
            task = task_from_row(row)
            candidates.add(candidate_of(int(row["index"]), task, scores[row["task_id"]], screen.verdict(task)))
    return Counts(len(verified), len(proven), solver_tokens(chunk))


def scores_of(chunk: Chunk | Part) -> dict[str, Score]:
    """Score of each measured task of a chunk, by task id."""
    return {row["task_id"]: score_from_row(row) for row in read_chunk(chunk.scores, SCORES).to_pylist()}


def chosen_tasks(
    chunks: Iterable[Chunk], selection: Selection, fresh: Iterable[Chunk] = ()
) -> Iterator[tuple[int, Task, Score]]:
    """Brief index, task and score of the chosen, in the order of their briefs; fresh scores where they were taken."""
    return _those(chunks, frozenset(selection.chosen), fresh)


def _those(
    chunks: Iterable[Chunk], chosen: frozenset[int], fresh: Iterable[Chunk]
) -> Iterator[tuple[int, Task, Score]]:
    confirmed = {chunk.first: chunk for chunk in fresh}
    for chunk in chunks:
        scores = scores_of(chunk)
        if chunk.first in confirmed:
            scores |= scores_of(confirmed[chunk.first])
        for row in read_chunk(chunk.verified, VERIFIED).to_pylist():
            if row["index"] in chosen:
                yield int(row["index"]), task_from_row(row), scores[row["task_id"]]


def task_tables(
    chunks: Iterable[Chunk], selection: Selection, fresh: Sequence[Chunk], run: Context, *, held: bool = False
) -> Iterator[pa.Table]:
    """Published rows (`TASKS`) of the split `train`, or of `eval` if `held`, a table a chunk."""
    chosen = selection.eval if held else frozenset(selection.chosen) - selection.eval
    for chunk in chunks:
        rows = [
            published_row(
                task,
                score,
                env_index=env_index(task.domain),
                generator_digest=run.generator.digest,
                solver_digest=run.solver.digest,
            )
            for _, task, score in _those([chunk], chosen, fresh)
        ]
        yield to_table(rows, TASKS)


def samples(chunks: Sequence[Chunk], selection: Selection, fresh: Sequence[Chunk], count: int) -> tuple[Sample, ...]:
    """The chosen tasks nearest to a pass rate of one half, each calling other tools, with what the solver answered."""
    picked = nearest(chosen_tasks(chunks, selection, fresh), count)
    measured = {**{chunk.first: chunk for chunk in chunks}, **{chunk.first: chunk for chunk in fresh}}
    return tuple(
        Sample(task, score, _answers(measured[max(first for first in measured if first <= index)], task.task_id))
        for index, task, score in picked
    )


def nearest(tasks: Iterable[tuple[int, Task, Score]], count: int) -> list[tuple[int, Task, Score]]:
    """Those nearest to a pass rate of one half, one for each list of tools; no more than `count` stand in memory."""
    best: dict[tuple[str, ...], tuple[tuple[float, int], Task, Score]] = {}
    for index, task, score in tasks:
        place = abs(score.pass_rate - 0.5), index
        called = tuple(str(call["name"]) for call in task.calls)
        if called not in best or place < best[called][0]:
            best[called] = place, task, score
        if len(best) > count:
            del best[max(best, key=lambda one: best[one][0])]
    return [(place[1], task, score) for place, task, score in sorted(best.values(), key=lambda one: one[0])]


def _answers(chunk: Chunk, task_id: str) -> tuple[Answer, ...]:
    """What the solver answered to a task, most frequent first."""
    rows = read_chunk(chunk.attempts, ATTEMPTS).to_pylist()
    mine = [row for row in rows if row["task_id"] == task_id]
    counts = Counter((raw_text(row["completion"]), row["outcome"], row["reward"]) for row in mine)
    return tuple(Answer(*answer, count) for answer, count in counts.most_common())


def candidate_tables(chunks: Iterable[Chunk], selection: Selection) -> Iterator[pa.Table]:
    """Every brief's fate, a table a chunk."""
    chosen = frozenset(selection.chosen)
    for chunk in chunks:
        scores = scores_of(chunk)
        proposals = read_chunk(chunk.proposals, PROPOSALS).to_pylist()
        verified = read_chunk(chunk.verified, VERIFIED).to_pylist()
        pairs = zip(proposals, verified, strict=True)
        yield to_table([_fate(asked, proven, scores, selection, chosen) for asked, proven in pairs], CANDIDATES)


def attempt_tables(chunks: Iterable[Chunk | Part]) -> Iterator[pa.Table]:
    """Every rollout, a table a chunk."""
    for chunk in chunks:
        yield read_chunk(chunk.attempts, ATTEMPTS)


def _fate(
    asked: Row, proven: Row, scores: Mapping[str, Score], selection: Selection, chosen: frozenset[int]
) -> dict[str, object]:
    """One row of `CANDIDATES`: the proposal, its verdict, its measurement, its place."""
    row: dict[str, object] = {name: proven[name] for name in _JUDGED}
    row |= {name: asked[name] for name in ("completion", "finish_reason", "prompt_tokens", "completion_tokens")}
    score = scores.get(str(proven["task_id"]))
    row |= {name: getattr(score, name) if score else None for name in MEASURED}
    row["brief_json"] = asked["brief_json"]
    index = int(str(proven["index"]))
    if proven["task_id"] is None:
        return row
    if score is None:
        return row | {"stage": "solve", "check": "reachability", "code": "no_valid_attempt"}
    row |= reward_columns(replace(parts_of(row), difficulty=score.difficulty_reward))
    if index in chosen:
        return row | {"stage": PUBLISHED}
    verdict = selection.refused[index]
    return row | {"stage": "select", "check": verdict.check, "code": verdict.code, "detail": verdict.detail}


def solver_tokens(chunk: Chunk | Part) -> int:
    """What the attempts of a chunk cost, read and written."""
    table = read_chunk(chunk.attempts, ATTEMPTS)
    return sum(pc.sum(table[name]).as_py() or 0 for name in ("prompt_tokens", "completion_tokens"))
