"""The 32 domains that briefs are drawn from, with equal weight (Tool-R0 samples 32; DESIGN section 3).

The paper's own list is not at hand: these are ours. Not promised: that every domain has tools in a given catalogue
(`generator.catalogue`); in open mode the model writes the tools, so every domain can be asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from data.errors import UsageError

DOMAINS: tuple[str, ...] = (
    "banking", "books", "calendar", "customer_support", "education", "email", "events", "files",
    "fitness", "healthcare", "inventory", "investing", "languages", "messaging", "movies", "music",
    "navigation", "news", "payments", "real_estate", "recipes", "restaurants", "shipping", "shopping",
    "smart_home", "software", "sports", "tasks", "transit", "travel", "vehicles", "weather",
)  # fmt: skip


def check_domains(asked: Iterable[str], known: Iterable[str] = DOMAINS) -> tuple[str, ...]:
    """The domains asked for, each once, in the order of `known`; `UsageError` names one that is not known."""
    names = tuple(known)
    wanted = set(asked)
    for name in sorted(wanted - set(names)):
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose among: {', '.join(names)}"
        raise UsageError(f"unknown domain {name!r}", hint=hint)
    return tuple(name for name in names if name in wanted)
