"""A harness: a named prompt, the format its answers come in, and the parser that judges them.

In: a task, and later a completion. Out: a `policies.protocol.Prompt`, and a `verifiers.outcome.Scored`.
`tags` is Tool-R0's format, `json` bare JSON constrained by a schema, `hermes` a `<tool_call>` block for each call,
`openai` the tools interface of an OpenAI-compatible server. Each speaks in two styles: `chat` for instruction-following
models, `plain` for small ones that only continue examples; `openai` has no plain one. The prompts are data,
`prompts/<harness>_<style>.txt`; `PROMPT_VERSION` is their digest.
Not promised: that two harnesses find a task equally hard. Difficulty belongs to (task, solver, harness).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from data.canonical import canonical_json, digest
from data.errors import UsageError
from data.exports.names import legal_names
from data.records import FinishReason, JsonObject, Message, Task
from policies.protocol import Prompt
from solver.decoding import answer_schema
from solver.signatures import signature
from verifiers.answer import JsonFault, parse_json, read_calls
from verifiers.outcome import Scored, score_task

HarnessName = Literal["tags", "json", "hermes", "openai"]
Style = Literal["chat", "plain"]
HARNESSES: tuple[HarnessName, ...] = get_args(HarnessName)
STYLES: tuple[Style, ...] = get_args(Style)

_TEMPLATES = {
    file.stem: file.read_text(encoding="utf-8") for file in sorted(Path(__file__).parent.glob("prompts/*.txt"))
}
WAYS: tuple[tuple[HarnessName, Style], ...] = tuple(
    (name, style) for name in HARNESSES for style in STYLES if f"{name}_{style}" in _TEMPLATES
)
"""Every harness in every style it speaks."""
_FORMAT = 2
"""Counts up when the code here or in `signatures` fills the slots in another way."""

PROMPT_VERSION = digest([_FORMAT, _TEMPLATES])[:12]
"""Changes with any word of any prompt: part of cache keys and manifests."""

ANSWER_TOKENS: dict[Style, int] = {"chat": 1024, "plain": 64}
"""Tokens that an answer may take unless a run says otherwise: thoughts and calls, or a call or three alone."""

_SLOT = re.compile(r"\{(tools|conversation)\}")
_CONTROL = re.compile(r"<(?=[|\uff5c])")
_LABELS = {"system": "Context", "user": "User", "assistant": "Assistant", "tool": "Result"}
_NEXT_EXAMPLE = "\nTools:"
_CUT = frozenset({"no_answer", "malformed"})
"""What an answer that ran into the token limit looks like to a parser."""
_SILENT = frozenset({"hermes", "openai"})
"""Formats in which no call is said by making none, as an answer that was cut before its first call does, too."""
_NO_CALL = "None of the tools fits."


@dataclass(frozen=True, slots=True)
class Harness:
    """One answer format in one style. Made by `harness`, which knows what exists."""

    name: HarnessName
    style: Style

    def prompt(self, task: Task, *, key: str = "") -> Prompt:
        """The request for one task. `key` defaults to the task's id; the oracle is the gold in this format."""
        key = key or task.task_id
        schema = answer_schema(task.tools) if self.name == "json" else None
        template, oracle = _TEMPLATES[f"{self.name}_{self.style}"], self._oracle(task)
        if self.style == "plain":
            tools = "\n".join(signature(tool) for tool in task.tools)
            text = _fill(template, {"tools": tools, "conversation": _transcript(task.messages)})
            # The schema alone may end a constrained answer: no stop text is found inside JSON white space.
            return Prompt(key, text=text.rstrip("\n"), schema=schema, stop=(_NEXT_EXAMPLE,), oracle=oracle)
        shown = "\n".join(map(canonical_json, task.tools)) if self.name == "hermes" else canonical_json(task.tools)
        messages = _chat(_fill(template, {"tools": shown}), task.messages)
        functions = _functions(task) if self.name == "openai" else ()
        return Prompt(key, messages=messages, schema=schema, oracle=oracle, tools=functions)

    def _oracle(self, task: Task) -> str:
        """The gold as a right completion."""
        match self.name:
            case "tags":
                return f"<tool_call_answer>{canonical_json(task.calls)}</tool_call_answer>"
            case "hermes":
                blocks = [f"<tool_call>{canonical_json(call)}</tool_call>" for call in task.calls]
                return "\n".join(blocks) or _NO_CALL
            case "openai":
                legal = _legal(task)
                return canonical_json([{**call, "name": legal[str(call["name"])]} for call in task.calls])
        return canonical_json(task.calls)

    def score(self, task: Task, text: str, finish_reason: FinishReason = "stop") -> Scored:
        """The judgement of one completion (RULES A). An answer cut off by the token limit is `truncated`."""
        scored = score_task(
            task.tools,
            task.calls,
            _in_our_names(task, text) if self.name == "openai" else text,
            task.accept,
            task.may_omit,
            self.name,
            world=task.world,
            implementations=task.implementations,
            outcome=task.outcome,
        )
        judged = scored.judged
        silent = self.name in _SILENT and judged.calls == []
        if finish_reason == "length" and (judged.outcome in _CUT or silent):
            judged = judged._replace(outcome="truncated", reward=0.0, detail="the answer ran into the token limit")
        return scored._replace(judged=judged)


