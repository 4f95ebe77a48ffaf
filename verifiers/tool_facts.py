"""What the rules of determinacy ask of one tool, however often: each answer is made when first asked, and kept with it.

In: a normalised tool. Out: its `ToolFacts`.
Not promised: anything of parameters that are declared below the top, or through `$ref` and combinators.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from data.records import Json, JsonObject
from verifiers.content import content_words, name_words
from verifiers.said_numbers import figures_in
from verifiers.said_text import fold, lazy


@dataclass(frozen=True, slots=True)
class NumberOption:
    """An optional number: its name, its words and those of the tool's other parameters, what its description says."""

    name: str
    words: frozenset[str]
    rivals: frozenset[str]
    described: frozenset[float]
    default: Json


class ToolFacts:
    """One tool, ready to be asked."""

    def __init__(self, tool: JsonObject) -> None:
        self.tool = tool
        parameters = tool["parameters"]
        self._parameters: Mapping[str, Json] = parameters if isinstance(parameters, Mapping) else {}

    @lazy
    def text(self) -> str:
        """Name and description."""
        return f"{self.tool['name']} {self.tool['description']}"

    @lazy
    def words(self) -> frozenset[str]:
        """The content words of both."""
        return content_words(self.text)

    @lazy
    def declared(self) -> Mapping[str, Json]:
        """The parameters that are declared at the top."""
        declared = self._parameters.get("properties")
        return declared if isinstance(declared, Mapping) else {}

    @lazy
    def lists_parameters(self) -> bool:
        """Whether the tool says at the top what it takes, be it nothing."""
        return isinstance(self._parameters.get("properties"), Mapping)

    @lazy
    def required(self) -> frozenset[str]:
        """The names of those that must be given."""
        required = self._parameters.get("required")
        return frozenset(map(str, required)) if isinstance(required, list | tuple) else frozenset()

    @lazy
    def options(self) -> Mapping[str, Mapping[str, Json]]:
        """The others, with their schemas."""
        found = self.declared.items()
        return {name: one for name, one in found if name not in self.required and isinstance(one, Mapping)}

    @lazy
    def number_options(self) -> tuple[NumberOption, ...]:
        """Those of the options that are numbers."""
        return tuple(
            NumberOption(
                name,
                name_words(name),
                frozenset[str]().union(*(name_words(key) for key in self.declared if key != name)),
                frozenset(figure for _, _, figure in figures_in(fold(str(schema.get("description", ""))))),
                schema.get("default"),
            )
            for name, schema in self.options.items()
            if schema.get("type") in ("integer", "number")
        )
