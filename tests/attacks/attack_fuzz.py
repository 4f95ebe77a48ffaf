"""Fuzz targets: parse, menu, calls, completion, score. Text and values are soup of what has meaning to the parsers.

Input `index` is the same for ever. What must hold is said independently of the code under test: which kind of fault a
completion has by counting its tags, that JSON taken is JSON, that every code is one of the table, that rewards fit.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.attacks.attack_answers import CLOSE, OPEN, block
from tests.attacks.attack_base import HIDDEN, PAYLOADS, TASKS
from tests.attacks.attack_drafts import BLOCKS
from verifiers.answer import JsonFault, parse_json
from verifiers.calls import check_calls
from verifiers.codes import CODES
from verifiers.lines import score_line, verify_line
from verifiers.menu import Menu, read_menu

TARGETS = ("parse", "menu", "calls", "completion", "score")
_PIECES = (
    OPEN, CLOSE, "<think>", "</think>", *(f"<{tag}>" for tag in BLOCKS),
    *(f"</{tag}>" for tag in BLOCKS), "```", "```json\n",
    "[", "]", "{", "}", ",", ":", '"', "\\", "\\u0000", "\\ud83d", "\\n", "null", "true", "NaN",
    "1e999", "-0", "007", "1", "9" * 1_001,
    '"name"', '"arguments"', '"$var_1.id"', "\u200b", "\ufeff", "\u202e", "＜", "\n", " ", "f(",
    ")", "$", "é", "e\u0301",
)  # fmt: skip
_WORDS = (
    "type", "properties", "required", "items", "$ref", "$defs", "anyOf", "oneOf", "allOf", "not",
    "if", "then", "else", "enum", "const",
    "default", "pattern", "format", "uniqueItems", "additionalProperties", "unevaluatedProperties",
    "minimum", "multipleOf",
    "prefixItems", "contains", "description", "name", "parameters", "function", "inputSchema",
    "$id", "$anchor", "x", "__proto__",
    "dependentSchemas", "patternProperties", "propertyNames", "minLength", "arguments", "id", "\u00e9", "",
)  # fmt: skip
_SCALARS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 3.5, 10**30, 1e300, -0.0, "", "x", "object", "string", "integer",
    "array", "set", "list[int]", "#", "#/$defs/x",
    "http://attacker.invalid/", "(a+)+$", "(?=x)", "date", "date-time", "2026-01-01", "$var_1.x",
    "true", "\u200b", *PAYLOADS[:4],
)  # fmt: skip


def soup(rng: Random, base: str) -> str:
    """A text with pieces put in, taken out, doubled and swapped."""
    text = base
    for _ in range(rng.randrange(1, 9)):
        start, end = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
        match rng.randrange(5):
            case 0:
                text = text[:start] + rng.choice(_PIECES) + text[start:]
            case 1:
                text = text[:start] + text[min(end, start + 9) :]
            case 2:
                text = text[:end] + text[start:end][:400] + text[end:]
            case 3:
                text = text[:start] + "".join(rng.choices(_PIECES, k=rng.randrange(1, 12))) + text[end:]
            case 4:
                text = text[:start] + rng.choice(HIDDEN) + text[start:]
    return text


def value(rng: Random, depth: int = 0) -> Any:
    """A JSON value of words that schemas and calls are made of."""
    kind = rng.randrange(6 if depth < 5 else 3)
    if kind < 3:
        return rng.choice(_SCALARS)
    if kind == 3:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(_WORDS): value(rng, depth + 1) for _ in range(rng.randrange(5))}


def changed(rng: Random, given: Any) -> Any:
    """A value with one place somewhere in it made another."""
    if not given or not isinstance(given, dict | list) or rng.random() < 0.2:
        return value(rng, 2)
    if isinstance(given, list):
        place = rng.randrange(len(given))
        return [*given[:place], changed(rng, given[place]), *given[place + 1 :]]
    name = rng.choice(list(given))
    return given | {name if rng.random() < 0.8 else rng.choice(_WORDS): changed(rng, given[name])}


def fuzzed(index: int) -> tuple[str, Any]:
    """The target and the input of an index."""
    rng = Random(f"fuzz:{index}")
    target, task = TARGETS[index % len(TARGETS)], rng.choice(TASKS)
    if target == "parse":
        return target, soup(rng, json.dumps(task.tools)[: rng.randrange(1, 400)])
    if target == "menu":
        tools: Any = json.loads(json.dumps(task.tools))
        for _ in range(rng.randrange(1, 5)):
            tools = changed(rng, tools)
        return target, task.row | {"tools": tools}
    if target == "calls":
        calls: Any = task.calls
        for _ in range(rng.randrange(1, 4)):
            calls = changed(rng, calls)
        return target, task.row | {"calls": calls}
    if target == "completion":
        parts = zip(BLOCKS, (task.question, json.dumps(task.tools), task.gold), strict=True)
        return target, {"completion": soup(rng, "\n".join(f"<{tag}>{text}</{tag}>" for tag, text in parts))}
    return target, {
        "tools": task.tools,
        "calls": task.calls,
        "completion": soup(rng, "<think>a</think>" + block(task.gold)),
    }


def tags_say(completion: str) -> str:
    """What the tags of a solver's completion amount to, by walking through it (RULES F1, A1)."""
    kept, place = "", 0
    while place < len(completion):
        if completion.startswith("<think>", place):
            end = completion.find("</think>", place)
            place = len(completion) if end < 0 else end + len("</think>")
        else:
            kept += completion[place]
            place += 1
    if "</think>" in kept:
        kept = kept[kept.rindex("</think>") + len("</think>") :]
    closed = opened = 0
    for piece in kept.split(OPEN)[1:]:
        opened += 1
        closed += CLOSE in piece
    if closed > 1:
        return "several_answers"
    return "truncated" if opened > closed else "read" if closed else "no_answer"


def fuzz(index: int) -> tuple[str, str]:
    """Try one input; gives the target and what is wrong, if anything."""
    target, given = fuzzed(index)
    if target == "parse":
        return target, _parse(given)
    return target, _score(given) if target == "score" else _verify(given)


def _parse(text: str) -> str:
    try:
        read = parse_json(text)
    except JsonFault as fault:
        return "" if fault.code in CODES["format"] else f"code {fault.code}"
    return "" if json.loads(text) == read else f"read otherwise: {text[:200]!r}"


def _verify(row: dict[str, Any]) -> str:
    found = verify_line(json.dumps(row).encode(), 1)
    if found["solvable"]:
        return "" if found["task_id"] and not found["reasons"] else str(found)[:200]
    reason = found["reasons"][0]
    if reason["check"] == "checker" or reason["code"] not in CODES[reason["check"]]:
        return str(found)[:300]
    menu = read_menu(row.get("tools"))
    if isinstance(menu, Menu):
        check_calls(menu, row.get("calls"))
    return ""


def _score(row: dict[str, Any]) -> str:
    found = score_line(json.dumps(row).encode(), 1)
    said, outcome, reward = tags_say(row["completion"]), found["outcome"], found["reward"]
    if said != "read":
        return "" if (outcome, reward) == (said, 0.0) else f"{said}, found {found}"[:300]
    if outcome in ("several_answers", "truncated", "no_answer", "checker_error") or not 0 <= reward <= 1:
        return str(found)[:300]
    return "" if (reward == 1) == found["correct"] == (outcome == "correct") else str(found)[:300]
