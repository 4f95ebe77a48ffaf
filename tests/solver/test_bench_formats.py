"""Small files in the published formats of five benchmarks, made by hand, as items."""

import json
from pathlib import Path
from typing import Any

import pytest

from data.errors import UsageError
from data.records import Message
from solver.benches.base import Bench, Item, item
from solver.benches.readers import READERS, read_bench
from solver.benches.secrets import masked
from solver.harness import harness

FILES = Path(__file__).parent / "benches"
PLACES = {
    "api-bank": "api",
    "toolalpaca": "eval_real.json",
    "seal-tools": "seal",
    "snips": "snips",
    "nestful": "nestful_data.jsonl",
}
KEY = "a8Kd03mQz7Lw92Xb"


def whole(name: str) -> Bench:
    return read_bench(name, str(FILES / PLACES[name]))


def calls(one: Item) -> list[tuple[Any, Any]]:
    return [(call["name"], call["arguments"]) for call in one.task.calls]


@pytest.mark.parametrize("name", PLACES)
class TestEveryFormat:
    def test_every_gold_is_right(self, name: str) -> None:
        way = harness("json", "chat")
        for one in whole(name).items:
            assert way.score(one.task, way.prompt(one.task).oracle or "").judged.correct, one.id

    def test_what_cannot_be_asked_is_left_out_with_its_reason(self, name: str) -> None:
        assert whole(name).left_out
        assert all(reason for _, reason in whole(name).left_out)

    def test_each_file_has_its_digest(self, name: str) -> None:
        assert {len(sha256) for _, sha256 in whole(name).files} == {64}


def test_every_reader_of_a_public_format_is_tested() -> None:
    assert set(READERS) == {*PLACES, "bfcl", "set"}


