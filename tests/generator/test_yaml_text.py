"""YAML as JSON data: the core schema of YAML 1.2, and no document that costs more than its size."""

import math

import pytest

from data.records import Json
from generator.yaml_text import MAX_LEVELS, YamlFault, read_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("Off", "Off"),
        ("yes", "yes"),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("null", None),
        ("2026-01-05", "2026-01-05"),
        ("2026-01-05T10:00:00Z", "2026-01-05T10:00:00Z"),
        ("12:30", "12:30"),
        ("1_000", "1_000"),
        ("012", 12),
        ("0o17", 15),
        ("0x1F", 31),
        ("-3", -3),
        ("2.50", 2.5),
        ("1e3", 1000.0),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("1e999", "1e999"),
        ('"3"', "3"),
        ("'true'", "true"),
        ("!!str 3", "3"),
        ("=", "="),
    ],
)
def test_a_scalar_is_read_by_the_core_schema(text: str, value: Json) -> None:
    read = read_yaml(f"a: {text}")
    assert read == {"a": value}
    assert isinstance(read, dict)
    assert type(read["a"]) is type(value)


def test_keys_are_their_text() -> None:
    assert read_yaml("200: a\non: b\n2026-01-05: c\nnull: d\n1.10: e") == {
        "200": "a", "on": "b", "2026-01-05": "c", "null": "d", "1.10": "e"
    }  # fmt: skip


def test_an_alias_stands_for_its_anchor() -> None:
    assert read_yaml("a: &x [1, {b: c}]\nd: *x\n&k key: 1\ne: *k") == {
        "a": [1, {"b": "c"}], "d": [1, {"b": "c"}], "key": 1, "e": "key"
    }  # fmt: skip


def test_merged_keys_give_way_to_own_ones_and_the_first_source_counts() -> None:
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b], x: 3}"
    assert read_yaml(text)["c"] == {"x": 3, "y": 1, "z": 2}  # type: ignore[index, call-overload]


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n..."])
def test_an_empty_document_is_null(text: str) -> None:
    assert read_yaml(text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\nb: 2\na: 3", "'a' stands twice (line 3)"),
        ("a: [1, 2", "line"),
        ("a: *none", "undefined alias|is to nothing"),
        ("a: &x [*x]", "around it"),
        ("a: !!python/object/apply:os.system [id]", "python/object/apply"),
        ("a: !!binary aGk=", "binary"),
        ("a: !mine {}", "!mine"),
        ("? [1, 2]\n: b", "a key is a list or a mapping"),
        ("a: 1\n---\nb: 2", "more than one document"),
        ("\tx: 1", "line 1"),
        ("<<: 3\na: {<<: [1]}", "takes mappings"),
        ("a: \x07", "character"),
    ],
)
def test_a_fault_says_what_and_where(text: str, words: str) -> None:
    with pytest.raises(YamlFault) as caught:
        read_yaml(text)
    assert any(word in str(caught.value) for word in words.split("|"))


@pytest.mark.parametrize("item", ["[{}]", "{{<<: [{}]}}"], ids=["lists", "merges"])
def test_aliases_of_aliases_do_not_blow_up(item: str) -> None:
    lines = ["a0: &a0 {k: lol}"]
    lines += [f"a{n}: &a{n} " + item.format(",".join([f"*a{n - 1}"] * 10)) for n in range(1, 30)]
    with pytest.raises(YamlFault, match="too large"):
        read_yaml("\n".join(lines))


@pytest.mark.parametrize("text", ["[" * 5_000, "- " * 5_000, "{a: " * 900])
def test_deep_nesting_is_a_fault(text: str) -> None:
    with pytest.raises(YamlFault, match=r"levels|depth"):
        read_yaml(text)


def test_levels_count_through_aliases() -> None:
    lines = ["a0: &a0 [1]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, MAX_LEVELS + 5))]
    with pytest.raises(YamlFault, match="too large"):
        read_yaml("\n".join(lines))


def test_numbers_are_finite() -> None:
    read = read_yaml("[1e308, -1e308, 1e309]")
    assert isinstance(read, list)
    assert all(isinstance(one, str) or (isinstance(one, float) and math.isfinite(one)) for one in read)
