"""Are the optional arguments those that the question asks for (determinacy: `unasked_argument`, `omitted_argument`)?

In: a menu, calls in normal form, the task's messages; every value is said. Out: a `Verdict` for each fault.
An option is unasked when it is true and the question has no word of what it is called or described by, or when its
value is said no more often than the other arguments of its call hold it. It is omitted when a number that no call uses
is said close behind a word of its name alone. Nothing is refused for want of words in a question that is not English.
Not promised: options that are asked for in other words, and values of options other than numbers that are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import regex

from data.records import Json, JsonObject, Message, Verdict
from verifiers.answer import equal
from verifiers.content import content_words, is_english, said_words
from verifiers.meant import close_before, is_label, numbers_used
from verifiers.rivals import Tools
from verifiers.said import Said, said_in
from verifiers.schema_places import Schemas
from verifiers.tool_facts import ToolFacts

_SCHEMA_WORDS = content_words(
    "true false boolean default option optional optionally flag indicate indicates determine return returns output"
    " result include included including provide provided additional enable enabled value parameter"
)
"""What descriptions of options say of any option."""
_SCALARS = frozenset((str, int, float, bool))
_DEFAULT_TRUE = regex.compile(r"\bdefault[^.;]{0,20}\btrue\b|\btrue (?:by|is the) default\b")
"""A default in words: to give it is no more than to leave it out."""


def option_faults(menu: Tools, calls: tuple[JsonObject, ...], messages: tuple[Message, ...]) -> Iterator[Verdict]:
    """`unasked_argument` for every such argument, then `omitted_argument`."""
    for call in calls:
        name, arguments = str(call["name"]), call["arguments"]
        if isinstance(arguments, dict) and not menu.facts(name).options.keys().isdisjoint(arguments):
            for unasked in _unasked(menu.facts(name), arguments, messages):
                yield Verdict("determinacy", "unasked_argument", f"{name[:80]}: {unasked}")
    for omitted in _omitted(menu, calls, messages):
        yield Verdict("determinacy", "omitted_argument", omitted)


def _unasked(tool: ToolFacts, arguments: Mapping[str, Json], messages: tuple[Message, ...]) -> Iterator[str]:
    values = [value for value in arguments.values() if value and value.__class__ in _SCALARS]
    if len(set(values)) == len(values) and not any(value is True for value in values):
        return
    for name in tool.options:
        value = arguments.get(name)
        if not value or not isinstance(value, str | int | float):
            continue
        parameters = tool.tool["parameters"]
        schemas = Schemas(parameters, [parameters]).property(name)
        if schemas.declare_default(value):
            continue
        if value is True:
            if not _is_mentioned(name, schemas, tool, messages):
                yield f"{name[:80]} is true, and the question has no word of it"
            continue
        twins = [key for key, other in arguments.items() if key != name and equal(value, other)]
        if twins and _is_said_of(twins, name, value, messages):
            yield f"{name[:80]} = {repr(value)[:80]} is said of {twins[0][:80]} alone"


def _is_mentioned(name: str, schemas: Schemas, tool: ToolFacts, messages: tuple[Message, ...]) -> bool:
    """Whether the question has a word of an option; also where the option has none of its own."""
    said = said_words(messages)
    described = " ".join(str(schema.get("description", "")) for schema in schemas.here)
    if _DEFAULT_TRUE.search(described.casefold()):
        return True
    called = content_words(name) - _SCHEMA_WORDS
    words = (called | content_words(described)) - _SCHEMA_WORDS - content_words(str(tool.tool["name"]))
    if not words or words & said or (called and called <= said):
        return True
    return not is_english("\n".join(message.content for message in messages))


def _is_said_of(twins: list[str], name: str, value: str | int | float, messages: tuple[Message, ...]) -> bool:
    """Whether a value is said, no more often than other arguments hold it, and without a word of this one's name."""
    if content_words(name) & said_words(messages):
        return False
    return 0 < len(said_in(messages).places(value)) <= len(twins)


def _omitted(menu: Tools, calls: tuple[JsonObject, ...], messages: tuple[Message, ...]) -> Iterator[str]:
    """Nought, and what a description says too, is as good as left out."""
    spare: frozenset[float] | None = None
    for called in dict.fromkeys(str(call["name"]) for call in calls):
        options = menu.facts(called).number_options
        given = {key for call in calls if call["name"] == called for key in _arguments(call)} if options else ()
        for option in options:
            if option.name in given:
                continue
            if spare is None:
                spare = said_in(messages).figures - {0.0, float(len(calls))}
                spare = spare - numbers_used(calls) if spare else spare
            if not spare:
                return
            for figure in _labelled(said_in(messages), spare - option.described, option.words, option.rivals):
                if figure != option.default:
                    yield f"{option.name[:80]} is left out, and {figure:g} is said of it"


def _labelled(said: Said, figures: frozenset[float], own: frozenset[str], rivals: frozenset[str]) -> Iterator[float]:
    """Those of the figures that stand close behind a word of one name, and of no other."""
    before = 0
    for start, end, figure in said.figures_at:
        if figure in figures and is_label(close_before(said.spoken, before, start), own, rivals):
            yield figure
        before = end


def _arguments(call: JsonObject) -> Mapping[str, Json]:
    arguments = call["arguments"]
    return arguments if isinstance(arguments, dict) else {}
