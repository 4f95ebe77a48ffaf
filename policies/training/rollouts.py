"""Where TRL's completions come from: the partner draws them from a vLLM server and judges them in the same breath.

In: TRL's prompts of one step (each as often as it has completions). Out: for TRL, token ids and the parts of every
completion's reward as extra columns, which `reward_functions` hand back. The adapter is saved and loaded into the
server before each step. Groups that agree have no gradient: the partner draws them anew from other prompts
(`refills`), so a batch may hold other prompts than TRL chose; its logged prompt texts are then those it chose.
Figures of ours in the log: `groups/variance` (of the weighted reward, mean over groups), `groups/dead` (share without
variance as first drawn), `groups/refilled`, `groups/dead_kept` (TRL's own count, `frac_reward_zero_std`, misses some by
rounding), `rollout/truncated` (TRL's `completions/clipped_ratio` takes every end at a stop text for one),
`rollout/seconds`, and the partner's own.
Not promised: several trainer processes; a correction for how vLLM's probabilities differ from torch's, which TRL makes
for its own two vLLM modes alone.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from policies.training import model as player
from policies.training.faults import TrainingFault
from policies.training.job import PARTS, PROMPTS, ROLLOUT, TrainingJob, read_lines
from policies.training.partner import Partner

Prompt = str | list[dict[str, str]]


class Rollouts:
    """TRL's `rollout_func` of one job."""

    def __init__(self, job: TrainingJob, partner: Partner, refills: int) -> None:
        self.prompts: list[Prompt] = [row["prompt"] for row in read_lines(Path(job.data) / PROMPTS)]
        self.figures: dict[str, float] = {}
        self._rows = {json.dumps(prompt): row for row, prompt in enumerate(self.prompts)}
        self._job, self._partner, self._refills = job, partner, refills
        shutil.rmtree(job.folder / ROLLOUT, ignore_errors=True)

    def __call__(self, prompts: Sequence[Prompt], trainer: Any) -> dict[str, Any]:
        """One step's completions."""
        begin = time.monotonic()
        args, step = trainer.args, trainer.state.global_step
        answer = self._partner.ask(
            {
                "adapter": str(self._adapter(trainer, step)),
                "rows": [self._rows[json.dumps(prompt)] for prompt in prompts[:: args.num_generations]],
                "step": step,
                "samples": args.num_generations,
                "weights": trainer.reward_weights.tolist(),
                "refills": self._refills,
                "sampling": {
                    "temperature": args.temperature,
                    "top_p": args.top_p,
                    "top_k": args.top_k,
                    "min_p": args.min_p or 0.0,
                    "repetition_penalty": args.repetition_penalty,
                    "max_tokens": args.max_completion_length,
                },
            }
        )
        self.figures = {**answer["figures"], "rollout/seconds": time.monotonic() - begin}
        drawn = [(group["prompt_ids"], one) for group in answer["groups"] for one in group["samples"]]
        columns = {name: [one["parts"][name] for _, one in drawn] for name in PARTS[self._job.slot]}
        return {
            "prompt_ids": [ids for ids, _ in drawn],
            "completion_ids": [one["ids"] for _, one in drawn],
            "logprobs": None,
            **columns,
        }

    def _adapter(self, trainer: Any, step: int) -> Path:
        """The weights of this step under a name of their own; those of the step before are removed."""
        folder: Path = self._job.folder / ROLLOUT / f"step-{step:06}"
        folder.parent.mkdir(parents=True, exist_ok=True)
        for older in folder.parent.iterdir():
            shutil.rmtree(older)
        player.save(trainer.accelerator.unwrap_model(trainer.model), folder, self._job.base)
        return folder


def reward_functions(slot: str, rollouts: Rollouts) -> list[Callable[..., list[float]]]:
    """One for each part of the reward, by its name; the first also tells the figures of the step."""

    def named(part: str, *, tells: bool) -> Callable[..., list[float]]:
        def reward(*, log_metric: Callable[[str, float], None], **columns: Any) -> list[float]:
            if tells:
                for name, value in rollouts.figures.items():
                    log_metric(name, value)
            given: list[float] = columns[part]
            return given

        reward.__name__ = part
        return reward

    return [named(part, tells=place == 0) for place, part in enumerate(PARTS[slot])]


def check_enough(rollouts: Rollouts, args: Any) -> None:
    """Raise `TrainingFault("data", ...)` if the prompts do not fill one step."""
    needed = args.generation_batch_size // args.num_generations
    if len(rollouts.prompts) < needed:
        raise TrainingFault("data", f"a step takes {needed} prompts and the data has {len(rollouts.prompts)}")
