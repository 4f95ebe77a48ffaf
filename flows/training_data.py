"""What a training is given: prompts with what their completions are judged by, and the player's own successes.

In: published versions, or briefs. Out: a folder (`policies.training.job`) with `prompts.jsonl` (one prompt a line, as
the harness or the generator's prompts ask it, so that training and measuring agree), `warm.jsonl` (prompts with
completions that were verified, for the warm start) and `about.json`: where it came from, what was left out and why.
Completions in training are free of the schema that holds a small model's measured answers: a gradient through tokens
that a grammar forced would teach what the model never chose. Whether an answer is right is judged alike.
Raises `PolicyError` for a version that does not verify, and for data without a prompt. Knows no Prefect.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

from data.errors import PolicyError, UsageError
from data.parquet import read_tables
from data.records import Brief, Task
from data.replay import FILE
from data.rows import attempt_from_row, brief_from_json, brief_json, raw_text, task_from_row
from data.verification import verify_version
from data.version import Version
from generator.prompts import PROMPT_VERSION as GENERATOR_PROMPTS
from generator.prompts import Style as GeneratorStyle
from generator.prompts import asks_nothing, render
from policies.protocol import Prompt
from policies.training.job import ABOUT, PROMPTS, WARM, write_json
from solver.harness import PROMPT_VERSION as SOLVER_PROMPTS
from solver.harness import Harness, harness
from solver.rollouts import Settings

_GOLD = ("accept", "may_omit", "world", "implementations")
_SUCCESS = ("task_id", "brief_json", "completion", "difficulty")


def prepare_solver_data(folder: Path, version: Version, *, style: str, name: str = "", split: str = "train") -> Path:
    """A solver's data: the tasks of a split whose measured answers got different rewards, in a harness and a style.

    `name` is the harness, by default the one that the tasks were measured with. Tasks on which all attempts got the
    same reward are left out: their groups would be dead. The warm start has one correct answer of each task.
    """
    _check(version)
    rows = [row for table in version.tasks(split) for row in table.to_pylist()]
    ways = sorted({name or str(row["harness"]) for row in rows})
    if len(ways) != 1 or ways == ["openai"]:
        raise UsageError(
            f"the harness {', '.join(ways) or 'of no task'} is none to train in", hint="name tags, json or hermes"
        )
    way = harness(ways[0], style)
    every = {str(row["task_id"]): task_from_row(row) for row in rows}
    spread = [every[str(row["task_id"])] for row in rows if row["reward_std"] > 0]
    successes = [(every[name], text) for name, text in _answers(version, way, every).items()]
    about = {"split": split, "trained_on": [_reference(version)]}
    return solver_data(folder, spread, successes, way, about=about, left_out={"no_variance": len(every) - len(spread)})


def solver_data(
    folder: Path,
    tasks: Iterable[Task],
    successes: Sequence[tuple[Task, str]],
    way: Harness,
    *,
    about: Mapping[str, Any] = MappingProxyType({}),
    left_out: Mapping[str, int] = MappingProxyType({}),
) -> Path:
    """A solver's data of any tasks: what is trained on, and correct answers to begin with."""
    prompts = [{**_prompt(way.prompt(task)), "id": task.task_id, "score": _gold(task, way)} for task in tasks]
    warm = [_warm(way.prompt(task), text) for task, text in successes]
    said = {"harness": way.name, "style": way.style, "prompts_digest": SOLVER_PROMPTS, **about}
    return _write(folder, "solver", prompts, warm, said, left_out)


