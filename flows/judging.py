"""One proposal judged: a completion becomes a proven task, or the first check it failed.

In: a row of `PROPOSALS` (and the prompt it answered). Out: a row of `VERIFIED` with the parts of the generator's reward
that do not need a solver. Pure: the same row gives the same verdict.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace

from data.canonical import canonical_json
from data.records import Brief, Draft, Json, JsonObject, Task, Verdict
from data.rows import brief_from_json, question_of, raw_text, stored_text, task_columns
from data.schema import VERIFIED, Row
from generator.drafts import unmet
from generator.parsing import parse
from generator.prompts import Style, instructions, render
from generator.reward import RewardParts, judge, repetition_penalties
from verifiers.calls import kind_of
from verifiers.verify import Proof, identity, verify

_IN_THE_TASK = frozenset({"tools", "arguments", "said", "fixed"})

ENGINE = "engine"
"""The check of a proposal that never came: the engine failed after its retries."""


def judged_row(row: Row, style: Style) -> dict[str, object]:
    """What became of one proposal."""
    brief = brief_from_json(str(row["brief_json"]))
    result: dict[str, object] = dict.fromkeys(VERIFIED.names)
    result |= {"index": brief.index, "brief_json": row["brief_json"], "domain": brief.domain, "mode": brief.mode}
    result |= {"stage": "verify", "check": "", "code": "", "detail": ""}
    if row["finish_reason"] == "error":
        return result | _refused(Verdict(ENGINE, "no_completion", raw_text(str(row["error"]))), "propose")
    prompt = render(brief, style)
    draft = parse(brief, raw_text(str(row["completion"])), style, prompt)
    if isinstance(draft, Verdict):
        verdict = Verdict(draft.check, "truncated", draft.detail) if row["finish_reason"] == "length" else draft
        return result | _refused(verdict, "verify") | reward_columns(judge(draft, None))
    proof = verify(draft, prompt=instructions(brief, prompt))
    if proof.solvable and (failing := unmet(brief, draft)):
        proof = replace(proof, reasons=(failing,))
    result |= reward_columns(judge(draft, proof)) | {"question": stored_text(question_of(draft.messages))}
    if proof.reasons:
        return result | _refused(proof.reasons[0], "verify")
    return result | task_columns(task_of(draft, proof, brief))


def task_of(draft: Draft, proof: Proof, brief: Brief) -> Task:
    """The task of a draft that was proved, in normal form."""
    return Task(
        task_id=identity(draft, proof),
        kind=kind_of(proof.calls),
        turns=sum(message.role == "user" for message in draft.messages),
        domain=brief.domain,
        mode=brief.mode,
        messages=draft.messages,
        tools=proof.tools,
        calls=proof.calls,
        accept=proof.accept,
        may_omit=proof.may_omit,
        unanswerable=draft.unanswerable,
        world=draft.world,
        implementations=draft.implementations,
        outcome=_outcome(proof),
        rule="calls" if proof.outcome is None else "outcome",
        parent_task_id=brief.parent_task_id,
        brief=_compact(brief),
    )


def _outcome(proof: Proof) -> Json:
    """What is stored of an outcome: with it, as `alternatives`, other calls that come to it."""
    if not isinstance(proof.outcome, Mapping):
        return None
    return {**proof.outcome, "alternatives": [list(calls) for calls in proof.alternatives]}


def _compact(brief: Brief) -> JsonObject:
    """The brief without what stands in the task."""
    return {part.name: getattr(brief, part.name) for part in fields(Brief) if part.name not in _IN_THE_TASK}


def compact_brief(text: str) -> str:
    """A whole brief, as JSON, without what stands in the task."""
    brief: dict[str, Json] = json.loads(text)
    return canonical_json({name: value for name, value in brief.items() if name not in _IN_THE_TASK})


def reward_columns(parts: RewardParts) -> dict[str, object]:
    """The parts and the whole as columns of `VERIFIED` and `CANDIDATES`."""
    return {**asdict(parts), "reward": parts.reward}


def with_repetition(rows: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """The rows of a chunk, each question that resembles others of it with its penalty."""
    asked = [row for row in rows if row["question"] is not None]
    penalties = repetition_penalties([str(row["question"]) for row in asked])
    for row, penalty in zip(asked, penalties, strict=True):
        row |= reward_columns(replace(parts_of(row), repetition=penalty))
    return list(rows)


def parts_of(row: Mapping[str, object]) -> RewardParts:
    """The parts that a row holds."""
    return RewardParts(**{part.name: float(str(row[part.name])) for part in fields(RewardParts)})


def _refused(verdict: Verdict, stage: str) -> dict[str, object]:
    return {"stage": stage, "check": verdict.check, "code": verdict.code, "detail": stored_text(verdict.detail)}
