"""Is the answer that makes no call the right one (RULES C2)?

In: a draft without calls and the proof it brings, and the judge of drafts that do have calls. Out: the `Verdict` on the
proof, or None. There are two proofs:

`{"removed": tool, "calls": [...]}`: with the tool back in the menu, `calls`, which use it, pass every check.
`{"unsaid": text, "calls": [...]}`: with `text` as the next user turn `calls` pass every check; before it,
each of them lacks a required value, or needs the result of one that does.
Not promised: that no other tool of the menu would serve half as well; of that no text rule knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from data.records import Draft, Json, JsonObject, Message, Verdict
from verifiers.calls import references
from verifiers.grounding import Tools, grounded_share


class Proved(Protocol):
    """What is needed of the proof of a draft with calls."""

    @property
    def reasons(self) -> tuple[Verdict, ...]: ...

    @property
    def tools(self) -> tuple[JsonObject, ...]: ...

    @property
    def calls(self) -> tuple[JsonObject, ...]: ...


def check_unanswerable(menu: Tools, draft: Draft, prove: Callable[[Draft], Proved]) -> Verdict | None:
    """RULES C2 for a draft whose `calls` are empty; `prove` runs the checks on the draft that has calls."""
    proof = draft.unanswerable
    kinds = ({"removed", "calls"}, {"unsaid", "calls"})
    if not isinstance(proof, Mapping) or set(proof) not in kinds or not isinstance(draft.tools, list):
        return _fails("is neither {removed, calls} nor {unsaid, calls}")
    answerable = replace(draft, calls=proof["calls"], unanswerable=None, accept=None, may_omit=None)
    if "removed" in proof:
        return _removed(prove(replace(answerable, tools=[*draft.tools, proof["removed"]])))
    if not isinstance(proof["unsaid"], str):
        return _fails("has no text under `unsaid`")
    whole = prove(replace(answerable, messages=(*draft.messages, Message("user", proof["unsaid"]))))
    return _reason(whole) or _unsaid(menu, whole.calls, draft.messages)


def _fails(why: str) -> Verdict:
    return Verdict("calls", "no_calls", f"the proof {why}")


def _reason(inner: Proved) -> Verdict | None:
    if not inner.reasons:
        return None
    reason = inner.reasons[0]
    return _fails(f"fails: {reason.check}/{reason.code}: {reason.detail}")


def _removed(inner: Proved) -> Verdict | None:
    if fault := _reason(inner):
        return fault
    if all(call["name"] != inner.tools[-1]["name"] for call in inner.calls):
        return _fails("fails: its calls do not use the removed tool")
    return None


def _unsaid(menu: Tools, calls: tuple[JsonObject, ...], messages: tuple[Message, ...]) -> Verdict | None:
    """Whether some call could be made without the turn that has not come."""
    lacking: set[int] = set()
    for place, call in enumerate(calls, 1):
        needs = any(found.number in lacking for found in references(call["arguments"]))
        if not (needs or _lacks(menu, call, messages)):
            return _fails(f"fails: call {place}, {str(call['name'])[:80]}, lacks no required value without it")
        lacking.add(place)
    return None if calls else _fails("fails: it has no calls")


def _lacks(menu: Tools, call: JsonObject, messages: tuple[Message, ...]) -> bool:
    """Whether a required argument, of which the schema allows several values, is wholly unsaid."""
    parameters, given = (menu.tool(str(call["name"])) or {}).get("parameters"), call["arguments"]
    if not isinstance(parameters, Mapping) or not isinstance(given, Mapping):
        return False
    required, properties = parameters.get("required"), parameters.get("properties")
    names = required if isinstance(required, (list, tuple)) else ()
    schemas = properties if isinstance(properties, Mapping) else {}
    return any(
        name in given
        and _is_open(schemas.get(name))
        and grounded_share(menu, ({"name": call["name"], "arguments": {str(name): given[str(name)]}},), messages) == 0
        for name in names
    )


def _is_open(schema: Json) -> bool:
    """Whether a schema leaves a choice: neither a constant nor a list of one."""
    if not isinstance(schema, Mapping) or "const" in schema:
        return False
    choices = schema.get("enum")
    return not (isinstance(choices, (list, tuple)) and len(choices) < 2)
