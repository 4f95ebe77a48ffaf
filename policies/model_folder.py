"""Weights as vLLM and trainers read them: a Hugging Face folder, or a PEFT adapter beside the folder of its base.

In: a path, or nothing for the default weights (SmolLM2-135M-Instruct, `policies.weights`), which are converted once by
the engine environment. Out: `Weights`: base folder, adapter folder if there is one, and a digest of all that decides
what the model says: tensors, configuration, tokenizer, chat template. Only safetensors are read: others run code.
Not promised: that vLLM knows the architecture, or that an adapter's tensors fit its base; loading tells.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from data.canonical import digest
from data.errors import PolicyError
from data.records import Json
from policies import engine_env, weights

DEFAULT = "SmolLM2-135M-Instruct-bf16"
SUMS = "SHA256SUMS"
"""Digests of the converted files, in the form that `sha256sum -c` reads; written last."""
CONVERTER = Path(__file__).with_name("gguf_to_safetensors.py")
OF_MODEL = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "tokenizer.model",
            "special_tokens_map.json", "chat_template.jinja", "vocab.json", "merges.txt")  # fmt: skip
"""Beside `*.safetensors`: the files that decide what a model says."""
BESIDE = ("added_tokens.json", "model.safetensors.index.json")
"""Files that are read too, and follow from the others."""
ADAPTER = "adapter_config.json"


@dataclass(frozen=True, slots=True)
class Weights:
    """What an engine of these weights needs. `rank` is the adapter's; full weights have 0 and their base's digest."""

    base: Path
    base_digest: str
    digest: str
    adapter: Path | None = None
    rank: int = 0


def find(named: str) -> Weights:
    """The weights at the path `named`; the default ones for an empty text. Raises `PolicyError`."""
    if not named:
        return _full(default())
    path = Path(named).expanduser().absolute()
    if (path / ADAPTER).is_file():
        return _adapter(path)
    return _full(path)


def default() -> Path:
    """The folder of the default weights, converted if they are not yet. Raises `PolicyError`.

    Safe when two convert at once: the folder appears complete and checked, by one rename.
    """
    target = weights.cache_folder() / DEFAULT
    if not target.is_dir():
        python, gguf = engine_env.python(), weights.fetch()
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".convert-") as scratch:
            made = Path(scratch) / DEFAULT
            _convert(python, gguf, made)
            (made / SUMS).write_text("".join(f"{sha}  {name}\n" for name, sha in _files(made).items()))
            try:
                made.rename(target)
            except OSError:
                if not target.is_dir():  # Else another one was faster.
                    raise
    _intact(target)
    return target


def _convert(python: Path, gguf: Path, folder: Path) -> None:
    command = [str(python), "-I", str(CONVERTER), str(gguf), str(folder)]
    offline = {**os.environ, "HF_HUB_OFFLINE": "1"}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=offline)
    if result.returncode:
        last = "\n".join(f"    {line}" for line in result.stderr.strip().splitlines()[-8:])
        raise PolicyError(
            f"{gguf.name} could not be converted to safetensors:\n{last}",
            hint="`python -m policies.engine_env` says what is wrong with the engine environment",
        )


def _intact(folder: Path) -> None:
    """The converted files are what was written down of them. Raises `PolicyError`."""
    hint = f"remove {folder}: it is made anew by the next run"
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
        wanted = {name: sha for sha, name in (line.split("  ", 1) for line in lines)}
        found = _files(folder)
    except (OSError, ValueError) as fault:
        raise PolicyError(f"the converted weights are damaged: {fault}", hint=hint) from fault
    if wrong := sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name)):
        raise PolicyError(f"the converted weights are damaged: {', '.join(wrong)} in {folder}", hint=hint)


def _full(path: Path) -> Weights:
    base, own = _model(path)
    return Weights(base, own, own)


def _model(path: Path) -> tuple[Path, str]:
    """A folder with full weights, and their digest."""
    hint = (
        "name a folder as `save_pretrained` writes it: config.json, a tokenizer and *.safetensors; "
        "a model of a hub has to be downloaded first"
    )
    if not path.is_dir():
        raise PolicyError(f"{path} is no folder, so no model", hint=hint)
    config = _json(path / "config.json", hint)
    files = _files(path)
    if not isinstance(config.get("model_type"), str):
        raise PolicyError(f"{path / 'config.json'} names no model_type", hint=hint)
    if not any(name.endswith(".safetensors") for name in files):
        raise PolicyError(f"{path} is no model: it has no *.safetensors", hint=hint)
    if not files.keys() & {"tokenizer.json", "tokenizer.model", "vocab.json"}:
        raise PolicyError(f"{path} is no model: it has no tokenizer", hint=hint)
    return path, "sha256:" + digest(dict(files))


def _adapter(path: Path) -> Weights:
    """A PEFT adapter; its base is the folder that its configuration names, from here or from the adapter's folder."""
    hint = "name the folder of a LoRA adapter as PEFT saves it, with its base in base_model_name_or_path"
    config = _json(path / ADAPTER, hint)
    named, rank = config.get("base_model_name_or_path"), config.get("r")
    if config.get("peft_type") != "LORA" or not isinstance(rank, int) or not isinstance(named, str):
        raise PolicyError(f"{path} is no LoRA adapter that says its rank and base", hint=hint)
    base = path / Path(named).expanduser()
    if not base.is_dir():
        raise PolicyError(f"the adapter {path} is for {named!r}, which is no folder here", hint=hint)
    if not (path / "adapter_model.safetensors").is_file():
        raise PolicyError(f"{path} is no adapter: it has no adapter_model.safetensors", hint=hint)
    base, of_base = _model(base.resolve())
    # Where the base lies is not what it is.
    own: Json = {name: value for name, value in config.items() if name != "base_model_name_or_path"}
    return Weights(base, of_base, "sha256:" + digest([of_base, own, dict(_files(path))]), path, rank)


def files(folder: Path) -> list[Path]:
    """The files of a model or an adapter that an engine reads; a trainer's state is none."""
    read = {*OF_MODEL, *BESIDE, ADAPTER}
    return sorted(path for path in folder.iterdir() if path.suffix == ".safetensors" or path.name in read)


def place(adapter: Path, base: Path) -> None:
    """Write into an adapter's configuration where its base lies: a relative path ends when the adapter is copied."""
    path = adapter / ADAPTER
    config = _json(path, "copy the adapter again")
    path.write_text(json.dumps(config | {"base_model_name_or_path": str(base)}, indent=2, sort_keys=True))


def _files(folder: Path) -> Mapping[str, Json]:
    """The sha256 of each file that decides what the model says, by name."""
    names = sorted(path.name for path in folder.iterdir() if path.suffix == ".safetensors" or path.name in OF_MODEL)
    stats = [(folder / name).stat() for name in names]
    return {
        name: _sha256(folder / name, stat.st_size, stat.st_mtime_ns) for name, stat in zip(names, stats, strict=True)
    }


@lru_cache(maxsize=1024)
def _sha256(path: Path, _size: int, _mtime: int) -> str:
    """Of a file's bytes, read once for as long as it stays as it is."""
    return weights.sha256(path)


def _json(path: Path, hint: str) -> dict[str, Json]:
    try:
        value = json.loads(path.read_bytes())
        if not isinstance(value, dict):
            raise ValueError("it is no object")
    except (OSError, ValueError) as fault:
        raise PolicyError(f"{path.parent} is no model: {path.name} cannot be read: {fault}", hint=hint) from fault
    return value
