"""Names and descriptions as words.

In: the name of a tool or parameter, or a whole tool. Out: its words, of `snake_case`, `kebab-case` and `camelCase`
alike. What a tool's words mean is nobody's business here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from data.records import JsonObject

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_]+")
_SHORT = 3


def words_of(name: str) -> str:
    """`start_date`, `startDate` -> `start date`."""
    return " ".join(_WORD.findall(name)).lower() or name


def content_words(tool: JsonObject) -> frozenset[str]:
    """The words of a tool's name, description and parameters, but for the shortest."""
    parameters = tool.get("parameters")
    properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
    names = list(properties) if isinstance(properties, Mapping) else []
    text = " ".join([str(tool["name"]), str(tool.get("description") or ""), *names])
    return frozenset(word for word in words_of(text).split() if len(word) > _SHORT)
