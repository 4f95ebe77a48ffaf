"""The equality of calls and the reward (RULES J1-J5, F1, F3, C1, A): standard library only, imports nothing of ours.

In: normalised tools (RULES M: `{"name", "description", "parameters"}`), gold calls, and a solver's completion. Out: a
`Judgement`: right or not, the outcome by name, a graded reward. A task set's `reward.py` is built from this very file.
Not promised: that tools or gold are valid (`verifiers.verify` proves that). Nothing is executed.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import accumulate, repeat
from typing import Any, NamedTuple
from urllib.parse import unquote

MAX_LEVELS, MAX_DIGITS, MAX_BYTES, MAX_MARKS = 64, 1_000, 1 << 20, 100
MAX_PAIRS, MAX_STEPS = 10_000, 250_000  # what is compared: pairs of calls (of a longer answer its first), and values
# What can be said of one pair of calls; of several faults the later one here is named (RULES A9).
OUTCOMES = ("correct", "wrong_order", "wrong_value", "wrong_type", "extra_argument", "missing_argument", "wrong_tool")
_RIGHT, _ORDER, _VALUE, _TYPE, _EXTRA, _MISSING, _TOOL = range(7)
_ABSENT: Any = object()
_KINDS = {type(None): "null", bool: "boolean", int: "number", float: "number", str: "string", dict: "object"}
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.S)
_MARKS = str.maketrans("\u0f73\u0f75\u0f81\uff9e\uff9f", "\u0301" * 5)  # read as marks, though no class says so
_REFERENCE = re.compile(r"\$var_([0-9]+)((?:\.[^.\[\]\s]+|\[[0-9]+\])+)")
_MOMENT = r"(?:([\d-]+)[Tt])?([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(\.\d+)?)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)?"


class JsonFault(ValueError):
    """No strict JSON; `code` is `invalid_json`, `duplicate_key`, `too_large` or `invalid_unicode` (RULES J)."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code, self.detail = code, detail


class CallFault(JsonFault):
    """JSON that is no list of calls; `code` is `not_a_list` or `bad_call` (RULES C1)."""


class AnswerFault(JsonFault):
    """No readable answer; `code` is `no_answer`, `several_answers`, `truncated` or `malformed` (RULES A1)."""


class Judgement(NamedTuple):
    """What an answer is worth: outcome (A9), reward in [0, 1] (A10), why, and the calls read (None: unreadable)."""

    correct: bool
    outcome: str
    reward: float
    detail: str = ""
    calls: list[dict[str, Any]] | None = None


def parse_json(text: str) -> Any:
    """Read one block of strict JSON (RULES J1-J5); raises `JsonFault`. Integers come exact, at any size."""
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise JsonFault("too_large", "more than 1 MiB in one block")
    check_unicode(text)
    value = read_json(text)
    if "\\u" in text:
        check_unicode(value)
    return value


def read_json(text: str, levels: int = MAX_LEVELS) -> Any:
    """RULES J1-J3, without the bound on size, for JSON of at most `levels` levels; raises `JsonFault`."""
    if text.count("[") + text.count("{") > levels:
        brackets = re.findall(r"[\[\]{}]", _STRING.sub("", text))
        if max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0) > levels:
            raise JsonFault("too_large", f"more than {levels} levels")
    try:
        return json.loads(text, object_pairs_hook=_pairs, parse_int=_exact, parse_float=_exact, parse_constant=_exact)
    except json.JSONDecodeError as fault:
        raise JsonFault("invalid_json", f"{fault.msg} at character {fault.pos + 1}") from None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    check_unicode([key for key, _ in pairs if len(key) > MAX_MARKS])
    if len({key if key.isascii() else unicodedata.normalize("NFC", key) for key, _ in pairs}) < len(pairs):
        raise JsonFault("duplicate_key", f"a key stands twice among {_show([key for key, _ in pairs])}")
    return dict(pairs)


def _exact(text: str) -> int | float:
    if len(text) > MAX_DIGITS and sum(map(str.isdigit, text)) > MAX_DIGITS:
        raise JsonFault("too_large", f"a number of more than {MAX_DIGITS} digits")
    if text.lstrip("-").isdigit():
        return int(text)
    value = float(text)
    if not math.isfinite(value):
        raise JsonFault("invalid_json", f"the number {text[:40]} is none of JSON")
    exact = Decimal(text if abs(value) >= 2**53 else "0.5")  # where a double would lose digits that were written
    return int(exact) if exact == exact.to_integral_value() else value


