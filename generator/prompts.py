"""Briefs as requests to the generator.

In: a brief and a style. Out: a `policies.protocol.Prompt`. The texts are data, `prompts/<style>_<name>.txt`;
`PROMPT_VERSION` is their digest together with this format's.
`plain` is for small models that continue examples: JSON under a schema (`generator.decoding`). `chat` is for models
that follow instructions: Tool-R0's tags (RULES F).

Who decides what in catalogue mode: the brief chooses the tools to call and proposes arguments as far as the catalogue
knows plausible values. In `plain`, proposed calls are given and the model writes the question, or the turns of the
person, held to name every value; where a required value has no proposal, it writes calls and question. In `chat` it
writes both, and proposals are suggestions unless the calls are fixed. In open mode all is the model's. A published task
that needs no words to be changed asks nothing: its prompt is empty and is not sent. Not promised: that an engine
honours a schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from data.canonical import digest
from data.records import Brief, Json, JsonObject, Message
from generator.briefs import proposes_all
from generator.decoding import calls_schema, open_schema, question_schema, turns_schema
from generator.kinds import WORDLESS
from generator.oracle import leaves, oracle_parts
from generator.values import required_names
from policies.protocol import Prompt, prompt_text
from verifiers.completion import ECHO_WORDS

Style = Literal["chat", "plain"]

_TEXTS = {file.stem: file.read_text(encoding="utf-8") for file in sorted(Path(__file__).parent.glob("prompts/*.txt"))}
_FORMAT = 2
"""Counts up when the code here, in `decoding` or in `oracle` asks for something else."""

PROMPT_VERSION = digest([_FORMAT, _TEXTS])[:12]
"""Changes with any word of any prompt: part of cache keys and manifests."""

_SLOT = re.compile(r"\{([a-z_]+)\}")
_NUMBERS = {1: "exactly one call", 2: "exactly two calls", 3: "exactly three calls", 4: "exactly four calls"}
_NEXT_EXAMPLE = ("\nCall:", "\nTool:", "\nDomain:")
_COULD_ECHO = 2 * ECHO_WORDS - 1
"""Letters that so many words have at least, with what stands between them."""
_REPLY = "\nAssistant: I see, go on.\nUser: "


def asks_nothing(brief: Brief) -> bool:
    """Whether the draft of a brief stands already."""
    return brief.mode == "evolve" and brief.kind in WORDLESS


def render(brief: Brief, style: Style) -> Prompt:
    """The request for one brief; its oracle is a right completion in the format asked for."""
    if asks_nothing(brief):
        return Prompt(key=_key(brief), text="", oracle="")
    return _plain(brief) if style == "plain" else _chat(brief)


def instructions(brief: Brief, prompt: Prompt) -> str:
    """What the prompt says but for the values that it asks to be said, however long: to repeat them is no echo (F4)."""
    text = prompt_text(prompt)
    for value in (one for one in leaves([*brief.arguments, *brief.said]) if len(one) >= _COULD_ECHO):
        text = text.replace(value, " ").replace(_json(value)[1:-1], " ").replace(json.dumps(value)[1:-1], " ")
    return text


def _plain(brief: Brief) -> Prompt:
    turns, tools, calls = oracle_parts(brief)
    said: Json = turns if brief.turns > 1 else turns[0]
    if brief.mode == "open":
        text, schema = _fill("plain_open", domain=brief.domain.replace("_", " ")), open_schema(brief)
        oracle = json.dumps({"tools": tools, "question": said, "calls": calls})
    elif brief.said:
        lines = " ".join([*brief.targets, *(f"{place} {_json(given)}" for place, given in enumerate(brief.said, 1))])
        text = _fill("plain_turns", calls=lines, about=_about(brief, brief.targets))
        schema, oracle = turns_schema(brief), json.dumps(turns)
    elif brief.mode == "evolve" or proposes_all(brief):
        asked = slice(-1, None) if brief.kind == "further" else slice(None)
        written = list(zip(brief.targets, brief.arguments, strict=True))[asked]
        lines = ", ".join(f"{name} {_json(given)}" for name, given in written)
        form = "plain_indirect" if brief.kind == "indirect" else "plain_question"
        text = _fill(form, calls=lines, about=_about(brief, [name for name, _ in written]))
        schema, oracle = question_schema(brief.arguments[asked]), json.dumps(turns[0])
    else:
        targets = ", ".join(_signature(brief, place) for place in range(len(brief.targets)))
        text, schema, oracle = (
            _fill("plain_calls", targets=targets),
            calls_schema(brief),
            json.dumps({"calls": calls, "question": said}),
        )
    return Prompt(key=_key(brief), text=text, schema=schema, stop=_NEXT_EXAMPLE, oracle=oracle)


def _chat(brief: Brief) -> Prompt:
    turns, tools, calls = oracle_parts(brief)
    menu = f"<available_tools>{json.dumps(tools)}</available_tools>\n" if brief.mode == "open" else ""
    question = turns[0] if len(turns) == 1 else f"User: {_REPLY.join(turns)}"
    oracle = f"<question>{question}</question>\n{menu}<tool_call_answer>{json.dumps(calls)}</tool_call_answer>"
    messages = (Message("system", _TEXTS["chat_system"].strip()), Message("user", _asked(brief, calls)))
    return Prompt(key=_key(brief), messages=messages, oracle=oracle)


def _asked(brief: Brief, calls: Sequence[Json]) -> str:
    """What a chat model is asked for."""
    menu = "\n".join(_json(tool) for tool in brief.tools)
    if brief.kind == "further":
        return _fill("chat_further", tools=menu, before=_json(calls[:-1]), added=_json(calls[-1]))
    if brief.kind == "indirect":
        return _fill("chat_indirect", tools=menu, question=_question(brief), calls=_json(calls))
    common = {"number": _NUMBERS[brief.calls], "dependent": _dependent(brief), "turns": _turns(brief)}
    if brief.mode == "open":
        return _fill("chat_open", domain=brief.domain.replace("_", " "), menu_size=str(brief.menu_size), **common)
    values = f"If they fit, use these values: {_json(brief.arguments)}"
    if "calls" in brief.fixed:
        values = f"The calls are these, with these values: {_json(calls)}"
    return _fill("chat_catalogue", tools=menu, targets=", then ".join(brief.targets), values=values, **common)


def _dependent(brief: Brief) -> str:
    if brief.kind != "dependent":
        return ""
    if brief.calls == 2:
        return " The second call takes a value from the result of the first."
    return " Each later call takes a value from the result of the call before it."


def _turns(brief: Brief) -> str:
    """How a conversation goes, or nothing."""
    if brief.turns == 1:
        return ""
    plan = [
        f"Turn {place} of the person gives {_json(given) if given else 'no value yet'}."
        for place, given in enumerate(brief.said, 1)
    ]
    first: JsonObject = brief.said[0] if brief.said else {}
    last: JsonObject = brief.said[-1] if brief.said else {}
    if again := sorted(first.keys() & last.keys()):
        plan.append(f"The last turn takes back what the first said of {', '.join(again)}: the later value counts.")
    if brief.kind == "unsaid":
        left = f"the value of {', '.join(last)}" if last else "a value that a call requires"
        plan.append(f"Before the last turn {left} is said in no way, and the assistant asks for it.")
    elif not plan:
        plan.append("Each turn gives values that the call needs.")
    return _fill("chat_turns", count=str(brief.turns), plan=" ".join(plan))


def _question(brief: Brief) -> str:
    """The request of the published task."""
    messages = brief.fixed["messages"]
    listed = [turn for turn in messages if isinstance(turn, Mapping)] if isinstance(messages, (list, tuple)) else []
    return next(str(turn["content"]) for turn in listed if turn["role"] == "user")


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _key(brief: Brief) -> str:
    return f"brief-{brief.seed}-{brief.index}"


def _about(brief: Brief, names: Sequence[str]) -> str:
    """What the tools of these calls do, in their own words on one line: without it a small model guesses from names.

    Turns and hints are told; plain questions are not, since a 135M solver then fails half of them (DECISIONS).
    """
    told = {str(tool["name"]): str(tool.get("description") or tool["name"]) for tool in brief.tools}
    return " ".join(" ".join(told[name] for name in dict.fromkeys(names)).split())


def _signature(brief: Brief, place: int) -> str:
    """`name(parameters)` of a target: those that have a proposed value, and the required ones without."""
    tool = next(tool for tool in brief.tools if tool["name"] == brief.targets[place])
    parameters = tool["parameters"]
    required = required_names(parameters) if isinstance(parameters, Mapping) else ()
    return f"{tool['name']}({', '.join(sorted({*brief.arguments[place], *required}))})"


def _fill(name: str, **values: str) -> str:
    """The text with its slots filled, once: what a value says in braces stays as it is."""
    return _SLOT.sub(lambda slot: values[slot[1]], _TEXTS[name].rstrip("\n"))
