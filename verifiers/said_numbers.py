"""Which numbers a text says (RULES G2).

In: a folded text (`said_text.fold`) with number words as figures (`said_words.spoken`), whose dates and times were
taken out (`said_dates`). Out: the numbers it says, exactly.
A number is not said by a part of a longer number or code: digits are read in clusters of characters that touch.
Not promised: numbers of more than 1,000 digits (RULES J3 admits none), Roman numerals.
"""

from __future__ import annotations

import math
import re
from decimal import Context, Decimal
from functools import cache, lru_cache
from itertools import chain

import regex
from babel import Locale
from babel.units import format_unit

from verifiers.said_text import UNSPACED

MAX_DIGITS = 1000
MAX_FIGURES = 200
_FIGURE = re.compile(r"(?<![\w.])−?\d{1,40}(?:,\d{3}){0,10}(?:\.\d{1,40})?")
_EXACT = Context(prec=2 * MAX_DIGITS)
_W = rf"[\w--[{UNSPACED}\p{{Hangul}}]]"
_CLUSTER = regex.compile(rf"\.?{_W}++(?:(?:[.,:/@'&-]|:?//){_W}++)*+", regex.V1)
_CHUNK = re.compile(r"(?<!\S)[^\s\d]*+\d\S*+(?:\s(?:%|percent\b|per cent\b))?")
_PLAIN = regex.compile(
    r"(?P<whole>\d{1,3}([,'_])\d{3}(?:\2\d{3})*+|\d*+)(?P<part>\.\d++)?(?P<power>e[+-]?\d{1,3})?(?P<suffix>[^\W\d_]*)"
)
_SIDES = regex.compile(r"(\d{1,6})x(\d{1,6})(?:x(\d{1,6}))?")
_PHONE = regex.compile(r"\d{3}-\d{4}")
_PERCENT = regex.compile(r"\s?(?:%|٪|percent\b|per cent\b)")
POWERS = {
    "dozen": 12, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "k": 10**3, "m": 10**6, "mn": 10**6, "mm": 10**6, "bn": 10**9,
}  # fmt: skip
SCALE_WORDS = ("dozen", "hundred", "thousand", "million", "billion", "trillion", "bn", "mn")
_SCALE = rf"(?:{'|'.join(SCALE_WORDS)})"
_SCALES = regex.compile(_SCALE)
_SCALED = regex.compile(rf"((?:\d[\d,]*+)?(?:\.\d++)?)((?:[ -]?{_SCALE}\b)++)")
_HALVES = regex.compile(r"(\d)(?: and a half| 1[⁄/]2)\b")
_HALF_A = regex.compile(rf"\bhalf (?:an? )?(?={_SCALE}\b)")
_MINUS = regex.compile(r"(?<!\d )\b(?:minus|negative) (?=[$€£¥₹]?\.?\d)")
_BELOW = regex.compile(r"(\d[\d.,]*+)((?: ?°[cfk]?| degrees?)?(?: celsius| fahrenheit)?) below (?:zero|0)\b")
_TEXT_FIGURES = str.maketrans({"٫": ".", "٬": ",", "⁄": "/"})


def figures_in(text: str) -> tuple[tuple[int, int, float], ...]:
    """Plain figures with their places, those in dates and codes too: where numbers stand, not what is said by them."""
    found = []
    for figure in _FIGURE.finditer(text):
        start, end = figure.span()
        found.append((start, end, _float(figure[0])))
        if len(found) == MAX_FIGURES:
            break
    return tuple(found)


@lru_cache(maxsize=4096)
def _float(figure: str) -> float:
    return float(figure.replace(",", "").replace("−", "-"))


def numbers(text: str) -> frozenset[Decimal]:
    """The numbers that a text says, with their signs, suffixes and words of scale."""
    chunks = set(_CHUNK.findall(_rewritten(text)))
    return frozenset(chain.from_iterable(_short(chunk) if len(chunk) <= 64 else _chunk(chunk) for chunk in chunks))


def _chunk(chunk: str) -> tuple[Decimal, ...]:
    """The numbers of what stands between white space, with a `percent` after it."""
    if chunk.isdecimal() and len(chunk) <= MAX_DIGITS:
        return (Decimal(chunk),)
    return tuple(chain.from_iterable(_said_by(found, chunk) for found in _CLUSTER.finditer(chunk)))


_short = lru_cache(maxsize=4096)(_chunk)


def _said_by(found: regex.Match[str], chunk: str) -> tuple[Decimal, ...]:
    """The numbers of one cluster by what stands around it."""
    cluster, start = found[0], found.start()
    if cluster.isalpha() or len(cluster) > 100 * MAX_DIGITS:
        return ()
    if cluster[0] == "." and (not cluster[1].isdecimal() or chunk[max(0, start - 1) : start].isalnum()):
        cluster, start = cluster[1:], start + 1
    if "," in cluster and chunk.startswith("[", start - 1):
        cluster = cluster.replace(",", ",,")  # in a list, a comma groups nothing
    values = _short_cluster(cluster) if len(cluster) <= 64 else _cluster(cluster)
    if not values:
        return ()
    before = chunk[max(0, start - 3) : start]
    if before and before[-1] in _coins():
        values = values[:1] if cluster[-1] == "m" else values  # $5m is no length
        before = before[:-1]
    if before.endswith("−") and not before[:-1][-1:].isalnum():
        values = (values[0].copy_negate(), *values[1:])
    return (*values, _EXACT.scaleb(values[-1], -2)) if _PERCENT.match(chunk, found.end()) else values


