"""Any OpenAI-compatible server as a player: vLLM, llama-server, Ollama, a hosted API.

In: `http(s)://host:port/v1#model` (without `#model` the one model that the server lists) and an API key from
`SPARRING_API_KEY` or `OPENAI_API_KEY`, if it wants one. Out: completions, each with its own seed and, unless told
otherwise, from a request of its own. The `openai` client retries connections, timeouts, 408, 409, 429 and 5xx with
jitter and honours Retry-After up to two minutes; what is added here is a deadline over all tries, a bound on what is in
flight, a circuit breaker, and which failure is whose: one sample's, or the engine's. A prompt with tools goes out with
the `tools` parameter, and its completion is the JSON list of the `tool_calls` that came back. Not promised: that the
server obeys seeds or schemas, or turns its own sampling defaults (top-k, min-p) off. Token counts are 0 where it
reports none.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any
from urllib.parse import urldefrag, urlsplit

import openai
from openai import AsyncOpenAI

from data.errors import EngineUnavailable, PolicyError, UsageError
from policies.breaker import Breaker
from policies.engine import Engine, Keep, failed, runs, together
from policies.protocol import Completion, Prompt, SamplingParams, completion_seed

KEYS = ("SPARRING_API_KEY", "OPENAI_API_KEY")
_TOO_LONG = ("context length", "context_length", "context size", "maximum context", "max_model_len", "too long")


class EndpointPolicy(Engine):
    """One player behind a URL."""

    def __init__(
        self,
        engine: str,
        *,
        deadline: float = 600.0,
        attempt: float = 180.0,
        retries: int = 4,
        in_flight: int = 32,
        samples: int = 1,
        key: str = "",
        breaker: Breaker | None = None,
    ) -> None:
        """`engine` is the URL. `deadline` bounds one request over all tries, `attempt` one try; both in seconds.
        `samples` of a prompt at most go into one request: more than one only where the server numbers their seeds as
        `completion_seed` does. `key` stands in place of the environment's.

        Raises `UsageError` for a URL that is none, or that carries a password.
        """
        self._url, model = urldefrag(engine)
        self._model = model or None
        self._name = engine
        self._deadline = deadline
        self._breaker = breaker or Breaker(self._url)
        self._room = asyncio.Semaphore(in_flight)
        self._naming = asyncio.Lock()
        _check_url(self._url)
        self._samples = samples
        key = key or next((os.environ[name] for name in KEYS if os.environ.get(name)), "none")
        self._client = AsyncOpenAI(base_url=self._url, api_key=key, timeout=attempt, max_retries=retries)

    @property
    def name(self) -> str:
        return self._name

    @property
    def digest(self) -> str:
        """Of address and model name: nobody tells us the weights."""
        return "sha256:" + sha256(self._name.encode()).hexdigest()

    async def close(self) -> None:
        await self._client.close()

    async def check(self) -> None:
        """Ask for the list of models, once.

        Raises `PolicyError` (nobody answers, no access, unknown model), or `UsageError` if no model is named and the
        server has not exactly one.
        """
        try:
            listed = [model.id async for model in self._client.with_options(timeout=10, max_retries=0).models.list()]
        except openai.NotFoundError:
            listed = []  # Some servers offer no list; then the name has to be given, and is believed.
        except openai.OpenAIError as fault:
            raise self._unusable(fault) or EngineUnavailable(
                f"{self._url} does not list its models: {_reason(fault)}", hint="look at that server's log"
            ) from fault
        if self._model is None and len(listed) == 1:
            self._model = listed[0]
        hint = f"give {self._url}#<model>; it lists {', '.join(listed[:10]) or 'none'}"
        if self._model is None:
            raise UsageError(f"which model at {self._url}?", hint=hint)
        if listed and self._model not in listed:
            raise PolicyError(f"{self._url} has no model {self._model!r}", hint=hint)

    async def draw(self, prompt: Prompt, indices: Sequence[int], params: SamplingParams, keep: Keep) -> None:
        async with self._naming:
            if self._model is None:
                await self.check()

        async def one(group: range) -> None:
            async with self._room:
                for completion in await self._ask(prompt, group, params):
                    keep(completion)

        # Greedy samples are all the same, and vLLM refuses to draw several.
        together_at_most = self._samples if params.temperature > 0 else 1
        await together(one(group) for group in runs(indices, together_at_most))

    async def _ask(self, prompt: Prompt, group: range, params: SamplingParams) -> list[Completion]:
        """The samples of one request, or why there are none. Raises `PolicyError` when the next would fare alike."""
        self._breaker.enter()
        seed = completion_seed(params, prompt, group.start)
        try:
            async with asyncio.timeout(self._deadline):
                completions = await self._request(prompt, group, seed, params)
        except TimeoutError:
            reason = f"no answer within {self._deadline:g} s"
        except openai.OpenAIError as fault:
            if unusable := self._unusable(fault):
                raise unusable from fault
            reason = _reason(fault)
            if reason.startswith("context_length"):  # This prompt's fault: the engine is well.
                self._breaker.succeeded()
                return [failed(index, seed + place, reason) for place, index in enumerate(group)]
        except (ValueError, TypeError, AttributeError, LookupError) as fault:
            reason = f"malformed answer: {type(fault).__name__}: {fault}"
        else:
            self._breaker.succeeded()
            return completions
        self._breaker.failed(reason)
        return [failed(index, seed + place, reason) for place, index in enumerate(group)]

    async def _request(self, prompt: Prompt, group: range, seed: int, params: SamplingParams) -> list[Completion]:
        settings: dict[str, Any] = {
            "model": self._model,
            "seed": seed,
            "temperature": params.temperature,
            "top_p": params.top_p,
            "max_tokens": params.max_tokens,
            "stop": list(prompt.stop) or openai.omit,
        }
        extra: dict[str, Any] = {}
        if len(group) > 1:
            # Usage counts the tokens of all samples together; vLLM gives those of each.
            settings["n"] = len(group)
            extra["return_token_ids"] = True
        form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": prompt.schema, "strict": True}}
        if prompt.text is not None:
            if prompt.schema is not None:
                # Plain completions have no standard field for a schema: vLLM reads the first, llama-server the second.
                extra |= {"response_format": form, "json_schema": prompt.schema}
            reply: Any = await self._client.completions.create(prompt=prompt.text, extra_body=extra or None, **settings)
        else:
            messages: Any = [{"role": turn.role, "content": turn.content} for turn in prompt.messages or ()]
            settings["response_format"] = form if prompt.schema is not None else openai.omit
            settings["tools"] = list(prompt.tools) or openai.omit
            reply = await self._client.chat.completions.create(messages=messages, extra_body=extra or None, **settings)
        said = {choice.index: choice for choice in reply.choices}
        tools = bool(prompt.tools)
        return [_completion(said[at], reply.usage, group, at, seed, tools=tools) for at in range(len(group))]

    def _unusable(self, fault: openai.OpenAIError) -> PolicyError | None:
        """The fault as the engine's, if every request would meet it."""
        match fault:
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                return PolicyError(
                    f"{self._url} refuses access: {_reason(fault)}", hint=f"set {' or '.join(KEYS)} in the environment"
                )
            case openai.NotFoundError():
                return PolicyError(
                    f"{self._url} does not know model {self._model!r} or the address: {_reason(fault)}",
                    hint="see the model's name in its /v1/models; a base URL usually ends in /v1",
                )
            case openai.APITimeoutError():
                return None
            case openai.APIConnectionError() if _nobody_there(fault):
                return EngineUnavailable(
                    f"nobody answers at {self._url}: {fault.__cause__}", hint="start the server, or mend the URL"
                )
        return None


