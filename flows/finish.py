"""The end of a run: confirm if asked, publish, show, and say what is short.

In: the finished chunks and the selection. Out: the path of the version. The report is written beside the data (a server
prunes its artifacts) and shown in the UI. Raises `Shortfall` after all that when there are fewer tasks than asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from loguru import logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from data.errors import Shortfall
from data.ledger import LedgerRow, tally
from data.screen import Screen
from data.select import Selection
from data.storage import open_storage
from data.store import Publication, publish
from flows import announce, chunk_tasks, harvest
from flows.context import Context
from flows.harvest import Chunk
from flows.origin import origin
from flows.reports import TABLE_ROWS, Curriculum, headline, report, task_rows
from policies.players import both_base

SAMPLES = 3


def finish(
    run: Context, chunks: Sequence[Chunk], selection: Selection, screen: Screen, *, tokens: int, seconds: float
) -> str:
    """Publish the selection and show it. Returns the version's path; raises `Shortfall` when it is too small.

    `tokens` are the solver's (the generator's stand with its briefs), `seconds` the whole run's.
    """
    ledger = tally(
        harvest.candidate_tables(chunks, selection),
        [LedgerRow("solve", "", 0, tokens), LedgerRow("run", "", 0, seconds=seconds)],
    )
    if not selection.chosen:
        raise _nothing(run, ledger)
    fresh = _confirm(run, chunks, selection)
    figures, menus = _figures(run, chunks, selection, fresh, ledger, seconds=seconds)
    version = publish(
        open_storage(run.config.store_location),
        Publication(
            name=run.config.name,
            tasks=harvest.task_tables(chunks, selection, fresh, run),
            eval=harvest.task_tables(chunks, selection, fresh, run, held=True) if selection.eval else None,
            candidates=harvest.candidate_tables(chunks, selection),
            attempts=chain(harvest.attempt_tables(chunks), harvest.attempt_tables(fresh)),
            ledger=ledger,
            origin=replace(origin(run), contamination=screen.report(menus)),
            report=lambda name: report(replace(figures, version=name)),
        ),
    )
    figures = replace(figures, version=version.manifest.version, path=version.location)
    announce.published(version)
    _show(run, chunks, selection, fresh, figures)
    if selection.missing:
        raise Shortfall(
            f"{selection.describe()}; published as {run.config.name}@{figures.version}",
            hint="raise --budget, widen --mix or the domains, or give more tools",
            path=version.location,
        )
    return version.location


def _confirm(run: Context, chunks: Sequence[Chunk], selection: Selection) -> list[Chunk]:
    """The chosen tasks measured again with fresh attempts, as chunks beside the old ones; none without `--confirm`."""
    if not run.config.confirm:
        return []
    root = str(run.workdir.root)
    chosen = sorted(selection.chosen)
    under_way = []
    for chunk, after in zip(chunks, [*(one.first for one in chunks[1:]), run.config.candidates], strict=True):
        mine = [index for index in chosen if chunk.first <= index < after]
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
    ledger: Sequence[LedgerRow],
    *,
    seconds: float,
) -> tuple[Curriculum, set[str]]:
    """The report's figures, from the rows that are published, and the names of all tools in their menus."""
    spread = harvest.Spread()
    for _, task, score in harvest.chosen_tasks(chunks, selection, fresh):
        spread.add(task, score)
    figures = Curriculum(
        name=run.config.name,
        version="",
        path="",
        asked=run.config.tasks,
        published=len(selection.chosen),
        briefs=sum(row.count for row in ledger),
        shortfall=selection.describe() if selection.missing or run.config.quotas or run.config.eval_share else "",
        engine=run.config.engine,
        harness=run.config.harness,
        k=run.config.k,
        seconds=seconds,
        tokens=sum(row.tokens for row in ledger),
        equal=both_base(run.generator, run.solver),
        generator=f"{run.generator.engine} {run.generator.digest}",
        solver=f"{run.solver.engine} {run.solver.digest}",
        ledger=tuple((row.stage, row.code, row.count) for row in ledger if row.count),
        pass_rates=tuple(spread.pass_rates),
        tools=spread.tools,
        domains=spread.domains,
        samples=harvest.samples(chunks, selection, fresh, SAMPLES),
    )
    return figures, spread.menus


def _show(
    run: Context, chunks: Sequence[Chunk], selection: Selection, fresh: Sequence[Chunk], figures: Curriculum
) -> None:
    """The same in Prefect's UI: the report and a table one can search."""
    key = f"curriculum-{run.config.name}"
    create_markdown_artifact(report(figures), key=key, description=headline(figures))
    tasks = ((task, score) for _, task, score in harvest.chosen_tasks(chunks, selection, fresh))
    create_table_artifact(
        task_rows(list(islice(tasks, TABLE_ROWS))), key=f"{key}-tasks", description=f"tasks of {figures.version}"
    )
    logger.info("{}", headline(figures))


def _nothing(run: Context, ledger: Sequence[LedgerRow]) -> Shortfall:
    """Why there is no task at all: the commonest reason first."""
    bins = sorted((row for row in ledger if row.count), key=lambda row: -row.count)
    why = ", ".join(f"{row.count} {row.stage}/{row.code}" for row in bins)
    return Shortfall(
        f"none of {sum(row.count for row in bins)} briefs became a task: {why}; nothing was published",
        hint=f"all completions are in {run.workdir.chunks}; try another engine, other tools or a larger --budget",
    )
