"""Makes the probe: tasks over tools that no shipped catalogue has, each proved by `verify`, once and for all.

    python -m benchmarks.make_probe > solver/benches/probe.jsonl

In: `probe_tools.txt`. Out: JSON lines, each a half (the halves share no tool), a kind, and a task as `sparring verify`
reads it. A frozen file: another run gives the same bytes, and a change of it is a new probe.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

from verifiers.lines import verify_line

SOURCE = Path(__file__).with_name("probe_tools.txt")
SEED = 1
KINDS = (
    ("single of 2", 2),
    ("single of 2", 2),
    ("single of 4", 4),
    ("single of 4", 4),
    ("parallel", 4),
    ("abstain", 3),
)
"""For each tool: kinds of task and the sizes of their menus. Small models need small menus to show anything at all."""
JOINS = ("And one more thing.", "I need something else, too.", "That is not all.")


@dataclass(frozen=True)
class Tool:
    """A tool of the probe: what the menu shows, what its questions are, which values they say."""

    shown: dict[str, Any]
    values: dict[str, list[tuple[str, Any]]]
    questions: tuple[str, ...]


def halves(text: str) -> dict[str, list[Tool]]:
    """The tools of each half of a source text."""
    found: dict[str, list[Tool]] = {}
    half, head = "", list[str]()

    def close() -> None:
        if head:
            found[half].append(_tool(head[0], head[1:]))
            head.clear()

    for line in filter(None, text.splitlines()):
        if line.startswith("#"):
            continue
        if line.startswith(" "):
            head.append(line.strip())
            continue
        close()
        if "|" in line:
            head.append(line)
        else:
            half = line
            found[half] = []
    close()
    return found


def _tool(head: str, questions: list[str]) -> Tool:
    name, about, parameters = (part.strip() for part in head.split("|"))
    properties, values, required = {}, {}, []
    for parameter in parameters.split(" ; "):
        declared, _, listed = parameter.partition("=")
        title, _, kind = declared.strip().partition(":")
        optional = title.endswith("?")
        title = title.rstrip("?")
        properties[title] = _schema(kind, listed.split(","))
        values[title] = [_value(kind, one.strip()) for one in listed.split(",")]
        if not optional:
            required.append(title)
    schema = {"type": "object", "properties": properties, "required": required}
    return Tool({"name": name, "description": about, "parameters": schema}, values, tuple(questions))


def _schema(kind: str, listed: list[str]) -> dict[str, Any]:
    if kind == "enum":
        return {"type": "string", "enum": [one.strip() for one in listed]}
    return {"type": "string", "format": kind} if kind in ("date", "time") else {"type": kind}


def _value(kind: str, text: str) -> tuple[str, Any]:
    """A value as a person says it, and as a call has it."""
    if kind in ("integer", "number"):
        return text, json.loads(text)
    if kind == "date":
        day = date.fromisoformat(text)
        return f"{day.day} {day:%B %Y}", text
    if kind == "time":
        hour, minute = map(int, text.split(":"))
        return f"{(hour - 1) % 12 + 1}:{minute:02} {'am' if hour < 12 else 'pm'}", text
    return text, text


def _asked(tool: Tool, place: int, random: Random) -> tuple[str, dict[str, Any]]:
    """A question and the call that it asks for."""
    template = tool.questions[place % len(tool.questions)]
    chosen = {name: random.choice(values) for name, values in tool.values.items() if f"{{{name}}}" in template}
    said = template.format(**{name: words for name, (words, _) in chosen.items()})
    arguments = {name: value for name, (_, value) in chosen.items()}
    return said[0].upper() + said[1:], {"name": tool.shown["name"], "arguments": arguments}


def tasks(text: str) -> list[dict[str, Any]]:
    """Every task of the probe, in the order of its tools."""
    made: list[dict[str, Any]] = []
    for half, tools in halves(text).items():
        for place, tool in enumerate(tools):
            random = Random(f"{SEED}:{tool.shown['name']}")
            for kind, menu in KINDS:
                task = _task(kind, menu, tools, place, len(made), random)
                made.append({"id": f"{half}-{tool.shown['name']}-{len(made)}", "half": half, "kind": kind, **task})
    return made


def _task(kind: str, size: int, tools: list[Tool], place: int, number: int, random: Random) -> dict[str, Any]:
    tool = tools[place]
    others = random.sample([one for one in tools if one is not tool], size)
    question, call = _asked(tool, number, random)
    if kind == "abstain":
        proof = {"removed": tool.shown, "calls": [call]}
        return {"question": question, "tools": [one.shown for one in others], "calls": [], "unanswerable": proof}
    calls = [call]
    if kind == "parallel":
        further, second = _asked(others[0], number, random)
        question = f"{question} {random.choice(JOINS)} {further}"
        calls.append(second)
    menu = [tool, *others[: size - 1]]
    random.shuffle(menu)
    return {"question": question, "tools": [one.shown for one in menu], "calls": calls}


def main() -> None:
    """Print the probe. A task that `verify` refuses ends the making."""
    for task in tasks(SOURCE.read_text(encoding="utf-8")):
        line = json.dumps(task, ensure_ascii=False)
        proof = {key: value for key, value in task.items() if key not in ("half", "kind")}
        answer = verify_line(json.dumps(proof).encode(), 1)
        if not answer["solvable"]:
            sys.exit(f"{task['id']}: {answer['reasons']}\n{line}")
        print(line)


if __name__ == "__main__":
    main()
