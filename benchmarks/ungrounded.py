"""The values of real rows that grounding does not find, by kind.

    python -m benchmarks.ungrounded [--examples 3]

In: the rows of `benchmarks.bfcl`, with as few arguments as their answers allow. A value's kind is told by what it looks
like and what of it the question holds; the first kind that fits counts, in the order of `KINDS`.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from benchmarks.bfcl import rows
from data.records import Draft
from verifiers.algebra import is_expression
from verifiers.content import words_of
from verifiers.grounding import ungrounded_values
from verifiers.said_codes import names_of
from verifiers.said_dates import moments
from verifiers.said_text import fold
from verifiers.schema_places import Schemas
from verifiers.verify import verify


class Unsaid(NamedTuple):
    """A value that is not found: its row, its argument, the value, the question, and the `enum` it is taken from."""

    row: str
    path: str
    value: str | int | float
    question: str
    enum: bool

    @property
    def text(self) -> str:
        """The value, if it is a text; else nothing."""
        return self.value if isinstance(self.value, str) else ""

    def words_said(self) -> tuple[int, int]:
        """How many of the value's words the question has by their beginnings, and how many there are."""
        words = words_of(self.text)
        return len(words & words_of(self.question)), len(words)


KINDS: dict[str, Callable[[Unsaid], bool]] = {
    "a number that no figure says": lambda one: not isinstance(one.value, str),
    "empty text": lambda one: not one.text.strip(),
    "an option of an enum, in other words": lambda one: one.enum,
    "a day or a time in another form or with more than is said": lambda one: moments(fold(one.text)).alone,
    "a code": lambda one: bool(names_of(one.text)) or re.fullmatch(r"[A-Z]{2,5}", one.text) is not None,
    "a formula or program": lambda one: is_expression(fold(one.text)) or any(mark in one.text for mark in "()=<>{}"),
    "its words are said, in another order or form": lambda one: 0 < one.words_said()[0] == one.words_said()[1],
    "some of its words are said": lambda one: one.words_said()[0] > 0,
    "no word of it is said": lambda one: True,
}


def unsaid() -> Iterator[Unsaid]:
    """Every value that is not found in rows whose calls are valid."""
    for name, draft in rows().items():
        proof = verify(draft, checks={"calls"})
        if proof.reasons or proof.menu is None:
            continue
        for found in ungrounded_values(proof.menu, proof.calls, draft.messages):
            call = proof.calls[found.call - 1]
            tool = proof.menu.tool(str(call["name"])) or {}
            schemas = Schemas(tool.get("parameters"), [tool.get("parameters")])
            for step, place in re.findall(r"([^.\[\]]+)|\[(\d+)\]", found.path):
                schemas = schemas.property(step) if step else schemas.item(int(place))
            enum = any("enum" in schema for schema in schemas.here)
            yield Unsaid(name, found.path, found.value, _question(draft), enum)


def by_kind() -> dict[str, list[Unsaid]]:
    """The values that are not found, each under one kind."""
    found: defaultdict[str, list[Unsaid]] = defaultdict(list)
    for one in unsaid():
        found[next(kind for kind, fits in KINDS.items() if fits(one))].append(one)
    return {kind: found[kind] for kind in KINDS if kind in found}


def _question(draft: Draft) -> str:
    return "\n".join(message.content for message in draft.messages)


def main() -> None:
    """Print the kinds with their numbers and some examples."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=3)
    options = parser.parse_args()
    found = by_kind()
    values = sum(map(len, found.values()))
    refused = len({one.row for listed in found.values() for one in listed})
    print(f"{values} values in {refused} of {len(rows())} rows are not found")
    for kind, listed in sorted(found.items(), key=lambda item: -len(item[1])):
        print(f"{len(listed):4} {kind}")
        for one in listed[: options.examples]:
            print(f"       {one.row}: {one.path} = {ascii(one.value)[:60]}")


if __name__ == "__main__":
    main()
