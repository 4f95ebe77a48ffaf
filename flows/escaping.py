"""Text that others wrote, made to show as itself: in Markdown, in the cells of a table artifact, in a terminal.

In: any value, also a model's. Out: Markdown in which nothing of it is markup, a flat value that Prefect renders, or
lines in which nothing steers a terminal.
Not promised: that a value is shown whole; cells are cut.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Collection, Sequence

from flows.redact import redact

CELL = 80
"""Characters of a cell."""
_ADDRESS = re.compile(r"(?i)https?:|www\.|@")


def cell(value: object, width: int = CELL) -> str | int | float | bool | None:
    """A value as a table artifact can hold it: finite, flat, short, without credentials."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return round(value, 4) if math.isfinite(value) else None
    text = redact(" ".join((value if isinstance(value, str) else json.dumps(value, default=str)).split()))
    return text if len(text) <= width else text[: width - 1] + "…"


def cut(text: str, length: int) -> str:
    """The beginning of a long text, without credentials, and how long the whole is."""
    text = redact(text)
    return text if len(text) <= length else f"{text[:length]} … ({len(text):,} characters)"


def escaped(text: str) -> str:
    """Text in a table cell or a heading: markup shows as itself, and an address as code, for it would become a link."""
    return " ".join(_address(word) if _ADDRESS.search(word) else _literal(word) for word in text.split())


def _address(word: str) -> str:
    """The address as code, what a sentence puts behind it outside."""
    bare = word.rstrip(",;:.!?") or word
    return _code(bare) + _literal(word[len(bare) :])


def _literal(word: str) -> str:
    return re.sub(r"([\\`*_\[\]|~#$])", r"\\\1", html.escape(word, quote=False))


def _code(word: str) -> str:
    """A code span that holds any word; a table wants even there its bars escaped."""
    fence = _ticks(word, 0)
    pad = " " if "`" in (word[0], word[-1]) else ""
    return f"{fence}{pad}{word}{pad}{fence}".replace("|", "\\|")


def printable(text: str) -> str:
    """Text for a terminal: what does not print (escapes, marks that turn the direction) is shown as Python's escape."""
    return "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in text)


def folded(title: str, body: str, *, opened: bool = False) -> str:
    """Markdown that opens under a title of plain text, which stands in HTML and so is escaped as such."""
    start = "<details open>" if opened else "<details>"
    return f"{start}<summary>{html.escape(' '.join(title.split()))}</summary>\n\n{body}\n\n</details>"


def fenced(text: str) -> str:
    """A code block whose fence is longer than any run of backticks inside."""
    fence = _ticks(text, 2)
    return f"{fence}text\n{text}\n{fence}"


def _ticks(text: str, least: int) -> str:
    """Backticks that nothing in the text ends: more than `least`, and than any run of them in it."""
    return "`" * (max([least, *map(len, re.findall("`+", text))]) + 1)


def markdown_table(head: Sequence[object], rows: Sequence[Sequence[object]], right: Collection[int] = ()) -> str:
    """A table of GitHub's Markdown; the columns `right` are aligned to the right."""
    rule = "|".join([" ---: " if place in right else " --- " for place in range(len(head))])
    lines = ["| " + " | ".join(escaped(str(value)) for value in line) + " |" for line in (head, *rows)]
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])
