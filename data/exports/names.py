"""Tool names that an OpenAI-shaped interface accepts, and the way back.

In: the names of a menu. Out: for each a legal one (`[a-zA-Z0-9_-]`, 64 characters at most), unique within the menu;
legal names stay as they are. Pure and deterministic: the same menu gives the same names.
Source: the `name` of a function in the OpenAI API reference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 64


def legal_names(names: Sequence[str]) -> dict[str, str]:
    """Original name -> legal name. Names that are legal already keep theirs, whatever the others become."""
    taken = {name for name in names if name == _legal(name)}
    found: dict[str, str] = {}
    for name in names:
        legal, number = _legal(name), 2
        while legal != name and legal in taken:
            tail = f"_{number}"
            legal, number = _legal(name)[: _LONGEST - len(tail)] + tail, number + 1
        taken.add(legal)
        found[name] = legal
    return found


def _legal(name: str) -> str:
    return _ILLEGAL.sub("_", name)[:_LONGEST] or "_"
