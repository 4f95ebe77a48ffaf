"""A rejected row in words, for a person at a terminal: what was expected, what stood there, where it was looked for.

In: a line, and the answer that rejected it. Out: lines of ASCII. A row is hostile, so whatever of it could steer a
terminal (escapes, control characters, letters that turn the direction) is shown as an escape. In a terminal a line is
coloured by what it says; elsewhere it is plain.
Not promised: the whole of a long text; every line is cut.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from data.records import Draft, Json, JsonObject, Verdict
from verifiers.answer import CallFault, read_calls
from verifiers.codes import expected
from verifiers.grounding import ungrounded_values
from verifiers.lines import read_line
from verifiers.schema_places import Schemas
from verifiers.verify import Proof, verify

LONGEST, TURNS = 400, 8
"""Characters of one shown value, and turns of a conversation that are shown."""
Line = tuple[str, str]
"""A title and what it is followed by."""
_STYLES = {"expected": "green", "found": "red", "nearest": "yellow", "looked in": "cyan"}
"""Titles in the order in which they stand, with their colours."""
_UNSAFE = re.compile(r"[^ -~]")
_WORD = re.compile(r"\w+")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def explain_row(line: bytes, answer: dict[str, Any]) -> str:
    """The words for one rejected row."""
    reasons = [Verdict(one["check"], one["code"], one["detail"]) for one in answer["reasons"]]
    draft = read_line(line)
    lines = [f"row {_safe(json.dumps(answer['id'])[:LONGEST])}"]
    seen = 0
    for reason in reasons:
        lines.append(f"  {reason.check}/{reason.code}")
        lines += [f"    {title:10} {_safe(text)}" for title, text in _lines(reason, draft, line, seen)]
        seen += reason.check == "grounding"
    return "\n".join(lines)


def say(explained: Sequence[str]) -> None:
    """Write explanations to standard error, with colours where that is a terminal."""
    if not explained:
        return
    if not sys.stderr.isatty():
        sys.stderr.write("\n".join((*explained, "")))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    for line in "\n".join(explained).splitlines():
        style = next((style for title, style in _STYLES.items() if line.startswith(f"    {title:10} ")), "bold")
        console.print(Text(line, style=style), soft_wrap=True)


def _lines(reason: Verdict, draft: Draft | Verdict, line: bytes, seen: int) -> list[Line]:
    """What is to be said of one reason; `seen`: so many values that are not said were explained before it."""
    told: list[Line] = []
    looked = [("looked in", f"the line: {line[:LONGEST].decode('utf-8', 'replace')}")]
    if isinstance(draft, Draft):
        told = list(_told(reason, draft, verify(draft, checks={"calls"}), seen))
        looked = [("looked in", f"the {turn.role} turn: {_json(turn.content)}") for turn in draft.messages[:TURNS]]
    plain = [("expected", expected(reason.check, reason.code)), ("found", reason.detail), *looked]
    titles = {title for title, _ in told}
    told += [(title, text) for title, text in plain if title not in titles]
    return sorted(told, key=lambda one: list(_STYLES).index(one[0]))


def _told(reason: Verdict, draft: Draft, proof: Proof, seen: int) -> Iterator[Line]:
    """What only this kind of reason has to say."""
    if reason.check == "menu":
        yield "looked in", f"the tools: {_json(_tool_meant(draft.tools, reason.detail))}"
    elif reason.check == "calls":
        yield from _of_call(reason, draft, proof)
    elif reason.check == "grounding" and proof.menu:
        unsaid = ungrounded_values(proof.menu, proof.calls, draft.messages)
        if seen < len(unsaid):
            one = unsaid[seen]
            call = proof.calls[one.call - 1]
            text = "\n".join(message.content for message in draft.messages)
            yield (
                "expected",
                f"{one.path} of call {one.call}, {call['name']}, is said in the task: {_schema(proof, call, one.path)}",
            )
            yield "found", f"{_json(one.value)}, which no turn says"
            if near := _nearest(one.value, text):
                yield "nearest", ", ".join(near)
    elif reason.code == "ambiguous_tools":
        yield (
            "looked in",
            f"the tools: {_json([{key: tool[key] for key in ('name', 'description')} for tool in proof.tools])}",
        )
    elif reason.check in ("execution", "soundness"):
        yield "looked in", f"the calls: {_json(list(proof.calls))}"


def _of_call(reason: Verdict, draft: Draft, proof: Proof) -> Iterator[Line]:
    """A call that is not valid: what its tool takes, and the value."""
    place = re.match(r"call (\d+)", reason.detail)
    listed = draft.calls if isinstance(draft.calls, list) else [draft.calls]
    if not place or not 0 < int(place[1]) <= len(listed):
        yield "looked in", f"the calls: {_json(draft.calls)}"
        return
    call = listed[int(place[1]) - 1]
    names = [str(tool["name"]) for tool in proof.tools]
    try:
        (read,) = read_calls([call])
    except CallFault:
        read = {"name": "", "arguments": {}}
    if reason.code == "unknown_tool":
        yield "expected", f"one of the menu's tools: {', '.join(names)}"
        yield "found", str(read["name"])
        if near := get_close_matches(str(read["name"]), names, n=1):
            yield "nearest", near[0]
    elif read["name"] in names:
        prefix = f"call {place[1]}, {str(read['name'])[:80]} at "
        path = reason.detail.removeprefix(prefix).partition(": ")[0] if reason.detail.startswith(prefix) else ""
        yield "expected", f"{expected(reason.check, reason.code)}: {_schema(proof, read, path)}"
    yield "looked in", f"call {place[1]}: {_json(call)}"


def _schema(proof: Proof, call: JsonObject, path: str) -> str:
    """What a tool takes at the place of an argument, or what it takes at all."""
    parameters = next((tool["parameters"] for tool in proof.tools if tool["name"] == call["name"]), {})
    schemas = Schemas(parameters, [parameters])
    for name, place in _STEP.findall(path):
        schemas = schemas.property(name) if name else schemas.item(int(place))
    return _json(schemas.here[0] if schemas.here else parameters)


def _nearest(value: str | int | float, text: str) -> list[str]:
    """What of the text comes near a value: its figures for a number, else words that are written much alike."""
    words = list(dict.fromkeys(_WORD.findall(text[: 10 * LONGEST])))
    if not isinstance(value, str):
        return [word for word in words if any(map(str.isdigit, word))][:TURNS]
    by_fold = {word.casefold(): word for word in words}
    found = [
        near for part in _WORD.findall(value[:LONGEST].casefold()) for near in get_close_matches(part, by_fold, n=1)
    ]
    return [by_fold[near] for near in dict.fromkeys(found)][:TURNS]


def _tool_meant(tools: Any, detail: str) -> Any:
    """The tool that a detail speaks of, or all of them."""
    place = re.match(r"tool (\d+):", detail)
    if isinstance(tools, list) and place and int(place[1]) <= len(tools):
        return tools[int(place[1]) - 1]
    for tool in tools if isinstance(tools, list) else ():
        inner = tool.get("function", tool) if isinstance(tool, Mapping) else {}
        if (
            isinstance(inner, Mapping)
            and isinstance(inner.get("name"), str)
            and detail.startswith(f"tool {inner['name']!r}:")
        ):
            return tool
    return tools


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)[:LONGEST]


def _safe(text: str) -> str:
    """Printable ASCII alone; everything else as an escape of Python."""
    return _UNSAFE.sub(lambda found: ascii(found[0])[1:-1], text[: 2 * LONGEST])
