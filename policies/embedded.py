"""The embedded engine: SmolLM2-135M-Instruct (or the GGUF that `SPARRING_WEIGHTS` names) inside this process.

In: prompts as text or messages. Out: completions with llama.cpp's own token counts and finish reasons. All samples of
a prompt go out as one request, so that its tokens are evaluated once; prompts with a common beginning reuse it.
The same prompt and seed give the same text on the same machine as a rule, not by guarantee: arithmetic depends
on what else is in the batch. A schema that llama.cpp cannot express is ignored by it without a word: check the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from data.errors import PolicyError
from policies.engine import Engine, Keep, failed, runs
from policies.llama import SAMPLES, Event, Model, load
from policies.protocol import Completion, Prompt, SamplingParams, completion_seed, prompt_text


class EmbeddedPolicy(Engine):
    """A player whose weights lie in this process; two players of one GGUF share them."""

    def __init__(self, path: Path) -> None:
        """Load the GGUF at `path` (see `policies.weights.find`). Raises `PolicyError`."""
        self._path = path
        self._model: Model | None = load(path)
        self._digest = self._model.digest

    @property
    def name(self) -> str:
        return f"embedded:{self._path.stem}"

    @property
    def digest(self) -> str:
        return self._digest

    async def draw(self, prompt: Prompt, indices: Sequence[int], params: SamplingParams, keep: Keep) -> None:
        if prompt.tools:
            raise PolicyError(
                "the embedded engine has no tools interface",
                hint="ask it in another harness (json, tags, hermes), or run a server with tool calling",
            )
        loop = asyncio.get_running_loop()
        for group in runs(indices, SAMPLES):
            if self._model is None:
                raise PolicyError("the embedded engine was closed", hint="open it anew")
            arrived: asyncio.Queue[Completion | None] = asyncio.Queue()
            answer = Answer(prompt, group, params, partial(_arrive, loop, arrived))
            work = loop.run_in_executor(self._model.threads, answer.fetch, self._model)
            work.add_done_callback(partial(_end, arrived))
            try:
                while (done := await arrived.get()) is not None:
                    keep(done)
                await work
            finally:
                answer.abandoned = True

    async def close(self) -> None:
        self._model = None


class Answer:
    """The samples of one request while they arrive; runs in a thread of the model's."""

    def __init__(self, prompt: Prompt, group: range, params: SamplingParams, keep: Keep) -> None:
        self.abandoned = False
        self._prompt, self._group, self._params, self._keep = prompt, group, params, keep
        self._seed = completion_seed(params, prompt, group.start)
        self._text = prompt_text(prompt)
        self._texts: dict[int, list[str]] = {place: [] for place in range(len(group))}

    def fetch(self, model: Model) -> None:
        """Ask `model`; every sample of the group is kept, finished or failed, unless abandoned."""
        reason = "empty prompt" if self._text == "" else "the engine ended the answer early"
        try:
            if self._text and not self.abandoned:
                asked = request(self._prompt, len(self._group), self._seed, self._params)
                model.stream(asked, self._text, self._take)
        except (TypeError, ValueError, RuntimeError) as fault:  # the binding's own refusals, such as a lone surrogate
            reason = f"refused: {fault}"
        self._fail(reason)

    def _take(self, event: Event) -> bool:
        if "error" in event:
            self._fail(f"{event['error'].get('type', 'error')}: {event['error'].get('message', '')}")
            return self.abandoned
        for choice in event["choices"]:
            place = int(choice["index"])
            if place not in self._texts:  # given up already
                continue
            text = choice["text"] if "text" in choice else choice["delta"].get("content")
            self._texts[place].append(text or "")
            if choice["finish_reason"] is not None:
                self._finish(place, choice["finish_reason"], event["timings"])
        return self.abandoned

    def _finish(self, place: int, reason: str, timings: Event) -> None:
        self._keep(
            Completion(
                text="".join(self._texts.pop(place)),
                index=self._group.start + place,
                seed=self._seed + place,
                prompt_tokens=int(timings["cache_n"]) + int(timings["prompt_n"]),
                completion_tokens=int(timings["predicted_n"]),
                finish_reason="length" if reason == "length" else "stop",
            )
        )

    def _fail(self, reason: str) -> None:
        """Give up the samples that have not finished."""
        while self._texts and not self.abandoned:
            place, _ = self._texts.popitem()
            self._keep(failed(self._group.start + place, self._seed + place, reason))


def _arrive(loop: asyncio.AbstractEventLoop, arrived: asyncio.Queue[Completion | None], done: Completion) -> None:
    """Hand `done` from the model's thread to the loop."""
    loop.call_soon_threadsafe(arrived.put_nowait, done)


def _end(arrived: asyncio.Queue[Completion | None], _: asyncio.Future[None]) -> None:
    """Nothing arrives any more."""
    arrived.put_nowait(None)


def request(prompt: Prompt, n: int, seed: int, params: SamplingParams) -> Event:
    """The request as llama.cpp's server takes it, with its own sampling defaults written out.

    Without them a 135M model under a schema draws junk from the tail of its vocabulary: `"order_number": ");"`.
    """
    fields: Event = {
        "n": n,
        "seed": seed,
        "temperature": params.temperature,
        "top_p": params.top_p,
        "top_k": 40,
        "min_p": 0.05,
        "max_tokens": params.max_tokens,
        "stop": list(prompt.stop),
        "cache_prompt": True,
    }
    if prompt.schema is not None:
        fields["json_schema"] = prompt.schema
    if prompt.text is not None:
        fields["prompt"] = prompt.text
    else:
        fields["messages"] = [{"role": turn.role, "content": turn.content} for turn in prompt.messages or ()]
    return fields
