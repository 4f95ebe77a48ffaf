"""A step of GRPO with completions from the managed server, and with those of TRL's plain `generate`, in one run.

`python -m benchmarks.training [--steps 4] [--base FOLDER]` needs `make engine`. In: nothing; the tasks are made of the
catalogue, their questions by templates. Out: one JSON object: seconds a step of both ways (medians without the first
step, in which the server starts), and their ratio. Both train the same player by `policies/training/solver.yaml`,
from the same prompts; the plain way has no rewards, no server and no refills, all of which the other one pays for.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import yaml

from data.rows import brief_json, task_from_row
from flows.judging import judged_row
from flows.training_data import solver_data
from generator.briefs import SMALL_MENUS, BriefConfig, plan
from generator.catalogue import load_catalogue
from generator.prompts import render
from policies import engine_env, model_folder
from policies.training.job import read_lines
from policies.training_job import DEFAULTS, TrainingJob, run
from solver.harness import harness

PLAIN = """
import json, sys, time
from pathlib import Path
import torch, yaml
from datasets import Dataset
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer
base, data, config, out = sys.argv[1:]
said = yaml.safe_load(Path(config).read_text())
rows = [json.loads(line) for line in (Path(data) / "prompts.jsonl").read_text().splitlines()]
model = get_peft_model(AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16), LoraConfig(**said["lora"]))
options = {**said["grpo"], "reward_weights": None, "output_dir": out, "save_strategy": "no", "logging_steps": 1,
    "use_cpu": not torch.cuda.is_available(), "disable_tqdm": True}
seconds = []
class Clock(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **others):
        if "step_time" in logs:
            seconds.append(logs["step_time"])
def length(completions, **columns):
    return [float(len(one)) for one in completions]
GRPOTrainer(model=model, reward_funcs=length, args=GRPOConfig(**options), callbacks=[Clock()],
    train_dataset=Dataset.from_dict({"prompt": [row["prompt"] for row in rows]}),
    processing_class=AutoTokenizer.from_pretrained(base)).train()
print(json.dumps(seconds))
"""


def make_data(folder: Path, tasks: int) -> Path:
    """So many tasks with one call, as a solver's data."""
    config = BriefConfig(load_catalogue(), 5, menu_sizes=SMALL_MENUS, most_values=1, kinds={"single": 1.0})
    rows = []
    for index in range(tasks):
        brief = plan(config, index)
        oracle = render(brief, "plain").oracle
        answer = {"brief_json": brief_json(brief), "completion": oracle, "finish_reason": "stop", "error": ""}
        rows.append(task_from_row(judged_row(answer, "plain")))
    return solver_data(folder, rows, [], harness("json", "plain"))


def measure(base: Path, steps: int, scratch: Path) -> dict[str, object]:
    """Both ways, one after the other."""
    data = make_data(scratch / "data", 64)
    said = yaml.safe_load(DEFAULTS["solver"].read_text(encoding="utf-8"))
    said["grpo"]["max_steps"] = steps
    config = scratch / "solver.yaml"
    config.write_text(yaml.safe_dump({**said, "sft": None}), encoding="utf-8")
    job = TrainingJob(scratch / "job", "solver", base, data, config)
    run(job)
    lines = list(read_lines(job.folder / "metrics.jsonl"))
    served = [line["step_time"] for line in lines]
    command = [str(engine_env.python()), "-I", "-c", PLAIN, str(base), str(data), str(config), str(scratch / "plain")]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    plain = json.loads(done.stdout.splitlines()[-1])
    fast, slow = statistics.median(served[1:]), statistics.median(plain[1:])
    return {
        "server_s_per_step": round(fast, 1),
        "of_that_rollouts_s": round(statistics.median(line["rollout/seconds"] for line in lines[1:]), 1),
        "plain_s_per_step": round(slow, 1),
        "plain_over_server": round(slow / fast, 2),
        "steps": steps,
        "load_average": round(os.getloadavg()[0], 1),
        "cores": len(os.sched_getaffinity(0)),
    }


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--base", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        print(json.dumps(measure(given.base or model_folder.default(), given.steps, Path(scratch))))


if __name__ == "__main__":
    main()
