"""A generator's raw completion read into a draft (RULES F).

In: the text a model wrote, and the prompt it was sent, where there is one. Out: a `Draft`, or the `Verdict` (check
`format`) of the first rule it breaks. Never raises on any text.
Not promised: that the draft's tools and calls mean anything; they are JSON, as the model wrote them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from data.records import Draft, Json, Message, Verdict
from verifiers.answer import MAX_BYTES, JsonFault, check_unicode, cut_thoughts, find_blocks, parse_json, unfence

BLOCKS = ("question", "available_tools", "tool_call_answer")
ECHO_WORDS = 8
"""So many consecutive words of the prompt make a question an echo (F4)."""

# What prompts after Tool-R0 ask for, in our words; a question that repeats it was not written but copied.
INSTRUCTIONS = """
You are an expert at creating realistic tool calling tasks for training language models.
Your job is to invent one user question together with the tools that are needed to answer it.
Write a realistic user question that can be answered by calling the available tools.
The question must contain every value that the tool call needs, stated explicitly by the user.
Every argument value in the answer must appear in the question exactly as the user wrote it.
Design a menu of available tools in which each tool has a name, a description and parameters.
The list of tools must be a valid JSON array and every tool must have a unique name.
Output exactly four blocks in this order: think, question, available tools, tool call answer.
Write your step by step reasoning about the task inside the think tags before anything else.
Write the natural language user request here, inside the question tags, and nothing else.
Write a JSON list of tool calls, each with a name and arguments, inside the tool call answer tags.
Do not use placeholders, do not copy the examples, and do not add any text outside the tags.
Use only tools that are in the menu and give every required parameter of each tool.
Generate a single turn task that requires exactly one tool call from the menu of tools.
"""

_WORD = re.compile(r"\w+")
_BRACKETS = {"<": ">", "[": "]", "{": "}"}


def read_completion(text: str, prompt: str | None = None) -> Draft | Verdict:
    """Parse a completion with Tool-R0's tags (RULES F1-F4, J). `prompt`: what was sent, whole."""
    text = cut_thoughts(text)
    found = {tag: find_blocks(text, tag) for tag in BLOCKS}
    for tag, (_, cut) in found.items():
        if cut:
            return Verdict("format", "truncated", f"<{tag}> has no end")
    for tag, (blocks, _) in found.items():
        if len(blocks) > 1:
            return Verdict("format", "duplicate_block", f"<{tag}> stands {len(blocks)} times")
    for tag, (blocks, _) in found.items():
        if not blocks:
            return Verdict("format", "missing_block", f"no <{tag}> outside the thoughts")
    question, tools, calls = (unfence(found[tag][0][0]) for tag in BLOCKS)
    if fault := check_text(question):
        return fault
    values: list[Json] = []
    for tag, block in zip(BLOCKS[1:], (tools, calls), strict=True):
        try:
            values.append(parse_json(block))
        except JsonFault as error:
            return Verdict("format", error.code, f"<{tag}>: {error.detail}")
    return check_question(question, prompt) or Draft((Message("user", question),), *values)


def check_text(text: str) -> Verdict | None:
    """RULES J3 and J4 for a text that is not JSON, such as a question."""
    if text.isascii() and len(text) <= MAX_BYTES and "\0" not in text:
        return None
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return Verdict("format", "too_large", "a text of more than 1 MiB")
    try:
        check_unicode(text)
    except JsonFault as fault:
        return Verdict("format", fault.code, fault.detail)
    return None


def check_question(question: str, prompt: str | None = None) -> Verdict | None:
    """RULES F4: a question that is empty, a placeholder, or copied from the prompt that was sent."""
    question = question.strip()
    if not question[:1].isalnum() and all(unicodedata.category(letter)[0] in "ZC" for letter in question):
        return Verdict("format", "empty_question", "the question says nothing")
    if _is_bracketed(question):
        return Verdict("format", "placeholder", f"the question stands wholly in brackets: {question[:80]}")
    if echo := _echo(question, INSTRUCTIONS if prompt is None else prompt):
        return Verdict("format", "placeholder", f"the question repeats the prompt: {' '.join(echo)[:200]}")
    return None


def _is_bracketed(text: str) -> bool:
    """Whether the bracket that opens the text closes at its very end."""
    closing = _BRACKETS.get(text[0])
    if closing is None or text[-1] != closing:
        return False
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == text[0]) - (letter == closing)
        if depth == 0:
            return place == len(text) - 1
    return True


def _echo(question: str, prompt: str) -> tuple[str, ...] | None:
    """The first eight consecutive words of the question that stand so in the prompt."""
    words, (pairs, runs) = _words(question), _runs_of(prompt)
    # Every seventh pair of neighbours: one of them lies in any run of eight words.
    if pairs.isdisjoint(zip(words[:: ECHO_WORDS - 1], words[1 :: ECHO_WORDS - 1], strict=False)):
        return None
    return next((run for run in _runs(words) if run in runs), None)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(ECHO_WORDS)), strict=False)


@lru_cache(maxsize=64)
def _runs_of(prompt: str) -> tuple[frozenset[tuple[str, str]], frozenset[tuple[str, ...]]]:
    """The pairs of neighbours and the runs of eight in a prompt."""
    words = _words(prompt)
    return frozenset(pairwise(words)), frozenset(_runs(words))
