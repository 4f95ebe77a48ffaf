"""The URL engine against a real server: llama.cpp's, with the embedded weights."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import xllamacpp  # type: ignore[import-untyped]

from data.errors import PolicyError
from data.records import JsonObject, Message
from policies.endpoint import EndpointPolicy
from policies.protocol import Prompt, SamplingParams

pytestmark = pytest.mark.model
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"name": {"enum": ["lamp", "fan"]}, "on": {"type": "boolean"}},
    "required": ["name", "on"],
    "additionalProperties": False,
}
PARAMS = SamplingParams(temperature=0.0, max_tokens=64, seed=1)


@pytest.fixture(scope="module")
def url(gguf: Path) -> Iterator[str]:
    params = xllamacpp.CommonParams()
    params.model.path = str(gguf)
    params.n_ctx, params.n_parallel, params.verbosity, params.api_keys = 2048, 2, -1, ["right"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARRING_API_KEY", "right")


@pytest.mark.usefixtures("_key")
async def test_a_real_server_obeys_schemas_and_counts_tokens(url: str) -> None:
    policy = EndpointPolicy(url)
    asked = [
        Prompt("text", text="Request: Turn the lamp on.\nCall:", schema=SCHEMA),
        Prompt("chat", messages=(Message("user", "Turn the lamp on."),), schema=SCHEMA),
    ]
    await policy.check()
    for done in await policy.sample(asked, 2, PARAMS):
        for one in done:
            assert (one.finish_reason, set(json.loads(one.text))) == ("stop", {"name", "on"})
            assert one.prompt_tokens > 5
            assert 5 < one.completion_tokens <= 64
    await policy.close()


@pytest.mark.usefixtures("_key")
async def test_a_real_server_refuses_what_does_not_fit_for_that_sample_alone(url: str) -> None:
    policy = EndpointPolicy(url)
    [[long], [fine]] = await policy.sample([Prompt("l", text="word " * 3000), Prompt("s", text="Once")], 1, PARAMS)
    assert long.error.startswith("context_length")
    assert fine.finish_reason in ("stop", "length")
    await policy.close()


async def test_a_real_server_refuses_another_key_by_name(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARRING_API_KEY", "wrong")
    policy = EndpointPolicy(f"{url}#m")
    with pytest.raises(PolicyError, match="refuses access"):
        await policy.sample([Prompt("s", text="Once")], 1, PARAMS)
    await policy.close()