def prepare_generator_data(
    folder: Path,
    briefs: Iterable[Brief],
    *,
    style: GeneratorStyle,
    settings: Settings,
    versions: Sequence[Version] = (),
) -> Path:
    """A generator's data: briefs in a style; the warm start from what was proved in `versions`.

    `settings` say how the frozen solver tries what is proposed. Completions whose task it solves sometimes come first
    in the warm start, and alone where there are any. Briefs that ask nothing of a model are left out.
    """
    for version in versions:
        _check(version)
    listed = list(briefs)
    prompts = [
        {**_prompt(render(brief, style)), "id": str(brief.index), "brief_json": brief_json(brief)}
        for brief in listed
        if not asks_nothing(brief)
    ]
    proved = [row for version in versions for row in _proved(version)]
    liked = [row for row in proved if row["difficulty"]] or proved
    warm = [_warm(render(brief_from_json(str(row["brief_json"])), style), raw_text(row["completion"])) for row in liked]
    about = {"style": style, "prompts_digest": GENERATOR_PROMPTS, "settings": asdict(settings)}
    left_out = {"asks_nothing": len(listed) - len(prompts)}
    trained_on = [_reference(version) for version in versions]
    return _write(folder, "generator", prompts, warm, {**about, "trained_on": trained_on}, left_out)


def _check(version: Version) -> None:
    if faults := verify_version(version):
        raise PolicyError(
            f"nothing is trained on {version.location}, which does not verify: {'; '.join(faults[:3])}",
            hint="restore the version from a copy, or take another one",
        )


def _reference(version: Version) -> dict[str, str]:
    manifest = version.manifest
    return {"reference": f"{manifest.name}@{manifest.version}", "digest": manifest.digest}


def _answers(version: Version, way: Harness, tasks: Mapping[str, Task]) -> dict[str, str]:
    """The first correct answer to each task in this harness, in the order of the tasks."""
    found: dict[str, str] = {}
    for table in read_tables(version.storage, "attempts.parquet"):
        for one in map(attempt_from_row, table.to_pylist()):
            if one.outcome == "correct" and one.harness == way.name and one.task_id in tasks:
                found.setdefault(one.task_id, one.completion)
    return {name: found[name] for name in tasks if name in found}


def _proved(version: Version) -> list[Mapping[str, Any]]:
    """The proven candidates of a version that a model wrote, with their briefs."""
    rows: list[Mapping[str, Any]] = [
        row for table in read_tables(version.storage, FILE, _SUCCESS) for row in table.to_pylist()
    ]
    return [row for row in rows if row["task_id"] is not None and row["completion"]]


def _gold(task: Task, way: Harness) -> dict[str, Any]:
    """What `sparring score` is told of a task."""
    gold = {name: value for name in _GOLD if (value := getattr(task, name)) is not None}
    return {"tools": list(task.tools), "calls": list(task.calls), "harness": way.name, **gold}


def _prompt(prompt: Prompt) -> dict[str, Any]:
    said: Any = prompt.text
    if said is None:
        said = [{"role": turn.role, "content": turn.content} for turn in prompt.messages or ()]
    return {"prompt": said, "stop": list(prompt.stop)}


def _warm(prompt: Prompt, completion: str) -> dict[str, Any]:
    """A row as TRL's SFTTrainer reads it; the trainer adds the end of sequence."""
    said = _prompt(prompt)["prompt"]
    answer: Any = completion.rstrip() if isinstance(said, str) else [{"role": "assistant", "content": completion}]
    return {"prompt": said, "completion": answer}


def _write(
    folder: Path,
    slot: str,
    prompts: Sequence[Mapping[str, Any]],
    warm: Sequence[Mapping[str, Any]],
    about: Mapping[str, Any],
    left_out: Mapping[str, int],
) -> Path:
    """The folder, each prompt once, for the trainer tells groups by their prompts; `about.json` last."""
    first: dict[str, Mapping[str, Any]] = {}
    for row in prompts:
        first.setdefault(json.dumps(row["prompt"]), row)
    unique = list(first.values())
    counts = Counter(left_out) + Counter({"same_prompt": len(prompts) - len(unique)})
    if not unique:
        raise PolicyError(
            f"there is no prompt to train a {slot} on ({dict(counts)} left out)",
            hint="give a version with tasks at the solver's frontier, or more briefs",
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in ((PROMPTS, unique), (WARM, warm)):
        text = "".join(json.dumps(row, sort_keys=True) + "\n" for row in rows)
        (folder / name).write_text(text, encoding="utf-8")
    counted = {"slot": slot, "prompts": len(unique), "warm": len(warm), "left_out": dict(sorted(counts.items()))}
    write_json(folder / ABOUT, {**about, **counted})
    return folder
