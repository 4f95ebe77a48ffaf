"""Runs where TRL is installed: loads the rows as its trainer does, and takes one real GRPO step on a tiny model."""

import json
import sys
import tempfile
from pathlib import Path

import torch
from datasets import load_dataset
from tiny import tokenizer
from transformers import Qwen2Config, Qwen2ForCausalLM
from trl import GRPOConfig, GRPOTrainer

folder, golds, rows = Path(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3])
sys.path.insert(0, str(folder))
from reward import sparring_reward
from run import SETTINGS

dataset = load_dataset("parquet", data_files=str(folder / "train.parquet"), split="train")
assert dataset.num_rows == rows
for row in dataset:
    answer = [[{"role": "assistant", "content": golds[row["task_id"]]}]]
    assert sparring_reward(completions=answer, gold=[row["gold"]]) == [1.0]
    assert sparring_reward(completions=[[{"role": "assistant", "content": ""}]], gold=[row["gold"]]) == [0.0]
    assert row["tools_json"] in row["prompt"][0]["content"]

fast = tokenizer(dataset["gold"])
torch.manual_seed(0)
model = Qwen2ForCausalLM(
    Qwen2Config(
        vocab_size=len(fast), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=8192, pad_token_id=0, eos_token_id=1,
    )
)  # fmt: skip
with tempfile.TemporaryDirectory() as out:
    model.save_pretrained(f"{out}/model")
    fast.save_pretrained(f"{out}/model")
    tiny = {"output_dir": out, "max_steps": 1, "num_generations": 2, "per_device_train_batch_size": 2}
    config = GRPOConfig(**SETTINGS | tiny | {"max_completion_length": 8, "use_cpu": True, "bf16": False})
    trainer = GRPOTrainer(model=f"{out}/model", reward_funcs=sparring_reward, args=config, train_dataset=dataset)
    result = trainer.train()
    logged = [entry for entry in trainer.state.log_history if "rewards/sparring_reward/mean" in entry]
    assert result.global_step == 1
    assert logged
print(f"TRL: {rows} rows loaded, gold 1.0, empty 0.0, one GRPO step with the shipped settings")
