"""What would take a checker minutes is refused by name, and what hides is not said (issue 3, item 6)."""

import json
import unicodedata

import pytest

from data.records import Draft, Json, Message
from verifiers.answer import MAX_MARKS, JsonFault, check_unicode, parse_json, score
from verifiers.completion import check_text
from verifiers.lines import verify_line
from verifiers.quick_json import UNSURE, quick_json
from verifiers.verify import verify

TOOL: dict[str, Json] = {"name": "f", "description": "Do it.", "parameters": {"x": {"type": "string"}, "n": "number"}}


def reason(question: str, arguments: dict[str, Json], tools: Json = (TOOL,), name: str = "f") -> str:
    tools = list(tools) if isinstance(tools, tuple) else tools
    proof = verify(Draft((Message("user", question),), tools, [{"name": name, "arguments": arguments}]))
    return "" if proof.solvable else f"{proof.reasons[0].check}/{proof.reasons[0].code}"


def code(text: str) -> str:
    try:
        parse_json(text)
    except JsonFault as fault:
        return fault.code
    return ""


@pytest.mark.parametrize("mark", ["\u0301", "\u0315\u0316", "\u0f73", "\uff9e\u0301"])
@pytest.mark.parametrize("escape", [True, False])
@pytest.mark.parametrize("place", ["{}", '{{"{}": 1}}', '["{}"]'], ids=["text", "key", "value"])
def test_more_than_a_hundred_marks_in_a_row_are_too_large(mark: str, escape: bool, place: str) -> None:
    for times, expected in ((MAX_MARKS // len(mark), ""), (MAX_MARKS + 1, "too_large")):
        written = json.dumps(f"e{mark * times}", ensure_ascii=escape)
        assert code(written if place == "{}" else place.format(written[1:-1])) == expected


def test_marks_are_counted_wherever_normal_forms_sort_them() -> None:
    """The characters that are no marks by class but begin with one once decomposed are the five that are listed."""
    hidden = [
        chr(point)
        for point in range(0x110000)
        if not unicodedata.combining(chr(point)) and unicodedata.combining(unicodedata.normalize("NFKD", chr(point))[0])
    ]
    for one in hidden:
        with pytest.raises(JsonFault):
            check_unicode("e" + one * (MAX_MARKS + 1))
    assert len(hidden) == 5


def test_a_text_of_marks_is_refused_and_one_of_accents_is_not() -> None:
    assert check_text("e" + "\u0301" * 101)
    assert not check_text("e\u0301" * 100_000)


def test_the_quick_reader_leaves_rows_of_marks_to_the_careful_one() -> None:
    assert quick_json(json.dumps({"a": "e" + "\u0316" * 9}, ensure_ascii=False).encode(), 64, 1 << 20) is UNSURE


def test_a_line_whose_gold_is_a_row_of_marks_is_refused() -> None:
    marks = "e" + "\u0316" * 200
    row = {"question": "Do it.", "tools": [TOOL], "calls": [{"name": "f", "arguments": {"x": marks}}]}
    for escape in (True, False):
        found = verify_line(json.dumps(row, ensure_ascii=escape).encode(), 1)
        assert (found["reasons"][0]["check"], found["reasons"][0]["code"]) == ("format", "too_large")


def test_an_answer_with_more_than_can_be_compared_is_malformed() -> None:
    tools = [{"name": "f", "parameters": {"properties": {"s": {"uniqueItems": True}}}}]
    plain: list[Json] = [{"k": k, "v": "x"} for k in range(20)]
    spelt: list[Json] = [
        {"k": k, "v": " " * (n % 40) + "x" + "\t" * (n // 40)} for k in range(20) for n in range(1_600)
    ]
    gold = [{"name": "f", "arguments": {"s": plain}}]
    answers = [json.dumps([{"name": "f", "arguments": {"s": said}}]) for said in (plain, plain + spelt[:40], spelt)]
    outcomes = [score(tools, gold, answer, harness="json").outcome for answer in answers]
    assert outcomes == ["correct", "correct", "malformed"]


@pytest.mark.parametrize("hidden", ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u200b\u200b"])
class TestHiddenCharacters:
    def test_inside_a_word_they_do_not_let_it_say_its_parts(self, hidden: str) -> None:
        assert reason(f"Go to Par{hidden}is.", {"x": "Par"}) == "grounding/ungrounded"
        assert reason(f"Take 12{hidden}34.", {"n": 12}) == "grounding/ungrounded"

    def test_nor_what_it_would_be_without_them(self, hidden: str) -> None:
        assert reason(f"Go to Par{hidden}is.", {"x": "Paris"}) == "grounding/ungrounded"
        assert reason(f"Take 12{hidden}34.", {"n": 1234}) == "grounding/ungrounded"

    def test_a_gold_with_them_is_not_said_by_the_plain_word(self, hidden: str) -> None:
        assert reason("Go to Paris.", {"x": f"Par{hidden}is"}) == "grounding/ungrounded"

    def test_beside_a_word_they_change_nothing(self, hidden: str) -> None:
        assert reason(f"Go to {hidden}Paris, 12.", {"x": "Paris", "n": 12}) == ""

    def test_a_description_with_them_is_no_other_description(self, hidden: str) -> None:
        twin = {**TOOL, "name": "g", "description": f"Do{hidden} it."}
        assert reason("Say hi.", {"x": "hi"}, [TOOL, twin]) == "determinacy/ambiguous_tools"


def test_tool_names_that_are_stored_alike_are_one_name() -> None:
    tools: Json = [{"name": "caf\u00e9", "description": "One."}, {"name": "cafe\u0301", "description": "Two."}]
    assert reason("Do it.", {}, tools, "caf\u00e9") == "menu/duplicate_tool"


def test_groups_without_end_are_an_unsupported_pattern() -> None:
    deep = {**TOOL, "parameters": {"x": {"type": "string", "pattern": "(" * 1_001 + "a" + ")" * 1_001}}}
    assert reason("Say a.", {"x": "a"}, [deep]) == "menu/unsupported_pattern"


def test_a_gold_of_more_than_a_hundred_calls_is_too_large() -> None:
    calls: Json = [{"name": "f", "arguments": {"x": "hi"}}] * 101
    proof = verify(Draft((Message("user", "Say hi."),), [TOOL], calls))
    assert [(one.check, one.code) for one in proof.reasons] == [("format", "too_large")]


def test_the_second_of_two_twins_is_found_by_the_first_and_the_other_way_round() -> None:
    twin = {**TOOL, "name": "g", "description": "DO IT!"}
    for tools in ([TOOL, twin], [twin, TOOL]):
        assert reason("Say hi.", {"x": "hi"}, tools) == "determinacy/ambiguous_tools"
