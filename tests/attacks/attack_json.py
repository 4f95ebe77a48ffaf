"""Text that is almost JSON: a value spoiled in one way, of which RULES J say the code."""

from __future__ import annotations

import json
from random import Random
from typing import Any

NOT_STRICT: dict[str, str] = {
    "duplicate key": "duplicate_key",
    "duplicate key, escaped": "duplicate_key",
    "duplicate key, another normal form": "duplicate_key",
    "NaN": "invalid_json",
    "Infinity": "invalid_json",
    "overflowing number": "invalid_json",
    "too many digits": "too_large",
    "leading zero": "invalid_json",
    "too deep": "too_large",
    "far too deep": "too_large",
    "opened without end": "too_large",
    "too many bytes": "too_large",
    "byte order mark": "invalid_json",
    "line comment": "invalid_json",
    "block comment": "invalid_json",
    "trailing comma": "invalid_json",
    "trailing text": "invalid_json",
    "a second value": "invalid_json",
    "single quotes": "invalid_json",
    "full-width quotes": "invalid_json",
    "curly quotes": "invalid_json",
    "bare keys": "invalid_json",
    "Python literals": "invalid_json",
    "raw line break in a string": "invalid_json",
    "lone surrogate": "invalid_unicode",
    "lone surrogate in a key": "invalid_unicode",
    "reversed surrogates": "invalid_unicode",
    "NUL": "invalid_unicode",
    "hex escape": "invalid_json",
    "non-breaking space": "invalid_json",
    "full-width digit": "invalid_json",
    "marks without end": "too_large",
    "nothing": "invalid_json",
}
"""Each way to spoil JSON, and the code of RULES J."""
_MEMBERS = {
    "duplicate key": '"a": 1, "b": 2, "a": 1',
    "duplicate key, escaped": '"a": 1, "\\u0061": 2',
    "duplicate key, another normal form": '"\\u00e9": 1, "e\\u0301": 2',
    "leading zero": '"x": 007',
    "single quotes": "'x': 1",
    "full-width quotes": "＂x＂: 1",
    "curly quotes": "“x”: 1",
    "bare keys": "x: 1",
    "lone surrogate in a key": '"\\ud83d": 1',
    "reversed surrogates": '"x": "\\ude00\\ud83d"',
    "NUL": '"x": "a\\u0000b"',
    "hex escape": '"x": "\\x41"',
    "full-width digit": '"x": １',
}
"""Ways that are one member of an object, always the same."""


def _with(value: Any, member: str) -> str:
    """The JSON of a list, with one more object that has this member at a depth of its own."""
    text = json.dumps(value)
    inner = '{"name": "f", "arguments": {"deep": [{' + member + "}]}}"
    return f"[{inner}]" if text == "[]" else f"{text[:-1]}, {inner}]"


def broken(rng: Random, kind: str, value: Any) -> str:
    """The JSON text of a list of objects, spoiled."""
    if kind in _MEMBERS:
        return _with(value, _MEMBERS[kind])
    text = json.dumps(value)
    spaced = rng.choice(("", " ", "\n"))
    match kind:
        case "NaN" | "Infinity":
            return _with(value, f'"x": {rng.choice(("", "-")) if kind == "Infinity" else ""}{kind}')
        case "overflowing number":
            return _with(value, f'"x": {rng.choice(("1e400", "-1e999", "9.9e99999", "1" + "0" * 400 + ".5"))}')
        case "too many digits":
            return _with(value, f'"x": {rng.choice("123456789") * rng.choice((1_001, 5_000, 200_000))}')
        case "too deep" | "far too deep":
            levels = rng.randrange(65, 200) if kind == "too deep" else rng.randrange(20_000, 200_000)
            opened, closed = rng.choice((("[", "]"), ('{"a":', "}")))
            return _with(value, f'"x": {opened * levels}1{closed * levels}')
        case "opened without end":
            return rng.choice(("[", '{"a":')) * rng.randrange(66, 150_000)
        case "too many bytes":
            return _with(value, f'"x": "{rng.choice(("x", "é", "日")) * (1 << 20)}"')
        case "byte order mark":
            return "\ufeff" + text
        case "line comment":
            return f"{text}{spaced}// done"
        case "block comment":
            return f"/* answer */{spaced}{text}"
        case "trailing comma":
            return _with(value, '"x": 1')[:-1] + ",]"
        case "trailing text":
            return text + spaced + rng.choice(("x", "]", "}", ",", "null", ";", "\u200b"))
        case "a second value":
            return text + spaced + text
        case "Python literals":
            return _with(value, '"x": ' + rng.choice(("None", "True", "(1, 2)", "1_000", "0x1f", "b'x'")))
        case "raw line break in a string":
            return _with(value, f'"x": "a{rng.choice(chr(10) + chr(13) + chr(9) + chr(27))}b"')
        case "lone surrogate":
            return _with(value, f'"x": "a\\u{rng.choice(("d800", "dbff", "dc00", "dfff"))}b"')
        case "non-breaking space":
            return f"[{rng.choice(chr(0xA0) + chr(0x3000) + chr(0x2028))}{text[1:]}"
        case "marks without end":
            marks = "".join(rng.choices("\u0315\u0316\u0301\u0327", k=5_000))
            return _with(value, f'"x": "e{marks}"')
        case "nothing":
            return spaced
    raise AssertionError(kind)
