"""ToolAlpaca as published: `eval_real.json`, `eval_simulated.json` (tangqiaoyu/ToolAlpaca, `data`).

In: a file of APIs, each with `Function_Description` (text with a JSON object of parameters), `Instructions` and
`Golden_Answers`, lists of `{"Action", "Action_Input"}` in which `${field from action}` stands for an earlier result.
Out: a `Bench`, one item an instruction. Not promised: ToolAlpaca's own score, which is a language model's opinion.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from data.records import Message
from solver.benches.base import Bench, Item, bench, item, json_rows

_HOLE = re.compile(r'"?\$\{([^{}"]{1,80}) from ([^{}"]{1,80})\}"?')
_TYPES = ("string", "integer", "number", "boolean", "object", "array")
_REQUIRED = "Required. "


def read(path: Path) -> Bench:
    """The benchmark in one file, or in a folder of `eval_*.json`. Raises `UsageError`."""
    files = sorted(path.glob("eval_*.json")) if path.is_dir() else [path]
    return bench("toolalpaca", files, (row for file in files for row in _items(file)))


def _items(file: Path) -> Iterator[tuple[str, Item | str]]:
    for place, api in enumerate(json_rows(file)):
        try:
            tools = [_tool(*pair) for pair in api["Function_Description"].items() if pair[0] != "components"]
            asked = list(zip(api["Instructions"], api["Golden_Answers"], strict=True))
        except (KeyError, TypeError, AttributeError, ValueError) as fault:
            yield f"{file.stem}-{place}", f"not ToolAlpaca's format: {type(fault).__name__}: {fault}"
            continue
        for number, (question, golden) in enumerate(asked):
            name = f"{file.stem}-{place}-{number}"
            try:
                calls = _calls(golden)
            except (KeyError, TypeError, AttributeError, ValueError) as fault:
                yield name, f"unreadable answer: {type(fault).__name__}: {fault}"
                continue
            yield name, item(name, file.stem, [Message("user", question)], tools, calls)


def _tool(name: str, text: str) -> dict[str, Any]:
    """A tool from its description: perhaps a sentence, then `Parameters: {JSON}`, `Output: ...`."""
    about, _, rest = f"\n{text}".partition("\nParameters: ")
    declared = json.loads(rest.partition("\nOutput:")[0] or "{}")
    properties = {key: _property(str(said)) for key, said in declared.items()}
    required = [key for key, said in declared.items() if str(said).startswith(_REQUIRED)]
    return {
        "name": name,
        "description": about.strip(),
        "parameters": {"type": "object", "properties": properties, "required": required},
    }


def _property(said: str) -> Mapping[str, Any]:
    """`Required. Integer. How many.` as a schema; a type of no known name is any type."""
    kind, _, about = said.removeprefix(_REQUIRED).partition(".")
    known = next((one for one in _TYPES if kind.strip().lower().startswith(one)), None)
    return {"description": about.strip(), "type": known} if known else {"description": said}


def _calls(golden: list[dict[str, Any]]) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []
    for step in golden:
        given = step["Action_Input"]

        def refer(hole: re.Match[str]) -> str:
            for number in range(len(calls), 0, -1):
                if calls[number - 1]["name"] == hole[2].strip():
                    return json.dumps(f"$var_{number}.{hole[1].strip()}")
            raise ValueError(f"{hole[0]} refers to no earlier call")

        arguments = json.loads(_HOLE.sub(refer, given) or "{}") if isinstance(given, str) else given
        calls.append({"name": step["Action"], "arguments": arguments})
    return calls
