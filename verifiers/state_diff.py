"""What changed between two states, by JSON pointer: the probe that outcomes are read with.

In: plain JSON states. Out: `{"set": {pointer: new value}, "removed": [pointers]}` (RFC 6901), a function of the two
states alone: objects are compared by key, lists place by place, so that what is appended or edited stays small.
Values are equal by RULES A3-A5. Not promised: the shortest difference; what leaves the front of a list moves the rest.
"""

from __future__ import annotations

from typing import Any

from data.records import Json
from verifiers.answer import equal


def difference(before: Json, after: Json) -> dict[str, Any]:
    """How `after` differs from `before`; both parts are empty when it does not."""
    found: dict[str, Any] = {"set": {}, "removed": []}
    _walk(before, after, "", found)
    return found


def _walk(before: Any, after: Any, pointer: str, found: dict[str, Any]) -> None:
    if isinstance(before, dict) and isinstance(after, dict):
        old, new = before, after
    elif isinstance(before, list) and isinstance(after, list):
        old, new = dict(enumerate(before)), dict(enumerate(after))
    else:
        if not equal(before, after):
            found["set"][pointer] = after
        return
    for step in sorted({*old, *new}):
        inner = f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}"
        if step not in new:
            found["removed"].append(inner)
        elif step not in old:
            found["set"][inner] = new[step]
        elif repr(old[step]) != repr(new[step]):  # the quick way past what stayed; `==` would take true for 1
            _walk(old[step], new[step], inner, found)
