"""Runs where SkyRL is installed: its PromptDataset reads the rows, the shipped environment judges through skyrl_gym."""

import json
import re
import sys
from pathlib import Path
from typing import get_type_hints

import skyrl_gym
from skyrl.train.config import SkyRLTrainConfig
from skyrl.train.dataset import PromptDataset
from skyrl_gym.envs.registration import register
from tiny import tokenizer

folder, golds, rows = Path(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3])
sys.path.insert(0, str(folder))
from env import SparringEnv


def main() -> None:
    data = PromptDataset(
        str(folder / "train.parquet"), tokenizer(list(golds.values())), max_prompt_length=10**6, num_workers=1
    )
    assert len(data) == rows
    register(id="sparring", entry_point=SparringEnv)
    for index in range(rows):
        prompt, env_class, extras, *_ = data[index]
        assert extras["extra_info"]["tools_json"] in prompt[0]["content"]
        for answer, reward in ((golds[extras["extra_info"]["task_id"]], 1.0), ("", 0.0)):
            env = skyrl_gym.make(env_class, env_config={}, extras=extras)
            env.init(prompt)
            step = env.step(answer)
            assert step["reward"] == reward
            assert step["done"]

    command = (folder / "run.sh").read_text().replace("$here", str(folder))
    found = re.findall(r"^  ([\w.]+=.+) \\$", command, flags=re.M)
    overrides = [part.replace('"', "") for part in found if "MODEL" not in part]
    assert len(overrides) > 12
    for override in overrides:  # the configuration itself cannot be made on Python 3.11: a fault of SkyRL 0.3.0
        known = SkyRLTrainConfig
        for name in override.partition("=")[0].split("."):
            hints = get_type_hints(known)
            assert name in hints, f"SkyRL has no setting {override}"
            known = hints[name]
    print(f"SkyRL: {rows} rows through PromptDataset, gold 1.0, empty 0.0 by the environment, known settings")


if __name__ == "__main__":
    main()