def check_unicode(value: Any) -> None:
    """RULES J4 for every string and key of a JSON value, and a bound on combining marks; raises `JsonFault`."""
    if isinstance(value, str):
        if "\0" in value or (not value.isascii() and re.search("[\ud800-\udfff]", value)):
            raise JsonFault("invalid_unicode", f"U+0000 or a lone surrogate in {_show(value)}")
        marks = value.translate(_MARKS) if len(value) > MAX_MARKS and not value.isascii() else ""
        if max(map(len, bytes(map(unicodedata.combining, marks)).split(b"\0"))) > MAX_MARKS:  # quadratic for NFC
            raise JsonFault("too_large", f"more than {MAX_MARKS} combining marks in a row")
    elif isinstance(value, dict | list | tuple):
        for item in value.items() if isinstance(value, dict) else value:
            check_unicode(item)


def cut_thoughts(text: str) -> str:
    """The text without thoughts (RULES F1): what precedes a bare `</think>` is thought too."""
    return re.sub(r"<think>.*?(?:</think>|\Z)", "", text, flags=re.S).rpartition("</think>")[2]


def find_blocks(text: str, tag: str) -> tuple[list[str], bool]:
    """The contents of `<tag>` blocks in order, and whether an opening tag has no end (RULES F2, A1)."""
    opened = text.split(f"<{tag}>")[1:]
    blocks = [piece.partition(f"</{tag}>")[0] for piece in opened if f"</{tag}>" in piece]
    return blocks, len(blocks) < len(opened)


def unfence(text: str) -> str:
    """The text without outer white space and without one code fence around it (RULES F3)."""
    found = re.fullmatch(r"```(?:json\b)?(.*)```", text.strip(), flags=re.S | re.I)
    return (found[1] if found else text).strip()


def reference(value: Any) -> tuple[int, str] | None:
    """Number (1-based, not checked to exist) and path of a value that is `"$var_N.path"` as a whole (C5), or None."""
    found = _REFERENCE.fullmatch(value) if isinstance(value, str) and value.startswith("$var_") else None
    return (int(found[1]) if len(found[1]) < 10 else 10**9, found[2]) if found else None


def read_calls(value: Any) -> list[dict[str, Any]]:
    """Calls as `[{"name", "arguments"}]` from any shape of RULES C1; raises `CallFault`."""
    if not isinstance(value, list | tuple | dict):
        raise CallFault("not_a_list", f"expected a list of calls, found {_kind(value)}")
    calls = enumerate([value] if isinstance(value, dict) else value, 1)
    return [_read_call(call, f"call {place}", wrapped=False) for place, call in calls]


def _read_call(call: Any, place: str, wrapped: bool) -> dict[str, Any]:
    if not isinstance(call, dict):
        raise CallFault("bad_call", f"{place} is not an object but {_kind(call)}")
    outer = "function" in call and not wrapped
    if unknown := set(call) - {"id", "type", *(("function",) if outer else ("name", "arguments"))}:
        raise CallFault("bad_call", f"{place} has unknown keys: {_show(sorted(unknown))}")
    if outer:
        return _read_call(call["function"], place, wrapped=True)
    name, arguments = call.get("name"), {} if call.get("arguments") in (None, "") else call["arguments"]
    if not isinstance(name, str) or not name.strip():
        raise CallFault("bad_call", f"{place} has no name")
    try:
        arguments = parse_json(arguments) if isinstance(arguments, str) else arguments
    except JsonFault as fault:
        raise CallFault("bad_call", f"{place}: its arguments are a string with {fault}") from None
    if not isinstance(arguments, dict):
        raise CallFault("bad_call", f"{place}: its arguments are not an object but {_kind(arguments)}")
    return {"name": name.strip(), "arguments": dict(arguments)}


