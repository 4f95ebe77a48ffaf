"""The real vLLM in the engine environment, small: by `make test-engine` alone."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from data.records import JsonObject
from policies import engine_env, model_folder
from policies.managed import VllmPolicy
from policies.protocol import Prompt, SamplingParams

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(not (engine_env.folder() / engine_env.MADE).exists(), reason="no engine environment"),
]
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"song": {"enum": ["Help", "Yesterday"]}},
    "required": ["song"],
    "additionalProperties": False,
}
ADAPTER = """
import sys, torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.bfloat16)
torch.manual_seed(0)
model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj"], init_lora_weights=False))
model.save_pretrained(sys.argv[2])
"""


async def test_base_and_adapter_on_one_server_with_schema_seeds_and_another_mind(tmp_path: Path) -> None:
    """One test, because a start takes minutes on a busy machine."""
    base = model_folder.default()
    make = [str(engine_env.python()), "-I", "-c", ADAPTER, str(base), str(tmp_path / "adapter")]
    subprocess.run(make, check=True, capture_output=True)
    generator, solver = VllmPolicy(""), VllmPolicy(str(tmp_path / "adapter"))
    try:
        await generator.check()
        await solver.check()
        prompt = Prompt("a", text="Request: play Help\nCall:", schema=SCHEMA)
        [held] = await generator.sample([prompt], 8, SamplingParams(max_tokens=60))
        assert all(json.loads(one.text)["song"] in ("Help", "Yesterday") for one in held)
        assert all(one.completion_tokens > 0 and one.prompt_tokens > 0 for one in held)
        free = Prompt("b", text="The capital of France is")
        [[mine]] = await generator.sample([free], 1, SamplingParams(temperature=0, max_tokens=12))
        [[other]] = await solver.sample([free], 1, SamplingParams(temperature=0, max_tokens=12))
        assert mine.text != other.text
    finally:
        await generator.close()
        await solver.close()
