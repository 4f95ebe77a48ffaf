"""What a training's configuration may say, as TRL's own parser reads it: by `make test-engine` alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from policies import engine_env
from policies.training_job import DEFAULTS

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(not (engine_env.folder() / engine_env.MADE).exists(), reason="no engine environment"),
]
READ = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from policies.training.faults import TrainingFault
from policies.training.job import TrainingJob
from policies.training.options import read_options
folder = Path(sys.argv[2])
for config in sorted(folder.glob("*.yaml")):
    try:
        read = read_options(TrainingJob(folder, "solver", folder, folder, config, seed=9, steps=5))
        print(config.stem, read.grpo.seed, read.grpo.max_steps, read.grpo.learning_rate)
    except TrainingFault as fault:
        print(config.stem, fault.code, fault)
"""
SAID = {
    "a_number_as_text": ("learning_rate: 1e-3", "9 5 0.001"),
    "seed": ("seed: 3", "config grpo: seed cannot be set"),
    "output_dir": ("output_dir: elsewhere", "config grpo: output_dir cannot be set"),
    "use_cpu": ("use_cpu: false", "config grpo: use_cpu cannot be set"),
    "disable_tqdm": ("disable_tqdm: false", "config grpo: disable_tqdm cannot be set"),
    "nan_filter": ("logging_nan_inf_filter: true", "config grpo: logging_nan_inf_filter cannot be set"),
    "no_truth": ("bf16: perhaps", "config grpo: argument --bf16: Truthy value expected: got perhaps"),
    "nobody_has_it": ("max_stepz: 5", "config grpo: GRPOConfig has no 'max_stepz'; near: max_steps"),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the trainer makes of each, from one process: it loads torch."""
    folder = tmp_path_factory.mktemp("options")
    default = DEFAULTS["solver"].read_text().replace("  learning_rate: 0.0002\n", "")
    for name, (line, _) in SAID.items():
        (folder / f"{name}.yaml").write_text(default.replace("grpo:\n", f"grpo:\n  {line}\n"))
    root = Path(__file__).resolve().parents[2]
    command = [str(engine_env.folder() / "bin" / "python"), "-I", "-c", READ, str(root), str(folder)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(line.split(" ", 1) for line in said.splitlines())


@pytest.mark.parametrize("name", SAID)
def test_an_option_is_taken_or_refused_by_name_with_the_reason(name: str, answers: dict[str, str]) -> None:
    assert answers[name].startswith(SAID[name][1])
