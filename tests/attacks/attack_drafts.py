"""Hostile completions of a generator, and hostile task rows, made from honest tasks (RULES F, M, C, G, D)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

from tests.attacks.attack_answers import CLOSE, OPEN, variants
from tests.attacks.attack_base import HIDDEN, LOOKALIKES, PAYLOADS, TEXT, Attack, Family, Honest, call, hide, tool
from tests.attacks.attack_json import NOT_STRICT, broken
from verifiers.completion import INSTRUCTIONS

BLOCKS = ("question", "available_tools", "tool_call_answer")
_INSIDE_WORDS = "\u200b\u2060\ufeff\u00ad\u200e\u202e"


def _block(tag: str, text: str) -> str:
    return f"<{tag}>{text}</{tag}>"


def _blocks(task: Honest) -> list[str]:
    texts = (task.question, json.dumps(task.tools), task.gold)
    return [_block(tag, text) for tag, text in zip(BLOCKS, texts, strict=True)]


def _refused(kind: str, row: dict[str, Any], check: str, *codes: str) -> Attack:
    return Attack(kind, "verify", row, {"solvable": (False,), "check": (check,), "code": codes})


def _proved(kind: str, row: dict[str, Any]) -> Attack:
    return Attack(kind, "verify", row, {"solvable": (True,)})


def tags(rng: Random, task: Honest) -> Iterator[Attack]:
    """Completions whose blocks are not what they seem."""
    blocks = _blocks(task)
    for place, tag in enumerate(BLOCKS):
        rest = [*blocks[:place], *blocks[place + 1 :]]
        own = blocks[place]
        rng.shuffle(rest)
        others = "".join(rest)

        def told(kind: str, text: str, code: str) -> Attack:
            return _refused(f"completion: {kind}", {"completion": text}, "format", code)

        yield told("a block twice", others + own + own, "duplicate_block")
        yield told("a block in a block", others + _block(tag, own), "truncated")
        yield told("a block without end", others + own.removesuffix(f"</{tag}>"), "truncated")
        yield told("an end without beginning", others + own.removeprefix(f"<{tag}>"), "missing_block")
        yield told("no block", others, "missing_block")
        for thought in (f"<think>{own}</think>", f"<think>{own}"):
            yield told("a block in thoughts", others + thought, "missing_block")
        yield told("a block before a bare end", own + "</think>" + others, "missing_block")
        opening, closing = f"<{tag}>", f"</{tag}>"
        for fake in variants(rng, opening):
            if fake != opening:
                yield told("an imitated opening tag", others + own.replace(opening, fake), "missing_block")
        for fake in variants(rng, closing):
            if fake != closing:
                yield told("an imitated closing tag", others + own.replace(closing, fake), "truncated")
        if place:
            value = task.calls if place == 2 else task.tools
            for kind, code in NOT_STRICT.items():
                yield told(f"json, {kind}", others + _block(tag, broken(rng, kind, value)), code)
            for payload in PAYLOADS:
                yield told("a payload for a block", others + _block(tag, payload), "invalid_json")


def questions(rng: Random, task: Honest) -> Iterator[Attack]:
    """Questions that are none, or carry what must not be in them."""
    _, tools, calls = _blocks(task)

    def told(kind: str, question: str, check: str, *codes: str) -> Attack:
        text = _block("question", question) + tools + calls
        return _refused(f"question: {kind}", {"completion": text}, check, *codes)

    for nothing in ("", "  \n", "".join(rng.choices(HIDDEN.replace("\u034f", ""), k=9)), "\u3000\u2028\u00a0"):
        yield told("nothing to see", nothing, "format", "empty_question")
    for empty in ("<your question here>", "[user question]", "{question}", "{{question}}", "<<ask>>", "${task}"[1:]):
        yield told("a placeholder", empty, "format", "placeholder")
    for line in INSTRUCTIONS.strip().splitlines()[:: rng.randrange(1, 4)]:
        yield told("an echo", f"{task.question} {line}", "format", "placeholder")
        yield told(
            "a shouted echo", line.upper().replace(" ", rng.choice((" - ", "\n", "\u00a0"))), "format", "placeholder"
        )
    yield told("an answer in it", task.question + OPEN + task.gold + CLOSE, "format", "duplicate_block")
    yield told("an open answer in it", task.question + OPEN, "format", "truncated")
    yield told("a menu in it", task.question + tools, "format", "duplicate_block")
    yield told("NUL in it", task.question + "\0", "format", "invalid_unicode")
    yield told("a lone surrogate in it", task.question + "\ud83d", "format", "invalid_unicode")
    yield told("more than 1 MiB", task.question + " very" * 220_000, "format", "too_large")
    marks = "".join(rng.choices("\u0315\u0316\u0327\u0301\u0f73", k=rng.choice((200, 50_000))))
    yield told("marks without end", task.question + " e" + marks, "format", "too_large")
    if task.calls:
        for call_ in task.calls[:1]:
            written = json.dumps(call_)
            pretty = json.dumps({"function": {"name": call_["name"], "arguments": json.dumps(call_["arguments"])}})
            for leak in (f"{call_['name']}(x)", f"({call_['name']}())", written, f"[{written}]", pretty):
                yield told("a leak", f"{task.question} {leak}", "determinacy", "leaks_answer")
            escaped = re.sub("[a-z]", lambda found: f"\\u{ord(found[0]):04x}", written)
            yield told("a leak, escaped", f"{task.question} {escaped}", "determinacy", "leaks_answer")
        if task.value:
            value = str(task.calls[task.value[0]]["arguments"][task.value[1]])
            cut = task.question.replace(value, "it")
            yield told("closed before the value", f"{cut}</question>{value}", "grounding", "ungrounded")
            yield told("the value in thoughts alone", f"{cut}<think>{value}</think>", "grounding", "ungrounded")


def values(rng: Random, task: Honest) -> Iterator[Attack]:
    """Golds whose values the question does not say."""
    for place in (task.value, task.number):
        if not place:
            continue
        value = task.calls[place[0]]["arguments"][place[1]]
        written = str(value)

        def row(question: str, other: Any, at: tuple[int, str] = place) -> dict[str, Any]:
            return task.row | {"question": question, "calls": task.changed(at, other)}

        hidden = rng.choice(_INSIDE_WORDS)
        longer = task.question.replace(written, f"{written}{hidden}{written}")
        yield _refused("a part of a word that hidden characters split", row(longer, value), "grounding", "ungrounded")
        longer = task.question.replace(written, f"{written}{written}")
        yield _refused("a part of a longer word", row(longer, value), "grounding", "ungrounded")
        if isinstance(value, str):
            for mark in HIDDEN:
                other = hide(rng, value.split()[0], mark)
                yield _refused("hidden in a gold's value", row(task.question, other), "grounding", "ungrounded")
                split = task.question.replace(value, hide(rng, value.split()[0], mark) + value[len(value.split()[0]) :])
                yield _refused("hidden in the said value", row(split, value), "grounding", "ungrounded")
            spoiled = value.translate(LOOKALIKES)
            yield _refused("look-alikes for a value", row(task.question, spoiled), "grounding", "ungrounded")
            for payload in PAYLOADS:
                yield _refused("a payload nobody said", row(task.question, payload), "grounding", "ungrounded")
        else:
            for other in (value + 1, -value, value * 10, value + 10**15, value * 100 + value):
                yield _refused("a number nobody said", row(task.question, other), "grounding", "ungrounded")
            for wrong in (written, True, [value], {"a": value}, None):
                yield _refused("another type", row(task.question, wrong), "calls", "wrong_type")
    for payload in PAYLOADS if task.value else ():
        question = f"{task.question} Also: {payload}"
        yield _proved("a payload beside the request", task.row | {"question": question})


def calls(rng: Random, task: Honest) -> Iterator[Attack]:
    """Golds that do not fit their menu."""
    if not task.calls:
        yield _refused("no calls without proof", task.row | {"unanswerable": None}, "calls", "no_calls")
        proofs: list[Any] = [
            {},
            [],
            "x",
            {"removed": task.tools[0], "calls": []},
            {"removed": {}, "calls": [call("f")]},
        ]
        for proof in proofs:
            yield _refused("a false proof", task.row | {"unanswerable": proof}, "calls", "no_calls")
        return

    def told(kind: str, given: Any, *codes: str) -> Attack:
        return _refused(f"gold: {kind}", task.row | {"calls": given}, "calls", *codes)

    given: Any
    for given in (None, 3, "f()", True):
        yield told("no list", given, "not_a_list")
    for given in ([[]], [None], ["f"], [{}], [{"name": 1}], [{"name": " "}], [{"name": "f", "parameters": {}}]):
        yield told("no call", given, "bad_call")
    yield told("nothing", [], "no_calls")
    name = task.calls[0]["name"]
    for other in (hide(rng, name), name.translate(LOOKALIKES), name.upper(), *PAYLOADS[:3]):
        yield told("no tool of the menu", [{**task.calls[0], "name": other}, *task.calls[1:]], "unknown_tool")
    for undeclared in ("__proto__", "__class__", "constructor", "$schema", "x" * 100_000):
        given = json.loads(task.gold)
        given[-1]["arguments"][undeclared] = rng.choice((None, 1, "x"))
        yield told("an undeclared argument", given, "undeclared_argument")
    for place in (one for one in (task.value, task.number) if one):
        for number in (0, place[0] + 1, place[0] + 2, "9" * 5_000):
            given = task.changed(place, f"$var_{number}.x")
            yield told("a reference to no earlier call", given, "bad_reference")
    yield _refused("gold: too many calls", task.row | {"calls": task.calls * 101}, "format", "too_large")
    twin = {**task.tools[0], "name": f"{task.tools[0]['name']}_2"}
    described = {**twin, "description": "\u200d".join(twin["description"].upper()) + "!\u2060"}
    if name == task.tools[0]["name"]:
        for other in (twin, described):
            yield _refused("a twin", task.row | {"tools": [*task.tools, other]}, "determinacy", "ambiguous_tools")
    for again in (name, f" {name}\n"):
        row = task.row | {"tools": [*task.tools, tool(again, "Another.")]}
        yield _refused("a tool of the same name", row, "menu", "duplicate_tool")
    same = [tool("caf\u00e9", "One."), tool("cafe\u0301", "Two.", x=TEXT)]
    yield _refused("names that are stored alike", task.row | {"tools": [*task.tools, *same]}, "menu", "duplicate_tool")


DRAFT_FAMILIES: tuple[Family, ...] = (tags, questions, values, calls)
