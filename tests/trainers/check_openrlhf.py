"""Runs where OpenRLHF is installed: its own dataset classes read the rows, its reward file is called as it calls it."""

import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace

from openrlhf.datasets.prompts_dataset import PromptDataset
from openrlhf.datasets.utils import blending_datasets

folder, golds, rows = Path(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3])
spec = importlib.util.spec_from_file_location("reward_func", folder / "reward.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

strategy = SimpleNamespace(
    print=print,
    is_rank_0=lambda: True,
    args=SimpleNamespace(
        data=SimpleNamespace(
            input_key="input", label_key="label", apply_chat_template=True, image_key="images", max_images_per_prompt=0
        )
    ),
)
data = blending_datasets(str(folder / "train.parquet"), None, strategy, dataset_split="train")
assert len(data) == rows
template = SimpleNamespace(
    apply_chat_template=lambda messages, **_: "".join(f"<|{m['role']}|>{m['content']}\n" for m in messages)
)
prompts = PromptDataset(data, template, strategy)
for index in range(rows):
    item = prompts[index]
    prompt, label = (item["prompt"], item["label"]) if isinstance(item, dict) else (item[1], item[2])
    task = json.loads(label)
    assert data[index]["tools_json"] in prompt
    right = module.reward_func([f"{prompt}{golds[task['task_id']]}<|im_end|>"], [prompt], [label])
    empty = module.reward_func([f"{prompt}<|im_end|>"], [prompt], [label])
    assert right["rewards"].tolist() == [1.0]
    assert empty["rewards"].tolist() == [0.0]
print(f"OpenRLHF: {rows} rows through PromptDataset, gold 1.0, empty 0.0, by reward_func")
