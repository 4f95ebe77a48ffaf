"""The dataset card, `README.md` of a version: what the set is, how it was measured, how to read it.

In: the manifest (still without the texts). Out: Markdown whose YAML front matter lets `datasets.load_dataset(path)`
read the tasks as the split `train`, and nothing else of the folder.
Not promised: figures of the tasks; those are in `report.md` and in the columns.
"""

from __future__ import annotations

from collections.abc import Mapping

from data.canonical import canonical_json
from data.manifest import Manifest
from data.records import Json

EXPORTS = ("verl", "trl", "openrlhf", "skyrl", "slime")
"""Exports that are Parquet: `load_dataset(path, NAME)` finds one once `sparring sets export` has written it."""

CARD = "README.md"
"""The card's file. Made anew, it claims a version's folder for its writer."""

_OPEN_ENGINES = {"embedded", "scripted"}
"""Engines whose weights (Apache-2.0) or words (ours) leave the rows free; another's licence is for its user to know."""


def card(manifest: Manifest) -> str:
    """The whole card, front matter first."""
    origin = manifest.origin
    return _CARD.format(
        licence="apache-2.0" if origin.engine in _OPEN_ENGINES else "other",
        exports="".join(_EXPORT.format(name=name) for name in EXPORTS),
        name=manifest.name,
        version=manifest.version,
        digest=manifest.digest,
        engine=origin.engine,
        scripted=_SCRIPTED if manifest.scripted else "",
        players=_lines(origin.players),
        difficulty=_lines(origin.difficulty),
        verifier=origin.verifier_version,
        seed=origin.seed,
    )


def _lines(values: Mapping[str, Json]) -> str:
    return "\n".join(f"- {key}: `{_shown(value)}`" for key, value in sorted(values.items())) or "- not said"


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else canonical_json(value)


_EXPORT = """\
- config_name: {name}
  data_files:
  - split: train
    path: exports/{name}/train.parquet
"""

_SCRIPTED = """
> Made by the scripted stand-in engine for dry runs and tests: no model wrote or attempted these tasks.
"""

_CARD = """\
---
license: {licence}
pretty_name: {name} {version}
tags: [tool-calling, reinforcement-learning, synthetic]
configs:
- config_name: default
  default: true
  data_files:
  - split: train
    path: data/train-*.parquet
{exports}---

# {name} {version}

Tool-calling tasks that a generator model wrote, verifiers proved solvable by program, and a solver model attempted.
A row is one task: messages, a tool menu, the gold calls, and how often the solver got it right.
{scripted}
```python
from datasets import load_dataset
tasks = load_dataset("path/of/this/folder", split="train")
```

For a trainer (verl, TRL, OpenRLHF, SkyRL, slime, NeMo Gym, verifiers): `sparring sets export NAME --to verl`
writes `exports/verl/` with the rows, the reward and the command; then `load_dataset("path/of/this/folder", "verl")`.

## Columns

Columns that end in `_json` hold canonical JSON text (`json.loads` reads it): `messages_json`, `tools_json` (a list of
`{{"name", "description", "parameters": JSON Schema}}`), `calls_json` (the gold, a list of `{{"name", "arguments"}}`),
`accept_json` and `may_omit_json` (alternatives that count as right; `null` for none).
`task_id` is the digest of a task's content. `pass_rate` is `passes / attempts` with the 95 % Jeffreys interval
`pass_low` to `pass_high`; `band` is `hard` below 0.25, `easy` above 0.75, else `frontier`. `signal_g8` is the chance
that a group of 8 attempts disagrees. Attempts that the engine failed to deliver are in neither count.

## How difficulty was measured

{difficulty}

Difficulty belongs to a task, a solver and a harness together: measure again (`sparring rescore`) for another solver.

## Players

Engine `{engine}`, seed {seed}, verifiers `{verifier}`.

{players}

`equal: true` says that both players still have the base's weights.

## Known limits

- Solvable means proved by the checks that ran; a question can still be odd, or have a reading they do not know.
- Pass rates come from few attempts: read the interval, not the point. Unless `confirmed`, they also helped to select
  the task.
- Questions are a model's. They may carry its biases, and names or facts in them may be made up.

## Files and identity

`candidates.parquet` has every brief's fate, `attempts.parquet` every rollout, `ledger.parquet` the sums,
`manifest.json` the sha256 of each file. A version never changes; its identity is its rows:
`digest {digest}` is the sha256 over the
sorted sha256 (hex, one a line) of the canonical JSON of each row, measurements left out.
"""
