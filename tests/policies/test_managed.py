"""The managed engine: one server for the players of a base, adapters by digest, and what happens when it dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from data.errors import EngineUnavailable, PolicyError
from policies import vllm_server
from policies.connect import engine_digest, open_policy
from policies.journal import JournalledPolicy
from policies.managed import VllmPolicy
from policies.protocol import Prompt, SamplingParams, completion_seed
from tests.policies.engine_support import FakeEngine, enter, gone, make_adapter

PARAMS = SamplingParams(seed=3)
PROMPT = Prompt("a", text="hello")


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEngine]:
    yield enter(tmp_path, monkeypatch)
    assert not vllm_server._servers


async def test_all_samples_of_a_prompt_are_one_request(engine: FakeEngine) -> None:
    policy = VllmPolicy(str(engine.model))
    await policy.sample([PROMPT], 8, PARAMS)
    await policy.close()
    assert [one["body"]["n"] for one in engine.asked] == [8]


async def test_samples_have_the_seeds_and_tokens_of_their_own(engine: FakeEngine) -> None:
    policy = VllmPolicy(str(engine.model))
    [samples] = await policy.sample([PROMPT], 3, PARAMS, first_index=2)
    await policy.close()
    seeds = [completion_seed(PARAMS, PROMPT, index) for index in (2, 3, 4)]
    assert [(one.index, one.seed, one.text, one.completion_tokens) for one in samples] == [
        (2 + place, seed, f"base {seed}", place + 1) for place, seed in enumerate(seeds)
    ]


async def test_greedy_samples_are_asked_for_one_by_one(engine: FakeEngine) -> None:
    policy = VllmPolicy(str(engine.model))
    await policy.sample([PROMPT], 2, SamplingParams(temperature=0))
    await policy.close()
    assert ["n" in one["body"] for one in engine.asked] == [False, False]


async def test_a_schema_goes_along(engine: FakeEngine) -> None:
    policy = VllmPolicy(str(engine.model))
    await policy.sample([Prompt("a", text="hello", schema={"type": "object"})], 1, PARAMS)
    await policy.close()
    assert engine.asked[0]["body"]["response_format"]["json_schema"]["schema"] == {"type": "object"}


async def test_the_server_listens_on_this_machine_alone_and_its_key_is_no_argument(engine: FakeEngine) -> None:
    policy = VllmPolicy(str(engine.model))
    await policy.check()
    arguments = engine.arguments
    await policy.close()
    assert arguments[arguments.index("--host") + 1] == "127.0.0.1"
    assert "--api-key" not in arguments


async def test_two_players_of_one_base_share_a_server_until_the_last_is_closed(engine: FakeEngine) -> None:
    first, second = VllmPolicy(str(engine.model)), VllmPolicy(str(engine.model))
    await first.check()
    await second.check()
    await first.close()
    assert not gone(engine.pids, within=0.5)
    await second.close()
    assert gone(engine.pids, within=1)
    assert len(engine.pids) == 2


async def test_two_adapters_are_served_on_one_server_by_their_digests(engine: FakeEngine) -> None:
    folders = [make_adapter(engine.folder / name, engine.model, name.encode()) for name in ("one", "two")]
    players = [VllmPolicy(str(folder)) for folder in folders]
    said = [(await player.sample([PROMPT], 1, PARAMS))[0][0].text.split()[0] for player in players]
    for player in players:
        await player.close()
    assert said == [player.digest.removeprefix("sha256:")[:32] for player in players]
    assert len(engine.pids) == 2


async def test_the_adapter_of_a_closed_player_is_unloaded(engine: FakeEngine) -> None:
    base = VllmPolicy(str(engine.model))
    player = VllmPolicy(str(make_adapter(engine.folder / "adapter", engine.model)))
    await player.check()
    await player.close()
    await base.close()
    routes = [(one["path"], one["body"]["lora_name"]) for one in engine.asked]
    name = player.digest.removeprefix("sha256:")[:32]
    assert routes == [("/v1/load_lora_adapter", name), ("/v1/unload_lora_adapter", name)]


async def test_changed_weights_of_an_adapter_have_another_name(engine: FakeEngine) -> None:
    adapter = make_adapter(engine.folder / "adapter", engine.model)
    before = VllmPolicy(str(adapter))
    await before.check()
    (adapter / "adapter_model.safetensors").write_bytes(b"trained on")
    after = VllmPolicy(str(adapter))
    await after.check()
    await before.close()
    await after.close()
    loaded = [one["body"]["lora_name"] for one in engine.asked if one["path"] == "/v1/load_lora_adapter"]
    assert len(set(loaded)) == 2


async def test_a_server_started_without_adapters_is_started_again_for_one(engine: FakeEngine) -> None:
    base = VllmPolicy(str(engine.model))
    await base.check()
    player = VllmPolicy(str(make_adapter(engine.folder / "adapter", engine.model, rank=20)))
    await player.check()
    arguments = engine.arguments
    await base.close()
    await player.close()
    assert arguments[arguments.index("--max-lora-rank") + 1] == "32"
    assert gone(engine.pids, within=1)


async def test_an_adapter_that_does_not_fit_is_refused_in_the_servers_words(engine: FakeEngine) -> None:
    adapter = make_adapter(engine.folder / "adapter", engine.model)
    (adapter / "misfit").touch()
    player = VllmPolicy(str(adapter))
    with pytest.raises(PolicyError, match="size mismatch") as caught:
        await player.check()
    await player.close()
    assert not caught.value.retryable


async def test_a_server_that_dies_in_the_middle_is_an_engine_that_may_answer_later(engine: FakeEngine) -> None:
    policy = VllmPolicy(str(engine.model))
    await policy.check()
    with pytest.raises(EngineUnavailable, match=r"(?s)ended by itself.*fatal error"):
        await policy.sample([Prompt("b", text="die")], 1, PARAMS)
    await policy.close()


async def test_what_was_sampled_before_the_server_died_is_not_asked_for_again(engine: FakeEngine) -> None:
    journal = engine.folder / "journal.jsonl"
    policy = JournalledPolicy(VllmPolicy(str(engine.model)), journal)
    [before] = await policy.sample([PROMPT], 2, PARAMS)
    os.kill(engine.pids[0], signal.SIGKILL)
    gone(engine.pids)
    [after] = await policy.sample([PROMPT], 3, PARAMS)
    await policy.close()
    assert after[:2] == before
    assert [one["body"].get("n", 1) for one in engine.asked] == [2, 1]


async def test_a_closed_engine_stays_closed(engine: FakeEngine) -> None:
    policy = VllmPolicy(str(engine.model))
    await policy.close()
    with pytest.raises(PolicyError, match="closed"):
        await policy.check()


def test_without_the_engine_environment_the_command_that_makes_it_is_named(
    engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARRING_ENGINE_ENV", str(engine.folder / "none"))
    monkeypatch.setattr("policies.weights.cache_folder", lambda: engine.folder / "cache")
    with pytest.raises(PolicyError, match="make engine"):
        open_policy("vllm", role="solver")


def test_the_digest_is_known_without_a_server(engine: FakeEngine) -> None:
    assert engine_digest(f"vllm:{engine.model}", "solver").startswith("sha256:")
    assert not (engine.folder / "pids").exists()
