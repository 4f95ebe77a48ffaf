"""The URL engine against a server that misbehaves."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from email.utils import formatdate
from time import time
from typing import Any

import pytest

from data.errors import EngineUnavailable, PolicyError, SparringError, UsageError
from data.records import JsonObject, Message
from policies.breaker import Breaker
from policies.endpoint import EndpointPolicy
from policies.protocol import Completion, Prompt, SamplingParams, completion_seed
from tests.policies.fake_server import FakeServer, answer, cut, raw, serve, silence, status

PLAIN = Prompt("p", text="Say yes.", stop=("\n",))
CHAT = Prompt("c", messages=(Message("user", "Say yes."),))
SCHEMA: JsonObject = {"type": "object", "properties": {"a": {"type": "integer"}}}
PARAMS = SamplingParams(temperature=0.5, top_p=0.9, max_tokens=5, seed=3)


@pytest.fixture(autouse=True)
def _fast_and_keyless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    for name in ("SPARRING_API_KEY", "OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)


async def sample(
    server: FakeServer, prompts: Sequence[Prompt] = (PLAIN,), n: int = 1, first: int = 0, **options: Any
) -> list[list[Completion]]:
    policy = EndpointPolicy(f"{server.url}#m", **options)
    try:
        return await policy.sample(prompts, n, PARAMS, first_index=first)
    finally:
        await policy.close()


async def test_a_text_prompt_asks_for_a_plain_completion() -> None:
    with serve() as server:
        [[done]] = await sample(server)
    assert done == Completion("yes", 0, completion_seed(PARAMS, PLAIN, 0), 7, 2, "stop")
    body = server.bodies[0]
    assert (body["prompt"], body["stop"], body["temperature"], body["top_p"]) == ("Say yes.", ["\n"], 0.5, 0.9)
    assert (body["max_tokens"], body["model"], body["seed"]) == (5, "m", done.seed)


async def test_messages_ask_for_a_chat_completion() -> None:
    with serve() as server:
        [[done]] = await sample(server, [CHAT])
    assert done.text == "yes"
    assert server.bodies[0]["messages"] == [{"role": "user", "content": "Say yes."}]
    assert "stop" not in server.bodies[0]


@pytest.mark.parametrize("prompt", [PLAIN, CHAT], ids=["plain", "chat"])
async def test_a_schema_travels_as_response_format(prompt: Prompt) -> None:
    with serve() as server:
        await sample(server, [Prompt("s", text=prompt.text, messages=prompt.messages, schema=SCHEMA)])
    form = server.bodies[0]["response_format"]
    assert (form["type"], form["json_schema"]["schema"]) == ("json_schema", SCHEMA)


async def test_the_oracle_is_never_sent() -> None:
    with serve() as server:
        await sample(server, [Prompt("o", text="Say yes.", oracle="SECRET")])
    assert "SECRET" not in str(server.bodies)


async def test_every_sample_has_its_own_seed_and_place() -> None:
    with serve() as server:
        [done] = await sample(server, n=4, first=4)
    assert [one.index for one in done] == [4, 5, 6, 7]
    assert sorted(body["seed"] for body in server.bodies) == [completion_seed(PARAMS, PLAIN, i) for i in range(4, 8)]


async def test_a_text_that_ran_into_the_limit_says_so() -> None:
    with serve(answer("ye", reason="length")) as server:
        [[done]] = await sample(server)
    assert done.finish_reason == "length"


async def test_missing_usage_counts_no_tokens() -> None:
    with serve(answer("yes")) as server:
        [[done]] = await sample(server)
    assert (done.text, done.prompt_tokens, done.completion_tokens) == ("yes", 0, 0)


@pytest.mark.parametrize("when", ["0.3", "date"])
async def test_429_is_retried_when_the_server_says(when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("openai._base_client.anyio.sleep", note)
    header = when if when != "date" else formatdate(time() + 50, usegmt=True)
    with serve(status(429, retry_after=header)) as server:
        [[done]] = await sample(server)
    assert done.text == "yes"
    [wait] = waits
    assert wait == pytest.approx(0.3) if when != "date" else 45 < wait <= 50


async def test_500s_are_retried() -> None:
    with serve(status(500), status(503)) as server:
        [[done]] = await sample(server)
    assert (done.text, len(server.bodies)) == ("yes", 3)


async def test_a_connection_cut_in_the_body_is_retried() -> None:
    with serve(cut) as server:
        [[done]] = await sample(server)
    assert (done.text, len(server.bodies)) == ("yes", 2)


async def test_500s_for_good_fail_one_sample_and_not_the_others() -> None:
    with serve(status(500), status(500)) as server:
        done = await sample(server, [PLAIN, CHAT], retries=1, in_flight=1)
    assert [(one.finish_reason, one.error[:10]) for [one] in done] == [("error", "status 500"), ("stop", "")]


async def test_silence_fails_the_sample_by_name() -> None:
    with serve(silence(3)) as server:
        [[done]] = await sample(server, attempt=0.2, retries=0)
    assert (done.finish_reason, done.error[:7]) == ("error", "timeout")


async def test_the_deadline_bounds_all_tries_together() -> None:
    with serve(status(429, retry_after="60")) as server:
        [[done]] = await sample(server, deadline=0.3)
    assert (done.finish_reason, done.error) == ("error", "no answer within 0.3 s")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'"yes"', b"{}", b'{"choices": []}', b'{"choices": null}', b'{"choices": [{}]}',
     b'{"choices": [{"text": 5}]}', b'{"choices": [{"message": 3}]}', b"\xff\xfe", b"<html>"],
)  # fmt: skip
@pytest.mark.parametrize("prompt", [PLAIN, CHAT], ids=["plain", "chat"])
async def test_a_malformed_answer_fails_the_sample(body: bytes, prompt: Prompt) -> None:
    with serve(raw(body)) as server:
        [[done]] = await sample(server, [prompt], retries=0)
    assert done.finish_reason == "error"
    assert done.error


async def test_a_prompt_that_is_too_long_is_that_samples_fault() -> None:
    too_long = status(400, "This model's maximum context length is 2048 tokens.")
    with serve(*[too_long] * 9) as server:
        done = await sample(server, [Prompt(str(i), text="long") for i in range(10)], in_flight=1)
    assert [one.error[:14] for [one] in done] == ["context_length"] * 9 + [""]


async def test_a_prompt_that_is_too_long_ends_a_run_of_failures() -> None:
    too_long = status(400, "This model's maximum context length is 2048 tokens.")
    with serve(status(500), too_long, status(500), too_long) as server:
        breaker = Breaker("it", limit=2)
        prompts = [Prompt(str(i), text="x") for i in range(5)]
        done = await sample(server, prompts, retries=0, in_flight=1, breaker=breaker)
    assert [one.finish_reason for [one] in done] == ["error"] * 4 + ["stop"]


async def test_a_prompt_that_utf8_cannot_hold_fails_alone() -> None:
    with serve() as server:
        done = await sample(server, [Prompt("a", text="\ud800"), PLAIN])
    assert [one.finish_reason for [one] in done] == ["error", "stop"]


@pytest.mark.parametrize(("code", "words"), [(401, "refuses access"), (403, "refuses access"), (404, "does not know")])
async def test_what_every_request_would_meet_is_raised(code: int, words: str) -> None:
    with serve(status(code)) as server, pytest.raises(PolicyError, match=words):
        await sample(server, [PLAIN, CHAT])


async def test_nobody_answering_is_raised_and_retryable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        policy = EndpointPolicy(f"http://127.0.0.1:{unused.getsockname()[1]}/v1#m", retries=1)
        with pytest.raises(EngineUnavailable, match="nobody answers"):
            await policy.sample([PLAIN], 1, PARAMS)
        with pytest.raises(EngineUnavailable, match="nobody answers"):
            await policy.check()


async def test_the_breaker_stops_a_run_of_failures() -> None:
    with serve(*[status(500)] * 99) as server:
        breaker = Breaker("it", limit=3)
        with pytest.raises(EngineUnavailable, match="3 times in a row, the last time with: status 500"):
            await sample(server, [Prompt(str(i), text="x") for i in range(20)], retries=0, in_flight=1, breaker=breaker)
    assert len(server.bodies) == 3


async def test_no_more_is_in_flight_than_allowed() -> None:
    with serve(silence(1), silence(1), silence(1), silence(1)) as server:
        policy = EndpointPolicy(f"{server.url}#m", in_flight=2)
        work = asyncio.create_task(policy.sample([PLAIN], 4, PARAMS))
        while len(server.bodies) < 2:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        assert len(server.bodies) == 2
        await work
        await policy.close()


async def test_without_a_model_the_only_one_is_taken() -> None:
    with serve(models=("big/one",)) as server:
        policy = EndpointPolicy(server.url)
        await policy.sample([PLAIN, CHAT], 2, PARAMS)
        await policy.close()
    assert {body["model"] for body in server.bodies} == {"big/one"}
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("model", "models", "kind"),
    [("#x", ("m", "n"), PolicyError), ("", ("m", "n"), UsageError), ("", (), UsageError)],
)
async def test_check_names_the_models_there_are(model: str, models: tuple[str, ...], kind: type[SparringError]) -> None:
    with serve(models=models) as server, pytest.raises(kind) as fault:
        await EndpointPolicy(server.url + model).check()
    assert (", ".join(models) or "none") in fault.value.hint


async def test_a_server_without_a_model_list_is_believed() -> None:
    with serve() as server:
        server.models_status = 404
        await EndpointPolicy(f"{server.url}#m").check()


async def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "other")
    monkeypatch.setenv("SPARRING_API_KEY", "ours")
    with serve() as server:
        await sample(server)
    assert server.keys == ["Bearer ours"]


@pytest.mark.parametrize("url", ["http://", "http:///v1#m", "https:#m", "http://me:secret@host/v1#m"])
def test_a_url_that_cannot_be_is_refused_without_repeating_secrets(url: str) -> None:
    with pytest.raises(UsageError) as fault:
        EndpointPolicy(url)
    assert "secret" not in str(fault.value)


def test_the_digest_names_address_and_model() -> None:
    one, other = EndpointPolicy("http://a/v1#m"), EndpointPolicy("http://a/v1#n")
    assert one.digest != other.digest
    assert one.digest == EndpointPolicy("http://a/v1#m").digest
