"""What a player is to the rest of the house: something that samples completions for prompts.

In: prompts (text for plain completion, or chat messages), how many samples of each, sampling parameters.
Out: for each prompt its `n` completions, in order, with token counts, finish reason and seed.
A completion that the engine could not deliver after its retries has `finish_reason == "error"` and says why in
`error`; `sample` raises only when the engine as a whole cannot be used (`data.errors.PolicyError`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from data.records import FinishReason, JsonObject, Message


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request. Exactly one of `text` (plain completion) and `messages` (chat) is set.

    `key` names the request within its chunk (unique there, stable across runs): seeds and journals derive from it.
    `schema` constrains the answer to JSON Schema where the engine can. `oracle` is a right completion for the
    scripted stand-in; no other engine reads it and it is never sent anywhere. `tools` (chat only) are function tools
    in OpenAI's shape, with legal names: an engine with that interface offers them to the model, and its completion is
    then the JSON list of the calls that came back, `[]` for none; another engine raises `PolicyError`.
    """

    key: str
    text: str | None = None
    messages: tuple[Message, ...] | None = None
    schema: JsonObject | None = None
    stop: tuple[str, ...] = ()
    oracle: str | None = None
    tools: tuple[JsonObject, ...] = ()


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """Sampling settings of one call of `sample`; `seed` is the run's, each completion derives its own."""

    temperature: float = 0.7
    top_p: float = 1.0
    max_tokens: int = 256
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """One sampled text. `index` is its place among the prompt's samples, `seed` the one it was drawn with."""

    text: str
    index: int
    seed: int
    prompt_tokens: int
    completion_tokens: int
    finish_reason: FinishReason
    error: str = ""


class Policy(Protocol):
    """A player that can be sampled.

    `digest` identifies the weights (for a URL: the model's name and address) and enters cache keys and manifests.
    """

    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str: ...

    async def sample(
        self, prompts: Sequence[Prompt], n: int, params: SamplingParams, *, first_index: int = 0
    ) -> list[list[Completion]]:
        """Sample `n` completions for each prompt, numbered from `first_index` (adaptive k asks in waves)."""
        ...

    async def close(self) -> None:
        """Free what the engine holds. Calling it twice is fine."""
        ...


def prompt_text(prompt: Prompt) -> str:
    """What the prompt says, without roles: for measuring and comparing, not for sending."""
    return prompt.text if prompt.text is not None else "\n".join(turn.content for turn in prompt.messages or ())


def completion_seed(params: SamplingParams, prompt: Prompt, index: int) -> int:
    """The seed of one completion: a function of run seed, prompt key and sample index alone (31 bits).

    Consecutive samples of a prompt have consecutive seeds, because that is how llama.cpp and vLLM number the `n`
    samples of one request: asking for eight at once, in waves, or for the missing ones after a crash draws the same.
    """
    text = f"{params.seed}:{prompt.key}".encode()
    return (int.from_bytes(hashlib.sha256(text).digest()[:4], "big") & 0x3FFFFFFF) + index
