"""What a brief makes of the words that a model wrote for it, and whether they are what it asked for.

In: a brief and a draft that was read (`generator.parsing`). Out: the draft as it is verified: what the brief has fixed
is put in, a gold's tool is taken out of the menu, a conversation ends before the turn that says the missing value.
Then, for a draft that every check passed, the verdict of check `brief` on what the verifiers cannot know: that a
correction counts, that a hint is no name.
Not promised: a task of the kind asked for, where a model wrote another that is right; its `kind` says what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from data.records import Brief, Draft, Json, JsonObject, Message, Verdict
from generator.wording import words_of
from verifiers.answer import JsonFault, read_calls
from verifiers.grounding import ungrounded_values
from verifiers.menu import Menu, read_menu

CHECK = "brief"


def complete(brief: Brief, read: Draft) -> Draft:
    """The draft to be verified."""
    fixed: dict[str, Any] = dict(brief.fixed)
    if brief.mode == "evolve":
        kept = tuple(Message(turn["role"], turn["content"]) for turn in fixed["messages"])
        return replace(read, **fixed | {"messages": _reworded(brief, kept, read.messages)})
    draft = replace(read, **fixed)
    if brief.kind == "removed":
        return _without_tool(draft)
    return _cut_short(draft) if brief.kind == "unsaid" else draft


def unmet(brief: Brief, draft: Draft) -> Verdict | None:
    """How a proven draft fails its brief, or None."""
    if brief.kind == "indirect":
        return _named(draft)
    return _stale(brief, draft) if brief.kind == "conversation" and brief.said else None


def _reworded(brief: Brief, kept: tuple[Message, ...], written: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages of a published task, its one user turn said otherwise or gone on with."""
    if not written:
        return kept
    (new,) = written
    place = max(place for place, message in enumerate(kept) if message.role == "user")
    text = f"{kept[place].content} {new.content}" if brief.kind == "further" else new.content
    return (*kept[:place], Message("user", text), *kept[place + 1 :])


def _without_tool(draft: Draft) -> Draft:
    """RULES C2: no call is due once the tool of the first call is gone; a draft without such a tool stays as it is."""
    try:
        calls = read_calls(draft.calls)
    except JsonFault:
        return draft
    tools = draft.tools if isinstance(draft.tools, list) else []
    name = calls[0]["name"] if calls else None
    removed = next((tool for tool in tools if isinstance(tool, Mapping) and _name(tool) == name), None)
    if removed is None:
        return draft
    left: list[Json] = [tool for tool in tools if tool is not removed]
    proof: JsonObject = {"removed": removed, "calls": draft.calls}
    return replace(draft, tools=left, calls=[], accept=None, may_omit=None, unanswerable=proof)


def _name(tool: Mapping[str, Json]) -> Json:
    inner = tool.get("function", tool)
    return inner.get("name") if isinstance(inner, Mapping) else None


def _cut_short(draft: Draft) -> Draft:
    """The conversation without its last user turn and what the assistant asked before it."""
    *heard, last = draft.messages
    while heard and heard[-1].role != "user":
        heard.pop()
    if not heard:
        return draft
    proof: JsonObject = {"unsaid": last.content, "calls": draft.calls}
    return replace(draft, messages=tuple(heard), calls=[], accept=None, may_omit=None, unanswerable=proof)


def _stale(brief: Brief, draft: Draft) -> Verdict | None:
    """Whether a corrected argument has a value that the correcting turn, the last one, does not say."""
    (call,) = read_calls(draft.calls)
    menu = read_menu(draft.tools)
    corrected = sorted(brief.said[0].keys() & brief.said[-1].keys())
    if not corrected or not isinstance(menu, Menu):
        return None
    last = draft.messages[-1:]
    given: JsonObject = {name: call["arguments"][name] for name in corrected if name in call["arguments"]}
    for one in ungrounded_values(menu, ({"name": call["name"], "arguments": given},), last):
        return Verdict(CHECK, "stale_value", f"the last turn does not say {one.path} = {one.value!r}")
    return None


def _named(draft: Draft) -> Verdict | None:
    """Whether a hint names a tool that is called."""
    asked = " ".join(f" {words_of(message.content)} " for message in draft.messages if message.role == "user")
    for call in read_calls(draft.calls):
        if f" {words_of(call['name'])} " in asked:
            return Verdict(CHECK, "not_indirect", f"the request names the tool {call['name'][:80]}")
    return None