def read_answer(completion: str, harness: str = "tags") -> list[dict[str, Any]]:
    """The calls of a completion (RULES A1); raises `AnswerFault`. Harness `json`: the whole text is the answer."""
    text = cut_thoughts(completion)
    blocks, cut = find_blocks(text, "tool_call_answer") if harness == "tags" else ([text] * bool(text.strip()), False)
    if len(blocks) > 1:
        raise AnswerFault("several_answers", f"{len(blocks)} answers")
    if cut or not blocks:
        raise AnswerFault("truncated" if cut else "no_answer", "no closed answer outside the thoughts")
    try:
        return read_calls(parse_json(unfence(blocks[0])))
    except JsonFault as fault:
        raise AnswerFault("malformed", str(fault)) from None


def score(
    tools: Sequence[Any], gold: Any, completion: str, accept: Any = None, may_omit: Any = None, harness: str = "tags"
) -> Judgement:
    """Judge a solver's completion against the gold calls (RULES A). Never raises: our faults are `checker_error`."""
    try:
        return judge(tools, gold, read_answer(completion, harness), accept, may_omit)
    except AnswerFault as fault:
        return Judgement(False, fault.code, 0.0, fault.detail)
    except Exception as fault:
        return Judgement(False, "checker_error", 0.0, f"{type(fault).__name__}: {fault}")


