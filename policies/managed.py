"""The managed vLLM engine: an endpoint like any other, in front of a server that is ours (`policies.vllm_server`).

In: `vllm` (the default weights) or `vllm:PATH` (a model folder, or a LoRA adapter with its base). Out: completions; all
samples of a prompt are one request, whose tokens are read once. The server starts at the first `check` or `draw`, and
again when it is found dead. If it dies in the middle, `EngineUnavailable` is raised with the end of its log.
Not promised: the same text for the same seed, which depends on what else is in the batch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from data.errors import EngineUnavailable
from policies import model_folder, vllm_server
from policies.endpoint import EndpointPolicy
from policies.engine import Engine, Keep
from policies.protocol import Prompt, SamplingParams

SAMPLES = 64
"""Samples of one prompt in a request at most."""
IN_FLIGHT = 256
"""Requests under way: vLLM queues what it cannot batch."""


class VllmPolicy(Engine):
    """A player on a vLLM server of ours; players of one base share it."""

    def __init__(self, named: str) -> None:
        """`named` is the path of the weights, or empty for the default ones. Raises `PolicyError`."""
        self._name = f"vllm:{Path(named).name}" if named else "vllm"
        self._weights = model_folder.find(named)
        self._server = vllm_server.share(self._weights)
        self._open = True
        self._endpoint = EndpointPolicy(
            f"{self._server.address}/v1#{self._server.model(self._weights)}",
            key=self._server.key,
            samples=SAMPLES,
            in_flight=IN_FLIGHT,
        )

    @property
    def name(self) -> str:
        return self._name

    @property
    def digest(self) -> str:
        return self._weights.digest

    async def check(self) -> None:
        await asyncio.to_thread(self._server.ensure)
        await self._endpoint.check()

    async def draw(self, prompt: Prompt, indices: Sequence[int], params: SamplingParams, keep: Keep) -> None:
        if not self._server.serves(self._weights):
            await asyncio.to_thread(self._server.ensure)
        try:
            await self._endpoint.draw(prompt, indices, params, keep)
        except EngineUnavailable as fault:
            if dead := self._server.fault():
                raise dead from fault
            raise

    async def close(self) -> None:
        if self._open:
            self._open = False
            await self._endpoint.close()
            await asyncio.to_thread(vllm_server.release, self._weights)
