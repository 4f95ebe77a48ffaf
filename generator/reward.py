"""Tool-R0's generator reward, every part apart (DESIGN section 3; arXiv 2602.21320).

In: what became of a completion: its draft or fault, the proof, and later the solver's difficulty and a judge's opinion.
Out: `RewardParts`, each part in [0, 1] but `repetition` in [-0.2, 0].
Differences from the reference, all wanted: arguments are judged by the whole schema, not by `required` alone; every
call counts, not the first; tools without parameters are tools; nothing is cached by object id or without the solver's
weights. Coherence is programmatic: 1 when the proof holds, else 0. A judge, where there is one, can lower it and never
rescue. With none configured its weight is thereby the programmatic checks'.
Not promised: difficulty itself, which the solver's room computes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from data.records import Draft, Json, Verdict
from verifiers.answer import JsonFault, read_calls
from verifiers.menu import read_menu
from verifiers.verify import Proof

MIN_QUESTION = 8
"""Letters below which a question is as good as none (the reference's gate)."""

REPETITION_WEIGHT = 0.2
SAME_CLUSTER = 0.30
"""Jaccard distance of character 3-grams below which two questions belong together."""

_TAG_FAULTS = frozenset({"truncated", "duplicate_block", "missing_block"})


@dataclass(frozen=True, slots=True)
class RewardParts:
    """The parts of one completion's reward. `gate` is 0 for an echoed or empty question and multiplies all but
    `repetition`; `difficulty` is 0 until the solver has tried the task."""

    format_tags: float = 0.0
    format_tools: float = 0.0
    format_calls: float = 0.0
    validity_name: float = 0.0
    validity_arguments: float = 0.0
    validity_grounding: float = 0.0
    difficulty: float = 0.0
    coherence: float = 0.0
    gate: float = 0.0
    repetition: float = 0.0

    @property
    def format(self) -> float:
        """In [0, 1]: a third for the blocks, for the tools and for the calls."""
        return self.gate * math.fsum((self.format_tags, self.format_tools, self.format_calls)) / 3

    @property
    def validity(self) -> float:
        """In [0, 1]: 0.4 for names in the menu, 0.4 for valid arguments, 0.2 for values that are said."""
        named, valid, said = self.validity_name, self.validity_arguments, self.validity_grounding
        return self.gate * (0.4 * named + 0.4 * valid + 0.2 * said)

    @property
    def curriculum(self) -> float:
        """In [0, 1]: half difficulty, half coherence."""
        return self.gate * (0.5 * self.difficulty + 0.5 * self.coherence)

    @property
    def reward(self) -> float:
        """In [-0.2, 3]."""
        return self.format + self.validity + self.curriculum + self.repetition


def judge(
    draft: Draft | Verdict, proof: Proof | None, *, difficulty: float = 0.0, opinion: float | None = None
) -> RewardParts:
    """The parts for one completion.

    `draft`: what `generator.parsing` made of it. `proof`: `verify(draft, ...)`, None for a fault. `difficulty`: the
    solver's difficulty reward, in [0, 1]. `opinion`: a judge's coherence in [0, 1], None where there is no judge.
    """
    if isinstance(draft, Verdict):
        return RewardParts(format_tags=float(draft.code not in _TAG_FAULTS))
    failed = frozenset(reason.check for reason in proof.reasons) if proof else frozenset({"checker"})
    none_due = draft.unanswerable is not None and not failed
    calls_hold = none_due or bool(proof and proof.calls)
    return RewardParts(
        format_tags=1.0,
        format_tools=float(isinstance(draft.tools, list)),
        format_calls=float(_calls_of(draft) is not None),
        validity_name=float(calls_hold or _names_known(draft)),
        validity_arguments=float(calls_hold),
        validity_grounding=float(calls_hold and "grounding" not in failed),
        difficulty=0.0 if failed else difficulty,
        coherence=0.0 if failed else min(1.0, 1.0 if opinion is None else opinion),
        gate=float("format" not in failed and _says_something(draft)),
    )


def _says_something(draft: Draft) -> bool:
    question = next((turn.content for turn in reversed(draft.messages) if turn.role == "user"), "")
    return len(question.strip()) >= MIN_QUESTION


def _calls_of(draft: Draft) -> list[dict[str, Json]] | None:
    try:
        return read_calls(draft.calls)
    except JsonFault:
        return None


def _names_known(draft: Draft) -> bool:
    """Whether every call names a tool of the menu, whatever its arguments."""
    menu, calls = read_menu(draft.tools), _calls_of(draft)
    return not isinstance(menu, Verdict) and bool(calls) and all(menu.tool(str(call["name"])) for call in calls or ())


def repetition_penalties(questions: Sequence[str]) -> list[float]:
    """The `repetition` of each question of a batch: -0.2 times the share of the batch in its cluster.

    Clusters are the connected groups of questions whose character 3-grams are nearer than 0.30 by Jaccard distance; an
    unlike question is its own cluster of one. Quadratic in the batch, which is a chunk's.
    """
    grams = [_grams(question) for question in questions]
    roots = list(range(len(grams)))

    def root(place: int) -> int:
        while roots[place] != place:
            place = roots[place] = roots[roots[place]]
        return place

    for here, mine in enumerate(grams):
        for there in range(here):
            if root(here) != root(there) and _distance(mine, grams[there]) < SAME_CLUSTER:
                roots[root(here)] = root(there)
    sizes = Counter(root(place) for place in range(len(grams)))
    return [-REPETITION_WEIGHT * (sizes[root(place)] / len(grams)) for place in range(len(grams))]


def _grams(text: str) -> frozenset[str]:
    text = " ".join(text.casefold().split())
    return frozenset(text[start : start + 3] for start in range(max(1, len(text) - 2)))


def _distance(one: frozenset[str], other: frozenset[str]) -> float:
    if min(len(one), len(other)) < (1 - SAME_CLUSTER) * max(len(one), len(other)):
        return 1.0  # too unlike in size to be near, whatever they share
    return 1 - len(one & other) / len(one | other)
