"""Near-duplicates: found by exact similarity, among few texts and among many, the same every time."""

import random

import pytest

from data.neardup import NearDuplicates, folded, jaccard, trigrams


def sentence(rng: random.Random, words: int = 12) -> str:
    return " ".join("".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(words))


def changed(rng: random.Random, text: str, share: float) -> str:
    """The text with words replaced until its similarity lies just above the share."""
    words = text.split()
    for place in rng.sample(range(len(words)), len(words)):
        trial = [*words]
        trial[place] = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=6))
        if jaccard(trigrams(folded(text)), trigrams(folded(" ".join(trial)))) < share:
            break
        words = trial
    return " ".join(words)


def test_an_equal_text_is_found_under_the_label_of_the_first() -> None:
    kept = NearDuplicates()
    assert kept.keep(7, "Is it raining in Oslo?") is None
    assert kept.keep(8, "is  it RAINING in oslo?") == (7, True)
    assert kept.alike("Is it raining in Oslo?") == (7, True)


def test_asking_keeps_nothing() -> None:
    kept = NearDuplicates()
    assert kept.alike("Is it raining in Oslo?") is None
    assert kept.keep(1, "Is it raining in Oslo?") is None


def test_one_label_may_have_many_texts() -> None:
    kept = NearDuplicates()
    texts = [sentence(random.Random(i)) for i in range(5)]
    assert [kept.keep(3, text) for text in texts] == [None] * 5
    assert {kept.alike(text) for text in texts} == {(3, True)}


@pytest.mark.parametrize("threshold", [0.7, 0.85])
def test_what_is_called_alike_is_alike_by_exact_similarity(threshold: float) -> None:
    rng = random.Random(1)
    kept = NearDuplicates(threshold)
    texts = [sentence(rng) for _ in range(100)]
    for label, text in enumerate(texts):
        kept.keep(label, text)
    for text in texts:
        other = changed(rng, text, 0.6)
        found = kept.alike(other)
        if found is not None:
            assert jaccard(trigrams(folded(texts[found.label])), trigrams(folded(other))) >= threshold


def test_nearly_all_pairs_above_the_threshold_are_found_among_thousands() -> None:
    rng = random.Random(2)
    kept = NearDuplicates()
    texts = [sentence(rng) for _ in range(3000)]
    for label, text in enumerate(texts):
        assert kept.keep(label, text) is None
    pairs = [(label, changed(rng, texts[label], 0.75)) for label in rng.sample(range(3000), 300)]
    assert all(jaccard(trigrams(texts[label]), trigrams(text)) >= 0.75 for label, text in pairs)
    missed = sum(kept.alike(text) is None for _, text in pairs)
    assert missed <= 6  # 1 in 200 is to be expected at 0.75.


def test_a_pattern_that_all_texts_share_hides_no_equal_text() -> None:
    kept = NearDuplicates(0.95)
    texts = [f"Please find me the current temperature of the city number {i} in degrees" for i in range(500)]
    assert [kept.keep(i, text) for i, text in enumerate(texts)].count(None) > 400
    assert all(found is not None for found in map(kept.alike, texts))


@pytest.mark.parametrize("text", ["", " ", "a", "日本", "\ud800 lone", "a\0b", "x" * 100_000])
def test_any_text_can_be_kept(text: str) -> None:
    kept = NearDuplicates()
    assert kept.keep(0, text) is None
    assert kept.keep(1, text) == (0, True)
