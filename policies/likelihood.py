"""How likely given texts are under given prompts, as the managed vLLM server of some weights says it.

In: the weights, prompts, completions. Out: for each pair the mean log-probability of the completion's tokens after the
prompt, in nats a token. It is read off a request that samples nothing to speak of (`prompt_logprobs`), so it costs as
much as reading prompt and completion once. Other engines give no log-probabilities of given text.
Where a token spans the border of prompt and completion, that token counts as the prompt's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import httpx

from data.errors import PolicyError
from policies import vllm_server
from policies.model_folder import find
from policies.protocol import Prompt
from policies.vllm_tokens import ask, asking

PATIENCE = 600.0
"""Seconds for one request."""
Matrix = list[list[float]]


class Read(NamedTuple):
    """Tokens, and for each the log-probabilities that vLLM tells there; none at the first."""

    ids: list[int]
    logprobs: list[Any]


async def likelihoods(named: str, prompts: Sequence[Prompt], completions: Sequence[str]) -> Matrix:
    """Row by row: each completion under each prompt. `named`: the folder of the weights, empty for the default ones.

    Raises `PolicyError` as the engine does, and for a completion without a token.
    """
    weights = find(named)
    server = vllm_server.share(weights)
    try:
        await asyncio.to_thread(server.ensure)
        common: dict[str, Any] = {
            "model": server.model(weights), "max_tokens": 1, "temperature": 0.0, "prompt_logprobs": 0,
            "return_token_ids": True,
        }  # fmt: skip
        # One after the other: vLLM 0.32 dies of two such requests in one batch where an adapter is served, for it takes
        # indices of the sampled tokens for those of the prompt's ("einsum(): subscript b has size 3", on a CPU).
        async with asking(server, PATIENCE) as client:
            alone = [await _read(client, prompt, "", common) for prompt in prompts]
            rows = [[await _read(client, prompt, text, common) for prompt in prompts] for text in completions]
    finally:
        await asyncio.to_thread(vllm_server.release, weights)
    return [[_mean(whole, part) for whole, part in zip(row, alone, strict=True)] for row in rows]


async def _read(client: httpx.AsyncClient, prompt: Prompt, completion: str, common: Mapping[str, Any]) -> Read:
    ids, found = await ask(client, prompt, common, completion)
    return Read(ids, found.get("prompt_logprobs") or found["choices"][0]["prompt_logprobs"])


def _mean(whole: Read, alone: Read) -> float:
    """Of the tokens behind what the prompt alone begins with."""
    start = 0
    for mine, theirs in zip(whole.ids, alone.ids, strict=False):
        if mine != theirs:
            break
        start += 1
    told = list(zip(whole.ids, whole.logprobs, strict=True))
    found = [float(logprobs[str(token)]["logprob"]) for token, logprobs in told[max(start, 1) :]]
    if not found:
        raise PolicyError("a completion has no token of its own", hint="ask for completions that say something")
    return sum(found) / len(found)
