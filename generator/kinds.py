"""The kinds of task that briefs ask for, and how often.

    single, parallel, dependent   one call; two to four that ignore each other, or where each uses the one before
    conversation                  one call, whose values several user turns give; the later of two values counts
    alternatives                  calls with a value for which the catalogue knows others that mean the same
    removed                       no call is right: the tool of a proven call is taken out of the menu
    unsaid                        no call is right: the turn that says a required value has not come yet
    world                         calls of built-in tools on a state, judged by what they come to

and the changes of a published task (mode `evolve`): `near` adds tools like the gold's to the menu, `fewer` takes tools
out that nobody calls, `further` adds a call that uses the last result, `indirect` says the same without naming it,
`renamed` gives tools and parameters names that say nothing; `removed` and `unsaid` as above.
In: shares by name. Out: checked shares, and a kind drawn from them. Not promised: material for each kind
(`generator.briefs` knows what the catalogue has).
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import TypeAlias

from data.errors import UsageError
from data.records import BriefKind, Mode

Shares: TypeAlias = Mapping[BriefKind, float]

KINDS: Mapping[Mode, tuple[BriefKind, ...]] = {
    "catalogue": (
        "single", "parallel", "dependent", "conversation", "alternatives", "removed", "unsaid", "world",
    ),
    "open": ("single", "parallel", "dependent", "conversation", "removed", "unsaid"),
    "evolve": ("near", "fewer", "further", "indirect", "renamed", "removed", "unsaid"),
}  # fmt: skip

WORDLESS: frozenset[BriefKind] = frozenset({"near", "fewer", "renamed", "removed", "unsaid"})
"""Changes of a published task for which no model has to write a word."""

_EVOLVE: Shares = dict.fromkeys(KINDS["evolve"], 1.0)

CHAT_SHARES: Mapping[Mode, Shares] = MappingProxyType(
    {
        "catalogue": {
            "single": 0.5, "parallel": 0.1, "dependent": 0.1, "conversation": 0.1, "alternatives": 0.05,
            "removed": 0.05, "unsaid": 0.05, "world": 0.05,
        },
        "open": {
            "single": 0.6, "parallel": 0.1, "dependent": 0.1, "conversation": 0.1, "removed": 0.05, "unsaid": 0.05,
        },
        "evolve": _EVOLVE,
    }
)  # fmt: skip
"""Tool-R0's: one call 0.8, more 0.2, several turns 0.1 of one call each; the kinds it lacks are taken from one call."""

PLAIN_SHARES: Mapping[Mode, Shares] = MappingProxyType(
    {
        "catalogue": {
            "single": 0.92, "parallel": 0.025, "dependent": 0.025, "conversation": 0.02, "alternatives": 0.01,
        },
        "open": {"single": 0.95, "parallel": 0.025, "dependent": 0.025},
        "evolve": _EVOLVE,
    }
)  # fmt: skip
"""For small players, which hardly ever answer with no call or hold on to a conversation."""


def check_shares(shares: Mapping[str, float], mode: Mode) -> Shares:
    """The shares, if each name is a kind of the mode and they add up to 1; else `UsageError` with the first fault."""
    known = KINDS[mode]
    if unknown := [name for name in shares if name not in known]:
        named = "mutate" if mode == "evolve" else mode
        raise UsageError(f"--kinds has {unknown[0]!r}, no kind of mode {named}", hint=f"there are {', '.join(known)}")
    if wrong := [f"{name}={share:g}" for name, share in shares.items() if not 0 <= share <= 1]:
        raise UsageError(f"--kinds has {wrong[0]}, which is no share", hint="a share lies in [0, 1]")
    if abs(sum(shares.values()) - 1) > 1e-6:
        raise UsageError(
            f"the shares of --kinds add up to {sum(shares.values()):g}, not to 1",
            hint="give every kind that shall come its share",
        )
    return {kind: shares[kind] for kind in known if kind in shares}


def draw_kind(shares: Shares, random: Random) -> BriefKind:
    """One kind, each as often as its share of the whole says."""
    return random.choices(list(shares), weights=list(shares.values()))[0]
