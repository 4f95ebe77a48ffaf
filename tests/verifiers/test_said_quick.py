"""What is looked for quickly in a text is what is looked for carefully: the shortcuts change no verdict."""

from hypothesis import given
from hypothesis import strategies as st

from data.records import Message
from verifiers import said_dates, said_words
from verifiers.said import Said
from verifiers.said_lone import stands_alone
from verifiers.said_text import Text, any_of, fold, letters

NAMES = ("Paris", "paris", "New York", "new-york", "x", "ab", "a", "don't", "A.I", "U.S.", "data_file", "é", "e\u0301")
MARKS = (
    "-",
    "_",
    " ",
    " ",
    "'",
    ")",
    "[",
    "]",
    ": ",
    "', '",
    ".",
    ", ",
    "?",
    "!",
    "'s",
    "(",
    "\n",
    "\u00a0",
    "漢",
    "5",
    "\u0301",
    '"',
)
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
LONE: tuple[str, ...] = (
    "5",
    "12",
    "2026",
    "0.5",
    "3,000",
    "5.",
    "12,",
    "march",
    "may",
    "mar.",
    "the",
    "of",
    "day",
    "and a half",
    "1/2",
    "half",
    "past",
)
LONE += (
    "dozen",
    "million",
    "bn",
    "minus",
    "below zero",
    "degrees",
    "celsius",
    "am",
    "p.m.",
    "in the morning",
    "o'clock",
    "noon",
    "utc",
)
LONE += (
    "one",
    "fifth",
    "thirds",
    "twenty",
    "x",
    "base",
    "mayor",
    "ones",
    "$",
    "-",
    "percent",
    "1",
    "k",
    "march,",
    "\n",
    "(",
    ")",
)
PIECES, WORDS, MOMENTS = map(st.sampled_from, (NAMES + MARKS, NUMBERS + AROUND_NUMBERS, DAYS + TIMES))
TEXTS = st.lists(PIECES, max_size=8).map("".join)


@given(TEXTS, st.lists(PIECES, min_size=1, max_size=4).map("".join))
def test_what_plainly_stands_there_is_said(text: str, value: str) -> None:
    said = Text((text, f"{text} {value}.", value))
    for one in (Text((text,)), Text((f"{text} {value}, {text}",)), said):
        if one.plainly_says(value):
            assert one.says(value)


@given(st.lists(st.sampled_from(LONE), max_size=7).map(" ".join), st.sampled_from((5, 12, 2026, 0.5, 5.0, 3000, 1, 0)))
def test_a_number_that_stands_alone_among_plain_words_is_said(text: str, value: int | float) -> None:
    said = Said((Message("user", text),))
    if stands_alone(fold(text), value):
        assert value in said._numbers or value in said._floats


def test_a_number_between_words_stands_alone() -> None:
    text = "a base of 10 units, a height of 5 and the 7 dwarfs by 2.5. For 3 people on the 4 of may, 6 o'clock, minus 8"
    assert [value for value in range(11) if stands_alone(text.lower(), value)] == [3, 5, 7, 10]
    assert stands_alone(text.lower(), 2.5)


def test_a_name_between_spaces_and_punctuation_is_found_quickly() -> None:
    said = Text(("Book the Hotel Royal, Paris. From New York", "Lyon?", "['Sam', \"Ida\"] (Bonn): O'Neil's 'Red'"))
    names = ["Hotel Royal", "Paris", "New York", "Lyon", "paris", "Sam", "Ida", "Bonn", "Red"]
    assert [name for name in (*names, "Roy", "oyal", "Neil", "O") if said.plainly_says(name)] == names


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
