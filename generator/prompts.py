"""Briefs as requests to the generator.

In: a brief and a style. Out: a `policies.protocol.Prompt`. The texts are data, `prompts/<style>_<mode>.txt`;
`PROMPT_VERSION` is their digest together with this format's.
`plain` is for small models that continue examples: JSON under a schema (`generator.decoding`). `chat` is for models
that follow instructions: Tool-R0's tags (RULES F).

Who decides what in catalogue mode: the brief chooses the tools to call and proposes arguments as far as the catalogue
knows plausible values. In `plain`, proposed calls are given and the model writes the question, held to name every
value; where a required value has no proposal, it writes calls and question. In `chat` it writes both, and proposals are
suggestions. In open mode all is the model's. Not promised: that an engine honours a schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from data.canonical import digest
from data.records import Brief, Message
from generator.briefs import proposes_all
from generator.decoding import calls_schema, open_schema, question_schema
from generator.oracle import oracle_parts
from policies.protocol import Prompt
from policies.protocol import prompt_text as prompt_text

Style = Literal["chat", "plain"]

_TEXTS = {file.stem: file.read_text(encoding="utf-8") for file in sorted(Path(__file__).parent.glob("prompts/*.txt"))}
_FORMAT = 1
"""Counts up when the code here, in `decoding` or in `oracle` asks for something else."""

PROMPT_VERSION = digest([_FORMAT, _TEXTS])[:12]
"""Changes with any word of any prompt: part of cache keys and manifests."""

_SLOT = re.compile(r"\{([a-z_]+)\}")
_NUMBERS = {1: "exactly one call", 2: "exactly two calls"}
_NEXT_EXAMPLE = ("\nCall:", "\nTool:", "\nDomain:")
_DEPENDENT = " The second call takes a value from the result of the first."


def render(brief: Brief, style: Style) -> Prompt:
    """The request for one brief; its oracle is a right completion in the format asked for."""
    return _plain(brief) if style == "plain" else _chat(brief)


def _plain(brief: Brief) -> Prompt:
    question, tools, calls = oracle_parts(brief)
    if brief.mode == "open":
        text, schema = _fill("plain_open", domain=brief.domain.replace("_", " ")), open_schema(brief)
        oracle = json.dumps({"tools": tools, "question": question, "calls": calls})
    elif proposes_all(brief):
        written = zip(brief.targets, brief.arguments, strict=True)
        lines = ", ".join(f"{name} {json.dumps(given, ensure_ascii=False)}" for name, given in written)
        text, schema, oracle = _fill("plain_question", calls=lines), question_schema(brief), json.dumps(question)
    else:
        targets = ", ".join(_signature(brief, place) for place in range(len(brief.targets)))
        text, schema, oracle = (
            _fill("plain_calls", targets=targets),
            calls_schema(brief),
            json.dumps({"calls": calls, "question": question}),
        )
    return Prompt(key=_key(brief), text=text, schema=schema, stop=_NEXT_EXAMPLE, oracle=oracle)


def _chat(brief: Brief) -> Prompt:
    question, tools, calls = oracle_parts(brief)
    common = {"number": _NUMBERS[brief.calls], "dependent": _DEPENDENT if brief.dependent else ""}
    menu = ""
    if brief.mode == "open":
        asked = _fill("chat_open", domain=brief.domain.replace("_", " "), menu_size=str(brief.menu_size), **common)
        menu = f"<available_tools>{json.dumps(tools)}</available_tools>\n"
    else:
        asked = _fill(
            "chat_catalogue",
            tools="\n".join(json.dumps(tool, ensure_ascii=False) for tool in brief.tools),
            targets=", then ".join(brief.targets),
            values=f"If they fit, use these values: {json.dumps(brief.arguments, ensure_ascii=False)}",
            **common,
        )
    oracle = f"<question>{question}</question>\n{menu}<tool_call_answer>{json.dumps(calls)}</tool_call_answer>"
    messages = (Message("system", _TEXTS["chat_system"].strip()), Message("user", asked))
    return Prompt(key=_key(brief), messages=messages, oracle=oracle)


def _key(brief: Brief) -> str:
    return f"brief-{brief.seed}-{brief.index}"


def _signature(brief: Brief, place: int) -> str:
    """`name(parameters)` of a target: those that have a proposed value, and the required ones without."""
    tool = next(tool for tool in brief.tools if tool["name"] == brief.targets[place])
    parameters = tool["parameters"]
    required = parameters.get("required", ()) if isinstance(parameters, Mapping) else ()
    names = {*brief.arguments[place], *(required if isinstance(required, Sequence) else ())}
    return f"{tool['name']}({', '.join(sorted(map(str, names)))})"


def _fill(name: str, **values: str) -> str:
    """The text with its slots filled, once: what a value says in braces stays as it is."""
    return _SLOT.sub(lambda slot: values[slot[1]], _TEXTS[name].rstrip("\n"))
