"""The built-in worlds by name, and the tools that an implementation `builtin:<world>.<tool>` names.

In: a reference as it stands in a task. Out: the `Tool`, or None for one that does not exist.
Not promised: that a task's world has the shape of the built-in's states; a tool that stumbles over it has failed.
"""

from __future__ import annotations

from collections.abc import Mapping

from verifiers.worlds.algebra import ALGEBRA
from verifiers.worlds.base import Tool, World
from verifiers.worlds.calculator import CALCULATOR
from verifiers.worlds.calendar import CALENDAR
from verifiers.worlds.currency import WALLET
from verifiers.worlds.files import FILES
from verifiers.worlds.inbox import INBOX
from verifiers.worlds.library import LIBRARY
from verifiers.worlds.notes import NOTEBOOK
from verifiers.worlds.shop import SHOP
from verifiers.worlds.tables import STORE
from verifiers.worlds.units import MEASURES

BUILTIN = "builtin:"
"""How a reference to a tool of ours begins; any other implementation is source text."""

_ALL = (ALGEBRA, CALCULATOR, CALENDAR, WALLET, FILES, INBOX, LIBRARY, NOTEBOOK, SHOP, STORE, MEASURES)

WORLDS: Mapping[str, World] = {world.name: world for world in _ALL}


def builtin(reference: str) -> Tool | None:
    """The tool that `builtin:<world>.<tool>` names, or None."""
    world, _, tool = reference.removeprefix(BUILTIN).partition(".")
    return WORLDS[world].tools.get(tool) if reference.startswith(BUILTIN) and world in WORLDS else None
