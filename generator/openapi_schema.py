"""Schemas of an OpenAPI or Swagger document as JSON Schema 2020-12 that stands alone.

In: a schema of the document. Out: the same with `$ref` and `allOf` resolved, `nullable`, `discriminator`, boolean
`exclusiveMinimum` and `example` said in JSON Schema, and everything that is no keyword of it left out (vendor
extensions, `xml`, `title`). A schema that contains itself stands once in `defs` and is referred to there. `sendable`
takes out what a caller does not send: read-only properties, and files, which nobody can say in a question.
Bounds: `MAX_NODES` schemas for one tool, `MAX_DEPTH` levels; beyond, `Unmappable`.
Not promised: that the schema is sound (`verifiers.menu` decides). Branches of `allOf` that contradict each other stay
there; of two `additionalProperties` the closed one counts, for all properties that are listed together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from data.canonical import canonical_json
from data.exports.names import legal_names
from data.records import Json, JsonObject
from generator.openapi_document import Document, Unmappable, show
from verifiers.schema_normal import SUBSCHEMA_LISTS, SUBSCHEMA_MAPS, SUBSCHEMAS

MAX_NODES: Final = 1_000
MAX_DEPTH: Final = 48
MAX_WORDS: Final = 300
"""Characters of a description; longer ones end with their last whole sentence."""

Schema = dict[str, Json]

_ANNOTATIONS: Final = ("description", "default", "examples", "readOnly", "format")
_LARGEST: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_SMALLEST: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_PLAIN: Final = frozenset(
    {"type", "enum", "const", "pattern", "multipleOf", "uniqueItems", "required", "dependentRequired"}
    | {"minContains", "maxContains", *_LARGEST, *_SMALLEST, *_ANNOTATIONS}
)
_FILES: Final = ("file", "binary")


class Reader:
    """Reads the schemas of one tool. `levels`: how deep properties and items are read; below, anything goes."""

    def __init__(self, document: Document, levels: int = MAX_DEPTH) -> None:
        self.defs: dict[str, Json] = {}
        """The schemas that contain themselves, by the name they have in `#/$defs/`."""
        self._document = document
        self._levels = levels
        self._names: dict[str, str] = {}
        self._nodes = 0

    def read(self, schema: Json, opened: tuple[str, ...] = (), level: int = 0) -> Json:
        """The schema by itself; `opened` are the references that lead here."""
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, Mapping):
            raise Unmappable("malformed", f"{show(schema)} is no schema")
        if level > self._levels:
            return {}
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise Unmappable("too_large", f"it takes more than {MAX_NODES:,} schemas with references resolved")
        if level + len(opened) > MAX_DEPTH:
            raise Unmappable("too_large", f"its schemas nest more than {MAX_DEPTH} levels deep")
        parts: list[Json] = []
        if isinstance(schema.get("$ref"), str):
            parts.append(self._referred(str(schema["$ref"]), opened, level))
        branches = schema.get("allOf", ())
        if not isinstance(branches, (list, tuple)):
            raise Unmappable("malformed", f"`allOf` is no list: {show(branches)}")
        # A branch takes a level of the bound, so that one nested in itself ends.
        parts += [self.read(branch, (*opened, "allOf"), level) for branch in branches]
        parts.append(self._own(schema, opened, level))
        return _nullable(join(parts)) if schema.get("nullable") is True else join(parts)

    def top(self, schema: Json) -> Json:
        """As `read`, with a schema that contains itself opened once."""
        read = self.read(schema)
        reference = read.get("$ref") if isinstance(read, Mapping) and len(read) == 1 else None
        return self.defs[str(reference).rpartition("/")[2]] if reference else read

    def _referred(self, reference: str, opened: tuple[str, ...], level: int) -> Json:
        target = self._document.lookup(reference)
        if reference in opened and reference not in self._names:
            self._names[reference] = self._free_name(reference.rpartition("/")[2])
        if reference in self._names and (reference in opened or self._names[reference] in self.defs):
            return {"$ref": f"#/$defs/{self._names[reference]}"}
        read = self.read(target, (*opened, reference), level)
        if (name := self._names.get(reference)) is None:
            return read
        self.defs[name] = read
        return {"$ref": f"#/$defs/{name}"}

    def _free_name(self, wanted: str) -> str:
        legal, number = legal_names([wanted])[wanted], 2
        name = legal
        while name in self._names.values():
            name, number = f"{legal}_{number}", number + 1
        return name

    def _own(self, schema: JsonObject, opened: tuple[str, ...], level: int) -> Schema:
        """The schema's own keywords, `$ref` and `allOf` left out."""

        def inner(one: Json) -> Json:
            return self.read(one, opened, level + 1)

        own: Schema = {}
        for key, value in schema.items():
            if key in _PLAIN:
                own[key] = value
            elif key in SUBSCHEMA_MAPS and not key.startswith(("$", "def")):
                if not isinstance(value, Mapping):
                    raise Unmappable("malformed", f"`{key}` is no object: {show(value)}")
                own[key] = {name: inner(one) for name, one in value.items() if not _is_extension(name, one)}
            elif key in SUBSCHEMA_LISTS and key != "allOf":
                if not isinstance(value, (list, tuple)):
                    raise Unmappable("malformed", f"`{key}` is no list: {show(value)}")
                own[key] = [self._tagged(schema, one, inner) for one in value]
            elif key in SUBSCHEMAS:
                own[key] = inner(value)
        return _modern(own, schema)

    def _tagged(self, schema: JsonObject, branch: Json, inner: Callable[[Json], Json]) -> Json:
        """A branch of a union, with the value that the union's `discriminator` gives it."""
        read = inner(branch)
        reference = branch.get("$ref") if isinstance(branch, Mapping) else None
        discriminator = schema.get("discriminator")
        if not isinstance(discriminator, Mapping) or not isinstance(reference, str) or not isinstance(read, Mapping):
            return read
        name, mapping = discriminator.get("propertyName"), discriminator.get("mapping")
        last = reference.rpartition("/")[2]
        given = mapping.items() if isinstance(mapping, Mapping) else ()
        tags: list[Json] = [tag for tag, target in given if target in (reference, last)]
        if not isinstance(name, str) or "$ref" in read:
            return read
        return join([read, {"properties": {name: {"enum": tags or [last]}}, "required": [name]}])


