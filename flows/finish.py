"""The end of a run: confirm if asked, publish, show, and say what is short.

In: the finished chunks and the selection. Out: the path of the version. The report is written beside the data (a server
prunes its artifacts) and shown in the UI. Raises `Shortfall` after all that when there are fewer tasks than asked.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from loguru import logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from data.errors import Shortfall
from data.ledger import LedgerRow, tally
from data.records import Score, Task
from data.screen import Screen, earlier_versions
from data.select import Selection
from data.storage import open_storage
from data.store import Publication, publish
from flows import announce, chunk_tasks, harvest
from flows.context import Context
from flows.harvest import Chunk
from flows.origin import origin
from flows.report_facts import Facts, Fates, Spread, versions_before
from flows.reports import TABLE_ROWS, Curriculum, headline, rejection_rows, report, task_rows
from flows.settings import policies_home
from policies.checkpoints import ancestry

SAMPLES = 3


def finish(
    run: Context, chunks: Sequence[Chunk], selection: Selection, screen: Screen, *, tokens: int, seconds: float
) -> str:
    """Publish the selection and show it. Returns the version's path; raises `Shortfall` when it is too small.

    `tokens` are the solver's (the generator's stand with its briefs), `seconds` the whole run's.
    """
    fresh = _confirm(run, chunks, selection) if selection.chosen else []
    fates = Fates()
    ledger = tally(
        fates.watch(harvest.candidate_tables(chunks, selection)),
        [
            LedgerRow("solve", "", 0, tokens),
            *([LedgerRow("confirm", "", 0, sum(map(harvest.solver_tokens, fresh)))] if fresh else []),
            LedgerRow("run", "", 0, seconds=seconds),
        ],
    )
    if not selection.chosen:
        raise _nothing(run, ledger)
    figures = _figures(run, chunks, selection, fresh, fates, ledger)
    facts = figures.facts
    version = publish(
        open_storage(run.config.store_location),
        Publication(
            name=run.config.name,
            tasks=harvest.task_tables(chunks, selection, fresh, run),
            eval=harvest.task_tables(chunks, selection, fresh, run, held=True) if selection.eval else None,
            candidates=harvest.candidate_tables(chunks, selection),
            attempts=chain(harvest.attempt_tables(chunks), harvest.attempt_tables(fresh)),
            ledger=ledger,
            origin=replace(facts.origin, contamination=screen.report(facts.spread.menus)),
            report=lambda name: report(replace(figures, facts=replace(facts, version=name))),
            sources=() if run.parent is None else (run.parent.manifest.seen_from(run.config.name),),
        ),
    )
    announce.published(version)
    _show(replace(figures, facts=replace(facts, version=version.manifest.version), path=version.location))
    if selection.missing:
        raise Shortfall(
            f"{selection.describe()}; published as {version.manifest.reference}",
            hint="raise --budget, widen --mix or the domains, or give more tools",
            path=version.location,
        )
    return version.location


def _confirm(run: Context, chunks: Sequence[Chunk], selection: Selection) -> list[Chunk]:
    """The chosen tasks measured again with fresh attempts, as chunks beside the old ones; none without `--confirm`."""
    if not run.config.confirm:
        return []
    root = run.workdir.root
    chosen = sorted(selection.chosen)
    under_way = []
    for chunk, after in zip(chunks, [*(one.first for one in chunks[1:]), run.config.candidates], strict=True):
        mine = chosen[bisect_left(chosen, chunk.first) : bisect_left(chosen, after)]
        if mine:
            attempts: Any = chunk_tasks.confirm.submit(root, chunk.first, chunk.verified, mine)
            scores = chunk_tasks.rate.submit(root, chunk.first, attempts)
            under_way.append((chunk, attempts, scores))
    return [replace(chunk, attempts=attempts.result(), scores=scores.result()) for chunk, attempts, scores in under_way]


def _figures(
    run: Context,
    chunks: Sequence[Chunk],
    selection: Selection,
    fresh: Sequence[Chunk],
    fates: Fates,
    ledger: tuple[LedgerRow, ...],
) -> Curriculum:
    """What the report says, from the rows that are published."""
    spread = Spread()
    tasks: list[tuple[Task, Score]] = []
    for _, task, score in harvest.chosen_tasks(chunks, selection, fresh):
        spread.add(task, score)
        if len(tasks) < TABLE_ROWS:
            tasks.append((task, score))
    config, made_by = run.config, origin(run)
    past = versions_before(earlier_versions(open_storage(config.store_location), config.name, made_by.run))
    return Curriculum(
        facts=Facts(config.name, "", made_by, config.rule, ledger, spread, fates, past),
        shortfall=selection.describe() if selection.missing or config.quotas or config.eval_share else "",
        samples=harvest.samples(chunks, selection, fresh, SAMPLES),
        lineage={player.name: ancestry(policies_home(), player.digest) for player in (run.generator, run.solver)},
        tasks=task_rows(tasks),
    )


def _show(run: Curriculum) -> None:
    """The same in Prefect's UI: the report, and beside it tables one can search."""
    facts, key = run.facts, f"curriculum-{run.facts.name}"
    shown = {"tasks": run.tasks, "rejections": rejection_rows(facts.fates)}
    tables = {
        name: f"/v2/artifacts/artifact/{create_table_artifact(rows, key=f'{key}-{name}', description=facts.version)}"
        for name, rows in shown.items()
        if rows
    }
    create_markdown_artifact(report(run, tables), key=key, description=headline(run))
    logger.info("{}", headline(run))


def _nothing(run: Context, ledger: Sequence[LedgerRow]) -> Shortfall:
    """Why there is no task at all: the commonest reason first."""
    bins = sorted((row for row in ledger if row.count), key=lambda row: -row.count)
    why = ", ".join(f"{row.count} {row.stage}/{row.code}" for row in bins)
    return Shortfall(
        f"none of {sum(row.count for row in bins)} briefs became a task: {why}; nothing was published",
        hint=f"all completions are in {run.workdir.chunks}; try another engine, other tools or a larger --budget",
    )
