"""What an evolution may be asked for, and what its rounds are then asked for."""

from pathlib import Path
from typing import Any

import pytest

from data.errors import UsageError
from flows.evolve_settings import EvolveConfig
from flows.settings import build

PLAIN: dict[str, Any] = {"engine": "scripted", "train": False}


def config(**given: Any) -> EvolveConfig:
    return build(EvolveConfig, PLAIN | given, "evolve")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"train": True}, "cannot be trained"),
        ({"train": True, "engine": "vllm", "generator": "http://h/v1#m"}, "the generator 'http://h/v1#m'"),
        ({"train": True, "engine": "vllm", "weights": "shared", "solver": "vllm:/a"}, "--weights shared"),
        ({"weights": "shared"}, "--no-train"),
        ({"difficulty": False}, "--no-train"),
        ({"mode": "mutate"}, "--mode 'mutate'"),
        ({"rounds": 0}, "--rounds 0"),
        ({"margin": 0}, "--margin 0"),
        ({"bench": ("nothing=/x",)}, "nothing"),
        ({"bench": ("bfcl=/not/there",)}, "/not/there"),
    ],
)
def test_what_cannot_be_is_said(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words.replace("[", r"\[").replace("(", r"\(")):
        config(**given)


@pytest.mark.parametrize("engine", ["vllm", "vllm:/models/a"])
def test_what_vllm_opens_can_be_trained(engine: str) -> None:
    assert config(train=True, engine=engine).train


def test_each_round_has_its_own_seed_and_folder_and_all_else_alike() -> None:
    asked = config(tasks=7, k=16, k_max=16, domains=("music",), seed=3)
    lineup = {"generator": "scripted:ability=0.5", "solver": "scripted"}
    one, two = (asked.of_round(number, Path("/w"), {"a": 0.5}, lineup) for number in (1, 2))
    assert one.seed != two.seed
    assert (one.workdir, two.workdir) == ("/w/round-0001/run", "/w/round-0002/run")
    assert (one.round, one.accepted, one.generator, one.solver) == (1, {"a": 0.5}, *lineup.values())
    assert (one.tasks, one.k, one.domains, one.name) == (7, 16, ("music",), "evolved")
    assert one.model_dump(exclude={"seed", "workdir", "round"}) == two.model_dump(exclude={"seed", "workdir", "round"})


def test_more_rounds_and_other_benchmarks_at_the_end_are_the_same_evolution() -> None:
    one, more, other = config(), config(rounds=9, bench=("probe",)), config(steps=1)
    assert one.evolution == more.evolution != other.evolution
    assert one.work_folder == more.work_folder != other.work_folder


def test_a_round_is_part_of_what_a_run_is_and_no_round_changes_nothing() -> None:
    asked = config().of_round(1, Path("/w"), {}, {"generator": "scripted", "solver": "scripted"})
    assert asked.identity["round"] == 1
    assert not {"round", "accepted"} & asked.model_copy(update={"round": 0}).identity.keys()
