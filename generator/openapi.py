"""OpenAPI 3 and Swagger 2 documents: every operation a tool, and by name what cannot be one.

In: a document as JSON data (`tools_file` reads JSON and YAML). Out: a `ToolList`. A tool is called by its
`operationId`, else by method and path; names are made legal (`data.exports.names`) and unique. Its parameters are those
of the path, query, headers and cookies, and beside them the properties of the body; a body that is no plain object
is one parameter, `body`. Of two parameters of one name the later is called by its place (`body_id`). What the
document's answer of status 2xx holds becomes `outputSchema`, which chains calls; its first tag is its domain.
Left out, each with its reason: references that leave the document (nothing is ever fetched) or lead nowhere, files,
webhooks and callbacks (there the server calls), schemas beyond the bounds of `openapi_schema`.
Not promised: security schemes, servers, styles of serialisation, links: a task's calls are judged, never sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from data.canonical import CanonicalError, canonical_json
from data.errors import UsageError
from data.exports.names import legal_names
from data.records import Json, JsonObject, Verdict
from generator.openapi_document import Document, Unmappable, show
from generator.openapi_schema import Reader, Schema, sendable, short
from generator.tool_list import Refused, ToolList

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_PLACES: Final = ("path", "query", "header", "cookie", "body", "formData")
_NOT_SENT: Final = frozenset(("accept", "content-type", "authorization"))
"""Headers that a document's parameters do not describe (OpenAPI 3, Parameter Object)."""
_CONTENT: Final = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain")
"""Of several content types of a body the first that is there; any other after them."""
_MERGED: Final = frozenset(("type", "properties", "required", "additionalProperties", "description", "examples"))
_SENTENCE: Final = re.compile(r"[.!?](?=\s+[A-Z])")
_WORDS: Final = re.compile(r"[A-Za-z0-9]+")


def is_openapi(value: Json) -> bool:
    """Whether JSON data is meant as an OpenAPI or Swagger document."""
    return isinstance(value, Mapping) and ("openapi" in value or "swagger" in value)


def read_openapi(root: JsonObject, source: str) -> ToolList:
    """The operations of a document as tools; `source` names it in errors.

    Raises `UsageError` for another version, or where no operation can be a tool (the first reasons are named).
    """
    version = str(root.get("openapi", root.get("swagger")))
    if version.partition(".")[0] != ("3" if "openapi" in root else "2"):
        raise UsageError(
            f"{source} says it is {'OpenAPI' if 'openapi' in root else 'Swagger'} {version[:40]}",
            hint="OpenAPI 3 and Swagger 2 are read; convert the document",
        )
    reading = _Reading(Document(root))
    reading.run()
    names = [name for name, _ in reading.found]
    legal = legal_names(names)
    tools = tuple({"name": legal[name], **tool} for name, tool in reading.found)
    if not tools:
        first = "; ".join(f"{one.name}: {one.verdict.detail}" for one in reading.left_out[:3])
        raise UsageError(
            f"no operation of {source} can be a tool{': ' if first else ''}{first}",
            hint="a document has its operations under `paths`; what is named here cannot be called with arguments",
        )
    return ToolList(tools, tuple(reading.left_out))


@dataclass(slots=True)
class _Reading:
    """One pass over a document."""

    document: Document
    found: list[tuple[str, JsonObject]] = field(default_factory=list)
    left_out: list[Refused] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    given: set[Json] = field(default_factory=set)
    """Every `operationId`: a name made up here is none of them."""

    def run(self) -> None:
        root = self.document.root
        for item in _object(root.get("paths")).values():
            for operation in map(_object, _object(item).values()):
                if isinstance(operation.get("operationId"), str):
                    self.given.add(operation["operationId"])
        for path, item in _object(root.get("paths")).items():
            if not path.startswith("x-"):
                self._path(path, item)
        for name in _object(root.get("webhooks")):
            self._leave(name, "webhook", "it is a webhook: the server calls it")

    def _leave(self, name: str, code: str, detail: str) -> None:
        self.left_out.append(Refused(name, Verdict("openapi", code, detail)))

    def _path(self, path: str, item: Json) -> None:
        try:
            followed = self.document.follow(item, path)
        except Unmappable as why:
            self._leave(path, why.code, why.detail)
            return
        for method in followed:
            if method in METHODS:
                self._operation(path, method, followed)

    def _operation(self, path: str, method: str, item: JsonObject) -> None:
        operation = _object(item[method])
        name = self._name(operation.get("operationId"), method, path)
        domain = _domain(operation.get("tags"), path)
        words = _first_sentence(operation.get("summary")) or _first_sentence(operation.get("description"))
        said = {"description": words or f"{method.upper()} {path}", **({"domain": domain} if domain else {})}
        lost: list[str] = []
        try:
            if not isinstance(item[method], Mapping):
                raise Unmappable("malformed", f"the operation is no object: {show(item[method])}")
            tool = {**said, **_Tool(self.document, path, operation, lost).read(item)}
            canonical_json(tool)
        except Unmappable as why:
            self._leave(name, why.code, why.detail)
            return
        except CanonicalError as why:
            self._leave(name, "malformed", str(why.reason))
            return
        self.found.append((name, tool))
        for parameter in lost:
            self._leave(f"{name}: {parameter}", "file", "the parameter is a file; the tool does without")
        for callback in _object(operation.get("callbacks")):
            self._leave(f"{name}: {callback}", "webhook", "it is a callback: the server calls it")

    def _name(self, given: Json, method: str, path: str) -> str:
        """The operation's own name, else one of method and path; the second of a name is numbered."""
        wanted = given.strip() if isinstance(given, str) else ""
        wanted = name = wanted or "_".join([method, *_WORDS.findall(path)])
        number = 2
        while name in self.names or (name in self.given and name != given):
            name, number = f"{wanted}_{number}", number + 1
        self.names.add(name)
        return name


