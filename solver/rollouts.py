"""Attempts of a solver on tasks: waves of samples, adaptive in number, judged as they come.

In: tasks, a policy, `Settings`. Out: for each task its attempts in the order of their index. A task's attempts
depend on that task, the settings and the engine alone, never on its neighbours or their order.
Infrastructure failures that the policy could not mend are kept with the outcome `infrastructure`, count nowhere,
and are replaced by at most `WAVE` further samples. Not promised: a minimum of valid attempts; `difficulty.rate`
names the fate of a task that has none.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from data.errors import UsageError
from data.records import Attempt, Task
from policies.protocol import Completion, Policy, Prompt, SamplingParams
from solver.consensus import AnswerKeys
from solver.difficulty import UNCOUNTED, band_probability
from solver.harness import ANSWER_TOKENS, Harness, HarnessName, Style, harness

WAVE = 4
MOST = 64
_UNLIKELY, _LIKELY = 0.1, 0.9


@dataclass(frozen=True, slots=True)
class Settings:
    """How the solver is asked. A task gets up to `k_max` valid attempts, by default `k` (DESIGN 5).

    `max_tokens` defaults to what an answer in `style` needs: a small model's ramblings are cut early.
    With `fresh` (`--confirm`) it gets exactly `k`, drawn with other seeds: no early stop, so no bias.
    """

    harness: HarnessName = "json"
    style: Style = "plain"
    k: int = 8
    k_max: int | None = None
    temperature: float = 0.7
    max_tokens: int | None = None
    seed: int = 0
    fresh: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.k <= (self.k if self.k_max is None else self.k_max) <= MOST:
            raise UsageError(
                f"k = {self.k} and k_max = {self.k_max} do not fit",
                hint=f"1 <= k <= k_max <= {MOST}; k is 8 by default",
            )

    @property
    def cap(self) -> int:
        """The most valid attempts of one task."""
        return self.k if self.fresh or self.k_max is None else self.k_max


def settled(passes: int, attempts: int) -> bool:
    """Whether the posterior decides if the task stands at the frontier: probability below 0.1, or at least 0.9."""
    if attempts == 0:
        return False
    frontier = band_probability(passes, attempts, "frontier")
    return frontier < _UNLIKELY or frontier >= _LIKELY


@cache
def burst(passes: int, attempts: int, room: int) -> int:
    """How many samples to draw now, of at most `room`: waves whose result could not stop the task go out together.

    Drawing them apart would only read the prompt again: at k = 8 nothing is settled after 4, whatever they show.
    """
    size = min(WAVE, room)
    while size < room and not any(settled(passes + more, attempts + size) for more in range(size + 1)):
        size = min(size + WAVE, room)
    return size


async def attempt(tasks: Sequence[Task], policy: Policy, settings: Settings) -> list[tuple[Attempt, ...]]:
    """Let `policy` try each task; the result is aligned with `tasks` (equal ids share their attempts).

    Each wave goes to the policy in one burst. Raises what `policy.sample` raises (`data.errors.PolicyError`).
    """
    way = harness(settings.harness, settings.style)
    rollouts = {task.task_id: _Rollout(task, way, settings) for task in tasks}
    limit = ANSWER_TOKENS[way.style] if settings.max_tokens is None else settings.max_tokens
    params = SamplingParams(temperature=settings.temperature, max_tokens=limit, seed=settings.seed)
    while bursts := _bursts(rollouts.values()):
        sampled = await asyncio.gather(
            *(
                policy.sample([rollout.prompt for rollout in burst], size, params, first_index=first)
                for (first, size), burst in bursts.items()
            )
        )
        for burst, answers in zip(bursts.values(), sampled, strict=True):
            for rollout, completions in zip(burst, answers, strict=True):
                rollout.take(completions)
    return [tuple(rollouts[task.task_id].attempts) for task in tasks]


def _bursts(rollouts: Iterable[_Rollout]) -> dict[tuple[int, int], list[_Rollout]]:
    """The rollouts that want more samples, by (first index, number): one burst unless some lost attempts."""
    bursts: dict[tuple[int, int], list[_Rollout]] = defaultdict(list)
    for rollout in rollouts:
        if wanted := rollout.wanted():
            bursts[len(rollout.attempts), wanted].append(rollout)
    return bursts


class _Rollout:
    """The attempts of one task so far."""

    def __init__(self, task: Task, way: Harness, settings: Settings) -> None:
        self.attempts: list[Attempt] = []
        key = f"{task.task_id}:{way.name}{':fresh' if settings.fresh else ''}"
        self.prompt: Prompt = way.prompt(task, key=key)
        self._task, self._way, self._settings = task, way, settings
        self._keys = AnswerKeys(task)

    def wanted(self) -> int:
        """How many samples the next wave draws for this task, 0 when it is done."""
        valid = [attempt for attempt in self.attempts if attempt.outcome not in UNCOUNTED]
        passes = sum(one.outcome == "correct" for one in valid)
        cap = self._settings.cap
        room = max(0, min(cap - len(valid), cap + WAVE - len(self.attempts)))
        if self._settings.fresh:
            return room
        return 0 if settled(passes, len(valid)) else burst(passes, len(valid), room)

    def take(self, completions: Sequence[Completion]) -> None:
        """Judge a wave's completions."""
        self.attempts += [self._judged(completion) for completion in completions]

    def _judged(self, completion: Completion) -> Attempt:
        failed = completion.finish_reason == "error"
        scored = None if failed else self._way.score(self._task, completion.text, completion.finish_reason)
        judged = scored.judged if scored else None
        return Attempt(
            task_id=self._task.task_id,
            harness=self._way.name,
            index=completion.index,
            seed=completion.seed,
            completion=completion.text,
            calls=judged.calls if judged else None,
            outcome=judged.outcome if judged else "infrastructure",
            reward=judged.reward if judged else 0.0,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            finish_reason=completion.finish_reason,
            answer_key=self._keys.key(judged.calls, correct=judged.correct)
            if judged and judged.calls is not None
            else "",
            detail=judged.detail if judged else completion.error,
            fresh=self._settings.fresh,
            steps=scored.steps if scored else (),
        )
