"""Check 6: the gold calls run, and what they come to (RULES A11).

In: a world (JSON object, the initial state), implementations (tool name to source), calls in normal form. Out: a
`Replay` of what happened, and the *outcome*: how the final state differs from the initial one, and the answers. All of
it is read from the state and the results; no text is looked at. A tool is one of ours (`builtin:<world>.<tool>`) or
Python that a model wrote, which only `verifiers.sandbox` runs.
Not promised: that an outcome is what the user meant, or that a tool does what its description says.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from data.canonical import CanonicalError, canonical_bytes
from data.records import Json, JsonObject, Verdict
from verifiers.algebra_exact import MAX_QUESTIONS, at_most
from verifiers.answer import reference
from verifiers.calls import references, rewritten
from verifiers.menu import Menu, Validator, read_menu
from verifiers.outcome_values import same_values
from verifiers.sandbox import MAX_SECONDS, SandboxFault, run_source
from verifiers.state_diff import difference

if TYPE_CHECKING:  # the worlds are imported when a row has a tool of ours, for most rows have none
    from verifiers.worlds.base import Tool

MAX_CALLS = 16
MAX_STATE, MAX_RESULT = 256 * 1024, 64 * 1024
"""Bytes of canonical JSON."""

_STEP = re.compile(r"\.([^.\[\]\s]+)|\[([0-9]+)\]")
_EMPTY: tuple[Json, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class Step:
    """One call that ran. `call` has its references resolved; `state` is the digest of the state after it."""

    call: JsonObject
    result: Json
    state: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """Calls that ran one after the other, and the state they left."""

    steps: tuple[Step, ...]
    state: Json


def check_execution(menu: Menu, calls: Sequence[JsonObject], world: Json, implementations: Json) -> Json | Verdict:
    """The outcome of gold calls that RULES C proved, or why they have none.

    They are replayed twice, each time from the initial state. The codes: `no_implementation`, `bad_world`,
    `bad_implementation`, `bad_reference`, `tool_failed`, `timeout`, `too_large`, `too_deep`, `not_json`,
    `nondeterministic`, `empty_result`.
    """
    if fault := _misfit(menu, implementations):
        return fault
    first = replay(world, implementations, calls)
    if isinstance(first, Verdict):
        return first
    if fault := _unfit_references(menu, calls, first):
        return fault
    again = replay(world, implementations, calls)
    if isinstance(again, Verdict):
        return again
    for place, (step, other) in enumerate(zip(first.steps, again.steps, strict=True), 1):
        if step != other:
            what = "state" if step.result == other.result else "result"
            return _fault("nondeterministic", f"call {place}, {step.call['name']}: another {what} the second time")
    came_to = outcome(world, first, calls)
    if came_to["state"] == difference({}, {}) and all(answer in _EMPTY for answer in came_to["answers"]):
        return _fault("empty_result", "nothing changed in the end, and there is no answer that says anything")
    return came_to


def replay(
    world: Json, implementations: Json, calls: Sequence[JsonObject], seconds: float = MAX_SECONDS
) -> Replay | Verdict:
    """The calls run once from the initial state, or the first fault. `seconds`: what all of them together may take."""
    ran, fault = trace(world, implementations, calls, seconds)
    return fault or ran


def trace(
    world: Json, implementations: Json, calls: Sequence[JsonObject], seconds: float = MAX_SECONDS
) -> tuple[Replay, Verdict | None]:
    """As `replay`, with the steps that ran before a fault."""
    run = _Run(implementations if isinstance(implementations, Mapping) else {}, seconds)
    fault = None
    try:
        run.begin(world, len(calls))
        for call in calls:
            run.step(call)
    except SandboxFault as found:
        fault = _fault(found.code, found.detail)
    return Replay(tuple(run.steps), json.loads(run.text)), fault


def outcome(world: Json, replayed: Replay, calls: Sequence[JsonObject]) -> dict[str, Any]:
    """What a replay of `calls` came to: `{"state": difference, "answers": [results]}`.

    Answers are the results of calls that no later call refers to and that left the state as it was; what changed the
    state is judged by the state. So an extra reading is another outcome, and reading an id on the way is not.
    """
    used = {found.number for call in calls for found in references(call["arguments"])}
    answers = [step.result for place, step in enumerate(replayed.steps, 1) if place not in used and not step.changed]
    before = json.loads(_canonical("world", world, MAX_STATE)) if world is not None else {}
    return {"state": difference(before, replayed.state), "answers": sorted(answers, key=canonical_bytes)}


def same_outcome(one: Json, other: Json) -> bool:
    """Whether two outcomes are the same: values by `outcome_values`, answers in any order."""
    if canonical_bytes(one) == canonical_bytes(other):
        return True
    exactly = at_most(MAX_QUESTIONS)
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return False
    if not same_values(one["state"], other["state"], exactly):
        return False
    mine, rest = one["answers"], list(other["answers"])  # type: ignore[arg-type]
    if not isinstance(mine, Sequence) or len(mine) != len(rest):
        return False
    for answer in mine:
        place = next((i for i, candidate in enumerate(rest) if same_values(answer, candidate, exactly)), None)
        if place is None:
            return False
        del rest[place]
    return True


class _Run:
    """A replay under way. Raises `SandboxFault` with the codes of the check."""

    def __init__(self, implementations: Mapping[str, Any], seconds: float) -> None:
        self.steps: list[Step] = []
        self.text = b"{}"
        self._implementations = implementations
        self._state: dict[str, Any] = {}
        self._digest = ""
        self._seconds = seconds

    def begin(self, world: Json, calls: int) -> None:
        """Take the world as the initial state."""
        if calls > MAX_CALLS:
            raise SandboxFault("too_large", f"{calls} calls, of which at most {MAX_CALLS} are run")
        if not isinstance(world, Mapping | None):
            raise SandboxFault("bad_world", "the world is not a JSON object")
        self.text = _canonical("world", world or {}, MAX_STATE, "bad_world")
        self._state, self._digest = json.loads(self.text), _digest(self.text)
        self._seconds /= max(1, calls)  # so that all of them together have what one has

    def step(self, call: JsonObject) -> None:
        """Run one more call."""
        name = str(call["name"])
        try:
            arguments: Any = rewritten(call["arguments"], self._resolved)
            result = json.loads(_canonical("result", self._result(name, arguments), MAX_RESULT))
            self.text = _canonical("state", self._state, MAX_STATE)
        except SandboxFault as fault:
            raise SandboxFault(fault.code, f"call {len(self.steps) + 1}, {name[:80]}: {fault.detail}") from None
        before, self._digest = self._digest, _digest(self.text)
        self.steps.append(Step({"name": name, "arguments": arguments}, result, self._digest, self._digest != before))

    def _result(self, name: str, arguments: JsonObject) -> Json:
        source = self._implementations.get(name)
        if not isinstance(source, str):
            raise SandboxFault("no_implementation", "the tool has no implementation")
        if is_builtin(source):
            return _run_builtin(source, self._state, json.loads(canonical_bytes(arguments)))
        self._state, result = run_source(source, self._state, arguments, self._seconds)
        return result  # type: ignore[no-any-return]

    def _resolved(self, text: str) -> Json:
        """The result that a text stands for, if it is a reference."""
        found = reference(text)
        if found is None:
            return text
        number, path = found
        if not 0 < number <= len(self.steps):
            raise SandboxFault("bad_reference", f"{text} refers to no earlier call")
        return _at(self.steps[number - 1].result, path, text)


def _at(result: Json, path: str, said: str) -> Json:
    """What stands at `.name` and `[i]` steps in a result."""
    for name, index in _STEP.findall(path):
        name = unicodedata.normalize("NFC", name)
        if name and isinstance(result, Mapping) and name in result:
            result = result[name]
        elif index and isinstance(result, list) and len(index) < 10 and int(index) < len(result):
            result = result[int(index)]
        else:
            raise SandboxFault("bad_reference", f"{said[:80]}: the result has no {name or f'[{index[:9]}]'}")
    return result


def is_builtin(source: str) -> bool:
    """Whether an implementation names a tool of ours; any other is source text."""
    from verifiers.worlds import BUILTIN

    return source.startswith(BUILTIN)


def _builtin(source: str) -> Tool | None:
    from verifiers.worlds import builtin

    return builtin(source)


def _run_builtin(source: str, state: dict[str, Any], arguments: JsonObject) -> Json:
    """One call of a tool of ours, whose own schema holds: the menu's may differ, and references stand for anything."""
    from verifiers.worlds.base import ToolFailure

    tool = _builtin(source)
    if tool is None:
        raise SandboxFault("bad_implementation", f"there is no built-in tool {source[:80]}")
    if cause := _validator(source).first_cause(arguments):
        raise SandboxFault("tool_failed", f"{cause.code} at {cause.place or 'the arguments'}: {cause.message}")
    try:
        return tool.run(state, arguments)
    except ToolFailure as refusal:
        raise SandboxFault("tool_failed", str(refusal)) from None
    except Exception as fault:  # a world of another shape than the tool's
        raise SandboxFault("tool_failed", f"{type(fault).__name__}: {fault}") from None


