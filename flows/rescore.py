"""The flow that measures an old version with a newer solver or another harness: nothing is generated.

In: `RescoreConfig`. Out: the path of a new version of the same set, whose parent is the old one: the same tasks with
the new difficulty, and both side by side in `comparison.parquet` and `report.md`. The same command resumes.
A task without a valid attempt is not in the new version; then the flow ends with a `Shortfall` that says so.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from itertools import chain
from typing import Any

from loguru import logger
from prefect import flow
from prefect.artifacts import create_markdown_artifact

from data.errors import Shortfall
from data.ledger import LedgerRow
from data.rule import Rule
from data.storage import open_storage
from data.store import Publication, publish
from data.version import Version, open_version
from flows import announce, chunk_tasks
from flows.context import WAVE, Context, chunk_of, context, forget
from flows.flow_options import begin, checked, flow_options
from flows.harvest import Part, attempt_tables, solver_tokens
from flows.origin import remeasured
from flows.preflight import prepare_solver
from flows.progress import note
from flows.remeasure import Remeasured, load, pieces
from flows.report_remade import remade
from flows.reports import Curriculum, report
from flows.rescore_report import Changes, sections
from flows.rescore_settings import RescoreConfig
from flows.runners import running_on
from flows.workdir import open_workdir


@flow(name="rescore", **flow_options(RescoreConfig, "version"))
def rescore(config: RescoreConfig) -> str:
    """Measure a published version again.

    Args:
        config: Which version, by which solver, under which harness.
    """
    config = checked(RescoreConfig, config, "rescore")
    begin()
    version = open_version(open_storage(config.store_location), config.version)
    root = config.work_location
    identity = config.identity | {"digest": version.manifest.measurement_digest}
    with open_workdir(root, identity, config.work_folder.absolute()):
        prepare_solver(root, config.run)
        try:
            with running_on(config.runner, root) as slots:
                return _run(context(root), config, version, slots)
        finally:
            forget(root)


def _run(run: Context, config: RescoreConfig, version: Version, slots: int) -> str:
    start = time.monotonic()
    size = chunk_of(run.solver)
    found = Remeasured(version, size, _measure(run, version, size, slots))
    changes = found.changes()
    tokens = sum(map(solver_tokens, found.parts))
    costs = [LedgerRow("solve", "", 0, tokens), LedgerRow("run", "", 0, seconds=time.monotonic() - start)]
    figures = _figures(run, config, found, changes, costs)
    made = publish(open_storage(config.store_location), _publication(run, found, figures))
    announce.published(made)
    text = f"{changes.headline()} Published as {made.manifest.reference}"
    key = "rescore-" + "".join(char if char.isalnum() else "-" for char in made.manifest.name)
    shown = replace(figures, facts=replace(figures.facts, version=made.manifest.version), path=made.location)
    create_markdown_artifact(report(shown, {}), key=key, description=text)
    logger.info("{}", text)
    note(text)
    if changes.unmeasured:
        raise Shortfall(
            f"{len(changes.unmeasured)} of {version.manifest.rows} tasks have no valid attempt: {text}",
            hint="see that the engine answers, then give the same command with another --workdir",
            path=made.location,
        )
    return made.location


def _measure(run: Context, version: Version, size: int, slots: int) -> list[Part]:
    """All pieces solved and rated, as many side by side as can run at once."""
    root = run.workdir.root
    parts: list[Part] = []
    under_way: deque[tuple[Any, Any]] = deque()
    first = 0
    for _, rows in pieces(version, size):
        tasks = load(run.workdir.chunks, version, first, rows)
        attempts: Any = chunk_tasks.solve.submit(root, first, tasks)
        under_way.append((attempts, chunk_tasks.rate.submit(root, first, attempts)))
        first += len(rows)
        if len(under_way) > max(WAVE, slots):
            parts.append(_done(*under_way.popleft()))
            note(f"measured {len(parts) * size} of {version.manifest.rows}")
    return parts + [_done(*futures) for futures in under_way]


def _done(attempts: Any, scores: Any) -> Part:
    return Part(attempts.result(), scores.result())


def _figures(
    run: Context, config: RescoreConfig, found: Remeasured, changes: Changes, costs: list[LedgerRow]
) -> Curriculum:
    """What the report says."""
    version, digest = found.version, run.solver.digest
    name = version.manifest.reference
    old, new = version.manifest.origin, remeasured(run, version.manifest, config.settings(name))
    facts = [
        (key, old.difficulty.get(key, ""), new.difficulty.get(key, ""))
        for key in ("harness", "k", "k_max", "temperature")
    ]
    facts.append(("solver", _solver(old.players), _solver(new.players)))
    return remade(
        open_storage(config.store_location),
        version.manifest.name,
        new,
        Rule(version.manifest.rows),
        chain.from_iterable(found.task_tables(split, digest) for split in version.splits),
        found.candidate_tables(),
        costs,
        changes=sections(name, facts, changes),
    )


def _publication(run: Context, found: Remeasured, figures: Curriculum) -> Publication:
    version, facts = found.version, figures.facts
    digest = run.solver.digest
    return Publication(
        name=facts.name,
        tasks=found.task_tables("train", digest),
        eval=found.task_tables("eval", digest) if "eval" in version.splits else None,
        candidates=found.candidate_tables(),
        attempts=attempt_tables(found.parts),
        ledger=facts.ledger,
        origin=facts.origin,
        report=lambda number: report(replace(figures, facts=replace(facts, version=number))),
        comparison=found.comparison_tables(),
        sources=(version.manifest.version,),
    )


def _solver(players: Any) -> str:
    solver = players.get("solver", {})
    return f"{solver.get('engine', '')} {solver.get('digest', '')}".strip()
