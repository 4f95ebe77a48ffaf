"""Proof by loading: each export read by its trainer's own loader, in an environment of the trainer's own.

    python -m tests.trainers.lanes [NAME ...]          (`make test-trainers`)

Makes a small set with the scripted engine, exports it, builds `.trainers/<name>` with pip where it is not there yet
(6 GB for all), and runs `check_<name>.py` in it. Prints a line a trainer; exits 1 if one fails. What cannot be run here
is said with its reason, never skipped silently.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
ROWS = 48
TORCH = ("torch==2.13.0",)


class Lane(NamedTuple):
    """How a trainer is installed: each tuple is one `pip install`; `{export}` is the exported folder."""

    steps: tuple[tuple[str, ...], ...]
    python: str = "python3"


LANES = {
    "verl": Lane((TORCH, ("verl==0.9.1",))),
    "trl": Lane((TORCH, ("trl==1.16.0",))),
    "openrlhf": Lane(
        (
            (*TORCH, "transformers", "datasets", "tqdm", "ray", "jsonlines", "pylatexenc"),
            ("--no-deps", "openrlhf==0.11.2"),
        )
    ),
    "skyrl": Lane(((*TORCH, "transformers", "datasets", "loguru", "skyrl-gym==0.4.0"), ("--no-deps", "skyrl==0.3.0"))),
    "verifiers": Lane((("verifiers==0.4.0",), ("--no-deps", "--force-reinstall", "{export}"))),
    "nemo_gym": Lane((("nemo-gym==0.4.0",),), "python3.12"),
}
NOT_RUN = {
    "slime": "not on PyPI; its file is read by pyarrow alone, as the tests of `data/` do",
    "NeMo-RL, prime-rl": "not on PyPI for these Pythons; they read the files of nemo_gym and verifiers",
    "Unsloth": "needs a GPU to be imported; it reads the file of trl",
}


def main() -> int:
    """Run the lanes named on the command line, or all."""
    names = sys.argv[1:] or list(LANES)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        version = _version(Path(folder))
        for name in names:
            found = _interpreter(LANES[name].python)
            if found is None:
                print(f"NOT RUN {name}: there is no {LANES[name].python} here", flush=True)
                continue
            said = _run(name, found, version, Path(folder))
            if said is None:
                failed.append(name)
            else:
                print(f"ok      {said}", flush=True)
    for name, why in NOT_RUN.items():
        print(f"NOT RUN {name}: {why}")
    print(f"failed: {', '.join(failed)}" if failed else "every lane that ran is right")
    return int(bool(failed))


def _version(folder: Path) -> Path:
    """A version of `ROWS` tasks, made by the scripted engine."""
    command = [sys.executable, "-m", "flows.cli", "run", "--engine", "scripted", "--tasks", str(ROWS), "--json"]
    command += ["--store", f"{folder}/sets", "--workdir", f"{folder}/work"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return Path(json.loads(done.stdout.splitlines()[-1])["published"])


def _interpreter(name: str) -> str | None:
    """Where that Python is, if it starts."""
    path = sys.executable if name == "python3" else shutil.which(name)
    if path is None or subprocess.run([path, "--version"], capture_output=True, check=False).returncode:
        return None
    return path


def _run(name: str, python: str, version: Path, folder: Path) -> str | None:
    """What the check printed last, or None after printing how it failed."""
    export = folder / name
    _quiet([sys.executable, "-m", "flows.cli", "sets", "export", str(version), "--to", name, "--out", str(export)])
    own = ROOT / ".trainers" / name
    if not (own / "bin/python").exists():
        _quiet([python, "-m", "venv", str(own)])
    for step in LANES[name].steps:
        if not _quiet([str(own / "bin/pip"), "install", "-q", *(part.format(export=export) for part in step)]):
            return None
    check = [str(own / "bin/python"), str(Path(__file__).with_name(f"check_{name}.py")), str(export), *_answers(export)]
    done = subprocess.run(check, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"FAILED  {name}\n{done.stdout[-1000:]}{done.stderr[-3000:]}", flush=True)
        return None
    return done.stdout.strip().splitlines()[-1]


def _answers(export: Path) -> tuple[str, str]:
    """The right answer of each task as JSON, by task id, and how many there are: read apart from the export's code."""
    listed = json.loads((export / "export.json").read_text())
    gold = {}
    for line in _golds(export):
        task = json.loads(line)
        answer = json.dumps(task["calls"])
        tagged = f"<tool_call_answer>{answer}</tool_call_answer>"
        gold[task["task_id"]] = answer if task["harness"] == "json" else tagged
    return json.dumps(gold), str(listed["rows"]["train"])


def _golds(export: Path) -> list[str]:
    import pyarrow.parquet as pq

    if found := list(export.rglob("train.jsonl")):
        return [json.loads(line)["gold"] for line in found[0].read_text(encoding="utf-8").splitlines()]
    rows = pq.read_table(export / "train.parquet").to_pylist()
    nested = {"reward_model": "ground_truth", "reward_spec": "ground_truth"}
    column = next(name for name in ("gold", "label", *nested) if name in rows[0])
    return [row[column][nested[column]] if column in nested else row[column] for row in rows]


def _quiet(command: list[str]) -> bool:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"FAILED  {' '.join(command[:6])} ...\n{done.stderr[-2000:]}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
