"""The flow: waves of briefs are proposed, verified, solved and rated until there are enough tasks, then published.

In: `RunConfig`. Out: the path of the published version. What is decided between waves follows from finished waves
alone, in the order of their briefs, so that an interrupted run decides the same again, and one on a cluster the same
as one in threads. Chunks beyond the wave are begun early, as many as can run at once and seem to be needed; those that
were not needed are kept in the work folder, and are no part of the set.
Waves go on until the set has its size, and its largest band (each quota and the split `eval` too) two thirds of its
seats, or the budget is spent.
Not promised: the mix, where the candidates do not give it (the report says so).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any
from uuid import UUID

from loguru import logger
from prefect import flow
from prefect.artifacts import create_progress_artifact, update_progress_artifact

from data.candidates import Candidates
from data.rule import Rule
from data.screen import Screen, earlier_versions
from data.select import Selection, select
from data.storage import open_storage
from flows import chunk_tasks
from flows.context import WAVE, Context, context, forget
from flows.finish import finish
from flows.flow_options import begin, checked, flow_options
from flows.harvest import Chunk, Counts, harvest
from flows.origin import origin
from flows.own_tools import gathered
from flows.preflight import prepare
from flows.progress import Standing, tell
from flows.runners import running_on
from flows.settings import DEFAULT, RunConfig
from flows.workdir import open_workdir

CHEAP = 5_000
"""Candidates up to which selection is tried after every wave, for the eye; beyond, only where it could be full."""
GROWTH = 50
"""Beyond, the candidates also have to be more by one in so many than at the last try: tries cost by their number."""


@dataclass(slots=True)
class Tally:
    """What the finished waves came to."""

    chunks: list[Chunk] = field(default_factory=list)
    candidates: Candidates = field(default_factory=Candidates)
    briefs: int = 0
    proven: int = 0
    tokens: int = 0
    tried: int = 0
    """Of how many candidates the last selection was made."""

    def add(self, chunk: Chunk, counts: Counts) -> None:
        self.chunks.append(chunk)
        self.briefs += counts.briefs
        self.proven += counts.proven
        self.tokens += counts.tokens

    def select(self, rule: Rule) -> Selection:
        self.tried = len(self.candidates)
        return select(self.candidates, rule)


@flow(name="curriculum", **flow_options(RunConfig, "name", "seed"))
def curriculum(config: RunConfig = DEFAULT) -> str:
    """Grow one task set and publish it.

    Args:
        config: What to make: how many tasks, of what, for which solver.
    """
    return grow(checked(RunConfig, config, "run"))


def grow(config: RunConfig) -> str:
    """The body of every flow that makes a version: returns its path."""
    begin()
    config = gathered(config)
    root = config.work_location
    with open_workdir(root, config.identity, config.work_folder.absolute()):
        prepare(root, config)
        try:
            with running_on(config.runner, root) as slots:
                return _run(context(root), slots)
        finally:
            forget(root)


def _run(run: Context, slots: int) -> str:
    start = time.monotonic()
    progress = create_progress_artifact(0, key=f"curriculum-{run.config.name}-progress", description="tasks chosen")
    assert isinstance(progress, UUID)
    tally = Tally()
    screen = screen_of(run)
    selection = select((), run.config.rule)
    line = Line(run)
    while line.left:
        line.begin(ahead(run, tally, selection, slots))
        for chunk in line.wave():
            tally.add(chunk, harvest(chunk, screen, tally.candidates))
        if due(tally, selection):
            selection = tally.select(run.config.rule)
        _report(run, tally, selection, progress)
        if enough(selection):
            break
    else:
        selection = tally.select(run.config.rule)
    line.settle()
    return finish(run, tally.chunks, selection, screen, tokens=tally.tokens, seconds=time.monotonic() - start)


def screen_of(run: Context) -> Screen:
    """The questions that may not come: those of held-out sets, and of earlier versions of this set."""
    screen = Screen()
    screen.add_parents(run.parents)
    for path in run.config.held_out:
        screen.add_held_out(Path(path))
    store = open_storage(run.config.store_location)
    for version in earlier_versions(store, run.config.name, origin(run).run):
        screen.add_version(version)
    return screen


class Line:
    """The chunks of the budget, in order: those not begun, and those under way."""

    def __init__(self, run: Context) -> None:
        budget, size = run.config.candidates, run.chunk
        self._root = run.workdir.root
        self._spans = deque((first, min(first + size, budget)) for first in range(0, budget, size))
        self._under_way: deque[tuple[int, list[Any]]] = deque()

    @property
    def left(self) -> bool:
        return bool(self._spans or self._under_way)

    def begin(self, most: int) -> None:
        """Have `most` chunks under way, side by side: while one waits for its solver, another proposes."""
        root = self._root
        while self._spans and len(self._under_way) < most:
            first, last = self._spans.popleft()
            # A future stands for its value, which the types of `submit` do not know.
            proposals: Any = chunk_tasks.propose.submit(root, first, last)
            verified: Any = chunk_tasks.verify.submit(root, first, proposals)
            attempts: Any = chunk_tasks.solve.submit(root, first, verified)
            scores: Any = chunk_tasks.rate.submit(root, first, attempts)
            self._under_way.append((first, [proposals, verified, attempts, scores]))

    def wave(self) -> Iterator[Chunk]:
        """The next chunks as they are done, `WAVE` of them at most."""
        for _ in range(min(WAVE, len(self._under_way))):
            first, futures = self._under_way.popleft()
            yield Chunk(first, *(future.result() for future in futures))

    def settle(self) -> None:
        """Wait for what is under way and not needed, whatever it comes to: no task is left without an end."""
        for _, futures in self._under_way:
            futures[-1].wait()


def ahead(run: Context, tally: Tally, selection: Selection, slots: int) -> int:
    """Chunks to have under way: a wave, and as many more as can run and the tasks that are missing seem to take."""
    found = len(selection.chosen) + len(tally.candidates) - tally.tried
    briefs_a_task = max(2.0, tally.briefs / found) if found else 2.0
    needed = ceil((run.config.tasks - found) * briefs_a_task / run.chunk)
    return max(WAVE, min(slots, needed))


def due(tally: Tally, selection: Selection) -> bool:
    """Whether to try a selection again: it is cheap, or what the last one lacked may have come meanwhile."""
    measured, before = len(tally.candidates), tally.tried
    return measured <= CHEAP or measured >= before + max(selection.missing, before // GROWTH)


def enough(selection: Selection) -> bool:
    """Whether no further wave is due: the set has its size, and what was asked of it two thirds of its seats.

    That is its largest band, each domain with a quota, and the split `eval`.
    """
    largest = max(selection.wanted, key=lambda band: selection.wanted[band])
    shares = [(selection.wanted[largest], selection.got[largest]), *selection.quotas.values()]
    shares.append((selection.eval_wanted, len(selection.eval)))
    return not selection.missing and all(3 * got >= 2 * wanted for wanted, got in shares)


def _report(run: Context, tally: Tally, selection: Selection, progress: UUID) -> None:
    standing = Standing(
        briefs=tally.briefs,
        budget=run.config.candidates,
        proven=tally.proven,
        measured=len(tally.candidates),
        chosen=len(selection.chosen),
        wanted=run.config.tasks,
    )
    logger.info("{}", standing.line())
    update_progress_artifact(progress, min(99.0, standing.share), description=standing.line())
    tell(standing)
