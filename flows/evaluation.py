"""An evaluation: every solver in every harness on every benchmark, from a work folder that resumes.

In: `Plan`. Out: the result as one JSON-able object: what was asked, of whom, every item's outcome for every seed,
summaries with intervals, and paired differences between the solvers and between the harnesses. What was answered is
written down at once; the same plan resumes there, another is refused. Knows no Prefect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any

from data.canonical import digest
from data.errors import UsageError
from flows.context import is_large
from flows.engines import journalled
from flows.preflight import check_harness
from flows.settings import is_url, state_home
from flows.workdir import open_workdir
from policies.connect import open_policy
from policies.players import Player
from solver.benches.base import Bench
from solver.evaluate import Answers, Asking, Summary, answers, differences, summaries
from solver.harness import PROMPT_VERSION, Harness, HarnessName, harness
from verifiers.verify import VERIFIER_VERSION

SCHEMA = 1
"""Version of the result's layout."""
RESULT = "result.json"
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is evaluated. `solvers`: the one under test, and perhaps the one it is compared with."""

    solvers: tuple[Player, ...]
    harnesses: tuple[HarnessName, ...]
    benches: tuple[Bench, ...]
    style: str = "auto"
    seeds: int = 3
    temperature: float = 0.7
    max_tokens: int | None = None
    seed: int = 0

    def style_of(self, solver: Player, name: str) -> str:
        """How one solver is prompted: the small default model continues examples, named models and tools chat."""
        chats = is_large(solver.base) or name == "openai"
        return ("chat" if chats else "plain") if self.style == "auto" else self.style

    def way(self, solver: Player, name: str) -> Harness:
        """The harness for one solver."""
        return harness(name, self.style_of(solver, name))

    def asking(self, solver: Player, name: str) -> Asking:
        return Asking(self.way(solver, name), self.seeds, self.temperature, self.max_tokens, self.seed)

    def check(self) -> None:
        """Raises `UsageError` for what cannot be compared or asked."""
        if len({solver.digest for solver in self.solvers}) < len(self.solvers):
            raise UsageError(
                f"{' and '.join(one.title for one in self.solvers)} are the same weights ({self.solvers[0].digest})",
                hint="name another engine with --against",
            )
        if len(set(self.harnesses)) < len(self.harnesses):
            raise UsageError("a harness is named twice", hint="name each once")
        for solver in self.solvers:
            for name in self.harnesses:
                check_harness(name, self.style_of(solver, name), solver.engine)

    def identity(self) -> dict[str, Any]:
        """All that the result depends on."""
        return {
            "solvers": [[solver.title, solver.digest] for solver in self.solvers],
            "ways": [
                [name, self.way(solver, name).style, PROMPT_VERSION]
                for solver in self.solvers
                for name in self.harnesses
            ],
            "benches": [
                [one.name, [list(file) for file in one.files], digest([item.id for item in one.items])]
                for one in self.benches
            ],
            "settings": [self.seeds, self.temperature, self.max_tokens, self.seed],
            "verifier": VERIFIER_VERSION,
        }


@dataclass(frozen=True, slots=True)
class _Run:
    """One solver in one harness on one benchmark."""

    bench: Bench
    solver: str
    harness: str
    style: str
    given: Answers


def evaluate(plan: Plan, workdir: str = "", tell: Tell = lambda line: None) -> tuple[dict[str, Any], Path]:
    """Run the plan; the result, and the work folder it was run in. Raises as `solver.evaluate.answers` does."""
    plan.check()
    identity = plan.identity()
    if is_url(workdir):
        raise UsageError(f"--workdir {workdir!r} is a URL", hint="answers are kept on disk: name a folder")
    root = Path(workdir).expanduser() if workdir else state_home() / "evaluations" / digest(identity)[:12]
    with open_workdir(root, identity) as folder:
        runs = asyncio.run(_runs(plan, folder.journals, tell))
    return _result(plan, runs), root


async def _runs(plan: Plan, journals: Path, tell: Tell) -> list[_Run]:
    """Solver by solver, so that one set of weights is held at a time."""
    runs = []
    for solver in plan.solvers:
        opened = open_policy(solver.engine, role="solver")
        policy = journalled(opened, journals / f"{opened.digest.removeprefix('sha256:')[:16]}.jsonl")
        try:
            await policy.check()
            for bench in plan.benches:
                for name in plan.harnesses:
                    tell(f"{bench.name}: {len(bench.items)} items x {plan.seeds} seeds, {solver.title}, {name}")
                    asking = plan.asking(solver, name)
                    given = await answers(bench.name, bench.items, policy, asking)
                    runs.append(_Run(bench, solver.title, name, asking.way.style, given))
        finally:
            await policy.close()
    return runs


def _result(plan: Plan, runs: Sequence[_Run]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "sparring": version("sparring"),
        "verifier": VERIFIER_VERSION,
        "prompts": PROMPT_VERSION,
        "solvers": [{"engine": solver.title, "digest": solver.digest} for solver in plan.solvers],
        "harnesses": [
            {"name": name, "style": plan.way(solver, name).style, "solver": solver.title}
            for solver in plan.solvers
            for name in plan.harnesses
        ],
        "settings": {
            "seeds": plan.seeds,
            "seed": plan.seed,
            "temperature": plan.temperature,
            "max_tokens": plan.max_tokens,
        },
        "benches": [
            {
                "name": one.name,
                "files": [{"name": name, "sha256": sha256} for name, sha256 in one.files],
                "items": len(one.items),
                "left_out": [{"id": name, "reason": reason} for name, reason in one.left_out],
            }
            for one in plan.benches
        ],
        "metrics": [
            {
                "bench": run.bench.name,
                "solver": run.solver,
                "harness": run.harness,
                "style": run.style,
                **_summary(one),
            }
            for run in runs
            for one in summaries(run.bench.items, run.given)
        ],
        "differences": [told for one in plan.benches for told in _differences(one, runs)],
        "items": [told for run in runs for told in _items(run)],
    }


def _differences(bench: Bench, runs: Sequence[_Run]) -> list[dict[str, Any]]:
    """Of two runs on one benchmark that differ in the solver alone, or in the harness alone: first less second."""
    told = []
    for one, other in combinations([run for run in runs if run.bench is bench], 2):
        if (one.solver == other.solver) == (one.harness == other.harness):
            continue
        of = "harness" if one.solver == other.solver else "solver"
        same = {"solver": one.solver} if of == "harness" else {"harness": one.harness}
        pair = {"of": of, "first": getattr(one, of), "second": getattr(other, of), **same}
        found = differences(bench.items, one.given, other.given)
        styles = {"styles": [one.style, other.style]}
        told += [{"bench": bench.name, **pair, **styles, **_summary(summary)} for summary in found]
    return told


def _summary(one: Summary) -> dict[str, Any]:
    return {
        "category": one.category,
        "items": one.items,
        "seeds": one.seeds,
        "pass_at_1": asdict(one.pass_at_1),
        "reward_mean": asdict(one.reward_mean),
    }


def _items(run: _Run) -> list[dict[str, Any]]:
    return [
        {
            "bench": run.bench.name,
            "id": one.id,
            "category": one.category,
            "solver": run.solver,
            "harness": run.harness,
            "answers": [asdict(answer) for answer in run.given[one.id]],
        }
        for one in run.bench.items
    ]