class _Tool:
    """The parameters and the result of one operation."""

    def __init__(self, document: Document, path: str, operation: JsonObject, lost: list[str]) -> None:
        self._document, self._path, self._operation, self._lost = document, path, operation, lost
        self._reader = Reader(document)
        self._properties: dict[str, Json] = {}
        self._more: Schema = {}
        self._required: list[Json] = []

    def read(self, item: JsonObject) -> JsonObject:
        """`inputSchema`, and `outputSchema` where the result is an object."""
        listed = self._listed(item)
        for place in ("path", "query", "header", "cookie"):
            for parameter in listed:
                if parameter["in"] == place:
                    self._parameter(parameter)
        for name in re.findall(r"\{([^{}]+)\}", self._path):
            if not any(parameter["in"] == "path" and parameter["name"] == name for parameter in listed):
                self._add(name, "path", {"type": "string"}, needed=True)
        self._body(listed)
        schema: Schema = {"type": "object", "properties": self._properties, **self._more}
        if self._required:
            schema["required"] = self._required
        if self._reader.defs:
            schema["$defs"] = {name: sendable(one, name, self._lost) for name, one in self._reader.defs.items()}
        output = self._output()
        return {"inputSchema": schema, **({"outputSchema": output} if output else {})}

    def _listed(self, item: JsonObject) -> list[JsonObject]:
        """The parameters of the path, each replaced by the operation's own of the same name and place."""
        found: dict[tuple[str, str], JsonObject] = {}
        for owner in (item, self._operation):
            listed = owner.get("parameters") or ()
            if not isinstance(listed, (list, tuple)):
                raise Unmappable("malformed", f"`parameters` is no list: {show(listed)}")
            for given in listed:
                parameter = self._document.follow(given, "a parameter")
                name, place = parameter.get("name"), parameter.get("in")
                if not isinstance(name, str) or not isinstance(place, str) or place not in _PLACES:
                    raise Unmappable(
                        "malformed", f"a parameter without a name or a known place: {show(dict(parameter))}"
                    )
                if place != "header" or name.lower() not in _NOT_SENT:
                    found[place, name] = parameter
        return list(found.values())

    def _parameter(self, parameter: JsonObject) -> None:
        name, place = str(parameter["name"]), str(parameter["in"])
        needed = place == "path" or parameter.get("required") is True
        schema = sendable(self._reader.read(self._schema(parameter)), name, self._lost)
        if schema is None:
            self._do_without(name, needed)
            return
        self._add(name, place, _described(schema, parameter, self._examples(parameter)), needed)

    def _schema(self, parameter: JsonObject) -> Json:
        """A parameter's schema: its own keywords in Swagger 2, its `schema` or its only `content` in OpenAPI 3."""
        if "schema" in parameter:
            return parameter["schema"]
        for media in _object(parameter.get("content")).values():
            return _object(media).get("schema", {})
        aside = ("name", "in", "required", "description", "example", "examples")
        return {key: value for key, value in parameter.items() if key not in aside} if self._document.old else {}

    def _examples(self, parameter: JsonObject) -> list[Json]:
        if "example" in parameter:
            return [parameter["example"]]
        values: list[Json] = []
        for one in _object(parameter.get("examples")).values():
            with suppress(Unmappable):
                values += [value for key, value in self._document.follow(one, "an example").items() if key == "value"]
        return values

    def _add(self, name: str, place: str, schema: Json, needed: bool) -> str:
        """Take a parameter in under its name, or one by its place where that is taken; returns the name."""
        wanted, number = name if name not in self._properties else f"{place}_{name}", 2
        free = wanted
        while free in self._properties:
            free, number = f"{wanted}_{number}", number + 1
        self._properties[free] = schema
        if needed:
            self._required.append(free)
        return free

    def _do_without(self, name: str, needed: bool) -> None:
        if needed:
            raise Unmappable("file", f"it takes a file ({name})")
        self._lost.append(name)

    def _body(self, listed: list[JsonObject]) -> None:
        for parameter in listed:
            if parameter["in"] == "formData":
                self._parameter(parameter)
            elif parameter["in"] == "body":
                self._merge(str(parameter["name"]), parameter, parameter.get("schema", {}), "")
        if self._operation.get("requestBody") is not None and not self._document.old:
            body = self._document.follow(self._operation["requestBody"], "the body")
            content = {
                name.partition(";")[0].strip().lower(): one for name, one in _object(body.get("content")).items()
            }
            known = [name for name in _CONTENT if name in content]
            kind = next(iter((*known, *content)), "application/json")
            self._merge("body", body, _object(content.get(kind)).get("schema"), kind)

    def _merge(self, name: str, body: JsonObject, given: Json, kind: str) -> None:
        """The properties of a plain object beside the other parameters; any other body as one parameter."""
        needed = body.get("required") is True
        if given is None:
            text = "json" in kind or kind.startswith("text/")
            given = {} if "json" in kind else {"type": "string", **({} if text else {"format": "binary"})}
        schema = sendable(self._reader.top(given), "", self._lost)
        if schema is None:
            self._do_without(name, needed)
            return
        properties = _object(_object(schema).get("properties"))
        if not properties or not _is_plain(_object(schema)):
            self._add(name, "body", _described(schema, body, []), needed)
            return
        assert isinstance(schema, Mapping)
        due = [one for one in _list(schema.get("required")) if one in properties]
        called = {one: self._add(one, "body", inner, needed and one in due) for one, inner in properties.items()}
        if due and not needed:
            # All or nothing: who sends an optional body sends what it requires.
            others = {mine: [called[str(one)] for one in due if called[str(one)] != mine] for mine in called.values()}
            self._more["dependentRequired"] = {mine: rest for mine, rest in others.items() if rest}
        if "additionalProperties" in schema:
            self._more["additionalProperties"] = schema["additionalProperties"]

    def _output(self) -> Schema:
        """The properties of the first answer of status 2xx that has a schema, with their types alone."""
        responses = _object(self._operation.get("responses"))
        for status in sorted(one for one in responses if one.startswith("2")):
            try:
                response = self._document.follow(responses[status], "a response")
                media = next((one for name, one in _object(response.get("content")).items() if "json" in name), {})
                schema = response.get("schema", _object(media).get("schema"))
                read = Reader(self._document, levels=1).top(schema) if schema is not None else {}
            except Unmappable:
                continue
            properties = _object(_object(read).get("properties"))
            kinds = {name: _object(inner).get("type") for name, inner in properties.items()}
            if kinds:
                known = {name: {"type": kind} for name, kind in kinds.items() if isinstance(kind, str)}
                return {"type": "object", "properties": known}
        return {}


def _is_plain(schema: JsonObject) -> bool:
    """Whether an object's keywords are about its properties one by one, so that they may stand beside others."""
    return schema.get("type") == "object" and schema.keys() <= _MERGED


def _described(schema: Json, owner: JsonObject, examples: list[Json]) -> Json:
    """A schema with the description and the examples of the parameter it belongs to."""
    if not isinstance(schema, Mapping):
        return schema
    words = short(owner.get("description"))
    more: Schema = {"description": words} if words and "$ref" not in schema else {}
    return {**schema, **more, **({"examples": examples} if examples and "examples" not in schema else {})}


def _domain(tags: Json, path: str) -> str:
    """The operation's first tag, else the first word of its path: results chain to parameters within a domain."""
    tag = next(_list(tags), "").strip()
    return (tag or next((part for part in path.split("/") if part and "{" not in part), ""))[:64]


def _first_sentence(text: Json) -> str:
    paragraph = short(text)
    end = _SENTENCE.search(paragraph)
    return paragraph[: end.end()] if end else paragraph


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _list(value: Json) -> Iterator[str]:
    return (one for one in value if isinstance(one, str)) if isinstance(value, (list, tuple)) else iter(())
