"""What single tools of the built-in worlds do, and refuse."""

from copy import deepcopy
from typing import Any

import pytest

from verifiers.worlds import builtin
from verifiers.worlds.base import State, ToolFailure

EVENT = {"title": "Dentist", "date": "2026-03-05", "start_time": "09:00", "minutes": 60, "attendees": []}
MESSAGE = {
    "sender": "hana@example.com",
    "recipient": "me@example.com",
    "subject": "Keys",
    "body": "Here.",
    "folder": "inbox",
}
ORDER = {"customer": "Hana Sato", "sku": "MG-11", "quantity": 2, "total": 9, "status": "open"}
STATE: State = {
    "polynomials": {"cost": "x^2 - 9"},
    "memory": {"rent": 700},
    "events": {"E1000": EVENT},
    "balances": {"EUR": 92, "USD": 50.5},
    "payments": {"T1000": {"recipient": "Ida", "amount": 10, "currency": "USD"}},
    "files": {"docs": {"plan.md": "roof"}, "todo.txt": "call"},
    "messages": {"M1000": MESSAGE},
    "bookmarks": {"P11": "quiz"},
    "notes": {"N1000": {"title": "Garden", "text": "Sow.", "tags": ["home"]}},
    "stock": {"MG-11": {"name": "coffee mug", "price": 4.5, "quantity": 8}},
    "orders": {"O1000": ORDER},
    "tables": {
        "trees": {
            "columns": ["species", "height"],
            "rows": [{"species": "oak", "height": 20}, {"species": "pine", "height": 30}],
        }
    },
    "measurements": {"desk": {"value": 2, "unit": "meters"}, "hose": {"value": 50, "unit": "centimeters"}},
}
"""All worlds at once: their keys differ."""

ANSWERS: list[tuple[str, dict[str, Any], Any]] = [
    ("algebra.expand_expression", {"expression": "(x+1)*(x-1)"}, {"expression": "x^2 - 1"}),
    ("algebra.expand_expression", {"expression": "(x+y)^2"}, {"expression": "x^2 + 2*x*y + y^2"}),
    ("algebra.factor_expression", {"expression": "x^2 - 5x + 6"}, {"expression": "(x - 3)*(x - 2)"}),
    ("algebra.solve_equation", {"equation": "x^2 = 2"}, {"solutions": [-1.41421356237, 1.41421356237]}),
    ("algebra.solve_equation", {"equation": "(x-2)^2 = 0"}, {"solutions": [2]}),
    ("algebra.solve_equation", {"equation": "x^2 + 1 = 0"}, {"solutions": []}),
    ("algebra.differentiate", {"expression": "3x^2 + 2x"}, {"expression": "6*x + 2"}),
    ("algebra.integrate_between", {"expression": "x^2", "lower": 0, "upper": 3}, {"result": 9}),
    ("algebra.evaluate_polynomial", {"expression": "x^2 - 1", "value": 0.1}, {"result": -0.99}),
    ("algebra.look_up_polynomial", {"name": "cost"}, {"expression": "x^2 - 9"}),
    ("calculator.calculate", {"expression": "(2 + 3) * 4 / 8"}, {"result": 2.5}),
    ("calculator.calculate", {"expression": "0.1 + 0.2"}, {"result": 0.3}),
    ("calculator.calculate", {"expression": "sqrt(2)^2"}, {"result": 2}),
    ("calculator.average", {"numbers": [0.1, 0.2, 0.3]}, {"result": 0.2}),
    ("calculator.percent_of", {"percent": 15, "amount": 80}, {"result": 12}),
    ("calculator.percent_change", {"old_value": -50, "new_value": -25}, {"percent": 50}),
    ("calculator.greatest_common_divisor", {"integers": [12, 18.0]}, {"result": 6}),
    ("calculator.round_number", {"value": 2.675, "decimals": 2}, {"result": 2.68}),
    ("calendar.find_free_time", {"event_id": "E1000", "minutes": 90},
     {"date": "2026-03-05", "start_time": "10:00", "end_time": "11:30"}),
    ("calendar.find_event", {"title": "dent"}, {"event_id": "E1000", "date": "2026-03-05", "start_time": "09:00"}),
    ("currency.convert_currency", {"amount": 10, "currency": "USD", "to_currency": "EUR"},
     {"amount": 9.2, "currency": "EUR"}),
    ("currency.get_exchange_rate", {"currency": "EUR", "to_currency": "EUR"}, {"rate": 1}),
    ("currency.total_balance", {"currency": "USD"}, {"total": 150.5, "currency": "USD"}),
    ("files.list_folder", {"folder": "."}, {"entries": ["docs/", "todo.txt"]}),
    ("files.find_file", {"file_name": "PLAN.md"}, {"path": "docs/plan.md"}),
    ("files.read_file", {"path": "docs/plan.md"}, {"text": "roof"}),
    ("inbox.find_message", {"subject": "keys"},
     {"message_id": "M1000", "sender": "hana@example.com", "folder": "inbox"}),
    ("library.search_passages", {"query": "king sealed law"},
     {"passages": [{"passage_id": "P55", "title": "Magna Carta"}]}),
    ("library.search_passages", {"query": 'title: NEAR("king" -law) *'}, {"passages": []}),
    ("notes.list_notes_with_tag", {"tag": "home"}, {"notes": [{"note_id": "N1000", "title": "Garden"}]}),
    ("shop.find_product", {"product": "Mug"}, {"sku": "MG-11", "name": "coffee mug", "price": 4.5, "quantity": 8}),
    ("tables.select_rows", {"table": "trees", "column": "height", "value": 20.0},
     {"rows": [{"species": "oak", "height": 20}]}),
    ("tables.compute_column", {"table": "trees", "column": "height", "function": "mean"}, {"result": 25}),
    ("tables.sort_rows", {"table": "trees", "column": "height", "order": "descending"},
     {"rows": [{"species": "pine", "height": 30}, {"species": "oak", "height": 20}]}),
    ("units.convert_units", {"value": 1, "unit": "miles", "to_unit": "kilometers"},
     {"value": 1.609344, "unit": "kilometers"}),
    ("units.convert_temperature", {"degrees": 100, "scale": "celsius", "to_scale": "fahrenheit"},
     {"degrees": 212, "scale": "fahrenheit"}),
    ("units.compare_measurements", {"name": "desk", "other_name": "hose"}, {"ratio": 4}),
]  # fmt: skip

