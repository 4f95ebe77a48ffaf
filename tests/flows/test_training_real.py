"""Training as it is, on a random model of a few thousand weights: by `make test-engine` alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from data.digests import file_digest
from data.errors import PolicyError
from flows.training_data import prepare_solver_data
from policies import engine_env, model_folder
from policies.training_job import DEFAULTS, TrainingJob, run
from tests.flows.training_support import make_tasks, make_version

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(not (engine_env.folder() / engine_env.MADE).exists(), reason="no engine environment"),
]
MODEL = """
import sys, torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
letters = sorted(pre_tokenizers.ByteLevel.alphabet())
words = Tokenizer(models.BPE({letter: place for place, letter in enumerate(["<end>", *letters])}, []))
words.pre_tokenizer, words.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<end>", pad_token="<end>").save_pretrained(sys.argv[1])
torch.manual_seed(0)
ids = {"eos_token_id": 0, "bos_token_id": 0, "pad_token_id": 0}
model = LlamaForCausalLM(LlamaConfig(vocab_size=257, hidden_size=64, intermediate_size=64, num_hidden_layers=2,
    num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=4096, **ids)).to(torch.bfloat16)
model.generation_config = GenerationConfig(**ids)
model.save_pretrained(sys.argv[1])
"""
APP = """
import sys
from tests.flows.test_training_real import a_job
from policies.training_job import run
from pathlib import Path
run(a_job(Path(sys.argv[1])))
"""


def a_job(folder: Path, name: str = "job") -> TrainingJob:
    config = folder / f"{name}.yaml"
    return TrainingJob(folder / name, "solver", folder / "base", folder / "data", config, seed=3)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a base and data."""
    folder = tmp_path_factory.mktemp("training")
    python = str(engine_env.python())
    subprocess.run([python, "-I", "-c", MODEL, str(folder / "base")], check=True, capture_output=True)
    prepare_solver_data(folder / "data", make_version(folder / "sets", make_tasks(4), {}), style="plain")
    return folder


def configure(folder: Path, name: str, *, sft: dict[str, Any], grpo: dict[str, Any]) -> TrainingJob:
    """A job with the default configuration, made small."""
    said = yaml.safe_load(DEFAULTS["solver"].read_text())
    said["sft"] |= {"max_steps": 1, "per_device_train_batch_size": 2, "save_steps": 1, **sft}
    said["grpo"] |= {"max_steps": 4, "per_device_train_batch_size": 4, "num_generations": 2, **grpo}
    job = a_job(folder, name)
    job.config.write_text(yaml.safe_dump(said))
    return job


def logged(job: TrainingJob) -> list[tuple[str, int]]:
    path = job.folder / "metrics.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [(line["stage"], line["step"]) for line in lines]


def test_a_killed_training_goes_on_from_its_last_save_against_the_same_reference(made: Path) -> None:
    # The bonus on entropy moves the weights: a random model never gets a reward.
    grpo = {"max_completion_length": 4, "save_steps": 2, "save_total_limit": 4, "entropy_coef": 1.0}
    job = configure(made, "job", sft={}, grpo={**grpo, "learning_rate": 0.01, "warmup_steps": 0})
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    app = subprocess.Popen([sys.executable, "-c", APP, str(made)], env=environment, cwd=root)
    while ("grpo", 3) not in logged(job):
        assert app.poll() is None, (job.folder / "train.log").read_text()[-3000:]
        time.sleep(0.05)
    app.kill()
    app.wait()

    result = run(job)

    assert result.steps == 4
    assert logged(job) == [("sft", 1), ("grpo", 1), ("grpo", 2), ("grpo", 3), ("grpo", 4)]
    weights = model_folder.find(str(result.weights))
    assert (weights.base, weights.rank) == (job.base.resolve(), 16)
    # What the KL is measured against is the player as it began, through the kill too.
    tensors = "adapter_model.safetensors"
    began = file_digest(job.folder / "sft" / "adapter" / tensors)
    saves = [job.folder / "grpo" / f"checkpoint-{step}" for step in (2, 4)]
    assert [file_digest(save / "ref" / tensors) for save in saves] == [began, began]
    ends = {file_digest(save / tensors) for save in saves}
    assert len({began, *ends}) == 3
    assert file_digest(result.weights / tensors) in ends
    # From the save, not from the start: the distance to the reference is there at once.
    lines = [json.loads(line) for line in (job.folder / "metrics.jsonl").read_text().splitlines()]
    assert lines[1]["kl"] < 1e-6 < lines[3]["kl"]


def test_weights_that_are_no_numbers_are_never_saved(made: Path) -> None:
    job = configure(made, "wild", sft={"learning_rate": 1e38, "warmup_steps": 0, "max_steps": 3}, grpo={})
    with pytest.raises(PolicyError, match="not_finite"):
        run(job)
    assert not list((job.folder / "sft").glob("checkpoint-*"))


def test_an_option_that_trl_does_not_have_is_named_with_those_that_are_near(made: Path) -> None:
    job = configure(made, "typo", sft={"learning_rat": 1}, grpo={})
    with pytest.raises(PolicyError, match="SFTConfig has no 'learning_rat'; near: learning_rate"):
        run(job)


def test_a_step_that_wants_more_prompts_than_there_are_is_refused(made: Path) -> None:
    job = configure(made, "large", sft={"max_steps": 1}, grpo={"per_device_train_batch_size": 64})
    with pytest.raises(PolicyError, match="a step takes 32 prompts and the data has 4"):
        run(job)