def join(parts: Sequence[Json]) -> Json:
    """One schema for all of the parts; those that cannot be joined with the others stay in `allOf`."""
    joined: Schema = {}
    apart: list[Json] = []
    for part in parts:
        both = _both(joined, part) if isinstance(part, Mapping) and "$ref" not in part else None
        if both is not None:
            joined = both
        elif part is not True:
            apart.append(part)
    if len(apart) == 1 and not joined:
        return apart[0]
    if not apart:
        return joined
    before = joined.get("allOf")
    return {**joined, "allOf": [*(before if isinstance(before, list) else ()), *apart]}


def _both(one: Schema, other: JsonObject) -> Schema | None:
    """Both schemas in one, or None where a keyword cannot say both; annotations of the second count."""
    both = dict(one)
    for key, value in other.items():
        before = one.get(key)
        if key not in one or key in _ANNOTATIONS:
            both[key] = value
        elif key in ("properties", "patternProperties") and isinstance(before, Mapping) and isinstance(value, Mapping):
            shared = {name: join([before[name], inner]) for name, inner in value.items() if name in before}
            both[key] = {**before, **value, **shared}
        elif key == "required" and isinstance(before, list) and isinstance(value, list):
            both[key] = [*before, *(name for name in value if name not in before)]
        elif key in (*_LARGEST, *_SMALLEST) and _is_number(before) and _is_number(value):
            both[key] = (max if key in _LARGEST else min)(before, value)  # type: ignore[type-var]
        elif key == "type":
            both[key] = _common_type(before, value)
        elif key == "enum" and isinstance(before, list) and isinstance(value, list):
            allowed = {canonical_json(choice) for choice in value}
            both[key] = [choice for choice in before if canonical_json(choice) in allowed]
        elif key == "additionalProperties" and (before in (True, False) or value in (True, False)):
            both[key] = False if False in (before, value) else value if before is True else before
        elif canonical_json(before) != canonical_json(value):
            return None
        if both[key] in ([], None) and key in ("type", "enum"):
            return None
    return both