def _called(calls: Iterable[Any]) -> str:
    """The calls of a message as JSON text. Arguments stay the text that came: whoever judges reads it strictly."""
    return json.dumps([{"arguments": call.function.arguments, "name": call.function.name} for call in calls])


def _completion(choice: Any, usage: Any, group: range, place: int, seed: int, *, tools: bool) -> Completion:
    """One of the choices of an answer. Raises `TypeError` when it has no text."""
    message: Any = getattr(choice, "message", None)
    said = choice.text if message is None else message.content or ""
    text = _called(message.tool_calls or ()) if tools else said
    if not isinstance(text, str):
        raise TypeError(f"the text is a {type(text).__name__}")
    alone = len(group) == 1  # Usage counts all samples of a request together.
    tokens = getattr(usage, "completion_tokens", None) if alone else len(getattr(choice, "token_ids", None) or ())
    return Completion(
        text=text,
        index=group[place],
        seed=seed + place,
        prompt_tokens=getattr(usage, "prompt_tokens", None) or 0,
        completion_tokens=tokens or 0,
        finish_reason="length" if choice.finish_reason == "length" else "stop",
    )


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if not parts.hostname:
        raise UsageError(f"{url!r} names no host", hint="write http://host:port/v1#model")
    if parts.username or parts.password:
        raise UsageError("an engine's URL carries a password", hint=f"put the key into {' or '.join(KEYS)} instead")


def _nobody_there(fault: openai.APIConnectionError) -> bool:
    """No connection came about at all: refused, unknown host, TLS failed. A cut connection is another matter."""
    return type(fault.__cause__).__name__ == "ConnectError"


def _reason(fault: openai.OpenAIError) -> str:
    """The fault in a line, beginning with a word that programs can tell."""
    if isinstance(fault, openai.APITimeoutError):
        return "timeout: no answer in time, after all retries"
    if isinstance(fault, openai.APIStatusError):
        text = str(fault.message)[:500]
        if fault.status_code in (400, 413, 422) and any(words in text.lower() for words in _TOO_LONG):
            return f"context_length: {text}"
        return f"status {fault.status_code}: {text}"
    return f"connection: {fault.__cause__ or fault}"