CHANGES: list[tuple[str, dict[str, Any], list[str], Any]] = [
    ("algebra.save_polynomial", {"name": "new", "expression": "x"}, ["polynomials", "new"], "x"),
    ("calculator.store_number", {"slot": "rent", "value": 5}, ["memory", "rent"], 5),
    ("calendar.move_event", {"event_id": "E1000", "date": "2026-04-01", "start_time": "10:00"},
     ["events", "E1000"], {**EVENT, "date": "2026-04-01", "start_time": "10:00"}),
    ("calendar.invite_attendee", {"event_id": "E1000", "attendee": "Ida"}, ["events", "E1000", "attendees"], ["Ida"]),
    ("currency.exchange_money", {"amount": 10, "currency": "USD", "to_currency": "EUR"}, ["balances"],
     {"EUR": 101.2, "USD": 40.5}),
    ("currency.pay_person", {"recipient": "Ida", "amount": 92, "currency": "EUR"}, ["balances", "EUR"], 0),
    ("currency.take_back_payment", {"payment_id": "T1000"}, ["balances", "USD"], 60.5),
    ("currency.take_back_payment", {"payment_id": "T1000"}, ["payments"], {}),
    ("files.move_file", {"path": "todo.txt", "new_path": "docs/done.txt"}, ["files"],
     {"docs": {"plan.md": "roof", "done.txt": "call"}}),
    ("files.copy_file", {"path": "todo.txt", "copy_path": "docs/todo.txt"}, ["files"],
     {"docs": {"plan.md": "roof", "todo.txt": "call"}, "todo.txt": "call"}),
    ("files.make_folder", {"folder": "docs/old"}, ["files", "docs"], {"plan.md": "roof", "old": {}}),
    ("inbox.move_message", {"message_id": "M1000", "folder": "work"}, ["messages", "M1000", "folder"], "work"),
    ("library.remove_bookmark", {"passage_id": "P11"}, ["bookmarks"], {}),
    ("notes.append_to_note", {"note_id": "N1000", "line": "Now."}, ["notes", "N1000", "text"], "Sow.\nNow."),
    ("shop.cancel_order", {"order_id": "O1000"}, ["stock", "MG-11", "quantity"], 10),
    ("shop.ship_order", {"order_id": "O1000"}, ["orders", "O1000", "status"], "shipped"),
    ("tables.delete_rows", {"table": "trees", "column": "species", "value": "oak"}, ["tables", "trees", "rows"],
     [{"species": "pine", "height": 30}]),
    ("tables.update_rows",
     {"table": "trees", "column": "species", "value": "oak", "set_column": "height", "new_value": 21},
     ["tables", "trees", "rows", "0", "height"], 21),
    ("units.correct_measurement", {"name": "desk", "new_value": 3}, ["measurements", "desk", "value"], 3),
]  # fmt: skip

