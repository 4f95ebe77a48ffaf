"""The stages that train, with a trainer that only writes other tensors: lineage, tests, promotions, ablations."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from flows import training_stages
from flows.evolve_settings import EvolveConfig
from flows.evolve_turn import Turn
from flows.settings import policies_home
from flows.training_stages import decisions, promoted, train_generator, train_solver
from policies import training_job
from policies.checkpoints import Checkpoint
from policies.connect import SLOTS
from policies.players import CHECKPOINT, find, resolve
from policies.promotions import history
from policies.training.job import TrainingJob
from policies.training_job import TrainingResult
from tests.flows.training_support import make_tasks, make_version
from tests.policies.engine_support import make_adapter, make_model


class Trainer:
    """Gives each job other tensors, once, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.jobs: list[TrainingJob] = []
        self.idle = False

    def run(self, job: TrainingJob) -> TrainingResult:
        self.jobs.append(job)
        folder = job.folder / "adapter"
        if not folder.exists():
            tensors = f"{job.slot} of {job.folder}".encode()
            if self.idle and job.adapter:
                tensors = (job.adapter / "adapter_model.safetensors").read_bytes()
            make_adapter(folder, job.base, tensors)
        return TrainingResult(folder, {"grpo_reward_last": 0.5}, 4)


@pytest.fixture
def trainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trainer:
    monkeypatch.chdir(tmp_path)
    made = Trainer()
    monkeypatch.setattr(training_job, "run", made.run)
    return made


def turn(tmp_path: Path, number: int = 1, **given: Any) -> tuple[Turn, dict[str, str]]:
    base = tmp_path / "base"
    if not base.exists():
        make_model(base)
    engine = f"vllm:{base}"
    config = EvolveConfig.model_validate({"engine": engine, "workdir": str(tmp_path / "work")} | given)
    return Turn(tmp_path / "work", config, number), {"generator": engine, "solver": engine}


def given_tests(monkeypatch: pytest.MonkeyPatch, generator: float, solver: float) -> None:
    """Both tests, with these differences on 100 items, none of which differs from another."""
    monkeypatch.setattr(training_stages, "learnable", lambda *_, **__: ([[generator]] * 100, [[0.0]] * 100))
    figure = {"mean": solver, "low": solver - 0.01, "high": solver + 0.01}
    row = {"bench": training_stages.PROMOTION, "category": "overall", "pass_at_1": figure}
    monkeypatch.setattr(training_stages, "compared", lambda *_: {"differences": [row]})


def both(tmp_path: Path, **given: Any) -> tuple[Turn, dict[str, str], dict[str, Any]]:
    """A round whose players were trained."""
    mine, lineup = turn(tmp_path, **given)
    made: dict[str, Any] = {"generator": train_generator(mine, lineup, {}, [])}
    playing = lineup | {"generator": made["generator"]["player"]}
    if mine.config.weights == "shared":
        playing = dict.fromkeys(lineup, made["generator"]["player"])
    made["solver"] = train_solver(mine, playing, make_version(tmp_path / "store", make_tasks(3), {}))
    return mine, lineup, made


def after_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Turn, dict[str, str], dict[str, Any]]:
    """The next round, in which both players that were trained stand."""
    mine, lineup, made = both(tmp_path)
    given_tests(monkeypatch, 0.1, 0.1)
    decided = decisions(mine, lineup, made, [])
    promoted(decided)
    return turn(tmp_path, 2)[0], {slot: one["player"] for slot, one in decided.items()}, made


def checkpoint(made: Mapping[str, Any]) -> Checkpoint:
    return find(policies_home(), str(made["player"]).removeprefix(CHECKPOINT))


def test_each_player_has_a_lineage_of_its_own_from_the_base(tmp_path: Path, trainer: Trainer) -> None:
    mine, lineup, made = both(tmp_path)
    generator, solver = checkpoint(made["generator"]), checkpoint(made["solver"])
    assert (generator.slot, generator.parent, generator.round, generator.shared) == ("generator", None, 1, False)
    assert (solver.slot, solver.parent, solver.round, solver.shared) == ("solver", None, 1, False)
    assert generator.base == solver.base == lineup["solver"]
    assert generator.digest != solver.digest
    assert [one["reference"] for one in solver.trained_on] == ["demo@v0001-" + solver.trained_on[0]["digest"][:12]]
    assert solver.config["evolution"] == mine.config.name


