"""How codes are said (RULES G4): ISO 3166 countries, ISO 4217 currencies, ISO 639 languages, by their English names.

In: a string that may be a code. Out: the folded words and symbols that say it, besides the code itself. The names are
CLDR's (babel), never those of a locale of the machine.
Not promised: demonyms, names in other languages, subdivisions, codes that CLDR does not know.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

from babel import Locale
from babel.core import get_global
from babel.numbers import get_currency_name

from verifiers.said_text import fold, words

_ALSO_WORDS = "AI AM AN AS AT BE BY DO GO HE IF IN IS IT ME MY NO OF OH OK ON OR PA SO TO UP US WE"
_ENGLISH_WORDS = frozenset(_ALSO_WORDS.split())


def names_of(code: str) -> tuple[str, ...]:
    """What says a code, in the form of `said_text.words`; empty for what is none. `¥` and `$` are said as symbols."""
    if not (2 <= len(code) <= 3 and code.isascii() and code.isalpha()):
        return ()
    return _names().get(code.upper(), ())


def is_also_a_word(code: str) -> bool:
    """Whether a country's code in capitals reads as an English word otherwise (`IN`, `US`): then its case counts."""
    return code in _ENGLISH_WORDS


@cache
def _names() -> dict[str, tuple[str, ...]]:
    english = Locale("en")
    found: dict[str, set[str]] = {}
    territories = {code: name for code, name in english.territories.items() if len(code) == 2 and code.isalpha()}
    aliases = {old: new[0] for old, new in get_global("territory_aliases").items() if len(new) == 1 and old.isalpha()}
    for code, name in territories.items():
        found.setdefault(code, set()).update({name, *_plainer(name)})
    for old, code in aliases.items():
        if code in territories and (len(old) == 3 or old == "UK"):
            found.setdefault(code, set()).add(old)
            short = set() if is_also_a_word(code) else {code}
            found.setdefault(old, set()).update({territories[code], *_plainer(territories[code])} | short)
    languages = dict(english.languages.items())
    for code, name in languages.items():
        if code.isalpha():
            found.setdefault(code.upper(), set()).add(name)
    for old, code in get_global("language_aliases").items():
        if code in languages and old.isalpha():
            found.setdefault(old.upper(), set()).add(languages[code])
    for code, said in _currencies().items():
        found.setdefault(code, set()).update(said)
    return {code: tuple(sorted({words(fold(name)) for name in said})) for code, said in found.items() if len(code) <= 3}


def _plainer(name: str) -> set[str]:
    """`Hong Kong SAR China` as `Hong Kong`, `Myanmar (Burma)` as either, `Bosnia & Herzegovina` with `and`."""
    inside = name.partition(" (")
    plain = {inside[0], inside[2].rstrip(")")} if inside[2] else {name}
    return {form.replace(" & ", " and ").removesuffix(" SAR China") for form in plain}


def _currencies() -> dict[str, set[str]]:
    """Names in one and in many, the bare noun where it names one currency or has a symbol of its own, the symbol."""
    english = Locale("en")
    symbols = english.currency_symbols
    said = {
        code: {name, *(get_currency_name(code, count, locale="en") for count in (1, 2))}
        for code, name in english.currencies.items()
        if "(" not in name
    }
    nouns = {code: {name.split()[-1].casefold() for name in names} for code, names in said.items()}
    shared = Counter(noun for found in nouns.values() for noun in found)
    for code, found in nouns.items():
        own = len(symbols.get(code, code)) == 1
        said[code] |= {noun for noun in found if own or shared[noun] == 1}
        said[code] |= {symbols[code]} if own else set()
    return said
