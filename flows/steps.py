"""The steps of a run, each `f(chunk path, ...) -> chunk path`: propose, verify, solve, rate.

In: the work folder and the paths of earlier chunks. Out: the path of this step's chunk, made now or found again.
A step's key holds all that its rows depend on: inputs by content, prompts, verifier, weights and settings. Nothing here
knows Prefect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

from data.canonical import digest
from data.chunks import chunk_digest, derive_key, find_chunk, read_chunk, write_chunk
from data.errors import EngineUnavailable
from data.records import Attempt, Json, Score, Task
from data.rows import (
    attempt_from_row,
    attempt_row,
    brief_json,
    score_row,
    stored_text,
    task_from_row,
)
from data.schema import ATTEMPTS, PROPOSALS, SCHEMA_VERSION, SCORES, VERIFIED, Row, to_table
from flows.context import Context, context
from flows.engines import journalled
from flows.judging import judged_row, with_repetition
from generator.briefs import plan
from generator.prompts import PROMPT_VERSION as GENERATOR_PROMPTS
from generator.prompts import render
from policies.protocol import Completion, Prompt, prompt_text
from solver.difficulty import rate as rate_task
from solver.harness import PROMPT_VERSION as SOLVER_PROMPTS
from solver.rollouts import attempt
from verifiers.verify import VERIFIER_VERSION

_NOTHING = Completion("", 0, 0, 0, 0, "stop")
_LATER = "see that the engine runs, then repeat the same command: finished chunks are kept"


def key(
    root: str, step: str, inputs: Iterable[str], *, first: int = 0, last: int = 0, chosen: Sequence[int] = ()
) -> str:
    """The derivation key of a step's chunk: `inputs` are paths of earlier chunks."""
    run = context(root)
    config: dict[str, Json] = {"schema": SCHEMA_VERSION, "verifier": VERIFIER_VERSION}
    if step == "propose":
        config |= {"first": first, "last": last, "briefs": run.briefs.digest, "weights": run.generator.digest}
        config |= {"style": run.style(run.generator), "sampling": asdict(run.sampling)}
        config |= {"prompts": GENERATOR_PROMPTS, "grammar": run.config.grammar}
    elif step == "verify":
        config |= {"style": run.style(run.generator), "prompts": GENERATOR_PROMPTS}
    elif step in ("solve", "confirm"):
        config |= {"weights": run.solver.digest, "settings": asdict(run.settings(fresh=step == "confirm"))}
        config |= {"chosen": list(chosen)}
        config |= {"prompts": SOLVER_PROMPTS}
    return derive_key(step, list(map(chunk_digest, inputs)), config)


def propose(root: str, first: int, last: int) -> str:
    """Briefs `first` to `last - 1`, each answered once by the generator."""
    run = context(root)
    name = key(root, "propose", (), first=first, last=last)
    if found := find_chunk(run.workdir.chunks, "propose", name):
        return found
    briefs = [plan(run.briefs, index) for index in range(first, last)]
    prompts = [render(brief, run.style(run.generator)) for brief in briefs]
    if not run.config.grammar:
        prompts = [replace(prompt, schema=None) for prompt in prompts]
    answers = _proposals(run, prompts, name)
    rows: list[Row] = [
        {
            "index": brief.index,
            "brief_json": brief_json(brief),
            "prompt_digest": digest(prompt.text or [[m.role, m.content] for m in prompt.messages or ()]),
            "completion": stored_text(answer.text),
            "seed": answer.seed,
            "prompt_tokens": answer.prompt_tokens,
            "completion_tokens": answer.completion_tokens,
            "finish_reason": answer.finish_reason,
            "error": stored_text(answer.error),
        }
        for brief, prompt, answer in zip(briefs, prompts, answers, strict=True)
    ]
    return write_chunk(run.workdir.chunks, "propose", name, to_table(rows, PROPOSALS), PROPOSALS)