def test_the_generator_is_trained_against_the_solver_that_stands_with_or_without_difficulty(
    tmp_path: Path, trainer: Trainer
) -> None:
    mine, lineup = turn(tmp_path, difficulty=False, steps=7)
    train_generator(mine, lineup, {}, [])
    (job,) = trainer.jobs
    assert (job.slot, job.opponent, job.difficulty, job.steps) == ("generator", lineup["solver"], False, 7)


def test_a_stage_that_is_done_again_adds_no_second_checkpoint(tmp_path: Path, trainer: Trainer) -> None:
    mine, lineup = turn(tmp_path)
    first, again = (train_generator(mine, lineup, {}, []) for _ in range(2))
    assert first == again
    assert len(list(policies_home().glob("generator-*"))) == 1


def test_a_version_without_different_rewards_teaches_nothing(tmp_path: Path, trainer: Trainer) -> None:
    mine, lineup = turn(tmp_path)
    flat = make_version(tmp_path / "store", make_tasks(2), {0: (1.0, 1.0), 1: (1.0, 1.0)})
    made = train_solver(mine, lineup, flat)
    assert not made["player"]
    assert decisions(mine, lineup, {"solver": made}, [])["solver"]["why"] == made["why"]
    assert not trainer.jobs


def test_a_training_that_changes_nothing_is_no_player(
    tmp_path: Path, trainer: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    later, lineup, _ = after_both(tmp_path, monkeypatch)
    trainer.idle = True
    assert not train_generator(later, lineup, {}, [])["player"]


@pytest.mark.parametrize(("generator", "solver"), [(True, True), (True, False), (False, True), (False, False)])
def test_each_slot_is_decided_by_its_own_test(
    tmp_path: Path, trainer: Trainer, monkeypatch: pytest.MonkeyPatch, generator: bool, solver: bool
) -> None:
    mine, lineup, made = both(tmp_path)
    given_tests(monkeypatch, 0.1 if generator else -0.1, 0.1 if solver else -0.1)
    decided = decisions(mine, lineup, made, [])
    assert (decided["generator"]["promoted"], decided["solver"]["promoted"]) == (generator, solver)
    for slot, passed in (("generator", generator), ("solver", solver)):
        assert decided[slot]["player"] == (made[slot]["player"] if passed else lineup[slot])
    promoted(decided)
    promoted(decided)
    for slot, passed in (("generator", generator), ("solver", solver)):
        home = policies_home()
        assert resolve(home, slot, lineup[slot]).title == decided[slot]["player"]  # type: ignore[arg-type]
        assert len(history(home, slot)) == passed  # type: ignore[arg-type]


@pytest.mark.parametrize(("alarm", "kept"), [("Collapsed", True), ("Gamed", True), ("Starved", False)])
def test_an_alarm_against_the_generator_keeps_its_parent_alone(
    tmp_path: Path, trainer: Trainer, monkeypatch: pytest.MonkeyPatch, alarm: str, kept: bool
) -> None:
    mine, lineup, made = both(tmp_path)
    given_tests(monkeypatch, 0.1, 0.1)
    decided = decisions(mine, lineup, made, [{"name": alarm, "why": "", "advice": ""}])
    assert (not decided["generator"]["promoted"], decided["solver"]["promoted"]) == (kept, True)


def test_the_next_round_goes_on_from_the_child(
    tmp_path: Path, trainer: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    later, lineup, made = after_both(tmp_path, monkeypatch)
    parent, child = checkpoint(made["generator"]), checkpoint(train_generator(later, lineup, {}, []))
    assert (child.parent, child.round) == (parent.digest, 2)
    assert trainer.jobs[-1].adapter == parent.folder / "adapter"
    assert trainer.jobs[-1].opponent == checkpoint(made["solver"]).engine


@pytest.mark.parametrize("passes", [True, False])
def test_shared_weights_are_one_lineage_and_stand_in_both_slots_or_in_none(
    tmp_path: Path, trainer: Trainer, monkeypatch: pytest.MonkeyPatch, passes: bool
) -> None:
    mine, lineup, made = both(tmp_path, weights="shared")
    generator, solver = checkpoint(made["generator"]), checkpoint(made["solver"])
    assert (solver.parent, solver.shared, generator.shared) == (generator.digest, True, True)
    given_tests(monkeypatch, 0.1, 0.1 if passes else -0.1)
    decided = decisions(mine, lineup, made, [])
    wanted = made["solver"]["player"] if passes else lineup["solver"]
    assert {one["player"] for one in decided.values()} == {wanted}
    promoted(decided)
    assert [len(history(policies_home(), slot)) for slot in SLOTS] == [passes] * 2
