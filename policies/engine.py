"""What our engines share: they draw single completions, and `sample` puts them in order.

In: an engine that implements `draw`. Out: `Policy.sample`, and completions handed over one by one as they finish,
which is what a journal needs. Nothing here bounds what is in flight: every engine knows its own limit.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

from policies.protocol import Completion, Prompt, SamplingParams

Keep = Callable[[Completion], None]


class Engine(ABC):
    """A `Policy` that can be asked for chosen samples of one prompt."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the engine is called in manifests and logs."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """Identity of the weights, `sha256:` and hex."""

    @abstractmethod
    async def draw(self, prompt: Prompt, indices: Sequence[int], params: SamplingParams, keep: Keep) -> None:
        """Draw the samples `indices` (ascending) of `prompt` and hand each to `keep` as it finishes, in any order.

        Raises `PolicyError` when the engine as a whole cannot be used; a failed sample is kept with its reason.
        """

    async def check(self) -> None:  # noqa: B027 - nothing to check unless an engine says so
        """Preflight: raise `PolicyError` if the engine cannot be used at all. Costs no sample."""

    async def close(self) -> None:  # noqa: B027 - likewise
        """Free what the engine holds. Calling it twice is fine."""

    async def sample(
        self, prompts: Sequence[Prompt], n: int, params: SamplingParams, *, first_index: int = 0
    ) -> list[list[Completion]]:
        """`n` completions for each prompt, in order (see `Policy.sample`)."""
        results: list[list[Completion]] = [[] for _ in prompts]
        indices = range(first_index, first_index + n)
        await together(
            self.draw(prompt, indices, params, kept.append) for prompt, kept in zip(prompts, results, strict=True)
        )
        for kept in results:
            kept.sort(key=lambda completion: completion.index)
        return results


async def together(works: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run all at once; the first exception cancels the rest and is raised as itself, in no group."""
    try:
        async with asyncio.TaskGroup() as group:
            for work in works:
                group.create_task(work)
    except BaseExceptionGroup as faults:
        raise faults.exceptions[0] from faults.exceptions[0].__cause__


def failed(index: int, seed: int, reason: str) -> Completion:
    """A sample that the engine could not deliver: counted nowhere, `reason` says why."""
    return Completion("", index, seed, 0, 0, "error", reason)


def runs(indices: Sequence[int], longest: int) -> list[range]:
    """Ascending indices as consecutive ranges of at most `longest`: one request each."""
    found: list[range] = []
    for index in indices:
        if found and found[-1].stop == index and len(found[-1]) < longest:
            found[-1] = range(found[-1].start, index + 1)
        else:
            found.append(range(index, index + 1))
    return found
