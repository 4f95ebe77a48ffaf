"""Records to rows of `data.schema`, and back.

In: the frozen records of `data.records`. Out: plain dicts, one value a column, and the same record again.
Free-form JSON becomes canonical JSON text (RULES J6), which levels NFD to NFC and `3.0` to `3` and keeps everything
else, integers of any size included. Raw model text is stored as it is, or escaped where a column could not hold it.
Not promised: proofs. A row that was not written here may raise `KeyError` or `ValueError` on reading.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, cast

from data.canonical import canonical_json, messages_json
from data.records import Attempt, Brief, Json, JsonObject, Message, Score, Task
from data.schema import SCHEMA_VERSION, Row

ESCAPED = "\u2400unicode_escape:"
"""Begins the stored form of a raw text that a column cannot hold: after it the text in Python's codec of that name."""

_JSON_PARTS = ("tools", "calls", "accept", "may_omit")
_OPTIONAL_JSON_PARTS = ("world", "implementations", "outcome")


def stored_text(text: str) -> str:
    """Raw text as a text column holds it: unchanged, or escaped if it has U+0000 or lone surrogates. Reversible."""
    if "\0" in text or text.startswith(ESCAPED) or not _encodes(text):
        return ESCAPED + text.encode("unicode_escape").decode()
    return text


def raw_text(stored: str) -> str:
    """The text that `stored_text` was given."""
    if not stored.startswith(ESCAPED):
        return stored
    return stored.removeprefix(ESCAPED).encode().decode("unicode_escape")


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def brief_json(brief: Brief) -> str:
    """A brief as canonical JSON, one key a field."""
    return canonical_json({item.name: getattr(brief, item.name) for item in fields(Brief)})


def brief_from_json(text: str) -> Brief:
    """The brief again."""
    value = json.loads(text)
    parts: dict[str, Any] = {name: tuple(part) if isinstance(part, list) else part for name, part in value.items()}
    return Brief(**parts)


def messages_from_json(text: str) -> tuple[Message, ...]:
    """The messages of a `messages_json` column."""
    return tuple(Message(role=one["role"], content=one["content"]) for one in json.loads(text))


def question_of(messages: Sequence[Message]) -> str:
    """The last user turn: what a person reads as the task's question. Empty if there is none."""
    return next((message.content for message in reversed(messages) if message.role == "user"), "")


def task_columns(task: Task) -> dict[str, object]:
    """The task's own columns, as `TASKS` and `VERIFIED` name them.

    Raises `data.canonical.CanonicalError` if some part has no canonical JSON.
    """
    row: dict[str, object] = {
        name: getattr(task, name) for name in ("task_id", "kind", "turns", "domain", "mode", "rule", "parent_task_id")
    }
    row["messages_json"] = canonical_json(messages_json(task.messages))
    for part in _JSON_PARTS:
        row[f"{part}_json"] = canonical_json(getattr(task, part))
    for part in (*_OPTIONAL_JSON_PARTS, "unanswerable"):
        value: Json = getattr(task, part)
        row[f"{part}_json"] = None if value is None else canonical_json(value)
    row["brief_json"] = canonical_json(task.brief)
    return row


def task_from_row(row: Row) -> Task:
    """The task of a row of `TASKS` or `VERIFIED`."""
    values = cast(Mapping[str, Any], row)

    def part(name: str) -> Any:
        text = values.get(f"{name}_json")
        return None if text is None else json.loads(text)

    return Task(
        task_id=values["task_id"],
        kind=values["kind"],
        turns=values["turns"],
        domain=values["domain"],
        mode=values["mode"],
        messages=messages_from_json(values["messages_json"]),
        tools=tuple(part("tools")),
        calls=tuple(part("calls")),
        accept=part("accept"),
        may_omit=part("may_omit"),
        unanswerable=part("unanswerable"),
        world=part("world"),
        implementations=part("implementations"),
        outcome=part("outcome"),
        rule=values["rule"],
        parent_task_id=values["parent_task_id"],
        brief=cast(JsonObject, part("brief")),
    )


def score_row(score: Score) -> dict[str, object]:
    """A row of `SCORES`."""
    return asdict(score)


def score_from_row(row: Row) -> Score:
    """The score of a row of `SCORES` or `TASKS`."""
    values = cast(Mapping[str, Any], row)
    return Score(**{field.name: values[field.name] for field in fields(Score)})


def attempt_row(attempt: Attempt) -> dict[str, object]:
    """A row of `ATTEMPTS`; completion and detail by `stored_text`."""
    kept = [field.name for field in fields(Attempt) if field.name not in ("calls", "steps")]
    row = {name: getattr(attempt, name) for name in kept}
    row |= {"completion": stored_text(attempt.completion), "detail": stored_text(attempt.detail)}
    return row | {"calls_json": canonical_json(attempt.calls), "steps_json": canonical_json(attempt.steps)}


def attempt_from_row(row: Row) -> Attempt:
    """The attempt again."""
    values = dict(cast(Mapping[str, Any], row))
    values["calls"] = json.loads(values.pop("calls_json"))
    values["steps"] = tuple(json.loads(values.pop("steps_json")))
    values |= {name: raw_text(values[name]) for name in ("completion", "detail")}
    return Attempt(**values)


def published_row(
    task: Task, score: Score, *, env_index: int, generator_digest: str, solver_digest: str
) -> dict[str, object]:
    """A row of `TASKS`: the task, its difficulty, and the weights of both players."""
    return (
        task_columns(task)
        | score_row(score)
        | {
            "schema_version": SCHEMA_VERSION,
            "env_index": env_index,
            "group_key": f"{task.task_id}:{score.harness}",
            "generator_digest": generator_digest,
            "solver_digest": solver_digest,
        }
    )
