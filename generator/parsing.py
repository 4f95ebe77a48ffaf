"""A generator's completion as a draft, or the fault it has.

In: the brief, the completion, the style it was asked in and the prompt that was sent. Out: `Draft`, or a `Verdict` of
check `format` (RULES J, F). Never raises on a model's text.
`plain`: the question as a JSON string where the brief proposes every value, else an object `{calls, question}`, in open
mode with `tools`. `chat`: Tool-R0's tagged blocks. In catalogue
mode the menu is the brief's, whatever the completion says of tools. Not promised: that anything in the draft is right.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from data.records import Brief, Draft, Json, Message, Verdict
from generator.briefs import proposes_all
from generator.prompts import Style
from policies.protocol import Prompt, prompt_text
from verifiers.answer import JsonFault, cut_thoughts, find_blocks, parse_json, unfence
from verifiers.completion import check_question, read_completion

_MENU = "available_tools"


def parse(brief: Brief, completion: str, style: Style, prompt: Prompt) -> Draft | Verdict:
    """The draft in `completion`, or the first fault."""
    read = _object(brief, completion, prompt) if style == "plain" else _tagged(brief, completion, prompt)
    if isinstance(read, Draft) and brief.mode == "catalogue":
        return replace(read, tools=list(brief.tools))
    return read


def _tagged(brief: Brief, completion: str, prompt: Prompt) -> Draft | Verdict:
    if brief.mode == "catalogue" and find_blocks(cut_thoughts(completion), _MENU) == ([], False):
        completion += f"\n<{_MENU}>{json.dumps(brief.tools)}</{_MENU}>"
    return read_completion(completion, prompt_text(prompt))


def _object(brief: Brief, completion: str, prompt: Prompt) -> Draft | Verdict:
    text = unfence(cut_thoughts(completion).strip())
    try:
        value: Json = parse_json(text)
    except JsonFault as fault:
        return Verdict("format", fault.code, fault.detail)
    if brief.mode == "catalogue" and proposes_all(brief):
        written = zip(brief.targets, brief.arguments, strict=True)
        value = {"question": value, "calls": [{"name": name, "arguments": given} for name, given in written]}
    if not isinstance(value, Mapping):
        return Verdict("format", "missing_block", "the completion is not a JSON object")
    for key in ("question", "calls", *(["tools"] if brief.mode == "open" else [])):
        if key not in value:
            return Verdict("format", "missing_block", f"no {key!r} in the object")
    question = value["question"]
    if not isinstance(question, str):
        return Verdict("format", "missing_block", "'question' is not a text")
    echo = check_question(question, prompt_text(prompt))
    return echo or Draft((Message("user", question.strip()),), value.get("tools"), value["calls"])
