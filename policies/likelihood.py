"""How likely given texts are under given prompts, as the managed vLLM server of some weights says it.

In: the weights, prompts, completions. Out: for each pair the mean log-probability of the completion's tokens after the
prompt, in nats a token. It is read off a request that samples nothing to speak of (`prompt_logprobs`), so it costs as
much as reading prompt and completion once. Other engines give no log-probabilities of given text.
Where a token spans the border of prompt and completion, that token counts as the prompt's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from data.errors import EngineUnavailable, PolicyError
from policies import vllm_server
from policies.model_folder import find
from policies.protocol import Prompt

IN_FLIGHT = 1
"""vLLM 0.32 dies of two such requests in one batch where an adapter is served: it takes indices of the sampled tokens
for those of the prompt's ("einsum(): subscript b has size 3", measured on a CPU; one at a time gives the same numbers).
"""
PATIENCE = 600.0
"""Seconds for one request."""
Matrix = list[list[float]]


async def likelihoods(named: str, prompts: Sequence[Prompt], completions: Sequence[str]) -> Matrix:
    """Row by row: each completion under each prompt. `named`: the folder of the weights, empty for the default ones.

    Raises `PolicyError` as the engine does, and for a completion without a token.
    """
    weights = find(named)
    server = vllm_server.share(weights)
    try:
        await asyncio.to_thread(server.ensure)
        headers, room = {"Authorization": f"Bearer {server.key}"}, asyncio.Semaphore(IN_FLIGHT)
        common: dict[str, Any] = {
            "model": server.model(weights), "max_tokens": 1, "temperature": 0.0, "prompt_logprobs": 0,
            "return_token_ids": True,
        }  # fmt: skip
        async with httpx.AsyncClient(
            base_url=server.address, headers=headers, timeout=PATIENCE, trust_env=False
        ) as client:

            async def said(prompt: Prompt, completion: str) -> Mapping[str, Any]:
                async with room:
                    return await _read(client, prompt, completion, common)

            try:
                alone = await asyncio.gather(*(said(prompt, "") for prompt in prompts))
                rows = [
                    await asyncio.gather(*(said(prompt, completion) for prompt in prompts))
                    for completion in completions
                ]
            except httpx.HTTPError as fault:
                raise server.fault() or EngineUnavailable(
                    f"{server.address} does not answer: {fault}", hint="repeat the same command"
                ) from fault
    finally:
        await asyncio.to_thread(vllm_server.release, weights)
    return [[_mean(whole, part) for whole, part in zip(row, alone, strict=True)] for row in rows]


async def _read(
    client: httpx.AsyncClient, prompt: Prompt, completion: str, common: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The tokens of a prompt and its completion, and their log-probabilities."""
    if prompt.text is not None:
        reply = await client.post("/v1/completions", json={**common, "prompt": prompt.text + completion})
    else:
        turns = [{"role": turn.role, "content": turn.content} for turn in prompt.messages or ()]
        opened = {"add_generation_prompt": True}
        if completion:
            turns.append({"role": "assistant", "content": completion})
            opened = {"add_generation_prompt": False, "continue_final_message": True}
        reply = await client.post("/v1/chat/completions", json={**common, **opened, "messages": turns})
    if reply.status_code != 200:
        raise PolicyError(
            f"vLLM gives no log-probabilities for the prompt {prompt.key}: {reply.text[:300]}",
            hint="see that its maximum length holds prompt and completion (SPARRING_VLLM_ARGS)",
        )
    found = reply.json()
    (choice,) = found["choices"]
    return {
        "ids": found.get("prompt_token_ids") or choice["prompt_token_ids"],
        "logprobs": found.get("prompt_logprobs") or choice["prompt_logprobs"],
    }


def _mean(whole: Mapping[str, Any], alone: Mapping[str, Any]) -> float:
    """Of the tokens behind what the prompt alone begins with."""
    start = 0
    for mine, theirs in zip(whole["ids"], alone["ids"], strict=False):
        if mine != theirs:
            break
        start += 1
    found = [
        float(logprobs[str(token)]["logprob"])
        for token, logprobs in list(zip(whole["ids"], whole["logprobs"], strict=True))[max(start, 1) :]
    ]
    if not found:
        raise PolicyError("a completion has no token of its own", hint="ask for completions that say something")
    return sum(found) / len(found)