def harness(name: str, style: str) -> Harness:
    """The harness of that name and style; `UsageError` when there is none."""
    for known, way in WAYS:
        if (known, way) == (name, style):
            return Harness(known, way)
    raise UsageError(
        f"there is no harness {name!r} in style {style!r}",
        hint=f"there are {', '.join(f'{known} ({way})' for known, way in WAYS)}",
    )


def _legal(task: Task) -> dict[str, str]:
    return legal_names([str(tool["name"]) for tool in task.tools])


def _functions(task: Task) -> tuple[JsonObject, ...]:
    """The menu in OpenAI's shape, under names that its interface takes; text as harmless as in a prompt."""
    legal = _legal(task)
    return tuple(
        {"type": "function", "function": {**_harmless(tool), "name": legal[str(tool["name"])]}} for tool in task.tools
    )


def _harmless(tool: JsonObject) -> JsonObject:
    harmless: JsonObject = json.loads(_inert(canonical_json(tool)))
    return harmless


def _in_our_names(task: Task, text: str) -> str:
    """An endpoint's calls under the menu's own names. What is no list of calls stays for the parser to judge."""
    try:
        calls = read_calls(parse_json(text))
    except JsonFault:
        return text
    ours = {legal: name for name, legal in _legal(task).items()}
    return json.dumps([{**call, "name": ours.get(call["name"], call["name"])} for call in calls])


def _fill(template: str, values: Mapping[str, str]) -> str:
    """The template with its slots filled in one pass: what stands in a value is never taken for a slot."""
    return _SLOT.sub(lambda slot: _inert(values.get(slot[1], slot[0])), template)


def _inert(text: str) -> str:
    """The text of a task without what chat templates write between turns (`<|im_end|>`), which engines would obey."""
    return _CONTROL.sub("< ", text)


def _transcript(messages: tuple[Message, ...]) -> str:
    """The conversation, one labelled turn a line; the last user turn is the request.

    Further lines of a turn are indented, so that no text of a task begins a line as our labels do.
    """
    last = max((i for i, message in enumerate(messages) if message.role == "user"), default=-1)
    labels = ["Request" if i == last else _LABELS[message.role] for i, message in enumerate(messages)]
    texts = ["\n    ".join(message.content.splitlines()) for message in messages]
    return "\n".join(f"{label}: {text}" for label, text in zip(labels, texts, strict=True))


def _chat(system: str, messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """One system turn, ours with the task's own below; tool results as user turns, for they lack call ids."""
    own = [_inert(message.content) for message in messages if message.role == "system"]
    turns = [
        Message("user", f"Result of a tool: {_inert(message.content)}")
        if message.role == "tool"
        else Message(message.role, _inert(message.content))
        for message in messages
        if message.role != "system"
    ]
    return (Message("system", "\n\n".join([system.rstrip("\n"), *own])), *turns)
