"""An engine environment without vLLM: its Python runs `fake_vllm` in vLLM's place, and copies in the converter's."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

FAKE = Path(__file__).with_name("fake_vllm.py")
SHIM = """#!/bin/sh
case "$2 $3" in
"-m vllm.entrypoints.openai.api_server") shift 3; exec {python} {fake} "$@" ;;
*gguf_to_safetensors.py*) mkdir "$4"; exec cp {model}/* "$4" ;;
esac
exec {python} "$@"
"""


class FakeEngine:
    """The environment, and what its server was asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model = make_model(folder / "model")
        (folder / "env" / "bin").mkdir(parents=True)
        shim = folder / "env" / "bin" / "python"
        shim.write_text(SHIM.format(python=sys.executable, fake=FAKE, model=self.model))
        shim.chmod(0o755)
        (folder / "env" / "sparring-engine").write_text("cpu 0\n")

    @property
    def asked(self) -> list[dict[str, Any]]:
        path = self.folder / "asked.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def arguments(self) -> list[str]:
        found: list[str] = json.loads((self.folder / "arguments").read_text())
        return found

    @property
    def pids(self) -> list[int]:
        return [int(pid) for pid in (self.folder / "pids").read_text().split()]


def enter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    """Make the environment in `folder` the one that is used."""
    engine = FakeEngine(folder)
    monkeypatch.setenv("SPARRING_ENGINE_ENV", str(folder / "env"))
    monkeypatch.setenv("FAKE_VLLM", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))  # for this process, and for what it starts
    monkeypatch.setenv("TMPDIR", str(folder))
    return engine


def make_model(folder: Path, tensors: bytes = b"tensors") -> Path:
    """A folder that looks like a model's."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"model_type": "llama"}')
    (folder / "tokenizer.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(tensors)
    return folder


def make_adapter(folder: Path, base: Path, tensors: bytes = b"adapter", rank: int = 8) -> Path:
    """A folder that looks like a LoRA adapter's."""
    folder.mkdir(parents=True)
    config = {"peft_type": "LORA", "r": rank, "base_model_name_or_path": str(base)}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    (folder / "adapter_model.safetensors").write_bytes(tensors)
    return folder


def gone(pids: list[int], within: float = 30.0) -> bool:
    """Whether all of these processes end in time."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if not any(_alive(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def _alive(pid: int) -> bool:
    """Whether the process is there; one that has ended and that nobody has waited for is not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
