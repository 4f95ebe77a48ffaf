"""The tools interface of an OpenAI-compatible server, as the harness `openai` uses it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.errors import PolicyError
from data.records import JsonObject, Message
from policies.embedded import EmbeddedPolicy
from policies.endpoint import EndpointPolicy
from policies.protocol import Completion, Prompt, SamplingParams
from tests.policies.fake_server import Handler, serve

TOOL: JsonObject = {"type": "function", "function": {"name": "ping", "description": "", "parameters": {}}}
PROMPT = Prompt("c", messages=(Message("user", "Ping."),), tools=(TOOL,))


async def asked(message: dict[str, Any], prompt: Prompt = PROMPT) -> tuple[Completion, dict[str, Any]]:
    """The completion of a server that says `message`, and what it was sent."""

    def respond(handler: Handler) -> None:
        choice = {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", **message}}
        handler.send(200, {"id": "x", "object": "x", "created": 0, "model": "m", "choices": [choice]})

    with serve(respond) as server:
        policy = EndpointPolicy(f"{server.url}#m")
        try:
            [[done]] = await policy.sample([prompt], 1, SamplingParams())
        finally:
            await policy.close()
        return done, server.bodies[0]


def called(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}


async def test_the_tools_are_offered() -> None:
    _, body = await asked({"content": "no"})
    assert body["tools"] == [TOOL]


async def test_a_prompt_without_tools_sends_none() -> None:
    done, body = await asked({"content": "yes"}, Prompt("c", messages=(Message("user", "Say yes."),)))
    assert (done.text, "tools" in body) == ("yes", False)


async def test_the_completion_is_the_calls_with_the_text_of_their_arguments() -> None:
    done, _ = await asked({"content": None, "tool_calls": [called("ping", '{"a": 1, "a": 1}'), called("ping", "")]})
    assert json.loads(done.text) == [
        {"name": "ping", "arguments": '{"a": 1, "a": 1}'},
        {"name": "ping", "arguments": ""},
    ]
    assert done.finish_reason == "stop"


async def test_words_without_a_call_are_no_calls() -> None:
    done, _ = await asked({"content": "No tool fits."})
    assert done.text == "[]"


async def test_the_embedded_engine_says_that_it_has_no_tools_interface() -> None:
    policy = EmbeddedPolicy.__new__(EmbeddedPolicy)  # its weights are not asked
    with pytest.raises(PolicyError, match="no tools interface"):
        await policy.draw(PROMPT, [0], SamplingParams(), lambda done: None)
