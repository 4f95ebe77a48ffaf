"""Near-duplicates: found by exact similarity, among few texts and among many, the same every time."""

import random
from weakref import ref

import pytest

from data.neardup import Alike, Buckets, NearDuplicates, jaccard
from data.texts import Texts, folded, trigrams


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


def kept(texts: list[str], threshold: float = 0.7) -> list[Alike | None]:
    """What becomes of the texts when all ask to be kept, in their order."""
    known = Texts()
    numbers = [known.add(text) for text in texts]
    asked = NearDuplicates(Buckets(known), threshold)
    return [asked.keep(number) for number in numbers]


def test_an_equal_text_is_found_under_the_number_of_the_first() -> None:
    assert kept(["Is it raining in Oslo?", "is  it RAINING in oslo?", "Is it raining in Oslo?"]) == [
        None, (0, True), (0, True),
    ]  # fmt: skip


def test_who_was_not_kept_turns_nobody_down() -> None:
    known = Texts()
    for text in ("Is it raining in Oslo?", "Is it raining in Oslo!", "Is it raining in Bergen?"):
        known.add(text)
    asked = NearDuplicates(Buckets(known))
    assert asked.keep(1) is None
    assert asked.keep(0) == (1, False)
    assert asked.keep(2) is None


@pytest.mark.parametrize("threshold", [0.7, 0.85])
def test_what_is_called_alike_is_alike_by_exact_similarity_and_nothing_else_is_kept(threshold: float) -> None:
    """As comparing each text with all that were kept finds; a pair in 80 just above the threshold may be missed."""
    rng = random.Random(1)
    texts = [sentence(rng) for _ in range(150)]
    texts += [changed(rng, text, rng.choice((0.6, threshold, 0.9))) for text in texts for _ in range(2)]
    rng.shuffle(texts)
    grams = [trigrams(folded(text)) for text in texts]
    found = kept(texts, threshold)
    missed = 0
    for number, (own, alike) in enumerate(zip(grams, found, strict=True)):
        before = [other for other in range(number) if found[other] is None]
        near = [other for other in before if jaccard(own, grams[other]) >= threshold]
        assert alike is None or alike.number in near
        missed += alike is None and bool(near)
    assert found.count(None) < len(texts)
    assert missed <= 3


def test_nearly_all_pairs_above_the_threshold_are_found_among_thousands() -> None:
    rng = random.Random(2)
    texts = [sentence(rng) for _ in range(3000)]
    near = [changed(rng, texts[label], 0.75) for label in rng.sample(range(3000), 300)]
    found = kept([*texts, *near])
    assert found[:3000] == [None] * 3000
    assert found[3000:].count(None) <= 6  # 1 in 200 is to be expected at 0.75.


def test_a_pattern_that_all_texts_share_hides_no_equal_text() -> None:
    texts = [f"Please find me the current temperature of the city number {i} in degrees" for i in range(500)]
    found = kept([*texts, *texts], 0.95)
    assert found[:500].count(None) > 400
    assert None not in found[500:]


@pytest.mark.parametrize("text", ["", " ", "a", "日本", "\ud800 lone", "a\0b", "x" * 100_000])
def test_any_text_can_be_kept(text: str) -> None:
    assert kept([text, text]) == [None, (0, True)]


def test_texts_and_their_files_are_gone_with_the_last_who_knows_them() -> None:
    known = Texts()
    known.add("Is it raining in Oslo?")
    assert known.sketch(0)
    left = ref(known)
    del known
    assert left() is None
