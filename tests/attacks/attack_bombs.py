"""Rows that would take a careless checker minutes or gigabytes: bombs of patterns, references,
numbers, marks, calls.

What comes out is known by construction; where a bound may decide as well, both are right.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from tests.attacks.attack_answers import block
from tests.attacks.attack_base import INTEGER, TEXT, Attack, call, tool

REFUSED = (False,)
NUMBER = {"type": "number"}


def _verify(kind: str, tools: Any, calls: Any, question: str, solvable: bool | None, *reason: str) -> Attack:
    """`reason`: check, then the codes that may come out."""
    expected: dict[str, tuple[Any, ...]] = {"solvable": (True, False) if solvable is None else (solvable,)}
    if reason:
        expected |= {"check": (reason[0],), "code": reason[1:]}
    return Attack(f"bomb: {kind}", "verify", {"question": question, "tools": tools, "calls": calls}, expected)


def _one(schema: Any, **more: Any) -> list[dict[str, Any]]:
    made = tool("f", "Do it.", (), x=schema)
    made["parameters"].update(more)
    return [made]


def _text(kind: str, rng: Random, text: str, value: Any = None) -> Attack:
    """A question of which no part says the value."""
    value = rng.choice((987654321987, "zzyzx quux")) if value is None else value
    schema = TEXT if isinstance(value, str) else NUMBER
    return _verify(kind, _one(schema), [call("f", x=value)], text, False, "grounding", "ungrounded", "undecided")


def texts(rng: Random) -> Iterator[Attack]:
    size = rng.choice((20_000, 200_000, 1_000_000))
    for unit in ("hello ", "1,", "1.", "1/", "1-1-", "7 ", "half ", "hundred ", "twenty-three million and one ", "may ",
                 "2026-01-05 ", "7:30 pm, ", "5 percent ", "- ", "'", '"', "a.a", "minus ",
                 "today is 2026-03-02 tomorrow ",
                 "\u0390", "漢", "ก", "가", "1+", "(", "2x^2+", "sqrt(", '{"name": "f"} ', '{"a":',
                 "f( ", "$", "５", "½", "²",
                 "a_b-c ", "\u200b", "1\u200b", "\u202e", "e\u0301", "👨‍👩‍👧", "UTC+", "$5m ", "3 km "):  # fmt: skip
        yield _text(f"a text of {unit[:12]!r}", rng, "Go on: " + unit * (size // len(unit.encode())))
    yield _text("a text that NFKC blows up", rng, "Go on: " + "\ufdfa" * (size // 3))
    depth = rng.choice((100, 10_000, 200_000))
    yield _text("nested brackets", rng, "(" * depth + "1" + ")" * depth)
    yield _text("a long sum", rng, "+".join(str(rng.randrange(9)) for _ in range(size // 4)))
    yield _text("towers of powers", rng, "9^9^9^9^9^9^9 " * (size // 100), 7.5)
    yield _text("numbers of many digits", rng, " ".join("9" * 1_000 for _ in range(size // 1_000)))
    marks = "".join(rng.choices("\u0315\u0316", k=size // 4))
    for value in ("zz", "e" + marks):
        row = {"question": f"Go on: e{marks}", "tools": _one(TEXT), "calls": [call("f", x=value)]}
        expected = {"solvable": REFUSED, "check": ("format",), "code": ("too_large",)}
        yield Attack("bomb: marks in a text", "verify", row, expected)
    words = [f"w{n}" for n in range(size // 10)]
    listed = _one({"type": "array", "items": TEXT})
    yield _verify("many said values", listed, [call("f", x=words[: size // 20])], " ".join(words), None)
    numbers = list(range(size // 12))
    listed = _one({"type": "array", "items": NUMBER})
    yield _verify("many said numbers", listed, [call("f", x=numbers)], " ".join(map(str, numbers)), None)


def menus(rng: Random) -> Iterator[Attack]:
    n = rng.choice((10, 1_000, 7_000))
    said, question = [call("f", x="hello")], "Say hello."

    def told(kind: str, schema: Any, solvable: bool | None, *reason: str, given: Any = said, **more: Any) -> Attack:
        return _verify(kind, _one(schema, **more), given, question, solvable, *reason)

    pattern = rng.choice(("(a+)+$", "(a|a)+$", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*a){12}$"))
    value = "a" * rng.choice((40, 50_000)) + "!"
    yield _verify("a pattern that backtracks", _one({"type": "string", "pattern": pattern}), [call("f", x=value)],
                  f"Say {value}", False, "calls", "not_allowed")  # fmt: skip
    for pattern in (
        "(?=a)b",
        "(a)\\1",
        "(?<!x)y",
        "(x{1000}){1000}",
        "(" * 2_000 + "a" + ")" * 2_000,
        "((((x{99}){99}){99}){99})",
    ):
        yield told("a pattern beyond RE2", {"type": "string", "pattern": pattern}, False, "menu", "unsupported_pattern")
    many: Any = {
        f"p{i}": {"type": "string", "pattern": f"[a-z{i}]{{{rng.randrange(1, 900)}}}x"} for i in range(min(n, 9_000))
    }
    yield _verify("many patterns", [tool("f", "Do.", (), **many)], [call("f")], question, None)
    places = ("http://attacker.invalid/x.json", "https://json-schema.org/draft/2020-12/schema", "file:///etc/passwd",
              "//attacker.invalid/x", "/etc/passwd", "../x.json", "urn:x:y", "x.json#/a")  # fmt: skip
    for place in places:
        yield told("a reference outside", {"$ref": place}, False, "menu", "external_ref")
    for place in ("#/nowhere", "#/$defs/x/y/z", "#nowhere"):
        yield told("a reference to nowhere", {"$ref": place}, False, "menu", "bad_schema")
    loop = {f"d{i}": {"$ref": f"#/$defs/d{(i + 1) % n}"} for i in range(n)}
    yield told("a circle of references", {"$ref": "#/$defs/d0"}, False, "menu", "ref_cycle", **{"$defs": loop})
    for word in ("allOf", "anyOf"):
        levels = rng.randrange(20, 60)
        double = {f"d{i}": {word: [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(levels)}
        double[f"d{levels}"] = {"type": "string"}  # type: ignore[dict-item]
        yield told(f"references that double, {word}", {"$ref": "#/$defs/d0"}, True, **{"$defs": double})
    chain: dict[str, Any] = {f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}], "minLength": 1} for i in range(n)}
    chain[f"d{n}"] = {"type": "string"}
    yield told("a chain of references", {"$ref": "#/$defs/d0"}, None, **{"$defs": chain})
    nested: Any = {"type": "string"}
    for _ in range(rng.randrange(8, 13)):
        nested = {rng.choice(("oneOf", "anyOf", "allOf")): [nested, nested]}
    yield told("nested combinators", nested, None)
    yield told("wide combinators", {"oneOf": [{"const": f"c{i}"} for i in range(n)]}, False, "calls", "not_allowed")
    deep: Any = {}
    for _ in range(rng.choice((65, 900))):
        deep = {"not": deep}
    yield told("a deep schema", deep, False, "format", "too_large")
    yield told("a huge enum", {"enum": [*[f"c{i}" for i in range(n * 2)], "hello"]}, True)
    yield told("a huge enum without it", {"enum": [f"c{i}" for i in range(n * 2)]}, False, "calls", "not_allowed")
    default = list(range(n))
    for more, solvable in (([], True), ([n + 5], False)):
        given = [call("f", x=default + more)]
        yield told("a huge default", {"type": "array", "default": default}, solvable, given=given)
    many = [{"name": f"t{i}", "description": f"Tool {i}.", "parameters": {}} for i in range(n)]
    yield _verify("a menu of many tools", many, [{"name": "t0"}], question, True)
    yield _verify("many tools in text", many, [{"name": "t0"}], "t0 is ( " * 20_000 + ")", None)
    alike = [{"name": f"t{i}", "description": "Same.", "parameters": {}} for i in range(n)]
    called = [{"name": f"t{i}"} for i in range(min(n, 100))]
    yield _verify("a menu of twins", alike, called, question, False, "determinacy", "ambiguous_tools")
    for kind in (
        "Optional[" * 40 + "int" + "]" * 40,
        "|".join(["int", "List[str]"] * 500),
        "x" * 100_000,
        "list[" * 9_000,
    ):
        yield told("a type without end", {"type": kind}, False, "menu", "unknown_type")
    unique = {"type": "array", "uniqueItems": True, "items": {"type": "object"}}
    twice = [{"a": "hello", "b": i} for i in range(n)] * 2
    yield told("many items that are not unique", unique, False, "calls", "not_allowed", given=[call("f", x=twice)])


def answers(rng: Random) -> Iterator[Attack]:
    n = rng.choice((10, 1_000, 20_000))
    ask = tool(
        "f", "Do it.", x=TEXT, n=INTEGER, s={"type": "array", "items": TEXT, "uniqueItems": True}, a={"type": "array"}
    )

    def told(kind: str, gold: Any, completion: str, *outcomes: str) -> Attack:
        row = {"tools": [ask], "calls": gold, "completion": completion}
        fits = tuple({outcome == "correct" for outcome in outcomes})
        expected: dict[str, tuple[Any, ...]] = {"outcome": outcomes, "correct": fits}
        return Attack(f"bomb: {kind}", "score", row, expected)

    one = [call("f", x="a")]
    yield told("many calls", one, block(json.dumps([call("f", x="b")] * n)), "extra_call")
    gold = [call("f", x=f"a{i}", n=i) for i in range(rng.choice((20, 60, 100)))]
    other = [call("f", x=f"a{i}", n=i + 1) for i in range(len(gold))]
    rng.shuffle(other)
    yield told("many calls, all nearly right", gold, block(json.dumps(other)), "wrong_value")
    mixed = rng.sample(gold, len(gold))
    yield told("many calls, all right", gold, block(json.dumps(mixed)), "correct")
    yield told(
        "many calls beside the right ones", gold, block(json.dumps(mixed + other * (1 + n // 100))), "extra_call"
    )
    chained = [call("f", x="a"), *[call("f", x=f"$var_{i}.id", n=i) for i in range(1, 60)]]
    yield told(
        "a chain of references", chained, block(json.dumps(chained[:1] + chained[:0:-1])), "wrong_order", "wrong_value"
    )
    labels = [f"$var_ {i}" for i in range(20)]
    few = [call("f", s=labels)]
    yield told("a set said over and over", few, block(json.dumps([call("f", s=labels * (1 + n // 20))])), "correct")
    spaced = [f"{' ' * (i % 40)}{labels[i % 20]}{chr(9) * (i // 40 % 40)}" for i in range(n)]
    yield told(
        "a set in many spellings", few, block(json.dumps([call("f", s=labels + spaced)])), "correct", "malformed"
    )
    objects = [{"k": i % 20, "v": " " * (i // 20 % 50) + "x"} for i in range(n)]
    ask["parameters"]["properties"]["s"].pop("items", None)
    full = [call("f", s=[{"k": i, "v": "x"} for i in range(20)])]
    yield told("objects in many spellings", full, block(json.dumps([call("f", s=full[0]["arguments"]["s"] + objects)])),
               "correct", "malformed")  # fmt: skip
    yield told(
        "a set beyond the gold",
        few,
        block(json.dumps([call("f", s=[*labels, *map(str, range(n))])])),
        "wrong_value",
        "malformed",
    )
    numbers = list(range(n))
    yield told("a long list", [call("f", a=numbers)], block(json.dumps([call("f", a=numbers)])), "correct")
    yield told(
        "a long list, one off",
        [call("f", a=numbers)],
        block(json.dumps([call("f", a=[*numbers[:-1], -1])])),
        "wrong_value",
    )
    keys = {f"k{i}": i for i in range(n)}
    yield told(
        "many arguments", one, block(json.dumps([{"name": "f", "arguments": keys | {"x": "a"}}])), "extra_argument"
    )
    marks = "".join(rng.choices("\u0315\u0316\uff9e\u0f73", k=max(200, n)))
    for escape in (True, False):
        for text in (json.dumps([call("f", x=f"e{marks}")], ensure_ascii=escape),
                     json.dumps([call("f", x="a", **{f"e{marks}": 1})], ensure_ascii=escape)):  # fmt: skip
            yield told("marks in an answer", one, block(text), "malformed")
    for unit in ("</tool_call_answer>", "<think>", "</think>", "<think></think>", "<think></thin", "<", "\u200b"):
        yield told(f"{unit} without end", one, unit * (n * 20), "no_answer")
    yield told("<tool_call_answer> without end", one, "<tool_call_answer>" * (n * 20), "truncated")
    for unit in ("`", "```json ", '"', "[]", "[1,", '"[', "\\", '["\\\\', "1", "-", "1e", '{"a":1,', "\u3000", "nul"):
        yield told(f"a block of {unit}", one, block(unit * n * 10), "malformed")
    yield told(
        "numbers with huge exponents",
        one,
        block("[" + ",".join(["9" * 900 + "e-99999"] * (n // 10)) + "1e999]"),
        "malformed",
    )


def bombs(rng: Random) -> Iterator[Attack]:
    yield from texts(rng)
    yield from menus(rng)
    yield from answers(rng)
