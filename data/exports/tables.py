"""Rows of the trainers that read Parquet: verl, TRL (and Unsloth), OpenRLHF, SkyRL, slime.

In: an `Example`. Out: a row of the trainer's explicit Arrow schema. What varies from row to row (menus, gold calls) is
text, because every one of these loaders infers or unifies nested types and then fills, casts or drops silently.
Sources: the loaders of verl 0.9.1, TRL 1.16.0, OpenRLHF 0.11.2, SkyRL 0.3.0, slime 0.3.1.
Not promised: other versions; the tests load each file with the trainer's own loader.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from data.exports.example import SOURCE, Example

Fields = dict[str, Any]

_TEXT = pa.string()
_PROMPT = pa.list_(pa.struct([pa.field("role", _TEXT), pa.field("content", _TEXT)]))
_PROVENANCE: list[tuple[str, pa.DataType]] = [
    ("task_id", _TEXT),
    ("kind", _TEXT),
    ("domain", _TEXT),
    ("harness", _TEXT),
    ("pass_rate", pa.float64()),
    ("band", _TEXT),
    ("env_index", pa.int32()),
    ("group_key", _TEXT),
]
_EXTRA = pa.struct([("index", pa.int64()), ("split", _TEXT), ("tools_json", _TEXT), *_PROVENANCE])

VERL = pa.schema(
    [
        ("data_source", _TEXT),
        ("prompt", _PROMPT),
        ("ability", _TEXT),
        ("reward_model", pa.struct([("style", _TEXT), ("ground_truth", _TEXT)])),
        ("extra_info", _EXTRA),
    ]
)
TRL = pa.schema([("prompt", _PROMPT), ("gold", _TEXT), ("tools_json", _TEXT), *_PROVENANCE])
OPENRLHF = pa.schema([("input", _PROMPT), ("label", _TEXT), ("datasource", _TEXT), ("tools_json", _TEXT), *_PROVENANCE])
SKYRL = pa.schema(
    [
        ("data_source", _TEXT),
        ("prompt", _PROMPT),
        ("env_class", _TEXT),
        ("reward_spec", pa.struct([("method", _TEXT), ("ground_truth", _TEXT)])),
        ("extra_info", _EXTRA),
    ]
)
SLIME = pa.schema([("prompt", _PROMPT), ("label", _TEXT), ("metadata", _EXTRA)])


def verl(one: Example) -> Fields:
    """verl's `RLHFDataset`: `extra_info` must be a struct, `ground_truth` reaches the reward as it stands."""
    return {
        "data_source": SOURCE,
        "prompt": one.prompt,
        "ability": "tool_calling",
        "reward_model": {"style": "rule", "ground_truth": one.gold},
        "extra_info": _extra(one),
    }


def trl(one: Example) -> Fields:
    """TRL's `GRPOTrainer`: every column but `prompt` reaches the reward by its name."""
    return {"prompt": one.prompt, "gold": one.gold, "tools_json": one.tools_json, **one.provenance}


def openrlhf(one: Example) -> Fields:
    """OpenRLHF's `PromptDataset`: one label column, read with `--data.input_key input --data.label_key label`."""
    return {
        "input": one.prompt,
        "label": one.gold,
        "datasource": SOURCE,
        "tools_json": one.tools_json,
        **one.provenance,
    }


def skyrl(one: Example) -> Fields:
    """SkyRL's `PromptDataset`: all columns but `prompt` and `env_class` reach the environment as `extras`."""
    return {
        "data_source": SOURCE,
        "prompt": one.prompt,
        "env_class": SOURCE,
        "reward_spec": {"method": "rule", "ground_truth": one.gold},
        "extra_info": _extra(one),
    }


def slime(one: Example) -> Fields:
    """slime's `Dataset`: `--input-key prompt --label-key label`; no `--tool-key`, for the menu is in the prompt."""
    return {"prompt": one.prompt, "label": one.gold, "metadata": _extra(one)}


def _extra(one: Example) -> Fields:
    return {"index": one.index, "split": one.split, "tools_json": one.tools_json, **one.provenance}