@pytest.mark.parametrize("name", [name for name in READERS if name != "set"])
@pytest.mark.parametrize("text", ["", "[1]", '{"a": 1}', "[[]]", "null", "{", "[" * 100_000])
def test_a_file_of_another_kind_is_named(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "BFCL_v4_irrelevance.json"
    path.write_text(text)
    (tmp_path / "tool.jsonl").write_text("")
    with pytest.raises(UsageError):
        read_bench(name, str(path))


class TestApiBank:
    def test_the_dialogue_becomes_turns(self) -> None:
        first, second = whole("api-bank").items
        assert first.task.messages == (
            Message("system", "The current year is 2023."),
            Message("user", "When is high water in Brest\non March 5th?"),
            Message("assistant", "Let me look."),
        )
        assert [turn.role for turn in second.task.messages] == [
            "system",
            "user",
            "assistant",
            "tool",
            "assistant",
            "user",
        ]
        assert second.task.messages[3].content == "[{'time': '07:10'}]"

    def test_the_call_in_pythons_notation_is_read(self) -> None:
        assert calls(whole("api-bank").items[1]) == [
            ("QueryTide", {"port": "Brest", "day": "2023-03-05", "heights": [1.5, 2]})
        ]

    def test_code_is_not_evaluated(self) -> None:
        assert [name for name, _ in whole("api-bank").left_out] == ["level-1-api-2"]


class TestToolAlpaca:
    def test_a_result_of_an_earlier_action_is_a_reference(self) -> None:
        assert calls(whole("toolalpaca").items[0])[1] == ("moorBoat", {"boatId": "$var_1.boatId", "nights": 2})

    def test_parameters_are_read_from_their_sentences(self) -> None:
        parameters: Any = whole("toolalpaca").items[0].task.tools[1]["parameters"]
        assert parameters["required"] == ["boatId"]
        kinds = {name: one["type"] for name, one in parameters["properties"].items()}
        assert kinds == {"boatId": "integer", "nights": "integer", "tags": "array"}

    def test_a_description_without_a_sentence_has_its_parameters(self) -> None:
        one = whole("toolalpaca").items[1]
        (tool,) = [tool for tool in one.task.tools if tool["name"] == "listBoats"]
        parameters: Any = tool["parameters"]
        assert (tool["description"], parameters["required"]) == ("", ["pier"])

    def test_a_key_is_masked_in_question_and_gold_alike(self) -> None:
        one = whole("toolalpaca").items[0]
        assert KEY not in repr(one)
        assert calls(one)[0][1]["apiKey"] in one.task.messages[0].content


class TestSealTools:
    def test_a_number_written_as_text_is_right_either_way(self) -> None:
        one = whole("seal-tools").items[0]
        for said in (40.7, "40.7"):
            answer = json.dumps([{"name": "netIncome", "arguments": {"revenue": 12.5, "expenses": said}}])
            assert harness("json", "chat").score(one.task, answer).judged.correct
        assert calls(one) == [("netIncome", {"revenue": 12.5, "expenses": 40.7})]

    def test_the_label_of_a_response_is_a_reference(self) -> None:
        assert calls(whole("seal-tools").items[1])[1][1]["revenue"] == "$var_1.revenue"

    def test_the_menu_is_the_golds_tools_among_sound_ones(self) -> None:
        menus = [{str(tool["name"]) for tool in one.task.tools} for one in whole("seal-tools").items]
        assert [len(menu) for menu in menus] == [5, 5, 5]
        assert not any("brokenTool" in menu for menu in menus)

    def test_the_older_rows_are_read_too(self) -> None:
        assert whole("seal-tools").items[2].task.messages == (Message("user", "The balance of account 77?"),)

    def test_tools_that_are_not_there_are_asked_for(self, tmp_path: Path) -> None:
        path = tmp_path / "test_in_domain.jsonl"
        path.write_text("{}\n")
        with pytest.raises(UsageError, match=r"tool\.jsonl"):
            read_bench("seal-tools", str(path))


class TestSnips:
    def test_slots_become_arguments(self) -> None:
        one = whole("snips").items[0]
        assert one.task.messages[0].content == "Book a table for 4 at Oregon Station"
        assert calls(one) == [("BookRestaurant", {"party_size_number": "4", "restaurant_name": "Oregon Station"})]

    def test_every_intent_is_in_the_menu(self) -> None:
        assert {len(one.task.tools) for one in whole("snips").items} == {2}


class TestNestful:
    def test_labels_become_places(self) -> None:
        assert calls(whole("nestful").items[0])[2] == ("add", {"arg_0": 20, "arg_1": "$var_2.result"})

    def test_the_other_way_of_labels_and_lists_of_types_are_read(self) -> None:
        one = whole("nestful").items[2]
        parameters: Any = one.task.tools[0]["parameters"]
        assert parameters["properties"]["number"]["type"] == ["integer", "string"]
        assert calls(one)[1] == ("mirror", {"text": "$var_1.output_0"})

    def test_lists_written_as_text_are_read(self) -> None:
        assert calls(whole("nestful").items[1]) == [("multiply", {"arg_0": 3, "arg_1": 80})]


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("api_key", "abcdef", True),
        ("appid", "9f86d081884c7d659a2feaa0c55ad015", True),
        ("token", "tok-12345", True),
        ("password", "hunter22", True),
        ("key", "C sharp", False),
        ("key", "primary", False),
        ("title", "The Impact of Technology on Mental Health", False),
        ("file", "backup-of-the-documents-folder-2024", False),
        ("code", "AB12", False),
        ("url", "https://example.com/a/very/long/path/1", False),
    ],
)
def test_what_looks_like_a_key_is_masked_and_nothing_else(name: str, value: str, secret: bool) -> None:
    turns, golds, _ = masked([Message("user", f"With {value}.")], [{"name": "f", "arguments": {name: value}}])
    assert (value in repr((turns, golds))) is not secret


def test_a_row_without_keys_stays_as_it_is() -> None:
    turns, golds = [Message("user", "Hi.")], [{"name": "f", "arguments": {"a": 1}}]
    assert masked(turns, golds) == (turns, golds, None)


@pytest.mark.parametrize(
    ("tools", "golds"),
    [([], []), ([{"name": "f"}], [{"name": "g"}]), ([{"name": "f"}], [3]), ([{"name": "f"}], "f()")],
)
def test_a_row_that_cannot_be_scored_is_a_reason(tools: Any, golds: Any) -> None:
    assert isinstance(item("i", "c", [Message("user", "Hi.")], tools, golds), str)
