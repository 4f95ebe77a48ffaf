"""The quick reader of JSON reads what the careful one reads, or says that it is unsure."""

import json
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from verifiers.answer import MAX_LEVELS, parse_json
from verifiers.lines import verify_line
from verifiers.quick_json import UNSURE, quick_json

SPACE = st.sampled_from(["", "", "", " ", "\n", "\t "])
ODD = (
    *("0", "-0", "-0.0", "3", "3.0", "1e2", "-1E-3", "1e400", "0.1", "123456789012345", "9007199254740993.0", "-0e0"),
    *("18446744073709551616", "1.5e16", "9" * 1001, "0." + "0" * 1001 + "1", "01", "1.", "-", "+1", "NaN", "Infinity"),
)
NUMBERS = st.sampled_from(ODD) | st.floats(allow_nan=False).map(repr)
STRINGS = st.text('ab":,[]{}\\ é\u0301\ud800\0', max_size=6).map(json.dumps) | st.sampled_from(
    [
        '"a"',
        '"a\\u0022:"',
        '"\\u003a"',
        '"\\":"',
        '"\\ud83d\\ude00"',
        '"\\ud83d"',
        '"é"',
        '"e\u0301"',
        '"\\u00e9"',
        '"a',
    ]
)
PLAIN = NUMBERS | STRINGS | st.sampled_from(["true", "false", "null", "[]", "{}", "nul"])


def _lists(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.builds("{}{}:{}{}".format, STRINGS, SPACE, SPACE, inner)
    return st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]") | st.lists(pairs, max_size=3).map(
        lambda items: f"{{{', '.join(items)}}}"
    )


@given(st.recursive(PLAIN, _lists, max_leaves=8) | st.text('{}[]",:\\u0 1e-a', max_size=12))
@example('{"a": "\\":", "a": 1}')
@example('{"\\u0061": 1, "a": 2}')
@example('{"a\\u0022:": 1, "b": 1, "b": 2}')
@example('{"é": 1, "e\u0301": 2}')
def test_what_is_read_quickly_is_what_is_read_carefully(text: str) -> None:
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        return
    read = quick_json(raw, MAX_LEVELS, 1 << 19)
    if read is not UNSURE:
        assert repr(read) == repr(parse_json(text))


@pytest.mark.parametrize("levels", [1, 62, 63, 64, 65, 66, 200, 300])
@pytest.mark.parametrize("core", ["", "1", '{"a": []}', "{}"])
def test_depth_is_never_taken_for_less(levels: int, core: str) -> None:
    text = "[" * levels + core + "]" * levels
    if quick_json(text.encode(), MAX_LEVELS, 1 << 19) is not UNSURE:
        parse_json(text)


@pytest.mark.parametrize("brackets", [1, 70])
def test_an_ordinary_row_is_read_quickly(brackets: int) -> None:
    row = {"id": "r-2024-01-05", "question": 'The café said: "5"?', "calls": [{"a": -0.5, "b": 1.25}] * brackets}
    assert quick_json(json.dumps(row).encode(), MAX_LEVELS, 1 << 19) == row
    assert quick_json(json.dumps(row, ensure_ascii=False).encode(), MAX_LEVELS, 1 << 19) == row


@given(st.recursive(PLAIN, _lists, max_leaves=4), st.sampled_from(["tools", "calls", "question", "id", "other"]))
def test_a_line_has_one_answer_in_whichever_way_it_is_read(value: str, field: str) -> None:
    raw = f'{{"question": "Add 3.", "{field}": {value}}}'.encode("utf-8", "replace")
    with patch("verifiers.lines.quick_json", return_value=UNSURE):
        careful = verify_line(raw, 7)
    assert verify_line(raw, 7) == careful