@lru_cache(maxsize=512)
def _validator(source: str) -> Validator:
    tool = _builtin(source)
    assert tool is not None
    menu = read_menu([{"name": tool.name, "description": tool.description, "parameters": tool.parameters}])
    assert isinstance(menu, Menu), f"{source}: {menu}"
    return menu.validator(tool.name)


def _misfit(menu: Menu, implementations: Json) -> Verdict | None:
    """What is wrong with implementations that nobody has run yet."""
    if not implementations:
        return _fault("no_implementation", "a world and no implementations")
    if not isinstance(implementations, Mapping):
        return _fault("bad_implementation", "implementations are not an object of tool names and sources")
    for name, source in implementations.items():
        if menu.tool(name) is None:
            return _fault("bad_implementation", f"{name[:80]} is no tool of the menu")
        if not isinstance(source, str) or (is_builtin(source) and _builtin(source) is None):
            return _fault("bad_implementation", f"{name[:80]}: neither source text nor a built-in tool")
    return None


def _unfit_references(menu: Menu, calls: Sequence[JsonObject], ran: Replay) -> Verdict | None:
    """References stand for a value of any type (C5) until they are resolved; then C4 holds for it too."""
    for place, (call, step) in enumerate(zip(calls, ran.steps, strict=True), 1):
        if next(references(call["arguments"]), None) is None:
            continue
        if cause := menu.validator(str(call["name"])).first_cause(step.call["arguments"]):
            return _fault("bad_reference", f"call {place}, {cause.place}: {cause.code}: {cause.message}")
    return None


def _canonical(part: str, value: Any, most: int, code: str = "not_json") -> bytes:
    try:
        text = canonical_bytes(value)
    except CanonicalError as fault:
        raise SandboxFault(code, f"the {part}: {fault.message}") from None
    if len(text) > most:
        raise SandboxFault("too_large", f"the {part} has more than {most} bytes")
    return text


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _fault(code: str, detail: str) -> Verdict:
    return Verdict("execution", code, detail)
