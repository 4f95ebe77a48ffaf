"""Requests to our own vLLM server whose answers are tokens, which the OpenAI client has no form for.

In: a server (`policies.vllm_server`), a prompt, settings as vLLM names them. Out: the ids of the prompt's tokens, and
the reply. `policies.trainee` samples so, `policies.likelihood` reads given text so; every other request goes through
`policies.endpoint`, which also bounds, retries and breaks. Not promised: any of these three.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from data.errors import EngineUnavailable, PolicyError
from policies.protocol import Prompt
from policies.vllm_server import VllmServer


@asynccontextmanager
async def asking(server: VllmServer, patience: float) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the server, `patience` seconds a request. Raises `EngineUnavailable` for what ends a connection."""
    async with httpx.AsyncClient(
        base_url=server.address,
        headers={"Authorization": f"Bearer {server.key}"},
        timeout=patience,
        trust_env=False,
        limits=httpx.Limits(max_connections=None),
    ) as client:
        try:
            yield client
        except httpx.HTTPError as fault:
            raise server.fault() or EngineUnavailable(
                f"{server.address} does not answer: {fault}", hint="give the same command or job again"
            ) from fault


async def ask(
    client: httpx.AsyncClient, prompt: Prompt, settings: Mapping[str, Any], completion: str = ""
) -> tuple[list[int], dict[str, Any]]:
    """The tokens of the prompt (with what was said to it, if that is given), and the reply. Raises `PolicyError`."""
    if prompt.text is not None:
        reply = await client.post("/v1/completions", json={**settings, "prompt": prompt.text + completion})
    else:
        turns = [{"role": turn.role, "content": turn.content} for turn in prompt.messages or ()]
        body: dict[str, Any] = {**settings, "messages": turns}
        if completion:
            turns.append({"role": "assistant", "content": completion})
            body |= {"add_generation_prompt": False, "continue_final_message": True}
        reply = await client.post("/v1/chat/completions", json=body)
    if reply.status_code != 200:
        raise PolicyError(
            f"vLLM refuses the prompt {prompt.key}: {reply.text[:500]}",
            hint="leave it out, or give the server room: SPARRING_VLLM_ARGS='--max-model-len ...'",
        )
    said: dict[str, Any] = reply.json()
    # A chat's tokens stand beside the choices, a text's in each.
    return said.get("prompt_token_ids") or said["choices"][0]["prompt_token_ids"], said
