"""A GGUF as a Hugging Face folder with safetensors in bfloat16, which vLLM and trainers read.

`python gguf_to_safetensors.py <file.gguf> <folder>`, in the engine environment (`policies.model_folder` starts it).
In: the GGUF. Out: `folder` with weights, config, tokenizer, chat template and sampling defaults, read back and checked.
transformers loads a GGUF packed, and then neither saves it nor runs it fast: so a plain model takes over its tensors.
The sampling defaults are llama.cpp's own (top-k 40, min-p 0.05), as the embedded engine has them.
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig


def convert(gguf: Path, folder: Path) -> None:
    """Write `gguf` to `folder`. Raises whatever transformers does for a file that it cannot read."""
    packed = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.bfloat16)
    config = copy.deepcopy(packed.config)
    del config.quantization_config
    plain = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    plain.load_state_dict(packed.state_dict(), strict=True)
    # Token ids are the model's own; sampling is written out, for it would be the trainer's or the server's else.
    ids = {name: getattr(config, name) for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    plain.generation_config = GenerationConfig(**ids, do_sample=True, top_k=40, min_p=0.05)
    plain.save_pretrained(folder)
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(folder)
    _check(plain, folder)


def _check(written: torch.nn.Module, folder: Path) -> None:
    """The folder holds the very tensors, and a tokenizer with a chat template. Raises `ValueError`."""
    again = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).state_dict()
    ours = written.state_dict()
    if again.keys() != ours.keys() or not all(torch.equal(ours[name], again[name]) for name in ours):
        raise ValueError(f"{folder} does not hold the tensors that were written to it")
    if not AutoTokenizer.from_pretrained(folder).chat_template:
        raise ValueError(f"{folder} has no chat template")


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
