"""SNIPS as published: `<Intent>/validate_<Intent>.json` (sonos/nlu-benchmark, `2017-06-custom-intent-engines`).

In: the folder of the intents: a file is `{"<Intent>": [{"data": [{"text", "entity"?}]}]}`. Out: a `Bench`: each intent
is a tool, each slot a text parameter, each utterance a question with one call. The menu is all intents that were read.
Not promised: descriptions; SNIPS has none, so a tool is described by the words of its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from data.errors import UsageError
from data.records import Message
from solver.benches.base import Bench, Item, bench, item, json_rows

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")
Said = list[dict[str, str]]


def read(path: Path) -> Bench:
    """The benchmark in a folder of intents, or in one intent's file. Raises `UsageError`."""
    files = sorted(path.rglob("validate_*.json")) if path.is_dir() else [path]
    intents: dict[str, list[Said]] = {}
    for file in files:
        for name, said in _intents(file):
            if name in intents:
                raise UsageError(f"{file} holds {name} again", hint="give a folder with one validate file an intent")
            intents[name] = said
    tools = [_tool(name, said) for name, said in intents.items()]
    return bench("snips", files, (row for name, said in intents.items() for row in _items(name, said, tools)))


def _intents(file: Path) -> Iterator[tuple[str, list[Said]]]:
    try:
        for row in json_rows(file):
            for name, listed in row.items():
                yield name, [[{key: str(text) for key, text in part.items()} for part in one["data"]] for one in listed]
    except (KeyError, TypeError, AttributeError) as fault:
        raise UsageError(
            f"{file} is not SNIPS' format: {type(fault).__name__}: {fault}", hint="give validate_<Intent>.json files"
        ) from None


def _tool(intent: str, said: list[Said]) -> dict[str, Any]:
    slots = sorted({part["entity"] for parts in said for part in parts if "entity" in part})
    words = _CAPITAL.sub(" ", intent).lower().capitalize()
    return {
        "name": intent,
        "description": f"{words}.",
        "parameters": {"type": "object", "properties": {slot: {"type": "string"} for slot in slots}},
    }


def _items(intent: str, said: list[Said], tools: list[dict[str, Any]]) -> Iterator[tuple[str, Item | str]]:
    for place, parts in enumerate(said):
        name = f"{intent}-{place}"
        slots = [(part["entity"], part["text"].strip()) for part in parts if "entity" in part]
        if len({slot for slot, _ in slots}) < len(slots):
            yield name, "one slot twice: a call has no place for both"
            continue
        question = "".join(part["text"] for part in parts).strip()
        yield name, item(name, intent, [Message("user", question)], tools, [{"name": intent, "arguments": dict(slots)}])
