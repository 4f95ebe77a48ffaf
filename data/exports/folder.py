"""An export: a folder with the rows of a version for one trainer, its reward, and the command that trains.

In: a version, the trainer's name, the harness and how it renders a task, the source of the equality. Out: the folder,
which appears whole or not at all: rows by split, `reward.py` (standard library, built from the very file that judges
here), the trainer's settings, `README.md`, and `export.json`, which names the version and every file's sha256.
The same version gives the same bytes for the same pyarrow. Memory is flat: rows pass in batches.
Not promised: the trainer itself; what was run with which version, `docs/training.md` says.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from data.atomic import beside, make_folder, store_errors, sync_file, sync_folder
from data.digests import file_digest
from data.errors import StoreError, UsageError
from data.exports import lines, tables
from data.exports.example import Example, Render, example
from data.parquet import BATCH
from data.version import Version

MANIFEST = "export.json"
_TEMPLATES = Path(__file__).parent / "templates"

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Format:
    """One trainer: what a row is, the schema if its file is Parquet (else JSONL), and the files beside the rows."""

    title: str
    row: Callable[[Example], Fields]
    schema: pa.Schema | None = None
    texts: Mapping[str, str] | None = None
    """File name -> template."""
    rows_in: str = ""
    """Folder of rows and reward inside the export: a package, for trainers that import one."""
    own_reward: bool = True
    """Whether `reward.py` ends in a function of the trainer's own signature; a package calls `judged` itself."""


FORMATS: Mapping[str, Format] = {
    "verl": Format("verl 0.9", tables.verl, tables.VERL, {"run.sh": "run_verl"}),
    "trl": Format("TRL 1.16 (and Unsloth)", tables.trl, tables.TRL, {"run.py": "run_trl"}),
    "openrlhf": Format("OpenRLHF 0.11", tables.openrlhf, tables.OPENRLHF, {"run.sh": "run_openrlhf"}),
    "skyrl": Format("SkyRL 0.3", tables.skyrl, tables.SKYRL, {"run.sh": "run_skyrl", "env.py": "env_skyrl"}),
    "slime": Format("slime 0.3", tables.slime, tables.SLIME, {"run.sh": "run_slime"}),
    "nemo_gym": Format("NeMo Gym 0.4, NeMo-RL", lines.nemo_gym, None, {"grpo.yaml": "run_nemo_gym"}),
    "verifiers": Format(
        "verifiers 0.4 (v1 taskset), prime-rl",
        lines.verifiers,
        None,
        {
            "pyproject.toml": "project_verifiers",
            "prime_rl.toml": "run_verifiers",
            "sparring_taskset/__init__.py": "taskset_verifiers",
        },
        "sparring_taskset",
        own_reward=False,
    ),
    "openai": Format("OpenAI chat JSONL, for fine-tuning services and evaluation", lines.openai),
}


def format_of(name: str) -> Format:
    """The format of that name; `UsageError` lists them otherwise."""
    if name not in FORMATS:
        raise UsageError(f"there is no export {name!r}", hint=f"there are: {', '.join(FORMATS)}")
    return FORMATS[name]


def reward_source(name: str, leaf: str) -> str:
    """The text of the export's `reward.py`: `leaf` is the source of `verifiers/answer.py`."""
    made = format_of(name)
    own = _template(f"reward_{name}") if made.own_reward else ""
    return leaf.rstrip("\n") + "\n" + _template("reward_common") + own


def export(version: Version, name: str, folder: Path, *, harness: str, render: Render, leaf: str) -> Path:
    """Write the export into `folder`, which must not be there yet, and return it.

    Raises `UsageError` for an unknown name, `StoreError` if the folder is there or cannot be written, or if the version
    is damaged. Then nothing is left behind.
    """
    made = format_of(name)
    if folder.exists():
        raise StoreError(f"{folder} is there already", hint="remove it, or name another place with --out")
    make_folder(folder.parent)
    stage = beside(folder)
    try:
        with store_errors(folder, "write"):
            counts = _write_rows(version, made, stage / made.rows_in, harness, render)
            _write_text(stage / made.rows_in / "reward.py", reward_source(name, leaf))
            for file, template in (made.texts or {}).items():
                _write_text(stage / file, _template(template))
            _write_text(stage / "README.md", _readme(version, made, harness, counts))
            _write_text(stage / MANIFEST, _manifest(version, name, harness, counts, stage))
            os.rename(stage, folder)
            sync_folder(folder.parent)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return folder


