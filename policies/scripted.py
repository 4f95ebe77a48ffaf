"""A stand-in for a model: deterministic, right as often as it is told to be, wrong in every way.

In: prompts with an `oracle`. Out: the oracle or a corruption of it, as a function of run seed, prompt and sample index
alone. How often it is right depends on the prompt (a hidden ability with a spread-out distribution), so that measured
pass rates cover 0 to 1. For dry runs, tests and benchmarks: nothing about it says anything about a real model.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import pi, sin
from random import Random

from data.errors import UsageError
from data.records import FinishReason
from policies.corruptions import corrupt
from policies.engine import Engine, Keep, failed
from policies.protocol import Completion, Prompt, SamplingParams, completion_seed, prompt_text

STOP: FinishReason = "stop"
VERSION = 1
"""Counts up when the same seed begins to give other completions."""


@dataclass(frozen=True, slots=True)
class Options:
    """`latency` in seconds for each request, `faults` as the share of samples that fail, `ability` if it is fixed."""

    latency: float = 0.0
    faults: float = 0.0
    ability: float | None = None

    @classmethod
    def parse(cls, text: str) -> Options:
        """Read `latency=0.01,faults=0.02,ability=0.6`. Raises `UsageError`."""
        known = {field.name for field in fields(cls)}
        values: dict[str, float] = {}
        for part in filter(None, text.split(",")):
            name, _, number = part.partition("=")
            try:
                if name not in known:
                    raise ValueError
                values[name] = float(number)
                if not 0 <= values[name] <= (60 if name == "latency" else 1):
                    raise ValueError
            except ValueError:
                raise UsageError(
                    f"scripted:{text} has {part!r}, which is no option with its number",
                    hint="there are latency (0 to 60 s), faults and ability (0 to 1): scripted:latency=0.1,faults=0.2",
                ) from None
        return cls(**values)


class ScriptedPolicy(Engine):
    """One player played by the script."""

    def __init__(self, role: str, options: str = "") -> None:
        self._options = Options.parse(options)
        self._name = f"scripted:{options}" if options else "scripted"
        self._digest = "sha256:" + hashlib.sha256(f"{VERSION} {role} {self._options}".encode()).hexdigest()

    @property
    def name(self) -> str:
        return self._name

    @property
    def digest(self) -> str:
        return self._digest

    async def draw(self, prompt: Prompt, indices: Sequence[int], params: SamplingParams, keep: Keep) -> None:
        if self._options.latency:
            await asyncio.sleep(self._options.latency)
        asked = prompt_text(prompt)
        ability = self._options.ability
        if ability is None:
            ability = _hidden_ability(f"{self._digest}:{asked}")
        words = len(asked.split())
        for index in indices:
            random = Random(f"{params.seed}:{prompt.key}:{index}")
            seed = completion_seed(params, prompt, index)
            if random.random() < self._options.faults:
                keep(failed(index, seed, "scripted fault"))
                continue
            right = prompt.oracle or ""
            if random.random() < ability:
                text, reason = right, STOP
            else:
                text, reason = corrupt(right, random.random())
            keep(Completion(text, index, seed, words, len(text.split()), reason))


def _hidden_ability(text: str) -> float:
    """A share in [0, 1] that depends on `text` alone, arcsine-distributed: many near 0 and 1, some everywhere."""
    uniform = int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest()[:8], "big") / 2**64
    return sin(pi / 2 * uniform) ** 2
