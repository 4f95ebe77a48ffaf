"""Runs where verl is installed: RLHFDataset reads the rows, its naive reward manager calls the reward, and the shipped
command is composed against verl's own configuration, which refuses what it does not know."""

import asyncio
import json
import re
import sys
from pathlib import Path

import torch
from hydra import compose, initialize_config_module
from omegaconf import OmegaConf
from tensordict import TensorDict
from tiny import tokenizer
from verl import DataProto
from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
from verl.trainer.ppo.reward import get_custom_reward_fn
from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

folder, golds, rows = Path(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3])

command = (folder / "run.sh").read_text().replace("$here", str(folder))
command = re.sub(r'"?\$\{(\w+):[-?]([^}]*)\}"?', lambda found: "1" if found[1] == "GPUS" else "model", command)
overrides = [part.strip('"') for part in re.findall(r"^  ([\w.]+=\S+) \\$", command, flags=re.M)]
overrides = [part.replace('"', "") for part in overrides]
assert len(overrides) > 20
with initialize_config_module(config_module="verl.trainer.config", version_base=None):
    config = compose(config_name="ppo_trainer", overrides=overrides)
assert config.actor_rollout_ref.actor.policy_loss.loss_mode == "gspo"
assert config.algorithm.filter_groups.enable is True

texts = list(golds.values())
fast = tokenizer(texts)
data_config = OmegaConf.merge(config.data, {"max_prompt_length": 100_000, "filter_overlong_prompts": False})
dataset = RLHFDataset(data_files=str(folder / "train.parquet"), tokenizer=fast, config=data_config)
assert len(dataset) == rows
batch = collate_fn([dataset[index] for index in range(rows)])
score = get_custom_reward_fn(config)


async def judged(manager: NaiveRewardManager, index: int, answer: str) -> float:
    ids = torch.tensor([fast(answer, add_special_tokens=False)["input_ids"] or [0]])
    non_tensors = {key: value[index : index + 1] for key, value in batch.items() if not torch.is_tensor(value)}
    tensors = TensorDict({"responses": ids, "attention_mask": torch.ones_like(ids)}, batch_size=[1])
    result = await manager.run_single(DataProto(batch=tensors, non_tensor_batch=non_tensors))
    return float(result["reward_score"])


async def main() -> None:
    manager = NaiveRewardManager(config=config, tokenizer=fast, compute_score=score)
    for index in range(rows):
        extra = batch["extra_info"][index]
        assert extra["tools_json"] in batch["raw_prompt"][index][0]["content"]
        assert await judged(manager, index, golds[extra["task_id"]]) == 1.0
        assert await judged(manager, index, "") == 0.0


asyncio.run(main())
print(f"verl: {rows} rows through RLHFDataset, gold 1.0, empty 0.0 by NaiveRewardManager, run.sh composes")
