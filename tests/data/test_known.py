"""Known questions: resembled by exact similarity, among few and among many, as comparing with each would find."""

import random

import pytest

from data.known import Known
from data.neardup import THRESHOLD, jaccard
from data.texts import folded, trigrams


def test_an_equal_text_is_found_under_its_first_label() -> None:
    known = Known()
    for label in (7, 8):
        known.add(label, "Is it raining in Oslo?")
    assert known.alike("is  it RAINING in oslo?") == (7, True)


def test_nothing_resembles_nothing() -> None:
    assert Known().alike("Is it raining in Oslo?") is None


def test_asking_makes_nothing_known() -> None:
    known = Known()
    known.add(0, "Play me some quiet music")
    assert [known.alike("Is it raining in Oslo?") for _ in range(2)] == [None, None]


def test_what_is_added_after_a_question_is_known_too() -> None:
    known = Known()
    known.add(0, "Play me some quiet music")
    assert known.alike("Is it raining in Oslo?") is None
    known.add(1, "Is it raining in Oslo?")
    assert known.alike("Is it raining in Oslo?") == (1, True)


@pytest.mark.parametrize("text", ["", " ", "a", "日本", "\ud800 lone", "a\0b", "x" * 100_000])
def test_any_text_can_be_known(text: str) -> None:
    known = Known()
    known.add(0, text)
    assert known.alike(text) == (0, True)


@pytest.mark.parametrize("copies", [1, 20])
def test_texts_resemble_as_comparing_with_each_finds(copies: int) -> None:
    """Twenty copies of each text, as many versions have them, hide no other one."""
    rng = random.Random(copies)
    words = ["".join(rng.choices("abcdefghij", k=5)) for _ in range(60)]
    texts = [" ".join(rng.choices(words, k=8)) for _ in range(200)]
    known = Known()
    for label in range(copies):
        for text in texts:
            known.add(label, text)
    missed, grams = 0, [trigrams(folded(text)) for text in texts]
    for text in texts:
        asked = text.split()
        asked[rng.randrange(8)] = rng.choice(words)
        nearest = max(jaccard(trigrams(folded(" ".join(asked))), other) for other in grams)
        found = known.alike(" ".join(asked))
        assert found is None or nearest >= THRESHOLD
        missed += found is None and nearest >= THRESHOLD
    assert missed <= 4
