"""How likely given text is: which tokens count, and what is asked of the managed server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from data.errors import EngineUnavailable, PolicyError
from data.records import Message
from policies import vllm_server
from policies.likelihood import likelihoods
from policies.protocol import Prompt
from tests.policies.engine_support import FakeEngine, enter, make_adapter


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEngine]:
    yield enter(tmp_path, monkeypatch)
    assert not vllm_server._servers


async def test_the_mean_is_over_the_tokens_of_the_completion_alone(engine: FakeEngine) -> None:
    prompts = [Prompt("a", text="ab"), Prompt("b", text="abcd")]
    assert await likelihoods(str(engine.model), prompts, ["xy", "z"]) == [[-2.5, -4.5], [-2.0, -4.0]]


async def test_a_completion_of_a_chat_is_the_turn_that_goes_on(engine: FakeEngine) -> None:
    prompt = Prompt("a", messages=(Message("system", "s"), Message("user", "u")))
    assert await likelihoods(str(engine.model), [prompt], ["xyz"]) == [[-3.0]]
    alone, whole = (one["body"] for one in engine.asked if one["path"] == "/v1/chat/completions")
    assert [turn["role"] for turn in alone["messages"]] == ["system", "user"]
    assert whole["messages"][-1] == {"role": "assistant", "content": "xyz"}
    assert (whole["add_generation_prompt"], whole["continue_final_message"]) == (False, True)


async def test_an_adapter_is_asked_by_its_own_name(engine: FakeEngine, tmp_path: Path) -> None:
    await likelihoods(str(make_adapter(tmp_path / "one", engine.model)), [Prompt("a", text="ab")], ["x"])
    [loaded] = [one["body"]["lora_name"] for one in engine.asked if one["path"] == "/v1/load_lora_adapter"]
    assert {one["body"]["model"] for one in engine.asked if one["path"] == "/v1/completions"} == {loaded}


async def test_a_completion_without_a_token_is_refused(engine: FakeEngine) -> None:
    with pytest.raises(PolicyError, match="no token of its own"):
        await likelihoods(str(engine.model), [Prompt("a", text="ab")], [""])


async def test_a_prompt_that_is_refused_is_named(engine: FakeEngine) -> None:
    with pytest.raises(PolicyError, match=r"prompt long: .*maximum context length"):
        await likelihoods(str(engine.model), [Prompt("long", text="too long")], ["x"])


async def test_a_server_that_dies_is_a_fault_that_may_pass(engine: FakeEngine) -> None:
    with pytest.raises(EngineUnavailable):
        await likelihoods(str(engine.model), [Prompt("a", text="die")], ["x"])
