"""What is looked for quickly in a text is what is looked for carefully: the shortcuts change no verdict."""

from hypothesis import given
from hypothesis import strategies as st

from verifiers import said_dates, said_words
from verifiers.said_text import Text, any_of, fold, letters

NAMES = ("Paris", "paris", "New York", "new-york", "x", "ab", "a", "don't", "A.I", "U.S.", "data_file", "é", "e\u0301")
MARKS = ("-", "_", " ", " ", ".", ", ", "?", "!", "'s", "(", "\n", "\u00a0", "漢", "5", "\u0301", '"')
NUMBERS = ("one", "two", "twenty", "hundred", "and", "point", "five", "fifth", "thirds", "half", "dozen", "5", "gone")
AROUND_NUMBERS = ("ones", "_", " ", "-", " ", ".", "second", "million", "eighteen", "and one")
DAYS = (
    "5",
    "12",
    "2026",
    "03",
    "-",
    "/",
    ".",
    " ",
    "t",
    "march",
    "mar",
    "may",
    "the ",
    "of ",
    "day ",
    "th",
    "年",
    "月",
)
TIMES = (":", ":30", "z", "pm", "a.m.", " in the morning", "noon", "half past ", "o'clock", " utc", "+02:00", ",", "x")
PIECES, WORDS, MOMENTS = map(st.sampled_from, (NAMES + MARKS, NUMBERS + AROUND_NUMBERS, DAYS + TIMES))
TEXTS = st.lists(PIECES, max_size=8).map("".join)


@given(TEXTS, st.lists(PIECES, min_size=1, max_size=4).map("".join))
def test_what_plainly_stands_there_is_said(text: str, value: str) -> None:
    said = Text((text, f"{text} {value}.", value))
    for one in (Text((text,)), Text((f"{text} {value}, {text}",)), said):
        if one.plainly_says(value):
            assert one.says(value)


def test_a_name_between_spaces_and_punctuation_is_found_quickly() -> None:
    said = Text(("Book the Hotel Royal, Paris. From New York", "Lyon?"))
    names = ("Hotel Royal", "Paris", "New York", "Lyon", "Roy", "oyal", "paris")
    assert [name for name in names if said.plainly_says(name)] == ["Hotel Royal", "Paris", "New York", "Lyon", "paris"]


@given(st.lists(WORDS, max_size=8).map("".join))
def test_number_words_are_found_wherever_a_run_of_them_stands(text: str) -> None:
    everywhere = said_words._RUN.sub(lambda run: said_words._written(run, text), text)
    expected = text if everywhere == text else said_words._FRACTION.sub(r"\1/\2", everywhere)
    assert said_words.spoken(text) == expected


@given(st.lists(MOMENTS, max_size=10).map("".join).map(fold))
def test_a_text_without_hints_holds_no_moment(text: str) -> None:
    if not said_dates._hinted(text, letters(text)):
        assert said_dates._MOMENT.search(text) is None


def test_words_are_looked_for_by_their_first_letters() -> None:
    assert any_of(["may", "march", "mar", "june"]) == "(?:j(?:une)|m(?:arch|ar|ay))"
