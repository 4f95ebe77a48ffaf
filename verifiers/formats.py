"""Answer formats beside those of `verifiers.answer`, read into calls before its equality sees them (RULES A1).

In: a completion and the name of a harness. Out: the `Judgement` of `verifiers.answer.score`. `hermes`: one call in each
`<tool_call>` block, any number of blocks; a reply without a block makes no call. `openai`: the calls that an endpoint
returned, as a JSON list. These formats say "no call" by making none, so no answer at all is an empty completion.
Not promised: a reward for trainers; `reward.py` is built from `verifiers.answer` alone and reads its two formats.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from verifiers.answer import (
    AnswerFault,
    JsonFault,
    Judgement,
    cut_thoughts,
    find_blocks,
    parse_json,
    read_calls,
    score,
    unfence,
)

TRAINABLE = ("tags", "json")
"""Formats that `verifiers.answer`, and so an exported `reward.py`, reads by itself."""
FORMATS = (*TRAINABLE, "hermes", "openai")
_TAG = "tool_call"


def score_answer(
    tools: Sequence[Any], gold: Any, completion: str, accept: Any = None, may_omit: Any = None, harness: str = "tags"
) -> Judgement:
    """Judge a completion of any of `FORMATS`. Never raises, like `verifiers.answer.score`."""
    if harness == "hermes":
        try:
            calls = read_hermes(completion)
        except AnswerFault as fault:
            return Judgement(False, fault.code, 0.0, fault.detail)
        return score(tools, gold, json.dumps(calls), accept, may_omit, "json")
    return score(tools, gold, completion, accept, may_omit, "json" if harness == "openai" else harness)


def read_hermes(completion: str) -> list[dict[str, Any]]:
    """The calls of a completion in Hermes' format, in the order of their blocks; raises `AnswerFault`."""
    text = cut_thoughts(completion)
    blocks, cut = find_blocks(text, _TAG)
    if cut:
        raise AnswerFault("truncated", f"a <{_TAG}> block without its end")
    if not text.strip():
        raise AnswerFault("no_answer", "nothing outside the thoughts")
    try:
        return [call for block in blocks for call in read_calls(parse_json(unfence(block)))]
    except JsonFault as fault:
        raise AnswerFault("malformed", str(fault)) from None
