"""RULES M4: type names as models write them."""

import pytest

from verifiers.schema_types import UnknownType, read_type

STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}

PLAIN = {
    "integer": ["integer", "int", "long", "byte", "INTEGER", " Int "],
    "number": ["number", "float", "double", "decimal"],
    "string": ["string", "str", "text", "char", "uuid", "url", "STRING"],
    "boolean": ["boolean", "bool", "Bool"],
    "array": ["array", "list", "tuple", "ArrayList"],
    "object": ["object", "dict", "map", "hashmap", "HashMap", "json"],
    "null": ["null", "none", "None"],
}


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for kind, names in PLAIN.items() for name in names])
def test_a_plain_name_is_its_type(name: str, kind: str) -> None:
    assert read_type(name) == {"type": kind}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("any", {}),
        ("Enum", {}),
        ("date", {"type": "string", "format": "date"}),
        ("DateTime", {"type": "string", "format": "date-time"}),
        ("time", {"type": "string", "format": "time"}),
        ("set", {"type": "array", "uniqueItems": True}),
        ("list[int]", {"type": "array", "items": INTEGER}),
        ("List(str)", {"type": "array", "items": STRING}),
        ("array<string>", {"type": "array", "items": STRING}),
        ("set[str]", {"type": "array", "uniqueItems": True, "items": STRING}),
        ("List[List[float]]", {"type": "array", "items": {"type": "array", "items": NUMBER}}),
        ("List[Optional[int]]", {"type": "array", "items": {"type": ["integer", "null"]}}),
        ("dict[str, int]", {"type": "object", "additionalProperties": INTEGER}),
        ("Dict[str, List[int]]", {"type": "object", "additionalProperties": {"type": "array", "items": INTEGER}}),
        ("List[Dict(str,int)]", {"type": "array", "items": {"type": "object", "additionalProperties": INTEGER}}),
        ("tuple[int, ...]", {"type": "array", "items": INTEGER}),
        ("tuple[int, str]", {"type": "array", "prefixItems": [INTEGER, STRING], "minItems": 2, "maxItems": 2}),
        ("Optional[str]", {"type": ["string", "null"]}),
        ("Optional[Optional[int]]", {"type": ["integer", "null"]}),
        ("Optional[list[int]]", {"type": ["array", "null"], "items": INTEGER}),
        ("Optional[date]", {"type": ["string", "null"], "format": "date"}),
        ("Optional[any]", {}),
        ("int|null", {"type": ["integer", "null"]}),
        ("int | str | None", {"type": ["integer", "string", "null"]}),
        ("Union[int, str]", {"type": ["integer", "string"]}),
        ("Union[int]", INTEGER),
        ("date|str", {"anyOf": [{"type": "string", "format": "date"}, STRING]}),
        ("list[int]|list[str]", {"anyOf": [{"type": "array", "items": INTEGER}, {"type": "array", "items": STRING}]}),
        ("string (ISO 8601)", STRING),
        ("integer (1 < n | n > 5)", INTEGER),
        ("array (e.g. [1, 2])", {"type": "array"}),
        ("string (a|b) | null", {"type": ["string", "null"]}),
        (["str", "None"], {"type": ["string", "null"]}),
        (["int", "integer"], INTEGER),
    ],
)
def test_what_is_written_means(written: object, read: object) -> None:
    assert read_type(written) == read


@pytest.mark.parametrize(
    "name",
    [
        *(
            "path-ish",
            "",
            "list[",
            "list[foo]",
            "foo[int]",
            "int[]",
            "Optional[]",
            "int|",
            "dict[str]",
            "int, optional",
        ),
        *("|" * 100_000, "(" * 20_000, "list[" * 20_000 + "]" * 20_000, "a[b<" * 75),
    ],
)
def test_anything_else_is_unknown(name: str) -> None:
    with pytest.raises(UnknownType):
        read_type(name)


@pytest.mark.parametrize("value", [5, None, True, {}, {"type": "string"}, [], ["string", 5]])
def test_what_is_no_name_at_all_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        read_type(value)
