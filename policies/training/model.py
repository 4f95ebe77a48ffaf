"""The player under training: a LoRA adapter in float32 over its base in bfloat16.

In: folders of the base and, to go on from it, of an adapter. Out: a PEFT model, and the adapter saved as vLLM and PEFT
read it. Not promised: that an adapter fits; `policies.training_job` has compared its base's digest.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed

from policies.training.faults import TrainingFault


def load(base: Path, adapter: Path | None, lora: LoraConfig, seed: int) -> Any:
    """The model, its adapter trainable; a new one is drawn by the seed and begins as the base itself."""
    set_seed(seed)
    try:
        plain = AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16, local_files_only=True)
        if adapter is None:
            return get_peft_model(plain, lora)
        return PeftModel.from_pretrained(plain, adapter, is_trainable=True)
    except (OSError, ValueError, KeyError, RuntimeError) as fault:
        what = f"{base} with the adapter {adapter}" if adapter else str(base)
        raise TrainingFault("data", f"{what} cannot be loaded: {fault}") from fault


def tokenizer(base: Path) -> Any:
    """The base's own; one without a padding token pads with its end of sequence."""
    found = AutoTokenizer.from_pretrained(base, local_files_only=True)
    if found.pad_token is None:
        found.pad_token = found.eos_token
    return found


def save(model: Any, folder: Path, base: Path) -> None:
    """The adapter that is trained, and it alone, at `folder`; what stood there is replaced."""
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    model.peft_config["default"].base_model_name_or_path = str(base)
    model.save_pretrained(part, selected_adapters=["default"], save_embedding_layers=False)
    (part / "README.md").unlink(missing_ok=True)  # PEFT's empty model card
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)
