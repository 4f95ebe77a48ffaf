"""Who plays: what was named, what was promoted in the lineage of what was named, and what may not play together."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.errors import PolicyError, UsageError
from policies import weights
from policies.players import Player, both_base, check_apart, check_trained, find, named, passed_over, resolve
from policies.promotions import demote, promote
from tests.policies.checkpoint_support import trained
from tests.policies.engine_support import make_model


@pytest.fixture(autouse=True)
def gguf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the default weights: slots look at the file's digest alone."""
    path = tmp_path / "default.gguf"
    path.write_bytes(b"GGUF base")
    monkeypatch.setenv("SPARRING_WEIGHTS", str(path))
    return path


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return make_model(tmp_path / "base")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "policies"


class TestResolve:
    def test_both_slots_begin_as_the_same_base(self, home: Path, gguf: Path) -> None:
        generator, solver = resolve(home, "generator"), resolve(home, "solver")
        assert solver == Player("solver", "embedded", "sha256:" + weights.sha256(gguf), "embedded", 0, None)
        assert both_base(generator, solver)
        check_apart(generator, solver)

    def test_a_promoted_checkpoint_plays_in_its_slot_for_its_base(self, home: Path, base: Path) -> None:
        one = trained(home, base, "one")
        promote(home, one, "it is better", {})
        player = resolve(home, "solver", f"vllm:{base}")
        assert (player.engine, player.digest, player.base) == (one.engine, one.digest, f"vllm:{base}")
        assert (player.round, player.parent, player.checkpoint) == (1, one.base_digest, one.name)
        assert resolve(home, "generator", f"vllm:{base}").round == 0

    def test_it_plays_wherever_the_same_base_lies(self, home: Path, base: Path, tmp_path: Path) -> None:
        promote(home, trained(home, base, "one"), "", {})
        copy = make_model(tmp_path / "copy")
        assert resolve(home, "solver", f"vllm:{copy}").round == 1

    def test_it_plays_for_no_other_engine(self, home: Path, base: Path, tmp_path: Path) -> None:
        promote(home, trained(home, base, "one"), "", {})
        other = make_model(tmp_path / "other", b"other")
        engines = ("scripted", "embedded", "http://127.0.0.1:1/v1#m", f"vllm:{other}")
        assert [resolve(home, "solver", engine).round for engine in engines] == [0, 0, 0, 0]

    def test_lineages_of_two_bases_do_not_replace_each_other(self, home: Path, base: Path, tmp_path: Path) -> None:
        other = make_model(tmp_path / "other", b"other")
        one, two = trained(home, base, "one"), trained(home, other, "two")
        promote(home, one, "", {})
        promote(home, two, "", {})
        assert resolve(home, "solver", f"vllm:{base}").checkpoint == one.name
        assert resolve(home, "solver", f"vllm:{other}").checkpoint == two.name

    def test_after_a_demotion_the_base_plays(self, home: Path, base: Path) -> None:
        promote(home, trained(home, base, "one"), "", {})
        demote(home, "solver", "it was worse after all")
        assert resolve(home, "solver", f"vllm:{base}").round == 0

    def test_of_no_engine_the_last_promoted_plays(self, home: Path, base: Path, tmp_path: Path) -> None:
        one, two = trained(home, base, "one"), trained(home, make_model(tmp_path / "other", b"other"), "two")
        for last in (one, two, one):
            promote(home, last, "", {})
            assert resolve(home, "solver").checkpoint == last.name
        assert resolve(home, "solver").base == one.base
        demote(home, "solver", "")
        assert resolve(home, "solver").engine == "embedded"

    def test_a_checkpoint_plays_by_its_name(self, home: Path, base: Path) -> None:
        one = trained(home, base, "one")
        player = resolve(home, "solver", f"checkpoint:{one.name}")
        assert (player.engine, player.base, player.title) == (one.engine, one.base, f"checkpoint:{one.name}")

    def test_a_checkpoint_that_was_changed_does_not_play(self, home: Path, base: Path) -> None:
        one = trained(home, base, "one")
        promote(home, one, "", {})
        path = one.folder / "adapter" / "adapter_model.safetensors"
        path.chmod(0o644)
        path.write_bytes(b"two")
        with pytest.raises(PolicyError, match=f"{one.name} is not as it was added"):
            resolve(home, "solver", f"vllm:{base}")

    def test_named_weights_are_those_whatever_was_promoted(self, home: Path, base: Path) -> None:
        promote(home, trained(home, base, "one"), "", {})
        assert named(home, "solver", f"vllm:{base}").round == 0

    def test_the_pinned_base_is_known_before_it_is_fetched(
        self, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("SPARRING_WEIGHTS")
        monkeypatch.setattr(weights, "cache_folder", lambda: tmp_path / "nowhere")
        assert resolve(home, "solver").digest == "sha256:" + weights.SHA256


class TestFind:
    def test_by_name_its_beginning_its_digest_or_as_promoted(self, home: Path, base: Path) -> None:
        one, two = trained(home, base, "one"), trained(home, base, "two", round=2)
        promote(home, two, "", {})
        references = (one.name, "solver-0001", one.digest, one.digest[:20], one.digest[7:15])
        assert {find(home, reference).name for reference in references} == {one.name}
        assert find(home, "promoted", "solver") == two

    def test_an_unknown_name_says_the_near_ones(self, home: Path, base: Path) -> None:
        one = trained(home, base, "one")
        with pytest.raises(UsageError, match=f"is it {one.name}"):
            find(home, one.name.replace("0001", "0010"))

    @pytest.mark.parametrize("reference", ["", "zzz"])
    def test_what_is_near_nothing_says_what_there_is(self, home: Path, base: Path, reference: str) -> None:
        one = trained(home, base, "one")
        with pytest.raises(UsageError, match=f"there are {one.name}"):
            find(home, reference)

    def test_a_beginning_of_several_says_which(self, home: Path, base: Path) -> None:
        one, two = trained(home, base, "one"), trained(home, base, "two", round=2)
        with pytest.raises(UsageError, match=f"beginning of several checkpoints(?s:.*){one.name}, {two.name}"):
            find(home, "solver-000")

    def test_without_a_promotion_nothing_is_promoted(self, home: Path) -> None:
        with pytest.raises(UsageError, match="no solver was promoted"):
            find(home, "promoted", "solver")


class TestPassedOver:
    def test_trained_weights_that_the_engine_does_not_open_are_named(self, home: Path, base: Path) -> None:
        one = trained(home, base, "one")
        promote(home, one, "", {})
        said = passed_over(home, resolve(home, "solver", "embedded"))
        assert one.name in said
        assert "--solver checkpoint:promoted" in said

    def test_nothing_is_said_where_they_play_or_others_were_named(self, home: Path, base: Path) -> None:
        assert passed_over(home, resolve(home, "solver")) == ""
        promote(home, trained(home, base, "one"), "", {})
        players = [resolve(home, "solver", engine) for engine in ("scripted", f"vllm:{base}")]
        assert [passed_over(home, one) for one in [*players, resolve(home, "generator", "embedded")]] == ["", "", ""]


class TestApart:
    def test_equal_weights_after_round_0_are_an_error(self) -> None:
        base, same = Player("generator", "embedded", "sha256:0", "embedded"), ("vllm:/x", "sha256:1", "vllm", 1)
        check_apart(Player("generator", *same), base)
        with pytest.raises(PolicyError, match="same weights"):
            check_apart(Player("generator", *same), Player("solver", *same))

    def test_shared_weights_may_play_both(self) -> None:
        both = [Player(slot, "vllm:/x", "sha256:1", "vllm", 1, None, "x", True) for slot in ("generator", "solver")]
        check_apart(*both)

    def test_different_bases_are_not_equal(self, home: Path) -> None:
        assert not both_base(resolve(home, "generator"), resolve(home, "solver", "scripted"))

    def test_a_training_that_changed_the_other_players_file_is_an_error(self, home: Path, base: Path) -> None:
        one = trained(home, base, "one", slot="generator")
        generator, new = resolve(home, "generator", f"checkpoint:{one.name}"), trained(home, base, "two")
        check_trained(home, new, generator)
        path = one.folder / "adapter" / "adapter_model.safetensors"
        path.chmod(0o644)
        path.write_bytes(b"two")
        with pytest.raises(PolicyError, match=r"not as it was added: adapter/adapter_model\.safetensors"):
            check_trained(home, new, generator)

    def test_a_training_that_changed_the_base_of_the_other_is_an_error(
        self, home: Path, base: Path, tmp_path: Path
    ) -> None:
        folder = make_model(tmp_path / "large", b"large")
        generator, new = named(home, "generator", f"vllm:{folder}"), trained(home, base, "one")
        check_trained(home, new, generator)
        (folder / "tokenizer.json").write_text("[]")
        with pytest.raises(PolicyError, match=f"changed the weights of the generator: vllm:{folder}"):
            check_trained(home, new, generator)