def _common_type(one: Json, other: Json) -> Json:
    """The types that both allow; None where there are none."""
    ours, theirs = (list(kind) if isinstance(kind, (list, tuple)) else [kind] for kind in (one, other))
    common = [kind for kind in ours if kind in theirs or (kind == "integer" and "number" in theirs)]
    common += [kind for kind in theirs if kind == "integer" and "number" in ours and "integer" not in ours]
    return common[0] if len(common) == 1 else common


def _modern(own: Schema, schema: JsonObject) -> Schema:
    """Keywords that OpenAPI has of its own, or that older drafts wrote otherwise, said as in 2020-12."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(own.get(exclusive), bool) and own.pop(exclusive) and bound in own:
            own[exclusive] = own.pop(bound)
    if "example" in schema and "examples" not in own:
        own["examples"] = [schema["example"]]
    if isinstance(own.get("examples"), Mapping):
        del own["examples"]
    if "type" not in own:
        if "properties" in own:
            own["type"] = "object"
        elif "items" in own:
            own["type"] = "array"
    if "description" in own:
        own["description"] = short(own["description"])
    return own


def _nullable(schema: Json) -> Json:
    """OpenAPI 3.0 `nullable: true`."""
    if not isinstance(schema, Mapping):
        return schema
    kind = schema.get("type")
    if not isinstance(kind, str) or schema.keys() & {"$ref", "allOf", "anyOf", "oneOf", "const"}:
        return {"anyOf": [schema, {"type": "null"}]} if schema else schema
    choices = schema.get("enum")
    more: Schema = {"enum": [*choices, None]} if isinstance(choices, list) and None not in choices else {}
    return {**schema, "type": [kind, "null"], **more}


def sendable(schema: Json, place: str, lost: list[str]) -> Json:
    """The schema without read-only properties and files; None if it is a file. Names what it takes out in `lost`.

    Raises `Unmappable` where an object cannot be sent without a file.
    """
    if not isinstance(schema, Mapping):
        return schema
    if schema.get("type") in _FILES or schema.get("format") in _FILES:
        return None
    kept: Schema = {key: value for key, value in schema.items() if key != "readOnly"}
    for key in kept.keys() & (SUBSCHEMAS - {"not"}):
        kept[key] = sendable(kept[key], place, lost)
        if kept[key] is None:
            return None
    for key in kept.keys() & SUBSCHEMA_LISTS:
        kept[key] = [one for one in (sendable(one, place, lost) for one in _items(kept[key])) if one is not None]
        if not kept[key]:
            return None
    properties = kept.get("properties")
    if isinstance(properties, Mapping):
        kept |= _properties(kept, properties, place, lost)
    return kept


def _properties(schema: Schema, properties: JsonObject, place: str, lost: list[str]) -> Schema:
    required = _items(schema.get("required"))
    sent: Schema = {}
    for name, inner in properties.items():
        if isinstance(inner, Mapping) and inner.get("readOnly") is True:
            continue
        read = sendable(inner, f"{place}.{name}" if place else name, lost)
        if read is not None:
            sent[name] = read
        elif name in required:
            raise Unmappable("file", f"it takes a file ({name})")
        else:
            lost.append(f"{place}.{name}" if place else name)
    unsent = [name for name in properties if name not in sent]
    due: list[Json] = [name for name in required if name not in unsent]
    return {"properties": sent, **({"required": due} if due or "required" in schema else {})}


def short(text: Json) -> str:
    """The first paragraph of a text, cut after a sentence where it is longer than `MAX_WORDS`."""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split()) if isinstance(text, str) else ""
    if len(paragraph) <= MAX_WORDS:
        return paragraph
    cut = paragraph[:MAX_WORDS]
    end = max(cut.rfind(mark) for mark in (". ", "! ", "? "))
    return cut[: end + 1] if end > 0 else f"{cut.rpartition(' ')[0] or cut[:-1]}…"


def _is_extension(name: str, value: Json) -> bool:
    return name.startswith("x-") and not isinstance(value, (Mapping, bool))


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _items(value: Json) -> Sequence[Json]:
    return value if isinstance(value, (list, tuple)) else ()
