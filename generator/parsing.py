"""A generator's completion as a draft, or the fault it has.

In: the brief, the completion, the style it was asked in and the prompt that was sent. Out: `Draft`, or a `Verdict` of
check `format` (RULES J, F). Never raises on a model's text.
`plain`: the question as a JSON string where the brief proposes every value, the list of the person's turns where it is
a conversation, else an object `{calls, question}`, in open mode with `tools`. `chat`: Tool-R0's tagged blocks; of a
conversation, each turn in `<question>` begins on a new line with `User:` or `Assistant:`. In catalogue mode the menu is
the brief's, whatever the completion says of tools. What else the brief demands is the business of `generator.drafts`.
Not promised: that anything in the draft is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from data.records import Brief, Draft, Json, Message, Verdict
from generator.briefs import proposed_calls, proposes_all
from generator.drafts import complete
from generator.prompts import Style, asks_nothing, instructions
from generator.wording import words_of
from policies.protocol import Prompt
from verifiers.answer import JsonFault, cut_thoughts, find_blocks, parse_json, unfence
from verifiers.completion import check_question, read_completion

_MENU = "available_tools"
_TURN = re.compile(r"^(User|Assistant):", re.M)


def parse(brief: Brief, completion: str, style: Style, prompt: Prompt) -> Draft | Verdict:
    """The draft in `completion`, or the first fault."""
    if asks_nothing(brief):
        return complete(brief, Draft((), list(brief.tools), []))
    read = _object(brief, completion, prompt) if style == "plain" else _tagged(brief, completion, prompt)
    if isinstance(read, Verdict):
        return read
    return complete(brief, read if brief.mode == "open" else replace(read, tools=list(brief.tools)))


def _tagged(brief: Brief, completion: str, prompt: Prompt) -> Draft | Verdict:
    if brief.mode != "open" and find_blocks(cut_thoughts(completion), _MENU) == ([], False):
        completion += f"\n<{_MENU}>{json.dumps(brief.tools)}</{_MENU}>"
    read = read_completion(completion, instructions(brief, prompt))
    if isinstance(read, Verdict) or brief.turns == 1 or brief.mode == "evolve":
        return read
    messages = _conversation(read.messages[0].content)
    return messages if isinstance(messages, Verdict) else replace(read, messages=messages)


def _conversation(text: str) -> tuple[Message, ...] | Verdict:
    """The turns of a text that begins with `User:`; any other text is one turn."""
    _, *parts = _TURN.split(text)
    if not parts or not text.lstrip().startswith("User:"):
        return (Message("user", text),)
    turns = [Message(role.lower(), said.strip()) for role, said in zip(parts[::2], parts[1::2], strict=True)]
    if len(turns) % 2 == 0 or any(turn.role != ("user", "assistant")[place % 2] for place, turn in enumerate(turns)):
        return Verdict("format", "bad_turns", "the turns do not alternate from a user's first to a user's last")
    return tuple(turns)


def _object(brief: Brief, completion: str, prompt: Prompt) -> Draft | Verdict:
    text = unfence(cut_thoughts(completion).strip())
    try:
        value: Json = parse_json(text)
    except JsonFault as fault:
        return Verdict("format", fault.code, fault.detail)
    if brief.mode == "evolve" or (brief.mode == "catalogue" and proposes_all(brief)):
        value = {"question": value, "calls": proposed_calls(brief)}
    if not isinstance(value, Mapping):
        return Verdict("format", "missing_block", "the completion is not a JSON object")
    for key in ("question", "calls", *(["tools"] if brief.mode == "open" else [])):
        if key not in value:
            return Verdict("format", "missing_block", f"no {key!r} in the object")
    turns = value["question"] if brief.turns > 1 and isinstance(value["question"], list) else [value["question"]]
    messages: list[Message] = []
    for place, turn in enumerate(turns):
        if not isinstance(turn, str):
            return Verdict("format", "missing_block", "'question' is not a text")
        if echo := check_question(turn, instructions(brief, prompt)):
            return echo
        messages += [Message("assistant", _reply(brief, place))] if place else []
        messages.append(Message("user", turn.strip()))
    if not messages:
        return Verdict("format", "empty_question", "there is no turn")
    return Draft(tuple(messages), value.get("tools"), value["calls"])


def _reply(brief: Brief, place: int) -> str:
    """What the assistant says before user turn `place`: it asks for what is missing."""
    given = brief.said[place] if place < len(brief.said) else {}
    heard = {name for turn in brief.said[:place] for name in turn}
    missing = [words_of(name) for name in given if name not in heard]
    return f"Sure. What about the {' and the '.join(missing)}?" if missing else "Sure. Is everything right so far?"
