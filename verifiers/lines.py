"""One line of JSONL verified or scored (CONTRACT, JSONL in and out). Pure: bytes in, an answer to print out.

In: a line as it stood in the file, and its number. Out: the fields of the answer, with the line's `id`. Never raises on
any bytes: what is no row gets the verdict `input/bad_line`, a fault of a checker its own outcome.
Not promised: memory of earlier lines; a repeated id is answered twice.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from data.records import Draft, Json, Message, Verdict
from verifiers.answer import MAX_BYTES, MAX_LEVELS, JsonFault, check_unicode, read_json
from verifiers.calls import check_calls
from verifiers.completion import read_completion
from verifiers.formats import FORMATS
from verifiers.menu import read_menu
from verifiers.quick_json import quick_json
from verifiers.verify import check_alternatives, identity, verify

BLOCKS = ("tools", "calls", "accept", "may_omit", "unanswerable", "world", "implementations")
TASK_FIELDS = frozenset(("question", "messages", *BLOCKS))
ROLES = frozenset(("system", "user", "assistant", "tool"))
_AROUND = 4
"""Levels that a line may add around a block: itself, a list of messages, a proof."""

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[][{},:]|[^][{},:"\s]+', re.S)


class _BadLine(Exception):
    """The line is no row; carries the verdict."""

    def __init__(self, detail: str, check: str = "input", code: str = "bad_line") -> None:
        super().__init__(detail)
        self.verdict = Verdict(check, code, detail)


def verify_line(
    line: bytes, number: int, *, checks: frozenset[str] | None = None, every: bool = False
) -> dict[str, Any]:
    """The answer of `sparring verify` to one line: `id`, `solvable`, `task_id`, `reasons`."""
    name: Any = number
    try:
        name, row = _row(line, number)
        draft = _draft(row)
    except _BadLine as fault:
        return _verdicts(_name_in(line, number) if name == number else name, (fault.verdict,))
    if isinstance(draft, Verdict):
        return _verdicts(name, (draft,))
    proof = verify(draft, checks=checks, every=every)
    if proof.reasons:
        return _verdicts(name, proof.reasons)
    if checks is not None and checks <= {"format", "menu"}:  # no calls were proved: there is no normal form to name
        return {"id": name, "solvable": True, "task_id": None, "reasons": []}
    return {"id": name, "solvable": True, "task_id": identity(draft, proof), "reasons": []}


def read_line(line: bytes) -> Draft | Verdict:
    """What a line asks to be verified, or why it asks nothing."""
    try:
        return _draft(_row(line, 0)[1])
    except _BadLine as fault:
        return fault.verdict


def score_line(line: bytes, number: int, *, harness: str = "tags") -> dict[str, Any]:
    """The answer of `sparring score` to one line: `id`, `correct`, `outcome`, `reward`, `rule`, `detail`."""
    name: Any = number
    try:
        name, row = _row(line, number)
        completion = row.get("completion")
        if not isinstance(completion, str):
            raise _BadLine("`completion` is not a string")
        asked = row.get("harness", harness)
        if asked not in FORMATS:
            raise _BadLine(f"there is no harness {json.dumps(asked)[:80]}; there are {', '.join(FORMATS)}")
        tools, calls, outcome = _gold(row)
    except _BadLine as fault:
        name = _name_in(line, number) if name == number else name
        verdict = fault.verdict
        return _scored(name, "checker_error", detail=f"{verdict.check}/{verdict.code}: {verdict.detail}")
    from verifiers.outcome import score_task  # `verify` never needs it

    scored = score_task(
        tools,
        calls,
        completion,
        row.get("accept"),
        row.get("may_omit"),
        asked,
        world=row.get("world"),
        implementations=row.get("implementations"),
        outcome=outcome,
    )
    judged = scored.judged
    return _scored(name, judged.outcome, judged.reward, judged.detail, scored.rule)


def _row(line: bytes, number: int) -> tuple[Any, dict[str, Any]]:
    """The id and the fields of a line, read strictly (RULES J); a completion's own faults are its reader's."""
    row = quick_json(line, MAX_LEVELS, MAX_BYTES // 2)
    if isinstance(row, dict):
        return _identity(row, number), row
    try:
        text = line.decode("utf-8")
        row = read_json(text, MAX_LEVELS + _AROUND)
        if not isinstance(row, dict):
            raise _BadLine("not a JSON object")
        given = {field: row[field] for field in row if field in TASK_FIELDS}
        if "\\u" in text or not text.isascii():  # nothing else can bring in what J4 forbids
            check_unicode(given)
    except UnicodeDecodeError as fault:
        raise _BadLine(f"not UTF-8 at byte {fault.start + 1}") from None
    except JsonFault as fault:
        if fault.code == "invalid_json":
            raise _BadLine(f"not JSON: {fault.detail}") from None
        raise _BadLine(fault.detail, "format", fault.code) from None
    if len(line) > MAX_BYTES or text.count("[") + text.count("{") > MAX_LEVELS:
        for field in BLOCKS:
            _check_size(field, given.get(field))
    return _identity(row, number), row


def _check_size(field: str, value: Any) -> None:
    """RULES J3 for one block inside a line."""
    if levels(value) > MAX_LEVELS:
        raise _BadLine(f"{field} has more than {MAX_LEVELS} levels", "format", "too_large")
    if len(json.dumps(value, ensure_ascii=False).encode()) > MAX_BYTES:
        raise _BadLine(f"{field} has more than 1 MiB", "format", "too_large")


def levels(value: Any) -> int:
    """How deep lists and objects nest: 0 for a plain value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(levels, inner), default=0)