def _write_rows(version: Version, made: Format, folder: Path, harness: str, render: Render) -> dict[str, int]:
    """Rows of each split into one file each; how many."""
    make_folder(folder)
    counts: dict[str, int] = {}
    for split in version.splits:
        examples = _examples(version.tasks(split), split, harness, render)
        write = _write_parquet if made.schema is not None else _write_jsonl
        counts[split] = write(folder / f"{split}.{'jsonl' if made.schema is None else 'parquet'}", examples, made)
    return counts


def _examples(batches: Iterable[pa.Table], split: str, harness: str, render: Render) -> Iterator[Example]:
    index = 0
    for batch in batches:
        for row in batch.to_pylist():
            yield example(row, index, split, harness, render)
            index += 1


def _write_parquet(path: Path, examples: Iterator[Example], made: Format) -> int:
    assert made.schema is not None
    count, held = 0, list[Fields]()
    with pq.ParquetWriter(path, made.schema, compression="zstd") as writer:
        for one in examples:
            held.append(made.row(one))
            count += 1
            if len(held) == BATCH:
                writer.write_table(pa.Table.from_pylist(held, made.schema))
                held.clear()
        writer.write_table(pa.Table.from_pylist(held, made.schema))
    sync_file(path)
    return count


def _write_jsonl(path: Path, examples: Iterator[Example], made: Format) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for one in examples:
            file.write(json.dumps(made.row(one), ensure_ascii=False, separators=(",", ":")) + "\n")
            count += 1
    sync_file(path)
    return count


def _write_text(path: Path, text: str) -> None:
    make_folder(path.parent)
    path.write_text(text, encoding="utf-8")
    sync_file(path)


def _template(name: str) -> str:
    return (_TEMPLATES / f"{name}.txt").read_text(encoding="utf-8")


def _manifest(version: Version, name: str, harness: str, counts: Mapping[str, int], stage: Path) -> str:
    files = sorted(path for path in stage.rglob("*") if path.is_file())
    listed = [{"path": path.relative_to(stage).as_posix(), "sha256": file_digest(path)} for path in files]
    said = {
        "export": name,
        "harness": harness,
        "set": version.manifest.name,
        "version": version.manifest.version,
        "digest": version.manifest.digest,
        "rows": dict(counts),
        "files": listed,
    }
    return json.dumps(said, indent=2, sort_keys=True) + "\n"


def _readme(version: Version, made: Format, harness: str, counts: Mapping[str, int]) -> str:
    manifest = version.manifest
    rows = ", ".join(f"{count} {split}" for split, count in counts.items())
    return _README.format(
        name=manifest.name,
        version=manifest.version,
        title=made.title,
        rows=rows,
        harness=harness,
        digest=manifest.digest,
        settings=", ".join(f"`{file}`" for file in made.texts or {}) or "none: this format names no trainer",
        reward=f"{made.rows_in}/reward.py".lstrip("/"),
    )


_README = """\
# {name} {version} for {title}

{rows} rows of the set with digest
`{digest}`. Answers are expected in the format of the harness `{harness}`.

- `{reward}`: the reward, one file of standard-library Python, the same that measured the set: 1 for a right answer, at
  most 0.99 for a partly right one, 0 for none. Rows of rule `outcome` are judged by calls and listed alternatives.
- settings for training: {settings}
- `env_index` and `group_key` travel with each row: condition critics on the first, never pool groups over the second.
- `export.json`: the version this was made from, and the sha256 of every file.
"""
