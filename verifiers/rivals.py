"""Does another tool of the menu fit the question better than the one that is called (determinacy, `better_tool`)?

In: a menu, calls in normal form, the task's messages. Out: a `Verdict` for each fault.
A tool is refused only for an uncalled one that takes the same arguments and has more content words of its own, which
the called one's name and description lack, in the last user turn than the called one has in the whole text. Words of
other called tools, of arguments' names and of values are not its own.
Not promised: a tool that fits better in other words than those of its description.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Protocol

from data.records import Json, JsonObject, Message, Verdict
from verifiers.content import said_words, words_of
from verifiers.tool_facts import ToolFacts

MAX_STRINGS = 100


class Validator(Protocol):
    """What is needed of a tool's validator."""

    def first_cause(self, arguments: object) -> object | None: ...


class Tools(Protocol):
    """What is needed of a menu."""

    @property
    def tools(self) -> tuple[JsonObject, ...]: ...

    def tool(self, name: str) -> JsonObject | None: ...

    def validator(self, name: str) -> Validator: ...

    def facts(self, name: str) -> ToolFacts: ...


def rival_faults(menu: Tools, calls: tuple[JsonObject, ...], messages: tuple[Message, ...]) -> Iterator[Verdict]:
    """`better_tool`, for every call and every such tool."""
    called = {str(call["name"]) for call in calls}
    for call in calls if len(menu.tools) > len(called) else ():
        name, arguments = str(call["name"]), call["arguments"]
        if menu.tool(name) is None or not isinstance(arguments, Mapping):
            continue
        tool = menu.facts(name)
        for other in (str(one["name"]) for one in menu.tools):
            if other in called or not _may_take(menu.facts(other), arguments):
                continue
            if _fits_better(menu.facts(other), tool, messages, menu, calls) and _takes(menu, other, arguments):
                names = f"{other[:80]} shares more words of its own with it than {name[:80]}"
                yield Verdict("determinacy", "better_tool", f"the question fits another tool: {names}")


def _may_take(tool: ToolFacts, arguments: Mapping[str, Json]) -> bool:
    """Whether a tool declares these arguments and requires no other, at first sight."""
    return tool.lists_parameters and tool.required <= arguments.keys() <= tool.declared.keys()


def _takes(menu: Tools, name: str, arguments: Mapping[str, Json]) -> bool:
    return menu.validator(name).first_cause(arguments) is None


def _fits_better(
    other: ToolFacts, tool: ToolFacts, messages: tuple[Message, ...], menu: Tools, calls: tuple[JsonObject, ...]
) -> bool:
    least = len((tool.words - other.words) & said_words(messages))
    rival = (other.words - tool.words) & _asked_last(messages)  # what an earlier turn asked for may be done
    return len(rival) > least and len(rival - _explained(menu, calls)) > least


@lru_cache(maxsize=8)
def _asked_last(messages: tuple[Message, ...]) -> frozenset[str]:
    return words_of(next((message.content for message in reversed(messages) if message.role == "user"), ""))


def _explained(menu: Tools, calls: tuple[JsonObject, ...]) -> frozenset[str]:
    """Words that the question has for the calls it gets: of their tools, their arguments' names, and their values."""
    found = words_of("\n".join(_strings([call["arguments"] for call in calls])))
    for name in (str(call["name"]) for call in calls):
        found |= menu.facts(name).words if menu.tool(name) else frozenset()
    return found


def _strings(inside: list[Json]) -> Iterator[str]:
    """The texts inside, and the names they stand under."""
    found = 0
    while inside and found < MAX_STRINGS:
        value = inside.pop()
        if isinstance(value, str):
            found += 1
            yield value
        elif isinstance(value, Mapping):
            yield " ".join(value)
            inside += value.values()
        elif isinstance(value, list):
            inside += value