def _draft(row: dict[str, Any]) -> Draft | Verdict:
    """What a line asks to be verified; a completion is read by RULES F."""
    given = TASK_FIELDS & row.keys()
    if "completion" in row:
        if given:
            raise _BadLine(f"a completion and task fields in one line: {', '.join(sorted(given))}")
        if not isinstance(row["completion"], str):
            raise _BadLine("`completion` is not a string")
        return read_completion(row["completion"])
    if not given:
        raise _BadLine("neither a completion nor a task")
    if ("question" in row) == ("messages" in row):
        raise _BadLine("exactly one of `question` and `messages` is wanted")
    messages = _messages(row["messages"]) if "messages" in row else (_turn("user", row["question"]),)
    return Draft(messages, *(row.get(field) for field in BLOCKS))


def _messages(value: Json) -> tuple[Message, ...]:
    if not isinstance(value, list) or not value:
        raise _BadLine("`messages` is not a list of turns")
    turns = []
    for place, turn in enumerate(value, 1):
        if not isinstance(turn, Mapping) or not {"role", "content"} <= turn.keys() or turn["role"] not in ROLES:
            raise _BadLine(f"message {place} is not {{role, content}} with a role of {', '.join(sorted(ROLES))}")
        turns.append(_turn(turn["role"], turn["content"]))
    return tuple(turns)


def _turn(role: str, content: Json) -> Message:
    if not isinstance(content, str):
        raise _BadLine(f"the text of the {role} turn is not a string")
    return Message(role, content)


def _gold(row: dict[str, Any]) -> tuple[Any, Any, Json]:
    """Tools, gold calls in normal form, and their outcome; a gold that is itself invalid is no measure of an answer."""
    menu = read_menu(row.get("tools"))
    if isinstance(menu, Verdict):
        raise _BadLine(menu.detail, menu.check, menu.code)
    calls = check_calls(menu, row.get("calls"), allow_none=True)
    if isinstance(calls, Verdict):
        raise _BadLine(calls.detail, calls.check, calls.code)
    if fault := check_alternatives(menu, calls, row.get("accept"), row.get("may_omit")):
        raise _BadLine(fault.detail, fault.check, fault.code)
    world, implementations = row.get("world"), row.get("implementations")
    if not calls or (world is None and implementations is None):
        return menu.tools, calls, None
    from verifiers.execution import check_execution

    outcome = check_execution(menu, calls, world, implementations)
    if isinstance(outcome, Verdict):
        raise _BadLine(outcome.detail, outcome.check, outcome.code)
    return menu.tools, calls, outcome


def _identity(row: dict[str, Any], number: int) -> Any:
    """The line's id as given, or its number; what JSON cannot carry back becomes the number too."""
    name = row.get("id")
    return number if name is None or (isinstance(name, float) and not math.isfinite(name)) else name


def _name_in(line: bytes, number: int) -> Any:
    """The id of a line that is no row, for the echo alone: its tokens are looked at, whatever nests in it."""
    depth, before = 0, ("", "", "")
    for found in _TOKEN.finditer(line.decode("utf-8", "replace")):
        token = found[0]
        if depth == 1 and before[0] in "{," and before[1:] == ('"id"', ":") and token[0] == '"':
            try:
                return json.loads(token)
            except ValueError:
                return number
        depth += (token in "[{") - (token in "]}")
        before = (*before[1:], token)
    return number


def _verdicts(name: Any, reasons: tuple[Verdict, ...]) -> dict[str, Any]:
    listed = [{"check": one.check, "code": one.code, "detail": one.detail} for one in reasons]
    return {"id": name, "solvable": False, "task_id": None, "reasons": listed}


def _scored(name: Any, outcome: str, reward: float = 0.0, detail: str = "", rule: str = "calls") -> dict[str, Any]:
    correct = outcome == "correct"
    return {"id": name, "correct": correct, "outcome": outcome, "reward": reward, "rule": rule, "detail": detail}
