"""Several servers as one player, against servers that misbehave."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from data.errors import EngineUnavailable, PolicyError, UsageError
from policies.balance import BalancedPolicy
from policies.connect import engine_digest, engine_kind
from policies.journal import JournalledPolicy
from policies.protocol import Completion, Prompt, SamplingParams
from policies.server_list import lasting, listed
from tests.policies.fake_server import FakeServer, Handler, Respond, good, serve, silence, status

PARAMS = SamplingParams(temperature=0.5, max_tokens=5, seed=3)
PROMPTS = [Prompt(str(number), text="Say yes.") for number in range(40)]
QUICK: dict[str, Any] = {"pause": 0.02, "longest": 0.1}


def several(*servers: FakeServer | str, model: str = "m", **options: Any) -> BalancedPolicy:
    urls = [one if isinstance(one, str) else one.url for one in servers]
    return BalancedPolicy(f"{','.join(urls)}#{model}", **QUICK | options)


async def ask(policy: BalancedPolicy, prompts: list[Prompt] = PROMPTS, n: int = 1) -> list[Completion]:
    try:
        return [done for several in await policy.sample(prompts, n, PARAMS) for done in several]
    finally:
        await policy.close()


def always(respond: Respond, times: int = 500) -> list[Respond]:
    return [respond] * times


def unused() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


def hang_up(handler: Handler) -> None:
    """As a server that is killed: no answer, the connection is gone."""
    handler.close_connection = True
    with suppress(OSError):
        handler.connection.shutdown(socket.SHUT_RDWR)


async def test_equal_servers_get_equal_shares() -> None:
    with ExitStack() as stack:
        servers = [stack.enter_context(serve(*always(silence(0.03)))) for _ in range(3)]
        done = await ask(several(*servers, in_flight=4), n=3)
    assert all(one.text == "yes" for one in done)
    assert [len(server.bodies) for server in servers] == pytest.approx([40, 40, 40], abs=12)


async def test_a_slow_server_gets_less() -> None:
    with serve(*always(silence(0.5))) as slow, serve(*always(silence(0.01))) as fast:
        done = await ask(several(slow, fast, in_flight=2))
    assert (len(done), len(slow.bodies) + len(fast.bodies)) == (40, 40)
    assert len(slow.bodies) <= 8


async def test_seeds_and_places_are_those_of_one_server() -> None:
    with serve() as first, serve() as second:
        done = await ask(several(first, second), PROMPTS[:1], n=8)
        seeds = sorted(body["seed"] for server in (first, second) for body in server.bodies)
    assert [one.index for one in done] == list(range(8))
    assert seeds == [one.seed for one in done] == list(range(seeds[0], seeds[0] + 8))


async def test_what_was_under_way_at_a_server_that_dies_goes_to_another() -> None:
    with serve(*always(silence(0.05), 6), *always(hang_up)) as dying, serve(*always(silence(0.02))) as other:
        done = await ask(several(dying, other, in_flight=4))
    assert [one.finish_reason for one in done] == ["stop"] * 40
    assert len({one.seed for one in done}) == 40


async def test_a_server_that_nobody_hears_of_is_left_out() -> None:
    with serve() as alive:
        policy = several(unused(), alive)
        await policy.check()
        done = await ask(policy)
    assert len(alive.bodies) == len(done) == 40


@pytest.mark.parametrize("code", [408, 409, 429, 500, 503])
async def test_a_server_that_is_overloaded_is_left_out_and_comes_back(code: int) -> None:
    with serve(status(code, retry_after="60")) as busy, serve(*always(silence(0.03))) as other:
        done = await ask(several(busy, other, in_flight=2))
    assert [one.finish_reason for one in done] == ["stop"] * 40
    assert len(busy.bodies) > 5
    assert busy.asked, "its health is asked before it is back"


async def test_a_server_that_comes_back_with_another_model_stays_out() -> None:
    def changed(handler: Handler) -> None:
        handler.server.models = ("other",)
        status(404)(handler)

    with serve(changed) as first, serve(*always(silence(0.03))) as second:
        done = await ask(several(first, second, in_flight=2))
    assert [one.finish_reason for one in done] == ["stop"] * 40
    assert len(first.bodies) == 2  # Those that were under way when it changed.
    assert len(first.asked) > 1


async def test_a_server_that_hangs_costs_one_attempt() -> None:
    with serve(*always(silence(2))) as hung, serve() as other:
        done = await ask(several(hung, other, attempt=0.2, in_flight=4))
    assert [one.finish_reason for one in done] == ["stop"] * 40


async def test_when_all_are_dead_one_error_has_the_first_cause_first() -> None:
    with serve(*always(status(500, "out of memory"))) as first:
        policy = several(first, unused())
        with pytest.raises(EngineUnavailable) as fault:
            await ask(policy)
    said = fault.value.message.splitlines()
    assert said[0] == "none of the 2 servers of m can be used, first of all:"
    assert {"out of memory" in line or "nobody answers" in line for line in said[1:]} == {True}
    assert len(said) == 3
    assert fault.value.retryable
    assert fault.value.hint


async def test_after_all_were_dead_the_next_to_ask_tries_each_once_more() -> None:
    with serve(*always(status(500))) as only, serve(*always(status(500))) as other:
        policy = several(only, other)
        with pytest.raises(EngineUnavailable):
            await policy.sample(PROMPTS, 1, PARAMS)
        only.script.clear()
        [[done], *_] = await policy.sample(PROMPTS, 1, PARAMS)
        await policy.close()
    assert done.text == "yes"


async def test_a_prompt_that_every_server_fails_at_is_a_failed_sample() -> None:
    def unless_poisoned(handler: Handler) -> None:
        poisoned = handler.server.bodies[-1]["prompt"] == "poison"
        (status(500, "crashed") if poisoned else good)(handler)

    def one_at_a_time(handler: Handler) -> None:
        with turn:
            unless_poisoned(handler)

    turn = threading.Lock()
    prompts = [Prompt("bad", text="poison"), *PROMPTS]
    with serve(*always(one_at_a_time)) as first, serve(*always(one_at_a_time)) as second:
        done = await ask(several(first, second, in_flight=1), prompts)
    assert [one.finish_reason for one in done] == ["error"] + ["stop"] * 40
    assert "crashed" in done[0].error


@pytest.mark.parametrize("said", ["maximum context length is 2048", "this schema is not supported"])
async def test_a_refused_prompt_fails_alone_and_leaves_nobody_out(said: str) -> None:
    with serve(status(400, said)) as first, serve(status(400, said)) as second:
        done = await ask(several(first, second, in_flight=1))
        assert [server.asked for server in (first, second)] == [[], []]
    assert sorted(one.finish_reason for one in done) == ["error"] * 2 + ["stop"] * 38


async def test_servers_that_refuse_everything_end_the_work() -> None:
    refusing = always(status(400, "no such field"))
    with (
        serve(*refusing) as first,
        serve(*refusing) as second,
        pytest.raises(EngineUnavailable, match="no such field"),
    ):
        await ask(several(first, second, in_flight=1), PROMPTS * 5)


async def test_a_server_with_another_model_is_refused_before_the_run() -> None:
    with serve() as first, serve(models=("n",)) as second:
        policy = several(first, second)
        with pytest.raises(PolicyError, match=f"{second.url} has no model 'm'"):
            await policy.check()
        await policy.close()


async def test_servers_that_are_all_away_are_found_before_the_run() -> None:
    policy = several(unused(), unused())
    with pytest.raises(EngineUnavailable, match="none of the 2 servers"):
        await policy.check()
    await policy.close()


async def test_no_server_has_more_under_way_than_allowed() -> None:
    most = [0, 0]

    def counted(place: int) -> Respond:
        lock, now = threading.Lock(), [0]

        def respond(handler: Handler) -> None:
            with lock:
                now[0] += 1
                most[place] = max(most[place], now[0])
            threading.Event().wait(0.02)
            with lock:
                now[0] -= 1
            good(handler)

        return respond

    with serve(*always(counted(0))) as first, serve(*always(counted(1))) as second:
        await ask(several(first, second, in_flight=3))
    assert most == [3, 3]


async def test_cancelling_leaves_nothing_under_way() -> None:
    with serve(*always(silence(5))) as first, serve(*always(silence(5))) as second:
        policy = several(first, second)
        work = asyncio.create_task(policy.sample(PROMPTS, 1, PARAMS))
        while not first.bodies:
            await asyncio.sleep(0.01)
        work.cancel()
        with suppress(asyncio.CancelledError):
            await work
        assert [server.under_way for server in policy._servers] == [0, 0]
        await policy.close()


async def test_a_journal_of_two_servers_is_read_with_one_of_them_gone(tmp_path: Path) -> None:
    with serve() as first, serve() as second, serve() as third:
        before = JournalledPolicy(several(first, second), tmp_path / "j.jsonl")
        said = await before.sample(PROMPTS, 1, PARAMS)
        await before.close()
        after = JournalledPolicy(several(second, third), tmp_path / "j.jsonl")
        assert await after.sample(PROMPTS, 1, PARAMS) == said
        await after.close()
        assert (len(first.bodies) + len(second.bodies), third.bodies) == (40, [])


def test_the_digest_is_of_the_model_and_not_of_the_list() -> None:
    lists = ["http://a/v1,http://b/v1#m", "http://b/v1,https://c:8000/v1#m", "http://a/v1#m,http://b/v1#m"]
    assert len({engine_digest(one, "solver") for one in lists}) == 1
    assert engine_digest("http://a/v1,http://b/v1#n", "solver") != engine_digest(lists[0], "solver")
    assert {lasting(one) for one in lists} == {"#m"}
    assert {engine_kind(one) for one in lists} == {"url"}


def test_a_list_is_read_with_commas_in_models_and_urls() -> None:
    assert listed("http://a/v1?x=1,2,http://b/v1#org/m,7b") == (["http://a/v1?x=1,2", "http://b/v1"], "org/m,7b")
    assert lasting("http://a/v1#m") == "http://a/v1#m"


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        ("http://a/v1,http://b/v1", "names no model"),
        ("http://a/v1#m,http://b/v1#n", "several models: m, n"),
        ("http://a/v1,http://a/v1#m", "http://a/v1 twice"),
    ],
)
def test_a_list_that_cannot_be_is_refused(engine: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        engine_digest(engine, "solver")
