"""What a source of tools gave: the tools, and by name what it has that is none.

In: nothing; these are the records that the readers of tools (`tools_file`, `openapi`, `mcp_tools`) and the catalogue
share. Not promised: that a listed tool is usable (`generator.catalogue` decides).
"""

from __future__ import annotations

from dataclasses import dataclass

from data.records import Json, Verdict


@dataclass(frozen=True, slots=True)
class Refused:
    """Something that cannot be used as a tool, or a part of one, and why."""

    name: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class ToolList:
    """Tools in any shape of RULES M2, in the order of their source, and what was left out of it."""

    tools: tuple[Json, ...]
    left_out: tuple[Refused, ...] = ()
