"""One OpenAPI or Swagger document: where its references lead. Nothing outside of it is ever looked at.

In: the document as JSON data. Out: the values that JSON pointers (RFC 6901) lead to, and objects with their `$ref`
followed. What cannot be followed is `Unmappable`, with a code and a detail for the person whose document it is.
Not promised: `$id`, `$anchor` and `$dynamicRef`; references by them lead nowhere here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from data.records import Json, JsonObject

MAX_HOPS: Final = 32


class Unmappable(Exception):
    """Why a part of the document becomes no tool; never leaves the readers of documents."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code, self.detail = code, detail


class Document:
    """A document and its pointers."""

    def __init__(self, root: JsonObject) -> None:
        self.root = root
        self.old = "swagger" in root
        """Swagger 2: parameters are schemas themselves, and bodies are parameters."""

    def lookup(self, reference: str) -> Json:
        """What `#/a/b` points to."""
        if not reference.startswith("#"):
            raise Unmappable("external_ref", f"{show(reference)} leads out of the document, and nothing is fetched")
        value: Json = self.root
        if reference[1:] and not reference.startswith("#/"):
            raise Unmappable("dangling_ref", f"{show(reference)} is no JSON pointer, and leads nowhere")
        for part in reference.split("/")[1:]:
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(value, Mapping) and name in value:
                value = value[name]
            elif isinstance(value, (list, tuple)) and name.isdecimal() and len(name) < 10 and int(name) < len(value):
                value = value[int(name)]
            else:
                raise Unmappable("dangling_ref", f"{show(reference)} leads nowhere")
        return value

    def follow(self, value: Json, what: str) -> JsonObject:
        """An object with its `$ref` followed; what stands beside the reference counts more."""
        beside: JsonObject = {}
        for _ in range(MAX_HOPS):
            if not isinstance(value, Mapping):
                raise Unmappable("malformed", f"{what} is no object: {show(value)}")
            reference = value.get("$ref")
            if not isinstance(reference, str):
                return {**value, **beside}
            beside = {**{key: one for key, one in value.items() if key != "$ref"}, **beside}
            value = self.lookup(reference)
        raise Unmappable("ref_cycle", f"{what} refers to itself")


def show(value: Json) -> str:
    """A value for a message, shortened."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
