"""One solver in one harness on the items of a benchmark, every answer judged; and what two such runs differ by.

In: items, an engine, `Asking`. Out: for each item its `Answer`s, one a seed; summaries by category with intervals.
Every item is asked for every seed, or there is no result: what the engine could not deliver is asked again `RETRIES`
times, then `MissingAnswers` says how many are missing and why. A fault of our own checker ends the run likewise.
Not promised: that a mean over categories weighs them alike; `overall` is the mean over items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from data.errors import SparringError, UsageError
from policies.protocol import Completion, Policy, Prompt, SamplingParams
from solver.benches.base import Item
from solver.harness import ANSWER_TOKENS, Harness
from solver.intervals import Estimate, difference, estimate

RETRIES = 2
OVERALL = "overall"


class MissingAnswers(SparringError):
    """A run without all its answers has no result. `EngineUnavailable`'s cousin: the same command may complete it."""

    retryable = True


@dataclass(frozen=True, slots=True)
class Asking:
    """How the solver is asked: `seeds` answers to each item, drawn at `temperature` from the run's `seed`."""

    way: Harness
    seeds: int = 3
    temperature: float = 0.7
    max_tokens: int | None = None
    seed: int = 0

    @property
    def params(self) -> SamplingParams:
        limit = self.max_tokens or ANSWER_TOKENS[self.way.style]
        return SamplingParams(temperature=self.temperature, max_tokens=limit, seed=self.seed)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to one item: outcome and reward by RULES A9 and A10, and the completion itself."""

    outcome: str
    reward: float
    detail: str
    completion: str


Answers = Mapping[str, tuple[Answer, ...]]
"""By item id, one answer a seed."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a category came to. `seeds` and `items` are those of the matrix behind both estimates."""

    category: str
    items: int
    seeds: int
    pass_at_1: Estimate
    reward_mean: Estimate


async def answers(bench: str, items: Sequence[Item], policy: Policy, asking: Asking) -> Answers:
    """Ask each item for each seed and judge what comes. Raises `MissingAnswers`, and what `policy.sample` raises."""
    prompts = [asking.way.prompt(one.task, key=f"{bench}:{one.id}:{asking.way.name}") for one in items]
    sampled = await policy.sample(prompts, asking.seeds, asking.params)
    for _ in range(RETRIES):
        if not (lost := _lost(prompts, sampled)):
            break
        for place, index in lost:
            [[again]] = await policy.sample([prompts[place]], 1, asking.params, first_index=index)
            sampled[place][index] = again
    if lost := _lost(prompts, sampled):
        reasons = Counter(sampled[place][index].error or "no reason given" for place, index in lost)
        raise MissingAnswers(
            f"{bench}: {len(lost)} of {len(items) * asking.seeds} answers are missing after {RETRIES} more tries: "
            + "; ".join(f"{count} x {reason[:200]}" for reason, count in reasons.most_common(3)),
            hint="see that the engine runs, then repeat the same command: answers that came are not asked for again",
        )
    judged = {
        one.id: tuple(_judged(asking.way, one, completion) for completion in completions)
        for one, completions in zip(items, sampled, strict=True)
    }
    for name, answer in ((name, answer) for name, given in judged.items() for answer in given):
        if answer.outcome == "checker_error":
            raise SparringError(f"{bench}: {name} could not be judged: {answer.detail}", hint="please report it")
    return judged


def _lost(prompts: Sequence[Prompt], sampled: Sequence[Sequence[Completion]]) -> list[tuple[int, int]]:
    """Places of prompts and samples without an answer."""
    return [
        (place, index)
        for place in range(len(prompts))
        for index, completion in enumerate(sampled[place])
        if completion.finish_reason == "error"
    ]


def _judged(way: Harness, one: Item, completion: Completion) -> Answer:
    judged = way.score(one.task, completion.text, completion.finish_reason).judged
    return Answer(judged.outcome, judged.reward, judged.detail, completion.text)


def summaries(items: Sequence[Item], given: Answers) -> list[Summary]:
    """Each category in the order of its first item, and the whole."""
    return [
        Summary(
            category,
            len(names),
            len(given[names[0]]),
            estimate([_passes(given[name]) for name in names]),
            estimate([_rewards(given[name]) for name in names]),
        )
        for category, names in _categories(items).items()
    ]


def differences(items: Sequence[Item], one: Answers, other: Answers) -> list[Summary]:
    """How much higher `one` scores than `other` on the same items, by category, paired."""
    if one.keys() != other.keys():
        raise UsageError("two runs of other items have no difference", hint="ask both the same items")
    return [
        Summary(
            category,
            len(names),
            len(one[names[0]]),
            difference([_passes(one[name]) for name in names], [_passes(other[name]) for name in names]),
            difference([_rewards(one[name]) for name in names], [_rewards(other[name]) for name in names]),
        )
        for category, names in _categories(items).items()
    ]


def _passes(given: Sequence[Answer]) -> list[float]:
    return [float(one.outcome == "correct") for one in given]


def _rewards(given: Sequence[Answer]) -> list[float]:
    return [one.reward for one in given]


def _categories(items: Sequence[Item]) -> dict[str, list[str]]:
    """Item ids by category; the whole comes last, where there are several."""
    found: dict[str, list[str]] = {}
    for one in items:
        found.setdefault(one.category, []).append(one.id)
    return found | {OVERALL: [one.id for one in items]}
