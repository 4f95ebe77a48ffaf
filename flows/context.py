"""Everything a chunk step needs to know of its run, found from the work folder's path alone.

In: the path that travels with each task. Out: `Context`, made once for each process from `plan.json`, which the run
wrote before its first chunk. So a step does the same in the flow's process as in a worker on another machine.
"""

from __future__ import annotations

import json
import platform
import threading
from dataclasses import asdict
from functools import cache, cached_property
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Any

from data.canonical import digest
from data.digests import file_digest
from data.errors import StoreError
from data.records import Task
from data.rows import task_from_row
from data.storage import open_storage
from data.version import Version, open_version
from flows.engines import Bridge, Engines
from flows.own_tools import kept_catalogue
from flows.settings import RunConfig
from flows.workdir import Workdir
from generator.briefs import SMALL_COUNTS, SMALL_MENUS, SMALL_VALUES, BriefConfig
from generator.catalogue import Catalogue, load_catalogue
from generator.kinds import PLAIN_SHARES
from policies.connect import engine_kind, open_policy
from policies.players import Player
from policies.protocol import SamplingParams
from solver.rollouts import Settings

CHUNK = {"embedded": 8, "vllm": 16, "scripted": 500}
LARGE_CHUNK = 128
LARGEST_CHUNK = 500
CHUNKS = 400
"""Chunks that a budget is cut into, unless they would be larger than the largest: each is four task runs of 22 KB in
Prefect's database.
"""
MOST_PARENTS = 10_000
WAVE = 2
"""Chunks under way at once, and between two looks at whether there are enough tasks."""


class Context:
    """One run, as its steps see it."""

    def __init__(self, root: str, config: RunConfig, generator: Player, solver: Player) -> None:
        self.workdir = Workdir(root)
        self.config = config
        self.generator = generator
        self.solver = solver
        self._lock = threading.Lock()
        self._engines: Engines | None = None

    @cached_property
    def catalogue(self) -> Catalogue:
        return kept_catalogue(self.workdir.root, self.config) if self.config.tools else load_catalogue()

    @cached_property
    def briefs(self) -> BriefConfig:
        config = self.config
        small: dict[str, Any] = {}
        if self.style(self.solver) == "plain":
            small = {"menu_sizes": SMALL_MENUS, "most_values": SMALL_VALUES, "counts": SMALL_COUNTS}
            small["usual"] = PLAIN_SHARES
        return BriefConfig(
            self.catalogue,
            config.seed,
            config.brief_mode,
            config.domains,
            kinds=config.kinds,
            parents=self.parents,
            accepted=config.accepted,
            **small,
        )

    @cached_property
    def parent(self) -> Version | None:
        """The version whose tasks are to be changed."""
        reference = self.config.parent
        return open_version(open_storage(self.config.store_location), reference) if reference else None

    @cached_property
    def parents(self) -> tuple[Task, ...]:
        """Its tasks, of a large version the first by id."""
        if self.parent is None:
            return ()
        rows = (row for table in self.parent.tasks() for row in table.to_pylist())
        return tuple(task_from_row(row) for row in islice(rows, MOST_PARENTS))

    @property
    def chunk(self) -> int:
        """Briefs in a chunk: enough to keep the generator busy, few enough to lose little; of a large budget, more, so
        that its task runs stay few.
        """
        of_budget = min(LARGEST_CHUNK, ceil(self.config.candidates / CHUNKS))
        return max(chunk_of(self.generator), of_budget)

    def style(self, player: Player) -> Any:
        """The small default model continues examples, models that somebody names chat; the stand-in does either."""
        if self.config.style != "auto":
            return self.config.style
        return "chat" if is_large(player.base) else "plain"

    @property
    def sampling(self) -> SamplingParams:
        """How the generator is sampled: a small model is held to its best words, variety comes from the briefs."""
        temperature = 0.8 if self.style(self.generator) == "chat" else 0.3
        return SamplingParams(temperature=temperature, max_tokens=self.generator_tokens, seed=self.config.seed)

    @property
    def generator_tokens(self) -> int:
        """Room for the longest completion its kind of prompt asks for."""
        if self.style(self.generator) == "chat":
            return 1024
        return 640 if self.config.mode == "open" else 192

    def settings(self, *, fresh: bool = False) -> Settings:
        """How the solver is sampled; `fresh` for `--confirm`."""
        config = self.config
        return Settings(
            harness=config.harness,
            style=self.style(self.solver),
            k=config.confirm if fresh else config.k,
            k_max=None if fresh else config.k_max,
            temperature=config.temperature,
            seed=config.seed,
            fresh=fresh,
        )

    @property
    def engines(self) -> Engines:
        """Both players, opened at first use."""
        with self._lock:
            if self._engines is None:
                generator = open_policy(self.generator.engine, role="generator")
                solver = open_policy(self.solver.engine, role="solver")
                self._engines = Engines(generator, solver, Bridge())
            return self._engines

    def close(self) -> None:
        """Close the players, if they were opened."""
        with self._lock:
            if self._engines is not None:
                self._engines.close()
                self._engines = None