def _cluster(cluster: str) -> tuple[Decimal, ...] | None:
    """The numbers of one cluster; `None` for a code, of which no part is said."""
    plain = _plain(cluster)
    if plain is not None or cluster.isalpha():
        return plain or ()
    if "@" in cluster or "//" in cluster or "_" in cluster or not any(map(str.isdecimal, cluster)):
        return None if "_" in cluster or "@" in cluster else ()
    if "," in cluster:
        return tuple(value for piece in cluster.split(",") for value in (_cluster(piece) if piece else None) or ())
    if sides := _SIDES.fullmatch(cluster):
        return tuple(Decimal(side) for side in sides.groups() if side)
    for joint in "/:&-.'":
        if joint in cluster:
            return _joined(cluster, joint)
    return None


_short_cluster = lru_cache(maxsize=4096)(_cluster)


def _joined(cluster: str, joint: str) -> tuple[Decimal, ...] | None:
    """Numbers on both sides of a joint (`3-5`, `3/4`, `16:9`), or beside words (`10-year-old`, `5's`, `guests:4`)."""
    pieces = cluster.split(joint)
    values = [_cluster(piece) for piece in pieces]
    said = tuple(value for found in values for value in found or ())
    figures = sum(map(bool, values))
    if None in values or _PHONE.fullmatch(cluster):
        return None
    if figures == 1:
        first = bool(values[0])
        lone = any(len(piece) < 2 for piece, found in zip(pieces, values, strict=True) if not found)
        fits = {"-": first and not lone, ".": first, "'": first}.get(joint, True)
        return said if fits else None
    descending = joint == "-" and said[-1] < said[0] and len(cluster) > 7
    padded = any(piece[0] == "0" and len(piece) > 1 and piece.isdecimal() for piece in pieces)
    return said if figures == len(pieces) == 2 and joint in "/:-" and not (padded or descending) else None


def _plain(cluster: str) -> tuple[Decimal, ...] | None:
    """One number with at most a suffix or a unit."""
    found = _PLAIN.fullmatch(cluster)
    if found is None or not (found["whole"] or found["part"]) or len(cluster) > MAX_DIGITS + 400:
        return None
    whole = regex.sub(r"[,'_]", "", found["whole"])
    value = Decimal(whole + (found["part"] or "") + (found["power"] or "")).normalize(_EXACT)
    suffix = found["suffix"]
    if suffix in POWERS:
        scaled = _EXACT.multiply(value, POWERS[suffix])
        return (scaled, value) if suffix in ("m", "mm") else (scaled,)
    if not suffix or suffix in ("st", "nd", "rd", "th") or suffix in _units() or suffix[:-1] in _units():
        decade = suffix == "s" and len(found["whole"]) == 4
        return None if decade else (value,)
    return (value,) if not suffix.isascii() else None


def _rewritten(text: str) -> str:
    """Scales, halves, signs and fractions in words, written as figures."""
    text = text.translate(_TEXT_FIGURES) if not text.isascii() else text
    if "half" in text or "1/2" in text:
        text = _HALVES.sub(r"\1.5", text)
        text = regex.sub(r"\bhalf\b", "0.5", _HALF_A.sub("0.5 ", text))
    for scale in SCALE_WORDS:
        if scale in text:
            text = _SCALED.sub(lambda found: _product(found[1], found[2]) or found[0], text)
            break
    if "minus " in text or "negative " in text:
        text = _MINUS.sub("−", text)
    if " below " in text:
        text = _BELOW.sub(r"−\1\2", text)
    return text


@lru_cache(maxsize=4096)
def _product(figures: str, scales: str) -> str | None:
    """Figures times words of scale; None for what is no number."""
    value, powers = figures.replace(",", ""), _SCALES.findall(scales)
    if (not value and "dozen" not in powers) or len(value) > MAX_DIGITS or len(powers) > 4:
        return None
    product = _EXACT.multiply(Decimal(value or 1), math.prod(POWERS[power] for power in powers))
    return f" {product:f}"


@cache
def _coins() -> frozenset[str]:
    """Currency symbols of one character that may touch a number."""
    return frozenset(symbol for symbol in Locale("en").currency_symbols.values() if len(symbol) == 1)


@cache
def _units() -> frozenset[str]:
    """Short forms of units (CLDR) that may touch a number: `5kg`, `440hz`; with A to F it is rather a code: `12C`."""
    names = Locale("en").unit_display_names
    texts = (format_unit(2, str(unit), length, locale="en") for unit in names for length in ("short", "narrow"))
    letters = (text.removeprefix("2").strip().casefold() for text in texts)
    return frozenset(text for text in letters if text.isalpha() and text not in "abcdef") | {"x"}
