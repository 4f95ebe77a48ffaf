"""Briefs answered by their oracle, for the tests of this room."""

from functools import cache
from typing import get_args

from data.records import Brief, BriefKind, Draft, Mode, Task, Verdict
from flows.judging import task_of
from generator.briefs import BriefConfig, plan
from generator.catalogue import load_catalogue
from generator.drafts import unmet
from generator.kinds import KINDS
from generator.parsing import parse
from generator.prompts import Style, instructions, render
from verifiers.verify import Proof, verify

STYLES: tuple[Style, ...] = get_args(Style)


@cache
def config(mode: Mode, kind: BriefKind, seed: int = 5) -> BriefConfig:
    """Briefs of one kind alone; in mode `evolve` about tasks of every kind."""
    parents = tuple(published()) if mode == "evolve" else ()
    return BriefConfig(load_catalogue(), seed, mode, kinds={kind: 1.0}, parents=parents)


@cache
def published() -> tuple[Task, ...]:
    """Forty proven tasks of each kind of catalogue brief."""
    briefs = [plan(config("catalogue", kind, 9), index) for kind in KINDS["catalogue"] for index in range(40)]
    return tuple(task(brief, "chat") for brief in briefs)


def answered(brief: Brief, style: Style, completion: str | None = None) -> Draft | Verdict:
    """The draft of a completion, by default of the oracle's."""
    prompt = render(brief, style)
    return parse(brief, (prompt.oracle or "") if completion is None else completion, style, prompt)


def proved(brief: Brief, style: Style, completion: str | None = None) -> tuple[Draft, Proof]:
    """A draft and what verification came to, the brief's own demands included."""
    draft = answered(brief, style, completion)
    assert isinstance(draft, Draft), draft
    proof = verify(draft, prompt=instructions(brief, render(brief, style)))
    failing = unmet(brief, draft) if proof.solvable else None
    return draft, Proof((failing,)) if failing else proof


def task(brief: Brief, style: Style) -> Task:
    """The task that the oracle's completion makes."""
    draft, proof = proved(brief, style)
    assert proof.reasons == ()
    return task_of(draft, proof, brief)
