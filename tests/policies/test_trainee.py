"""The weights under training on the managed server: which tokens are asked for, and with which weights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.errors import EngineUnavailable, PolicyError
from data.records import Message
from policies import model_folder, vllm_server
from policies.protocol import Prompt
from policies.trainee import Trainee
from tests.policies.engine_support import FakeEngine, enter, make_adapter

SAMPLING = {"temperature": 0.9, "top_k": 0, "min_p": 0.0, "max_tokens": 7}
PROMPTS = [Prompt("a", text="one", stop=("\nTools:",)), Prompt("b", text="two")]


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEngine]:
    yield enter(tmp_path, monkeypatch)
    assert not vllm_server._servers


@pytest.fixture
def trainee(engine: FakeEngine) -> Iterator[Trainee]:
    made = Trainee(engine.model)
    yield made
    made.close()


def completions(engine: FakeEngine) -> list[dict[str, Any]]:
    return [one["body"] for one in engine.asked if one["path"] == "/v1/completions"]


async def test_a_group_has_the_tokens_of_its_prompt_and_of_each_sample(
    engine: FakeEngine, trainee: Trainee, tmp_path: Path
) -> None:
    trainee.load(make_adapter(tmp_path / "step-1", engine.model))
    groups = await trainee.draw(PROMPTS, [3, 5], 2, SAMPLING)
    assert [[sample.ids for sample in group.samples] for group in groups] == [[(0,), (0, 0)]] * 2
    assert [group.prompt_ids for group in groups] == [(7, 7)] * 2


async def test_a_step_is_one_request_a_prompt_with_the_trainers_settings(
    engine: FakeEngine, trainee: Trainee, tmp_path: Path
) -> None:
    trainee.load(make_adapter(tmp_path / "step-1", engine.model))
    await trainee.draw(PROMPTS, [3, 5], 2, SAMPLING)
    asked = sorted(completions(engine), key=lambda body: str(body["prompt"]))
    assert [(body["n"], body["seed"], body["stop"]) for body in asked] == [(2, 3, ["\nTools:"]), (2, 5, [])]
    assert all(SAMPLING.items() <= body.items() for body in asked)


async def test_other_weights_have_another_name_and_the_old_ones_are_unloaded(
    engine: FakeEngine, trainee: Trainee, tmp_path: Path
) -> None:
    folders = [make_adapter(tmp_path / f"step-{step}", engine.model, bytes([step])) for step in (1, 2)]
    for folder in folders:
        trainee.load(folder)
        await trainee.draw(PROMPTS[:1], [0], 1, SAMPLING)
    first, second = (model_folder.find(str(folder)).digest[7:39] for folder in folders)
    assert [body["model"] for body in completions(engine)] == [first, second]
    changes = [
        (one["path"].rpartition("/")[2], one["body"]["lora_name"]) for one in engine.asked if "lora" in one["path"]
    ]
    assert changes == [("load_lora_adapter", first), ("unload_lora_adapter", first), ("load_lora_adapter", second)]


async def test_a_chat_is_asked_as_one(engine: FakeEngine, trainee: Trainee, tmp_path: Path) -> None:
    trainee.load(make_adapter(tmp_path / "step-1", engine.model))
    messages = (Message("system", "s"), Message("user", "u"))
    [group] = await trainee.draw([Prompt("a", messages=messages)], [0], 1, SAMPLING)
    chat = next(one["body"] for one in engine.asked if one["path"] == "/v1/chat/completions")
    assert [turn["role"] for turn in chat["messages"]] == ["system", "user"]
    assert group.prompt_ids == (7, 7)


async def test_a_prompt_that_is_refused_is_named(engine: FakeEngine, trainee: Trainee, tmp_path: Path) -> None:
    trainee.load(make_adapter(tmp_path / "step-1", engine.model))
    with pytest.raises(PolicyError, match=r"prompt long: .*maximum context length"):
        await trainee.draw([Prompt("long", text="too long")], [0], 1, SAMPLING)


async def test_a_server_that_dies_is_a_fault_with_its_log(engine: FakeEngine, trainee: Trainee, tmp_path: Path) -> None:
    trainee.load(make_adapter(tmp_path / "step-1", engine.model))
    with pytest.raises(EngineUnavailable):
        await trainee.draw([Prompt("a", text="die")], [0], 1, SAMPLING)


def test_a_base_that_is_none_is_refused(engine: FakeEngine, tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="no model"):
        Trainee(tmp_path / "env")
