"""Is the answer determined by the task, and not given away (RULES D)?

In: a menu, calls in normal form, the task's messages. Out: a `Verdict` for each fault.
Not promised: that a person would find only one answer; of that text rules know little (docs/verification.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice

import regex

from data.canonical import canonical_json
from data.records import Json, JsonObject, Message, Verdict
from verifiers.answer import CallFault, equal, read_calls
from verifiers.options import option_faults
from verifiers.rivals import Tools, rival_faults

_DECODER = json.JSONDecoder()
_OPENING = regex.compile(r'\{\s*+"')
_MEANINGLESS = regex.compile(r"[\W_\p{Default_Ignorable_Code_Point}]++")
MAX_EFFORT = 200_000_000
"""Characters that are searched for calls, text length times tools."""
MAX_FAULTS = 100
_ORDERLESS = ("required", "enum", "type")


def determinacy_faults(menu: Tools, calls: tuple[JsonObject, ...], messages: tuple[Message, ...]) -> Iterator[Verdict]:
    """RULES D1 and D2: every leak of every user turn, every tool that is as good as a called one; then the faults of
    `rivals` (`better_tool`) and `options` (`unasked_argument`, `omitted_argument`).

    Of leaks and of equal tools at most a hundred.
    """
    texts = [message.content for message in messages if message.role == "user" and _may_leak(message.content)]
    if len(menu.tools) * sum(100 + len(text) for text in texts if "(" in text and ")" in text) > MAX_EFFORT:
        yield Verdict("format", "too_large", "too many tools and too much text to look for calls in it")
        return
    leaks = (leak for text in texts for leak in _leaks(menu, calls, text))
    yield from (Verdict("determinacy", "leaks_answer", leak) for leak in islice(leaks, MAX_FAULTS))
    for name, other in islice(_twins(menu, dict.fromkeys(str(call["name"]) for call in calls)), MAX_FAULTS):
        yield Verdict("determinacy", "ambiguous_tools", f"{name[:80]} and {other[:80]} say the same")
    yield from rival_faults(menu, calls, messages)
    yield from option_faults(menu, calls, messages)


def _twins(menu: Tools, called: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The called tools that other tools of the menu equal (RULES D2), and those others."""
    if len(menu.tools) < 2:
        return
    described: dict[str, list[JsonObject]] = {}
    for tool in menu.tools:
        described.setdefault(_meaning(str(tool["description"])), []).append(tool)
    shapes: dict[str, str] = {}
    named: dict[tuple[str, str], list[str]] = {}
    for name in called:
        meaning = _meaning(str((menu.tool(name) or {}).get("description")))
        same = described.get(meaning, [])
        if len(same) > 1 and name not in shapes:
            for tool in same:
                shape = shapes[str(tool["name"])] = canonical_json(_orderless(tool["parameters"]))
                named.setdefault((meaning, shape), []).append(str(tool["name"]))
        if name in shapes:
            yield from ((name, other) for other in named[meaning, shapes[name]] if other != name)


def _may_leak(text: str) -> bool:
    """Whether a text holds the brackets of a call."""
    return "{" in text or ("(" in text and ")" in text)


def _leaks(menu: Tools, calls: tuple[JsonObject, ...], text: str) -> Iterator[str]:
    """How a user turn carries the answer."""
    if "(" in text and ")" in text:
        for tool in menu.tools:
            if _is_called(str(tool["name"]), text):
                yield f"a user turn calls {str(tool['name'])[:80]}(...)"
    if "{" in text:
        for found in _objects(text):
            if any(_same(found, call, menu) for call in calls):
                yield f"a user turn holds a gold call of {str(found.get('name'))[:80]} as JSON"


def _is_called(name: str, text: str) -> bool:
    """Whether `name(...)` stands in a text, the name not being the end of a longer one."""
    start = text.find(f"{name}(")
    while start >= 0:
        before = text[start - 1] if start else " "
        if not (before.isalnum() or before == "_"):
            return text.find(")", start) >= 0
        start = text.find(f"{name}(", start + 1)
    return False


def _objects(text: str) -> Iterator[Mapping[str, Json]]:
    """JSON objects in a text, those inside others too. Texts that look like JSON all over are not read to the end."""
    place, budget = 0, 4 * len(text) + 10_000
    while budget > 0 and (found := _OPENING.search(text, place)):
        place = found.start() + 1
        try:
            value, place = _DECODER.raw_decode(text, found.start())
        except json.JSONDecodeError as fault:
            budget -= fault.pos - found.start() + len(text) // 64  # the fault has counted the lines before it
            continue
        except (RecursionError, ValueError):  # too deep, or a number of too many digits
            budget -= 10_000
            continue
        inside = [value]
        while inside:
            item = inside.pop()
            if isinstance(item, dict):
                yield item
            inside += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()


def _same(found: Mapping[str, Json], call: JsonObject, menu: Tools) -> bool:
    """Whether an object is a gold call, in any shape of a call (RULES C1)."""
    if "name" not in found and "function" not in found:
        return False
    try:
        (read,) = read_calls(found)
    except CallFault:
        return False
    tool = menu.tool(str(call["name"])) or {}
    return read["name"] == call["name"] and equal(call["arguments"], read["arguments"], tool.get("parameters"))


def _meaning(description: str) -> str:
    """What a description says; kept where it is short, so that nobody fills the memory."""
    return (_kept_reading if len(description) <= 1_000 else _reading)(description)


def _reading(description: str) -> str:
    return str(_MEANINGLESS.sub("", description.casefold()))


_kept_reading = lru_cache(maxsize=4096)(_reading)


def _orderless(schema: Json, key: str = "") -> Json:
    """A schema without the order of its names and values, descriptions reduced to what they say."""
    if isinstance(schema, Mapping):
        return {
            name: _orderless(item, name) for name, item in schema.items() if not (name == "required" and item == [])
        }
    if isinstance(schema, list | tuple):
        items = [_orderless(item) for item in schema]
        return sorted(items, key=canonical_json) if key in _ORDERLESS else items
    return _meaning(schema) if key == "description" and isinstance(schema, str) else schema
