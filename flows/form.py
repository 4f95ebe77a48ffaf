"""The form that Prefect's UI shows for a run, as far as types and bounds do not say it: order, choices, help.

In: the JSON schema of `RunConfig`. Out: the same with `position`, choices and help for each field. The UI sorts by
position, shows `enum` as a select, and an `anyOf` as a choice between inputs. It checks bounds, not what fields mean
together: the flow checks all of it again.
"""

from __future__ import annotations

from typing import Any

from generator.domains import DOMAINS

RUNNERS = ("threads", "dask", "ray")
ENGINES = ("embedded", "vllm", "scripted")
HELP = {
    "name": "Small letters, digits and hyphens. A run adds the next version to the set of this name.",
    "tasks": "How many tasks the version is to have.",
    "seed": "The same seed and settings ask for the same tasks.",
    "engine": "Empty: the promoted players, at first embedded, the shipped model. vllm: the same by vLLM. scripted: no "
    "model, a dry run. checkpoint:NAME. Or http://host:8000/v1#model, or several servers of one model: URL,URL#model",
    "rounds": "In all: a higher number goes on where the same evolution stopped.",
    "weights": "separate: two lineages. shared: one for both players, which the paper found worse by 17 points.",
    "train": "Off: the players stay, and only the briefs are steered to where tasks are learnable.",
    "difficulty": "Off, the generator is not rewarded for tasks at the solver's frontier: the paper's other ablation.",
    "steps": "Of GRPO, in place of the trainer's max_steps.",
    "margin": "A player is replaced unless the paired test allows that its child is worse by this much.",
    "seeds": "More answers, narrower intervals of the test.",
    "mode": "catalogue: given tools. open: the model writes the tools too. mutate: published tasks are changed.",
    "harness": "How the solver is told to call tools. openai: by its tools interface, which only servers have.",
    "style": "auto: chat for servers, plain examples for small embedded models.",
    "grammar": "It holds plain prompts' answers to their format and values. Off: the generator's own words are judged.",
    "k": "More attempts, narrower intervals of the pass rate.",
    "k_max": "Not below the attempts for each task.",
    "confirm": "0: none. They replace the figures by which a task was selected.",
    "temperature": "0: always its likeliest answer, so that a pass rate is 0 or 1.",
    "mix": "They add up to 1. easy: pass rate above 0.75; hard: below 0.25.",
    "suspects": "Tasks to which half of the attempts give the same answer, another than ours.",
    "store": "A folder on the worker's machine or s3://bucket/prefix. Empty: data/sets of the checkout.",
    "workdir": "On the worker's machine. The same folder resumes an interrupted run. Empty: by settings.",
    "runner": "Threads of the worker, or a cluster, whose processes must all reach the work folder: see docs/scale.md.",
}
"""Help for fields that have none of their own in `RunConfig`."""


def lay_out(schema: dict[str, Any]) -> None:
    """Complete the schema in place."""
    fields = schema["properties"]
    for position, (name, field) in enumerate(fields.items()):
        field["position"] = position
        if "description" not in field and name in HELP:
            field["description"] = HELP[name]
    if "domains" in fields:
        fields["domains"]["items"] = {"type": "string", "enum": list(DOMAINS)}
    for name in ("engine", "generator", "solver"):
        if name in fields:
            _offer(fields[name], ("", *ENGINES), "URL, checkpoint or options")
    if "runner" in fields:
        _offer(fields["runner"], RUNNERS, "With processes or address")


def _offer(field: dict[str, Any], choices: tuple[str, ...], other: str) -> None:
    """Choices beside free text."""
    del field["type"]
    field["anyOf"] = [
        {"type": "string", "title": "Choose", "enum": list(choices)},
        {"type": "string", "title": other},
    ]
