"""Everything that can be known to be wrong before the first sample: found now, named at once.

In: the work folder and the configuration. Out: `plan.json` with both players resolved. Checked: our import names belong
to us, the tools load, the store can be written, both players exist and answer, and are apart after round 0.
"""

from __future__ import annotations

import uuid
from contextlib import suppress
from importlib.metadata import packages_distributions

from loguru import logger

from data.errors import StoreError, UsageError
from data.garbage import PROBE
from data.storage import Storage, open_storage
from flows import context as contexts
from flows.escaping import printable
from flows.progress import note
from flows.settings import RunConfig, policies_home
from generator.domains import DOMAINS
from policies.connect import engine_kind
from policies.players import Player, check_apart, passed_over, resolve
from solver.harness import harness
from verifiers.worlds import WORLDS


def prepare(root: str, config: RunConfig) -> None:
    """Check what the run needs and write down what its steps must know. Raises the first fault."""
    run = _planned(root, config)
    check_domains(run)
    check_harness(run.config.harness, run.style(run.solver), run.solver.engine)
    logger.info("kinds of briefs: {}", ", ".join(f"{kind} {share:g}" for kind, share in run.briefs.shares.items()))
    for refused in run.catalogue.refused:
        verdict = refused.verdict
        reason = f"{verdict.check}/{verdict.code}: {verdict.detail}"
        words = printable(f"left out of the tools: {refused.name}: {reason}").replace("\n", " ")
        logger.warning("{}", words)
        note(words)
    engines = run.engines
    engines.bridge.call(engines.generator.check())
    engines.bridge.call(engines.solver.check())


def prepare_solver(root: str, config: RunConfig) -> None:
    """The same for a job that only measures: its generator is never asked."""
    run = _planned(root, config)
    check_harness(run.config.harness, run.style(run.solver), run.solver.engine)
    run.engines.bridge.call(run.engines.solver.check())


def _planned(root: str, config: RunConfig) -> contexts.Context:
    """The run with its players resolved, as its steps will see it."""
    check_names()
    check_store(open_storage(config.store_location))
    generator, solver = players(config)
    for player in (generator, solver):
        if player.checkpoint:
            logger.info("the {} is {}, round {} from {}", player.name, player.checkpoint, player.round, player.base)
        elif words := passed_over(policies_home(), player):
            logger.warning("{}", words)
            note(words)
    contexts.forget(root)
    contexts.save(root, config, generator, solver)
    return contexts.context(root)


def check_harness(name: str, style: str, engine: str) -> None:
    """The harness exists in the solver's style, and its engine can be asked that way. Raises `UsageError`."""
    harness(name, style)
    if name == "openai" and engine_kind(engine) == "embedded":
        raise UsageError("the embedded engine has no tools interface", hint="use --harness json or hermes")


def players(config: RunConfig) -> tuple[Player, Player]:
    """Who plays: what was named for the slot, else for both, else what was promoted last in it."""
    home = policies_home()
    generator = resolve(home, "generator", config.generator or config.engine)
    solver = resolve(home, "solver", config.solver or config.engine)
    check_apart(generator, solver)
    return generator, solver


def check_names() -> None:
    """Another distribution that owns one of our import names would be imported in our place, or mixed with us."""
    owners = packages_distributions()
    for room in contexts.ROOMS:
        strangers = sorted(set(owners.get(room, ())) - {"sparring"})
        if strangers:
            raise UsageError(
                f"the package {', '.join(strangers)} in this environment also owns the import name {room!r}",
                hint="give sparring an environment of its own",
            )


def check_store(store: Storage) -> None:
    """The store takes objects, and makes one anew only once: all agreement among writers rests on that."""
    probe = f"{PROBE}{uuid.uuid4().hex}"
    try:
        if not store.write_new(probe, b"sparring") or store.write_new(probe, b"sparring"):
            raise StoreError(
                f"{store.location} replaces what should be made only once: it ignores `If-None-Match: *`",
                hint="two writers could overwrite each other there; give another with --store",
            )
    finally:
        with suppress(StoreError):
            store.delete([probe])


def check_domains(run: contexts.Context) -> None:
    """The catalogue has tools of the domains asked for."""
    missing = [name for name in run.config.domains if name not in run.catalogue.domains]
    if missing and run.config.mode == "catalogue":
        raise UsageError(
            f"the catalogue has no tool of the domain {', '.join(missing)}",
            hint=f"it has tools of {', '.join(run.catalogue.domains)}",
        )
    known = {*DOMAINS, *WORLDS, *run.catalogue.domains}
    if unknown := sorted(set(run.config.quotas) - known):
        raise UsageError(f"--quota {unknown[0]!r} is no domain", hint=f"there are {', '.join(sorted(known))}")