REFUSALS: list[tuple[str, dict[str, Any], str]] = [
    ("algebra.expand_expression", {"expression": "__import__('os')"}, "no expression"),
    ("algebra.expand_expression", {"expression": "sin(x)"}, "no part of a polynomial"),
    ("algebra.expand_expression", {"expression": "(x+1)^9"}, "powers"),
    ("algebra.expand_expression", {"expression": "((x+1)^6)*x"}, "degree"),
    ("algebra.expand_expression", {"expression": "1/x"}, "divided"),
    ("algebra.solve_equation", {"equation": "x^2 - 1"}, "equals sign"),
    ("algebra.solve_equation", {"equation": "x = x"}, "nothing of a variable"),
    ("algebra.solve_equation", {"equation": "x + y = 2"}, "variables"),
    ("calculator.calculate", {"expression": "2 * x"}, "variable"),
    ("calculator.calculate", {"expression": "sqrt(0 - 2)"}, "real"),
    ("calculator.calculate", {"expression": "1 / 0"}, "no expression"),
    ("calculator.percent_change", {"old_value": 0, "new_value": 2}, "from 0"),
    ("calculator.recall_number", {"slot": "nothing"}, "no memory"),
    ("calendar.get_event", {"event_id": "E17"}, "no event 'E17'"),
    ("calendar.find_free_time", {"event_id": "E1000", "minutes": 500}, "free minutes"),
    ("algebra.evaluate_polynomial", {"expression": "4 + 3", "value": 1}, "no variable"),
    ("currency.pay_person", {"recipient": "Ida", "amount": 93, "currency": "EUR"}, "only 92 EUR"),
    ("files.read_file", {"path": "docs"}, "folder"),
    ("files.read_file", {"path": "../secret"}, "no path"),
    ("files.create_file", {"path": "/etc/passwd", "text": "x"}, "no path"),
    ("files.create_file", {"path": "docs/plan.md", "text": "x"}, "already"),
    ("files.move_file", {"path": "todo.txt", "new_path": "nowhere/todo.txt"}, "nothing at"),
    ("inbox.move_message", {"message_id": "M1000", "folder": "inbox"}, "already"),
    ("library.search_passages", {"query": "*** ((("}, "one to 32 words"),
    ("library.add_bookmark", {"passage_id": "P11", "label": "quiz"}, "already"),
    ("notes.tag_note", {"note_id": "N1000", "tag": "home"}, "already"),
    ("shop.place_order", {"customer": "Ida", "sku": "MG-11", "quantity": 9}, "only 8"),
    ("tables.compute_column", {"table": "trees", "column": "species", "function": "sum"}, "no numbers"),
    ("tables.insert_row", {"table": "trees", "row": {"species": "elm"}}, "has the columns"),
    (
        "tables.update_rows",
        {"table": "trees", "column": "species", "value": "oak", "set_column": "height", "new_value": 20},
        "already",
    ),
    (
        "tables.update_rows",
        {"table": "trees", "column": "height", "value": 20, "set_column": "height", "new_value": 21},
        "the one by which",
    ),
    ("units.convert_units", {"value": 1, "unit": "miles", "to_unit": "grams"}, "measure"),
    ("units.convert_temperature", {"degrees": -300, "scale": "celsius", "to_scale": "kelvin"}, "absolute zero"),
]  # fmt: skip


def run(name: str, state: State, arguments: dict[str, Any]) -> Any:
    tool = builtin(f"builtin:{name}")
    assert tool is not None
    return tool.run(state, arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "result"), ANSWERS, ids=lambda part: part if isinstance(part, str) else ""
)
def test_a_reading_answers_and_leaves_the_state(name: str, arguments: dict[str, Any], result: Any) -> None:
    state = deepcopy(STATE)
    assert run(name, state, arguments) == result
    assert state == STATE


@pytest.mark.parametrize(
    ("name", "arguments", "place", "value"), CHANGES, ids=lambda part: part if isinstance(part, str) else ""
)
def test_a_change_is_in_the_state(name: str, arguments: dict[str, Any], place: list[str], value: Any) -> None:
    here: Any = deepcopy(STATE)
    run(name, here, arguments)
    for step in place:
        here = here[int(step)] if isinstance(here, list) else here[step]
    assert here == value


@pytest.mark.parametrize(("name", "arguments", "why"), REFUSALS, ids=lambda part: part if isinstance(part, str) else "")
def test_what_makes_no_sense_is_refused_with_the_reason(name: str, arguments: dict[str, Any], why: str) -> None:
    state = deepcopy(STATE)
    with pytest.raises(ToolFailure, match=why):
        run(name, state, arguments)
    assert state == STATE


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("calendar.create_event", {"title": "A", "date": "2026-01-01", "start_time": "08:00", "minutes": 5}),
        ("inbox.send_message", {"recipient": "a", "subject": "b", "body": "c"}),
        ("notes.write_note", {"title": "a", "text": "b"}),
        ("shop.place_order", {"customer": "a", "sku": "MG-11", "quantity": 1}),
    ],
)
def test_an_identifier_does_not_depend_on_what_was_made_before(name: str, arguments: dict[str, Any]) -> None:
    first, second = deepcopy(STATE), deepcopy(STATE)
    run("calendar.create_event", second, {"title": "B", "date": "2026-01-01", "start_time": "08:00", "minutes": 5})
    run("notes.write_note", second, {"title": "c", "text": "d"})
    assert run(name, first, arguments) == run(name, second, arguments)
