"""The embedded engine: how samples are grouped and requests are made, and, once, the real model."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import PolicyError
from data.records import JsonObject, Message
from policies import embedded, llama
from policies.embedded import EmbeddedPolicy, request
from policies.engine import runs
from policies.llama import SAMPLES, Event
from policies.protocol import Completion, Prompt, SamplingParams, completion_seed

PARAMS = SamplingParams(temperature=0.8, max_tokens=12, seed=1)
ONCE = Prompt("once", text="Once upon a time")


@given(st.sets(st.integers(0, 60)), st.integers(1, 9))
def test_runs_are_consecutive_short_enough_and_complete(indices: set[int], longest: int) -> None:
    found = runs(sorted(indices), longest)
    assert [index for run in found for index in run] == sorted(indices)
    assert all(1 <= len(run) <= longest for run in found)


def test_runs_are_as_few_as_can_be() -> None:
    assert runs([0, 1, 2, 3, 4, 7, 8], 3) == [range(3), range(3, 5), range(7, 9)]


def test_the_server_s_own_sampling_defaults_are_written_out() -> None:
    fields = request(ONCE, 1, 5, PARAMS)
    assert (fields["top_k"], fields["min_p"], fields["top_p"], fields["seed"]) == (40, 0.05, 1.0, 5)


class FakeModel:
    """Stands in for `llama.Model`: plays events of its own making."""

    def __init__(self, play: Callable[[Event, Callable[[Event], bool]], None]) -> None:
        self.digest = "sha256:fake"
        self.threads = ThreadPoolExecutor(2)
        self.requests: list[Event] = []
        self._play = play

    def stream(self, request: Event, begins: str, each: Callable[[Event], bool]) -> None:
        self.requests.append(request)
        self._play(request, each)


def token(place: int, text: str, reason: str | None = None) -> Event:
    event: Event = {"choices": [{"index": place, "text": text, "finish_reason": reason}]}
    if reason:
        event["timings"] = {"cache_n": 3, "prompt_n": 2, "predicted_n": 2}
    return event


def playing(monkeypatch: pytest.MonkeyPatch, play: Callable[[Event, Callable[[Event], bool]], None]) -> FakeModel:
    model = FakeModel(play)
    monkeypatch.setattr(embedded, "load", lambda path: model)
    return model


def all_well(asked: Event, each: Callable[[Event], bool]) -> None:
    for place in reversed(range(asked["n"])):
        each(token(place, "a"))
        each(token(place, f"{place}"))
        each(token(place, "", "stop"))


async def test_samples_that_finish_out_of_order_come_back_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    playing(monkeypatch, all_well)
    [done] = await EmbeddedPolicy(Path("x")).sample([ONCE], 3, PARAMS, first_index=4)
    seeds = [completion_seed(PARAMS, ONCE, index) for index in (4, 5, 6)]
    assert done == [Completion(f"a{i}", 4 + i, seeds[i], 5, 2, "stop") for i in range(3)]


async def test_more_samples_than_fit_go_out_in_several_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    model = playing(monkeypatch, all_well)
    [done] = await EmbeddedPolicy(Path("x")).sample([ONCE], SAMPLES + 3, PARAMS)
    assert [asked["n"] for asked in model.requests] == [SAMPLES, 3]
    assert [one.seed for one in done] == [completion_seed(PARAMS, ONCE, index) for index in range(SAMPLES + 3)]


async def test_a_refusal_fails_what_had_not_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(asked: Event, each: Callable[[Event], bool]) -> None:
        each(token(1, "whole", "stop"))
        each({"error": {"type": "server_error", "message": "Context size has been exceeded."}})
        each(token(0, "late", "stop"))

    playing(monkeypatch, play)
    [[first, second]] = await EmbeddedPolicy(Path("x")).sample([ONCE], 2, PARAMS)
    assert (first.finish_reason, first.error) == ("error", "server_error: Context size has been exceeded.")
    assert (second.finish_reason, second.text) == ("stop", "whole")


async def test_an_answer_that_ends_early_fails_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    playing(monkeypatch, lambda asked, each: None)
    [[done]] = await EmbeddedPolicy(Path("x")).sample([ONCE], 1, PARAMS)
    assert done.error == "the engine ended the answer early"


async def test_an_empty_prompt_never_reaches_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    model = playing(monkeypatch, all_well)
    [done] = await EmbeddedPolicy(Path("x")).sample([Prompt("e", text="")], 2, PARAMS)
    assert [one.error for one in done] == ["empty prompt"] * 2
    assert not model.requests


async def test_a_cancelled_sample_stops_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = threading.Event()

    def play(asked: Event, each: Callable[[Event], bool]) -> None:
        while not each(token(0, "on and on ")):
            threading.Event().wait(0.01)
        stopped.set()

    playing(monkeypatch, play)
    work = asyncio.create_task(EmbeddedPolicy(Path("x")).sample([ONCE], 1, PARAMS))
    await asyncio.sleep(0.05)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert await asyncio.to_thread(stopped.wait, 5)


async def test_a_fault_of_the_receiver_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(completion: Completion) -> None:
        raise OSError("disk full")

    playing(monkeypatch, all_well)
    with pytest.raises(OSError, match="disk full"):
        await EmbeddedPolicy(Path("x")).draw(ONCE, [0, 1], PARAMS, full)


async def test_a_closed_engine_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    playing(monkeypatch, all_well)
    policy = EmbeddedPolicy(Path("x"))
    await policy.close()
    await policy.close()
    with pytest.raises(PolicyError, match="closed"):
        await policy.sample([ONCE], 1, PARAMS)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + bytes(64))
    with pytest.raises(PolicyError, match="cannot load"):
        EmbeddedPolicy(path)


@pytest.fixture
async def policy(gguf: Path) -> AsyncIterator[EmbeddedPolicy]:
    policy = EmbeddedPolicy(gguf)
    yield policy
    await policy.close()


def texts(done: Sequence[Completion]) -> list[str]:
    return [completion.text for completion in done]


@pytest.mark.model
async def test_the_real_model_answers_texts_chats_and_schemas(
    policy: EmbeddedPolicy, capfd: pytest.CaptureFixture[str]
) -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"name": {"enum": ["lamp", "fan"]}, "on": {"type": "boolean"}},
        "required": ["name", "on"],
        "additionalProperties": False,
    }
    asked = Prompt("json", text="Request: Turn the lamp on.\nCall:", schema=schema)
    chat = Prompt("chat", messages=(Message("user", "Say hello."),))
    params = SamplingParams(temperature=0.8, max_tokens=24)
    plain, spoken, formed = await policy.sample([ONCE, chat, asked], 2, params)
    assert all(one.finish_reason in ("stop", "length") and one.text for one in [*plain, *spoken])
    assert plain[0].text != plain[1].text
    assert (plain[0].prompt_tokens, plain[0].completion_tokens) == (4, 24)
    for one in formed:
        assert json.loads(one.text)["name"] in ("lamp", "fan")
    assert capfd.readouterr() == ("", "")


@pytest.mark.model
async def test_the_real_model_stops_at_a_stop_text(policy: EmbeddedPolicy) -> None:
    [[done]] = await policy.sample([Prompt("s", text="1, 2, 3, 4,", stop=(" 7",))], 1, SamplingParams(0.0, 1.0, 20))
    assert (done.text, done.finish_reason) == (" 5, 6,", "stop")


@pytest.mark.model
async def test_the_real_model_draws_the_same_in_waves_as_at_once(policy: EmbeddedPolicy) -> None:
    [whole] = await policy.sample([ONCE], 4, PARAMS)
    [first] = await policy.sample([ONCE], 2, PARAMS)
    [later] = await policy.sample([ONCE], 2, PARAMS, first_index=2)
    assert [one.seed for one in whole] == [one.seed for one in first + later]
    assert texts(whole)[0] == texts(first)[0]


@pytest.mark.model
async def test_the_real_model_names_what_does_not_fit(policy: EmbeddedPolicy) -> None:
    [[long], [odd], [fine]] = await policy.sample(
        [Prompt("long", text="word " * 20_000), Prompt("odd", text="\ud800"), ONCE], 1, PARAMS
    )
    assert long.error.startswith("exceed_context_size_error")
    assert odd.error.startswith("refused")
    assert fine.finish_reason in ("stop", "length")


@pytest.mark.model
async def test_two_players_of_one_file_share_the_model(gguf: Path, policy: EmbeddedPolicy) -> None:
    assert llama.load(gguf) is llama.load(gguf)
    other = EmbeddedPolicy(gguf)
    await other.close()
    [[done]] = await policy.sample([ONCE], 1, PARAMS)
    assert done.finish_reason != "error"
