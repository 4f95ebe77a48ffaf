"""The weights under training, sampled as tokens from the managed vLLM server of their base.

In: the base's folder, the adapter of the moment, prompts. Out: for each prompt the ids of its tokens and `Drawn`
completions: ids (the token that ended them included), text (without a stop text), finish reason. All prompts of a step
go to the server at once, and the samples of each are one request, whose tokens are read once. Sampling settings are
those given and nothing else: the model's own defaults (top-k, min-p) would be another distribution than the trainer's.
Not promised: the same tokens for the same seed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from policies import model_folder, vllm_server
from policies.model_folder import Weights
from policies.protocol import Prompt
from policies.vllm_tokens import ask, asking

PATIENCE = 1800.0
"""Seconds for one request: a step's whole batch may stand before it."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One completion."""

    ids: tuple[int, ...]
    text: str
    finish_reason: str


@dataclass(frozen=True, slots=True)
class Group:
    """The completions of one prompt."""

    prompt_ids: tuple[int, ...]
    samples: tuple[Drawn, ...]


class Trainee:
    """One player under training. Nothing is started before `load`."""

    def __init__(self, base: Path) -> None:
        """Raises `PolicyError` if `base` is no model."""
        self._base = model_folder.find(str(base))
        self._server = vllm_server.share(self._base)
        self._weights: Weights | None = None

    def load(self, adapter: Path) -> None:
        """Sample with these weights from now on. Raises `PolicyError`."""
        weights = model_folder.find(str(adapter))
        if self._weights is not None and self._weights != weights:
            self._server.remove(self._weights)
        self._weights = weights
        self._server.add(weights)
        self._server.ensure()

    async def draw(
        self, prompts: Sequence[Prompt], seeds: Sequence[int], n: int, sampling: Mapping[str, float]
    ) -> list[Group]:
        """`n` completions for each prompt. Raises `PolicyError`."""
        assert self._weights is not None
        common = {**sampling, "model": self._server.model(self._weights), "n": n, "return_token_ids": True}
        async with asking(self._server, PATIENCE) as client:
            drawn = [
                _draw(client, prompt, {**common, "seed": seed}) for prompt, seed in zip(prompts, seeds, strict=True)
            ]
            return list(await asyncio.gather(*drawn))

    def close(self) -> None:
        """Give the server back."""
        try:
            if self._weights is not None:
                self._server.remove(self._weights)
        finally:
            vllm_server.release(self._base)


async def _draw(client: httpx.AsyncClient, prompt: Prompt, settings: Mapping[str, Any]) -> Group:
    ids, said = await ask(client, prompt, {**settings, "stop": list(prompt.stop)})
    choices = sorted(said["choices"], key=lambda choice: int(choice["index"]))
    return Group(tuple(ids), tuple(_drawn(choice) for choice in choices))


def _drawn(choice: Mapping[str, Any]) -> Drawn:
    text = choice["text"] if "text" in choice else choice["message"]["content"] or ""
    return Drawn(tuple(choice["token_ids"]), text, choice["finish_reason"])
