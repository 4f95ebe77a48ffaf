"""The content words of a text: what tells tools and arguments apart in a question (determinacy, grounding).

In: any text, also a name in snake_case or camelCase. Out: its content words, each by its first five letters without a
plural's s, so that `tolls`, `toll`, `avoided` and `avoid` meet. Words of up to three letters and English function words
are no content words.
Not promised: synonyms, stems of irregular words, scripts that write no spaces (no two of their words are ever equal, so
no rule that wants shared words speaks).
"""

from __future__ import annotations

from functools import lru_cache

import regex

from data.records import Message

MAX_TEXT = 20_000
_WORD = regex.compile(r"[^\W\d_]{4,}")
_NAME_WORD = regex.compile(r"[^\W\d_]{3,}")
_ANY_WORD = regex.compile(r"[^\W\d_]+")
CAMEL = regex.compile(r"(?<=[a-z])(?=[A-Z])")
"""Where a word of a name in camelCase begins."""
_FUNCTION_WORDS = """
about above after again against also although among around because been before being below between both cannot could
does doing down during each either else every from further given have having here hers herself himself into itself
just like made make many more most much must myself near need neither once only other ours over please same shall
should since some such than that their theirs them themselves then there these they this those through thus under
until upon used user using very want wants were what when where whether which while whom whose will with within
without would your yours yourself
"""
_ENGLISH_WORDS = "the of to for and is my with what please you how this from are it"
_FUNCTION, _ENGLISH = frozenset(_FUNCTION_WORDS.split()), frozenset(_ENGLISH_WORDS.split())


@lru_cache(maxsize=8192)
def content_words(text: str) -> frozenset[str]:
    """The content words of a name or description."""
    return words_of(text)


def words_of(text: str) -> frozenset[str]:
    """The same for a text that will not come again."""
    text = text[:MAX_TEXT]
    if not text.islower():
        text = CAMEL.sub(" ", text).casefold()
    return frozenset(map(stem, frozenset(_WORD.findall(text)) - _FUNCTION))


@lru_cache(maxsize=4096)
def name_words(name: str) -> frozenset[str]:
    """The words of an argument's name, those of three letters too."""
    return frozenset(stem(word) for word in _NAME_WORD.findall(CAMEL.sub(" ", name[:100]).casefold()))


@lru_cache(maxsize=8)
def said_words(messages: tuple[Message, ...]) -> frozenset[str]:
    """The content words of all that was said, by anybody."""
    return frozenset[str]().union(*(words_of(message.content) for message in messages))


def is_english(text: str) -> bool:
    """Whether a text has two different words that English alone puts into most of its sentences."""
    return len(_ENGLISH.intersection(_ANY_WORD.findall(text[:MAX_TEXT].casefold()))) > 1


def stem(word: str) -> str:
    """A word of at least two letters by its beginning."""
    return (word[:-1] if word[-1] == "s" and word[-2] != "s" else word)[:5]
