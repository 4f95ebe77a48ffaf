"""The managed vLLM engine: seconds to start, tokens a second, and what bursts gain over one request after the other.

`python -m benchmarks.vllm_speed [--engine vllm] [--prompts 16]` needs `make engine`. In: nothing. Out: one JSON object.
Each prompt gets 8 samples of 64 tokens at most. The burst sends all at once; the sequential way asks the same server
for one sample after the other, of an eighth of them, and is scaled up: its `gain` is a ratio within one run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time

from policies.managed import VllmPolicy
from policies.protocol import Completion, Prompt, SamplingParams

SAMPLES = 8
PARAMS = SamplingParams(temperature=0.8, max_tokens=64, seed=1)
BEGIN = "".join(
    f'Call: set_lamp {{"room": "room {n}", "percent": {n}}}\nRequest: Dim room {n} to {n}.\n' for n in range(9)
)


async def measure(engine: str, prompts: int) -> dict[str, float]:
    """Figures of one engine, started for it and ended after it."""
    policy = VllmPolicy(engine.partition(":")[2])
    try:
        begin = time.monotonic()
        await policy.check()
        start = time.monotonic() - begin
        asked = [Prompt(f"{n}", text=f'{BEGIN}Call: set_lamp {{"room": "hall {n}"}}\n') for n in range(prompts)]
        await policy.sample([Prompt("warm", text=BEGIN)], SAMPLES, PARAMS)
        single = await _timed(policy, asked[:1], SAMPLES)
        burst = await _timed(policy, asked, SAMPLES)
        begin = time.monotonic()
        few = max(1, prompts // SAMPLES)
        for prompt in asked[:few]:
            for index in range(SAMPLES):
                await policy.sample([prompt], 1, PARAMS, first_index=index)
        sequential = (time.monotonic() - begin) * prompts / few
    finally:
        await policy.close()
    return {
        "start_s": round(start, 1),
        "one_prompt_8_samples_tokens_per_s": round(single[1] / single[0], 1),
        "burst_rollouts": prompts * SAMPLES,
        "burst_s": round(burst[0], 1),
        "burst_tokens_per_s": round(burst[1] / burst[0], 1),
        "gain_over_one_by_one": round(sequential / burst[0], 1),
        "load_average": round(os.getloadavg()[0], 1),
        "cores": len(os.sched_getaffinity(0)),
    }


async def _timed(policy: VllmPolicy, prompts: list[Prompt], n: int) -> tuple[float, int]:
    """Seconds and completion tokens."""
    begin = time.monotonic()
    answers: list[list[Completion]] = await policy.sample(prompts, n, PARAMS)
    return time.monotonic() - begin, sum(one.completion_tokens for answer in answers for one in answer)


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--engine", default="vllm")
    parser.add_argument("--prompts", type=int, default=16)
    given = parser.parse_args()
    print(json.dumps(asyncio.run(measure(given.engine, given.prompts))))


if __name__ == "__main__":
    main()
