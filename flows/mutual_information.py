"""Does the generator answer its prompts, or say the same to all? The proxy of RAGEN-2 from log-probabilities.

In: a version's proven candidates and the generator that wrote them. Out: with l(i, j) the mean log-probability a token
of completion i under prompt j, over the same number of prompts each time

    mutual_information = mean over i of  l(i, i) - log(mean over j of exp l(i, j))     nats a token, 0 to log(pairs)
    entropy            = mean over i of -l(i, i)                                        nats a token

An entropy that stays while the information falls is template collapse: other words, whatever was asked. Both are
measured only where the engine tells log-probabilities of given text, which is our own vLLM server; elsewhere the reason
stands in place of a number. Source: RAGEN-2 (mutual information between input and reasoning, from in-batch scoring).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import islice
from math import exp, log
from statistics import fmean

from data.errors import PolicyError
from data.parquet import read_tables
from data.replay import FILE
from data.rows import brief_from_json, raw_text
from data.version import Version
from generator.prompts import Style, render
from policies.connect import engine_kind
from policies.likelihood import likelihoods
from policies.players import Player
from policies.protocol import Prompt, prompt_text

PAIRS = 8
"""Prompts, each with its completion: so many squared are read. Fewer than `LEAST` tell nothing."""
LEAST = 4
_COLUMNS = ("brief_json", "task_id", "completion")


def information(version: Version, generator: Player, style: Style) -> tuple[dict[str, float], str]:
    """The two figures, or none of them and why."""
    if engine_kind(generator.engine) != "vllm":
        return {}, f"{engine_kind(generator.engine)} tells no log-probabilities of given text"
    pairs = list(islice(_pairs(version, style), PAIRS))
    if len(pairs) < LEAST:
        return {}, f"{len(pairs)} proven candidates were written by the generator, and it takes {LEAST}"
    prompts, texts = [prompt for prompt, _ in pairs], [text for _, text in pairs]
    try:
        matrix = asyncio.run(likelihoods(generator.engine.partition(":")[2], prompts, texts))
    except PolicyError as fault:  # A figure beside others: no reason to end a round.
        return {}, fault.message
    return measured(matrix), ""


def measured(matrix: Sequence[Sequence[float]]) -> dict[str, float]:
    """The figures of a matrix: completions in rows, prompts in columns, each completion's own on the diagonal."""
    own = [row[place] for place, row in enumerate(matrix)]
    all_of = [log(fmean(map(exp, row))) for row in matrix]
    return {
        "mutual_information": fmean(mine - whole for mine, whole in zip(own, all_of, strict=True)),
        "entropy": -fmean(own),
    }


def _pairs(version: Version, style: Style) -> Iterator[tuple[Prompt, str]]:
    """Prompts and what was written to them, in the order of the briefs, each prompt once."""
    seen = set()
    for table in read_tables(version.storage, FILE, _COLUMNS):
        for row in table.to_pylist():
            brief = brief_from_json(row["brief_json"])
            text = raw_text(row["completion"])
            prompt = render(brief, style)
            asked = prompt_text(prompt)
            if row["task_id"] is not None and text.strip() and asked and asked not in seen:
                seen.add(asked)
                yield prompt, text
