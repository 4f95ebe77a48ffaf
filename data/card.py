"""The dataset card, `README.md` of a version: what the set is, how it was measured, how to read it.

In: the manifest (still without the texts). Out: Markdown whose YAML front matter lets `datasets.load_dataset(path)`
read the tasks by split, and nothing else of the folder.
Not promised: the words of another language than English.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from data.canonical import canonical_json
from data.manifest import Manifest
from data.records import Json

EXPORTS = ("verl", "trl", "openrlhf", "skyrl", "slime")
"""Exports that are Parquet: `load_dataset(path, NAME)` finds one once `sparring sets export` has written it."""

CARD = "README.md"
"""The card's file. Made anew, it claims a version's folder for its writer."""


def card(manifest: Manifest) -> str:
    """The whole card, front matter first."""
    origin = manifest.origin
    splits = _splits(manifest)
    return _CARD.format(
        licence=licence(manifest),
        splits="".join(_SPLIT.format(name=name, path=f"data/{name}-*.parquet") for name in splits),
        exports="".join(_export(name, splits) for name in EXPORTS),
        rows=", ".join(f"{count} in `{name}`" for name, count in splits.items()),
        evaluation=_EVAL if "eval" in splits else "",
        weights=_weights(origin.players),
        contamination=_contamination(origin.contamination),
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


def licence(manifest: Manifest) -> str:
    """The licence of the rows: that of the weights that wrote them, where it is known and open, else `other`."""
    said = _generator(manifest.origin.players).get("licence")
    return said if isinstance(said, str) and said else "other"


def _generator(players: Mapping[str, Json]) -> Mapping[str, Json]:
    found = players.get("generator")
    return found if isinstance(found, Mapping) else {}


def _weights(players: Mapping[str, Json]) -> str:
    """One sentence on the weights that wrote the questions and their licence."""
    generator = _generator(players)
    name = " ".join(str(generator[key]) for key in ("engine", "digest") if generator.get(key)) or "not said"
    terms = generator.get("licence") or "not known to sparring: whoever publishes this set has to look it up"
    return f"Written by `{name}`. Licence of these weights: {terms}."


def _splits(manifest: Manifest) -> dict[str, int]:
    """Rows by split, `train` first."""
    rows: dict[str, int] = {}
    for entry in manifest.files:
        if entry.split:
            rows[entry.split] = rows.get(entry.split, 0) + (entry.rows or 0)
    return dict(sorted(rows.items(), key=lambda item: (item[0] != "train", item[0])))


def _export(name: str, splits: Iterable[str]) -> str:
    files = "".join(_SPLIT.format(name=split, path=f"exports/{name}/{split}.parquet") for split in splits)
    return f"- config_name: {name}\n  data_files:\n{files}"


def _contamination(report: Mapping[str, Json]) -> str:
    """A table of the held-out files that questions were compared with."""
    files = report.get("held_out")
    if not isinstance(files, Sequence) or not files:
        return "No held-out set was named: whether questions of a benchmark are among these is not known."
    lines = [_FILE.format(**entry) for entry in files if isinstance(entry, Mapping)]
    return _CHECKED + "\n".join(lines)


def _lines(values: Mapping[str, Json]) -> str:
    return "\n".join(f"- {key}: `{_shown(value)}`" for key, value in sorted(values.items())) or "- not said"


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else canonical_json(value)


_SPLIT = """\
  - split: {name}
    path: {path}
"""

_EVAL = """
The gold calls of `eval` use tools that no gold call of `train` uses.
"""

_CHECKED = """\
Questions that these files have too, word for word or nearly (70 % of the trigrams), were left out. Tools that stand in
the menus of both show how far the file measures tools that were never seen.

| file | questions | equal | nearly | tools in both |
|---|---|---|---|---|
"""
_FILE = "| `{name}` | {questions} | {exact} | {near} | {tools_shared} of {tools} |"

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
{splits}{exports}---

# {name} {version}

Tool-calling tasks that a generator model wrote, verifiers proved solvable by program, and a solver model attempted.
A row is one task: messages, a tool menu, the gold calls, and how often the solver got it right.
Rows: {rows}.
{evaluation}{scripted}
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

## How difficult, about what

![Tasks by pass rate](figures/pass_rate.svg)

![Tasks by domain](figures/domains.svg)

![Briefs by where they ended](figures/ledger.svg)

## How difficulty was measured

{difficulty}

Difficulty belongs to a task, a solver and a harness together: measure again (`sparring rescore`) for another solver.

## Players

Engine `{engine}`, seed {seed}, verifiers `{verifier}`.

{players}

`equal: true` says that both players still have the base's weights. {weights}

## Contamination

{contamination}

## Known limits

- Solvable means proved by the checks that ran; a question can still be odd, or have a reading they do not know.
- Pass rates come from few attempts: read the interval, not the point. Unless `confirmed`, they also helped to select
  the task.
- Questions are a model's. They may carry its biases, and names or facts in them may be made up.
- Near-duplicates are found by shared trigrams: a question said again in other words stays.
- Written in English, by one generator: the spread of its questions is not that of people.

## Files and identity

`candidates.parquet` has every brief's fate, `attempts.parquet` every rollout, `ledger.parquet` the sums,
`manifest.json` the sha256 of each file, `croissant.json` the columns for other programs. A version never changes; its
identity is its rows: `digest {digest}` is the sha256 over the
sorted sha256 (hex, one a line) of the canonical JSON of each row, measurements left out.
"""
