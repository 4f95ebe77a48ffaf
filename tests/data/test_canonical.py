"""Canonical JSON: one text per value, the same as a slow and obvious writer's, and nothing changed in silence."""

import json
import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.canonical import CanonicalError, canonical_json, digest, messages_json, task_id
from data.errors import StoreError
from data.records import Json, Message

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def obvious(value: Json) -> Json:
    """J6 without any care for speed."""
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        plain = {unicodedata.normalize("NFC", key): obvious(item) for key, item in value.items()}
        return dict(sorted(plain.items()))
    return [obvious(item) for item in value] if isinstance(value, list) else value


def collides(value: Json) -> bool:
    if isinstance(value, dict):
        names = {unicodedata.normalize("NFC", key) for key in value}
        return len(names) < len(value) or any(collides(item) for item in value.values())
    return isinstance(value, list) and any(collides(item) for item in value)


@given(values)
def test_the_text_is_that_of_the_obvious_writer(value: Json) -> None:
    if not collides(value):
        assert canonical_json(value) == json.dumps(obvious(value), ensure_ascii=False, separators=(",", ":"))


@given(values)
def test_reading_the_text_gives_the_same_text_again(value: Json) -> None:
    if not collides(value):
        text = canonical_json(value)
        assert canonical_json(json.loads(text)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ([], "[]"),
        (None, "null"),
        ("", '""'),
        (3.0, "3"),
        (-0.0, "0"),
        (1e22, "10000000000000000000000"),
        (2**63, "9223372036854775808"),
        (-(10**30), "-1000000000000000000000000000000"),
        (1e-07, "1e-07"),
        (0.1, "0.1"),
        ("e\u0301", '"é"'),
        ({"\U0001d11e": 1, "\uff00": 2}, '{"\uff00":2,"\U0001d11e":1}'),
        ((1, (2,)), "[1,[2]]"),
        ("\x7f\x1f\n/", '"\x7f\\u001f\\n/"'),
        ({"a": None, "A": "👩‍🚀 שלום"}, '{"A":"👩‍🚀 שלום","a":null}'),
    ],
)
def test_known_texts(value: Json, text: str) -> None:
    assert canonical_json(value) == text


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([1, {"a": math.nan}], r"nan is not a JSON number at \$\[1\]\['a'\]"),
        ([math.inf], "inf is not"),
        ({"a": ["\ud83c"]}, r"lone surrogate U\+D83C in a string at \$\['a'\]\[0\]"),
        ({"\udc00": 1}, "lone surrogate"),
        (["a\0b"], r"U\+0000"),
        ({"\0": 1}, r"U\+0000"),
        ({"é": 1, "e\u0301": 2}, "two keys are the same after NFC"),
        ({1: 2}, "key 1 is not a string"),
        ([b"x"], "bytes is not JSON"),
        ([10**5000], "more digits"),
    ],
)
def test_what_has_no_canonical_form_is_refused_with_reason_and_place(value: Json, reason: str) -> None:
    with pytest.raises(CanonicalError, match=reason) as caught:
        canonical_json(value)
    assert isinstance(caught.value, StoreError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("wrap", [lambda v: [v], lambda v: {"a": v}], ids=["list", "object"])
def test_depth_has_a_limit_with_a_name(wrap) -> None:  # type: ignore[no-untyped-def]
    value: Json = None
    for _ in range(254):
        value = wrap(value)
    assert "null" in canonical_json(value)
    for _ in range(20_000):
        value = wrap(value)
    with pytest.raises(CanonicalError, match="more than 254 levels"):
        canonical_json(value)


def test_a_digest_does_not_see_key_order_nfd_or_integral_floats() -> None:
    assert digest({"a": 3.0, "b": "e\u0301"}) == digest({"b": "é", "a": 3})


MESSAGES = (Message("user", "Weather in Orléans?"),)
TOOLS: Json = [{"name": "t", "description": "", "parameters": {"type": "object", "properties": {}}}]


def test_task_id_is_the_digest_of_an_object_of_seven_keys() -> None:
    content: Json = {
        "messages": messages_json(MESSAGES),
        "tools": TOOLS,
        "calls": [],
        "accept": [{"city": ["x"]}],
        "may_omit": None,
        "world": {},
        "implementations": None,
    }
    assert task_id(MESSAGES, TOOLS, [], accept=[{"city": ["x"]}], world={}) == digest(content)


def test_an_empty_accept_says_as_much_as_none_but_an_empty_world_is_a_world() -> None:
    assert task_id(MESSAGES, TOOLS, [], accept=[], may_omit=[]) == task_id(MESSAGES, TOOLS, [])
    assert task_id(MESSAGES, TOOLS, [], world={}) != task_id(MESSAGES, TOOLS, [])