def _proposals(run: Context, prompts: Sequence[Prompt], name: str) -> list[Completion]:
    """What the generator says to each prompt; one that asks nothing is not sent."""
    asked = [prompt for prompt in prompts if prompt_text(prompt)]
    policy = journalled(run.engines.generator, run.workdir.journals / f"{name}.jsonl")
    sampled = run.engines.bridge.call(policy.sample(asked, 1, run.sampling)) if asked else []
    if asked and all(answer.finish_reason == "error" for (answer,) in sampled):
        raise EngineUnavailable(f"the generator answered nothing: {sampled[0][0].error}", hint=_LATER)
    answers = {prompt.key: answer for prompt, (answer,) in zip(asked, sampled, strict=True)}
    return [answers.get(prompt.key, _NOTHING) for prompt in prompts]


def verify(root: str, proposals: str) -> str:
    """Each proposal a proven task, or the check it failed."""
    run = context(root)
    name = key(root, "verify", (proposals,))
    if found := find_chunk(run.workdir.chunks, "verify", name):
        return found
    style = run.style(run.generator)
    rows = with_repetition([judged_row(row, style) for row in read_chunk(proposals, PROPOSALS).to_pylist()])
    return write_chunk(run.workdir.chunks, "verify", name, to_table(rows, VERIFIED), VERIFIED)


def solve(root: str, verified: str) -> str:
    """The solver's attempts on every proven task of a chunk."""
    return _attempts(context(root), "solve", key(root, "solve", (verified,)), tasks_of(verified))


def confirm(root: str, verified: str, chosen: Sequence[int]) -> str:
    """Fresh attempts on the tasks of the briefs `chosen` of a chunk."""
    name = key(root, "confirm", (verified,), chosen=chosen)
    return _attempts(context(root), "confirm", name, tasks_of(verified, frozenset(chosen)))


def _attempts(run: Context, step: str, name: str, tasks: Sequence[Task]) -> str:
    """Attempts on `tasks`, in their order; a task that two briefs came to is attempted once."""
    if found := find_chunk(run.workdir.chunks, step, name):
        return found
    unique = list({task.task_id: task for task in tasks}.values())
    policy = journalled(run.engines.solver, run.workdir.journals / f"{name}.jsonl")
    rollouts = run.engines.bridge.call(attempt(unique, policy, run.settings(fresh=step == "confirm")))
    rows = [attempt_row(one) for rollout in rollouts for one in rollout]
    if rows and all(row["outcome"] == "infrastructure" for row in rows):
        raise EngineUnavailable(f"the solver answered nothing: {rows[0]['detail']}", hint=_LATER)
    return write_chunk(run.workdir.chunks, step, name, to_table(rows, ATTEMPTS), ATTEMPTS)


def rate(root: str, attempts: str) -> str:
    """The difficulty of every task that was attempted; one without a valid attempt has none."""
    run = context(root)
    name = key(root, "rate", (attempts,))
    if found := find_chunk(run.workdir.chunks, "rate", name):
        return found
    rows = [score_row(score) for score in scores(read_chunk(attempts, ATTEMPTS).to_pylist())]
    return write_chunk(run.workdir.chunks, "rate", name, to_table(rows, SCORES), SCORES)


def scores(rows: Iterable[Row]) -> list[Score]:
    """The scores of attempts given as rows, in the order of their tasks' first attempts."""
    by_task: dict[str, list[Attempt]] = {}
    for row in rows:
        one = attempt_from_row(row)
        by_task.setdefault(one.task_id, []).append(one)
    rated = [rate_task(group) for group in by_task.values()]
    return [score for score in rated if isinstance(score, Score)]


def tasks_of(verified: str, chosen: frozenset[int] | None = None) -> list[Task]:
    """The proven tasks of a verified chunk, in the order of their briefs; of the briefs `chosen` alone, if given."""
    rows = read_chunk(verified, VERIFIED).to_pylist()
    proven = [row for row in rows if row["task_id"] is not None]
    return [task_from_row(row) for row in proven if chosen is None or row["index"] in chosen]