def is_large(engine: str) -> bool:
    """Whether somebody named the model of a server. Of a player its `base` tells: what was trained from the default
    model is as small as it.
    """
    return engine.startswith(("http", "vllm:"))


def chunk_of(player: Player) -> int:
    """Prompts in a chunk for this player."""
    return LARGE_CHUNK if is_large(player.base) else CHUNK[engine_kind(player.engine)]


PLAN = "plan.json"
ROOMS = ("flows", "generator", "solver", "verifiers", "policies", "data")
_HOME = Path(__file__).resolve().parent.parent
_contexts: dict[str, Context] = {}
_contexts_lock = threading.Lock()


def save(root: str, config: RunConfig, generator: Player, solver: Player) -> None:
    """Write down what steps need to know."""
    plan: dict[str, Any] = {
        "code": code_digest(),
        "config": config.model_dump(mode="json"),
        "generator": asdict(generator),
        "solver": asdict(solver),
    }
    open_storage(root).write(PLAN, json.dumps(plan, indent=1, sort_keys=True).encode())


def context(root: str) -> Context:
    """The context of the run in `root`, the same object for the whole process."""
    with _contexts_lock:
        if root not in _contexts:
            plan = _plan(root)
            _contexts[root] = Context(
                root, RunConfig(**plan["config"]), Player(**plan["generator"]), Player(**plan["solver"])
            )
        return _contexts[root]


def _plan(root: str) -> dict[str, Any]:
    """What `save` wrote. Raises `StoreError` where it cannot be read, or was written by other code than runs here."""
    try:
        plan: dict[str, Any] = json.loads(open_storage(root).read(PLAN))
    except StoreError as fault:
        raise StoreError(
            f"{fault.message} (on {platform.node()})",
            hint="every process of a run reads and writes its work folder: give --workdir a place that all of them "
            "reach, as s3://bucket/prefix (and each the keys of it), or a shared drive",
        ) from fault
    if plan["code"] != code_digest():
        raise StoreError(
            f"{platform.node()} runs other code of sparring than the run began with",
            hint="install the same commit on every machine, start its workers anew, and repeat the command",
        )
    return plan


@cache
def code_digest() -> str:
    """Of all our source files, as this process imports them: rows depend on it."""
    files = sorted(path for room in ROOMS for path in (_HOME / room).rglob("*.py"))
    packaged = [path for path in files if (path.parent / "__init__.py").exists()]  # No `reward.py` of a set in data/.
    return digest([[path.relative_to(_HOME).as_posix(), file_digest(path)] for path in packaged])


def forget(root: str) -> None:
    """Close the run's engines and drop its context."""
    with _contexts_lock:
        known = _contexts.pop(root, None)
    if known is not None:
        known.close()