def judge(tools: Sequence[Any], gold: Any, calls: Any, accept: Any = None, may_omit: Any = None) -> Judgement:
    """Judge parsed calls (RULES A2-A10); raises `ValueError` where gold, calls or alternatives are unfit."""
    gold, calls = read_calls(gold), read_calls(calls)
    accept, may_omit = accept or [{}] * len(gold), may_omit or [()] * len(gold)
    surplus = len(calls) - len(gold)
    pairs = _compare(tools, gold, calls[: MAX_PAIRS // max(1, len(gold)) + len(gold)], accept, may_omit)
    best = _assign([[1 - pair.s for pair in row] for row in pairs]) if gold and calls else []
    chosen = [pairs[i][j] for i, j in best]
    off = next((pair for pair in chosen if pair.rank != _RIGHT), _Pair(1.0, _RIGHT))
    outcome, detail = OUTCOMES[off.rank], ""
    if off.rank != _RIGHT:
        detail = f"call {chosen.index(off) + 1}, {off.name}: expected {_show(off.gold)}, found {_show(off.found)}"
    if surplus:
        outcome, detail = "extra_call" if surplus > 0 else "missing_call", f"expected {len(gold)}, found {len(calls)}"
    total = sum(pair.s for pair in chosen) / max(1, len(gold)) / (1 + 0.25 * max(0, surplus))
    right = outcome == "correct"
    return Judgement(right, outcome, 1.0 if right else min(total, 0.99), detail[:400], calls)


def equal(a: Any, b: Any, schema: Any = None) -> bool:
    """Whether two values are equal under a schema (RULES A2-A5); references are compared as written."""
    return _Comparison(schema, repeat(0)).rank(a, b, [schema]) == _RIGHT


class _Pair(NamedTuple):
    s: float
    rank: int
    name: str = ""
    gold: Any = None
    found: Any = None


def _compare(tools: Sequence[Any], gold: Any, calls: Any, accept: Any, may_omit: Any) -> list[list[_Pair]]:
    """Every gold call against every answered one. Gold refers backwards, so each row knows its targets' rows."""
    schemas, steps = {tool["name"]: tool.get("parameters") for tool in tools}, iter(range(MAX_STEPS))
    table: list[list[_Pair]] = []
    for call, others, optional in zip(gold, accept, may_omit, strict=True):
        row = []
        for j, found in enumerate(calls):
            pair = _Pair(0.0, _TOOL, "name", call["name"], found["name"])
            if call["name"] == found["name"]:
                comparison = _Comparison(schemas.get(call["name"]), steps, table, j)
                pair = comparison.pair(call["arguments"], found["arguments"], others, optional)
            row.append(pair)
        table.append(row)
    return table


class _Comparison:
    """Compares a gold call, `earlier` being the rows of those before it, with the answered call `place`, by `steps`."""

    def __init__(self, root: Any, steps: Iterator[int], earlier: Any = None, place: int = 0) -> None:
        self.root, self.steps, self.earlier, self.place = root, steps, earlier, place

    def pair(self, gold: Any, found: Any, accept: Any, may_omit: Any) -> _Pair:
        """Two calls of one tool (RULES A2, A7, A9, A10)."""
        worst, both, right, alone = _Pair(1.0, _RIGHT), 0, 0, 0
        for name, a, b, default, schemas in self.members(gold, found, self.views([self.root], gold, found)):
            if name in may_omit and name not in found:
                continue
            wanted = [value for value in (a, *accept.get(name, ())) if value is not _ABSENT]
            if not wanted or b is _ABSENT:
                rank, alone = _MISSING if wanted else _EXTRA, alone + 1
            elif default is not _ABSENT and not any(self.rank(x, default, schemas) for x in (a, b)):
                continue
            else:
                rank = min(self.rank(value, b, schemas) for value in wanted)
                both, right = both + 1, right + (rank == _RIGHT)
            if rank > worst.rank:
                worst = _Pair(0.0, rank, name, a, b)
        s = 0.2 + 0.6 * both / (2 * both + alone) + 0.5 * right / (both + alone) if worst.rank else 1.0
        return worst._replace(s=s)

    def rank(self, a: Any, b: Any, schemas: list[Any]) -> int:
        """How far two values are apart: an index of `OUTCOMES` up to `wrong_type`."""
        if next(self.steps, None) is None:
            raise AnswerFault("malformed", "more than can be compared")
        one, other = reference(a), reference(b)
        if one or other or a is _ABSENT or b is _ABSENT:
            return self.link(one, other) if one and other else _VALUE
        if (kind := _kind(a)) != _kind(b):
            return _TYPE
        if kind not in ("string", "object", "array"):
            exact = all(x is None or isinstance(x, int) or x.is_integer() for x in (a, b))
            close = not exact and abs(a) < 2**1000 > abs(b) and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
            return _RIGHT if a == b or close else _VALUE
        views = self.views(schemas, a, b)
        if kind == "string":
            formats = {view.get("format") for view in views}
            return _RIGHT if a == b or _meaning(a, formats) == _meaning(b, formats) else _VALUE
        if kind == "object":
            return max((self.rank(x, y, inner) for _, x, y, _, inner in self.members(a, b, views)), default=_RIGHT)
        if any(view.get("uniqueItems") is True for view in views):
            return max(self.covers(a, b, views, False), self.covers(b, a, views, True))
        ranks = (self.rank(x, y, _item(views, n)) for n, (x, y) in enumerate(zip(a, b, strict=False)))
        return max(ranks, default=_RIGHT) if len(a) == len(b) else _VALUE

    def link(self, gold: tuple[int, str], found: tuple[int, str]) -> int:
        """References are as far apart as their target calls; the answer's must stand earlier (RULES A6)."""
        if gold[1] != found[1] or self.earlier is None:
            return _RIGHT if gold == found else _VALUE
        if not (0 < gold[0] <= len(self.earlier) and 0 < found[0] <= len(self.earlier[0])):
            return _VALUE
        rank = self.earlier[gold[0] - 1][found[0] - 1].rank
        return _VALUE if rank > _ORDER else max(rank, _RIGHT if found[0] <= self.place else _ORDER)

    def members(self, a: Any, b: Any, views: list[Any]) -> Iterator[tuple[str, Any, Any, Any, list[Any]]]:
        """Each name of two objects with its values, its default standing for one left out, and its schemas (A2)."""
        for name in dict.fromkeys([*a, *b]):
            schemas = [view["properties"][name] for view in views if name in view.get("properties", ())]
            schemas = schemas or [view.get("additionalProperties") for view in views]
            default = next((view["default"] for view in self.views(schemas) if "default" in view), _ABSENT)
            yield name, a.get(name, default), b.get(name, default), default, schemas

    def covers(self, a: Any, b: Any, views: list[Any], turned: bool) -> int:
        """Whether each item of b has its equal in a (`turned`: a is the answer); what is written alike is skipped."""
        written, spelt = ([(_kind(x), repr(x) if isinstance(x, dict | list) else x) for x in side] for side in (a, b))
        held = dict(zip(written, a, strict=True))
        for n in {key: n for n, key in enumerate(spelt) if key not in held or "$var_" in str(key[1])}.values():
            pairs = ((b[n], x) if turned else (x, b[n]) for x in held.values())
            if nearest := min((self.rank(*pair, _item(views, n)) for pair in pairs), default=_VALUE):
                return nearest
        return _RIGHT

    def views(self, schemas: list[Any], *values: Any) -> list[Any]:
        """The schemas that hold: through local `$ref`, `allOf`, and a branch where it alone can hold all `values`."""
        found: dict[int, Any] = {}
        todo = list(schemas)
        for view in todo:  # grows on the way
            if isinstance(view, dict) and id(view) not in found:
                found[id(view)] = view
                todo += [*view.get("allOf", ()), *(self.target(view[word]) for word in ("$ref",) if word in view)]
                for branches in (view.get("anyOf", ()), view.get("oneOf", ())):
                    fits = [branch for branch in branches if all(self.fits(branch, value) for value in values)]
                    todo += fits if len(fits) == 1 else ()
        return list(found.values())

    def fits(self, branch: Any, value: Any) -> bool:
        """A first look, one level deep, at whether a branch can hold a value: type, required names, constants."""
        held = value if isinstance(value, dict) else {}
        for view in self.views([branch]):
            known = [(held[n], s) for n, s in view.get("properties", {}).items() if n in held and isinstance(s, dict)]
            typed = _kind(value) in str(view.get("type", _kind(value))).replace("integer", "number")
            named = value is not held or held.keys() >= set(view.get("required", ()))
            if not (typed and named and all(schema.get("const", item) == item for item, schema in known)):
                return False
        return True

    def target(self, pointer: str) -> Any:
        """What a local `$ref` points to, or None."""
        place = self.root if pointer.startswith("#") else None
        for step in unquote(pointer).split("/")[1:]:
            held = {str(n): item for n, item in enumerate(place)} if isinstance(place, list) else place
            place = held.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(held, dict) else None
        return place


def _item(views: list[Any], place: int) -> list[Any]:
    return [[*view.get("prefixItems", ())[place : place + 1], view.get("items")][0] for view in views]


def _meaning(text: str, formats: set[Any]) -> Any:
    """What a string says (RULES A4); an RFC 3339 `date-time` or `time`: offset or none, minute, second, fraction."""
    text = unicodedata.normalize("NFC", text).strip()
    found = re.fullmatch(_MOMENT, text, re.A) if formats & {"date-time", "time"} else None
    day, hour, minute, second, fraction, offset = found.groups("") if found else [""] * 6
    if not found or ("date-time" if day else "time") not in formats or (day and not second):
        return text
    try:
        minutes = (date.fromisoformat(day or "0001-01-01").toordinal() * 24 + int(hour)) * 60 + int(minute)
    except ValueError:
        return text
    minutes -= int(offset[0] + "1") * (int(offset[1:3]) * 60 + int(offset[4:])) if len(offset) > 1 else 0
    return bool(offset), minutes if day else minutes % 1440, int(second or 0), fraction.rstrip("0.")


def _assign(cost: list[list[float]]) -> list[tuple[int, int]]:
    """The cheapest pairs, in row order, as many as the shorter side has: shortest augmenting paths, O(n^3)."""
    if len(cost) > len(cost[0]):
        return sorted((i, j) for j, i in _assign([list(column) for column in zip(*cost, strict=True)]))
    up, down, owner = [0.0] * len(cost), [0.0] * len(cost[0]), [-1] * len(cost[0])
    for row in range(len(cost)):
        free, reach, way = dict.fromkeys(range(len(down))), [math.inf] * len(down), [-1] * len(down)
        at, last, done = row, -1, 0.0
        while at >= 0:
            for j in free:
                if (now := done + cost[at][j] - up[at] - down[j]) < reach[j]:
                    reach[j], way[j] = now, last
            last = min(free, key=reach.__getitem__)
            done, at = reach[last], owner[last]
            del free[last]
        up[row] += done
        for j in range(len(down)):
            if j not in free and owner[j] >= 0:
                up[owner[j]] += done - reach[j]
                down[j] -= done - reach[j]
        while last >= 0:
            owner[last] = owner[way[last]] if way[last] >= 0 else row
            last = way[last]
    return sorted((i, j) for j, i in enumerate(owner) if i >= 0)


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "array")


def _show(value: Any) -> str:
    return "nothing" if value is _ABSENT else json.dumps(value)[:80]
