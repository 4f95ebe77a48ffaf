"""Plausible arguments for the tools of the built-in worlds, drawn from the state and from common words.

In: a world's name, a parameter, a random source, the state, and the arguments drawn so far (references as the values
they stand for). Out: a value, or None where the state has nothing to offer. Parameters of one name mean the same in all
tools of a world, unless `tool.parameter` says otherwise. `LINKS` says which results can stand for a parameter besides
those of its own name. Not promised: that the tool takes the value (the draw tries it out).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from verifiers.worlds.algebra import polynomial
from verifiers.worlds.base import State
from verifiers.worlds.calendar import LENGTHS, TITLES
from verifiers.worlds.currency import CODES
from verifiers.worlds.files import FOLDERS as FILE_FOLDERS
from verifiers.worlds.files import NEW_NAMES, NEW_TEXTS, TOP, walk
from verifiers.worlds.inbox import BODIES, NEW_SUBJECTS, address
from verifiers.worlds.inbox import FOLDERS as MAIL_FOLDERS
from verifiers.worlds.library import LABELS, TOPICS, corpus
from verifiers.worlds.notes import LINES, NEW_NOTES, TAGS
from verifiers.worlds.parts import PEOPLE, some_day, some_time
from verifiers.worlds.tables import FUNCTIONS, TABLES
from verifiers.worlds.tables import draw as draw_cell
from verifiers.worlds.units import QUANTITY, SCALES, THINGS, UNITS

Source = Callable[[Random, State, Mapping[str, Any]], Any]
"""Draws a value (JSON), or None."""


def _one(*options: str | int) -> Source:
    return lambda random, state, given: random.choice(options)


def _between(low: int, high: int, step: int = 1) -> Source:
    return lambda random, state, given: random.randrange(low, high + 1, step)


def _key(collection: str) -> Source:
    return lambda random, state, given: _any(random, list(state[collection]))


def _field(collection: str, field: str) -> Source:
    """What one entry of a collection has in a field."""
    return lambda random, state, given: _any(random, [entry[field] for entry in state[collection].values()])


def _any(random: Random, options: list[Any]) -> Any:
    return random.choice(options) if options else None


def _other(source: Source, than: str) -> Source:
    """Another value than the argument called `than` has."""

    def drawn(random: Random, state: State, given: Mapping[str, Any]) -> Any:
        value = source(random, state, given)
        return None if value == given.get(than) else value

    return drawn


def _title_of_note(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return random.choice(list(NEW_NOTES))


def _text_of_note(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return NEW_NOTES.get(given["title"], "Nothing yet.")


def _used_tag(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return _any(random, [tag for note in state["notes"].values() for tag in note["tags"]])


def _open_order(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return _any(random, [name for name, order in state["orders"].items() if order["status"] == "open"])


def _file(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return _any(random, [path for path, value in walk(state["files"]) if isinstance(value, str)])


def _file_name(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    path = _file(random, state, given)
    return path.rpartition("/")[2] if isinstance(path, str) else None


def _folder(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return _any(random, [path for path, value in walk(state["files"]) if value and not isinstance(value, str)])


def _new_file(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return _inside(random, state, random.choice(NEW_NAMES))


def _new_folder(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return _inside(random, state, random.choice(FILE_FOLDERS))


def _inside(random: Random, state: State, name: str) -> str:
    folders = [path for path, value in walk(state["files"]) if isinstance(value, dict)]
    folder = random.choice([TOP, *folders])
    return name if folder == TOP else f"{folder}/{name}"


def _column(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    table = state["tables"].get(given["table"])
    return random.choice(table["columns"]) if table else None


def _detail(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    """Another column than that by which rows are matched, and not the one that names them."""
    table = state["tables"].get(given["table"])
    return _any(random, [one for one in table["columns"][1:] if one != given["column"]]) if table else None


def _cell(column: str) -> Source:
    """A value that stands in the column named by an argument."""

    def drawn(random: Random, state: State, given: Mapping[str, Any]) -> Any:
        table = state["tables"].get(given["table"])
        rows = table["rows"] if table else []
        return _any(random, [row[given[column]] for row in rows if given[column] in row])

    return drawn


def _new_cell(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    columns = dict(TABLES.get(given["table"], ()))
    return draw_cell(random, columns[given["set_column"]]) if given["set_column"] in columns else None


def _row(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return {column: draw_cell(random, values) for column, values in TABLES.get(given["table"], ())} or None


def _new_table(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return _any(random, [name for name in TABLES if name not in state["tables"]])


def _columns(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return [column for column, _ in TABLES[given["table"]]] if given["table"] in TABLES else None


def _words(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    """One or two longer words of a passage."""
    passage = random.choice(list(corpus().values()))
    words = sorted({word.strip(".,:").casefold() for word in passage["text"].split()})
    return " ".join(random.sample([word for word in words if len(word) > 5 and word.isalpha()], random.randint(1, 2)))


def _passage(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return random.choice(list(corpus()))


def _same_quantity(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    unit = given.get("unit")
    units = [one for one in UNITS[QUANTITY[unit]] if one != unit] if unit in QUANTITY else []
    return _any(random, units)


def _new_thing(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return _any(random, [name for name in THINGS if name not in state["measurements"]])


def _comparable(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    """Another measurement of the same quantity."""
    measured = state["measurements"]
    quantity = QUANTITY[measured[given["name"]]["unit"]] if given["name"] in measured else ""
    return _any(
        random, [name for name, one in measured.items() if QUANTITY[one["unit"]] == quantity and name != given["name"]]
    )


def _unit(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return random.choice(THINGS[given["name"]][0] if given.get("name") in THINGS else list(QUANTITY))


def _expression(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return polynomial(random, random.choice((2, 2, 3)))


def _product(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return f"({polynomial(random, 1)})*({polynomial(random, random.choice((1, 2)))})"


def _factorable(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    """A quadratic with two roots that are integers."""
    one, other = random.choice(range(1, 9)), random.choice(range(1, 9))
    return f"x^2 - {one + other}*x + {one * other}"


def _equation(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    if random.random() < 0.4:
        return f"{_factorable(random, state, given)} = 0"
    factor, root, more = random.randint(2, 9), random.randint(2, 30), random.randint(1, 40)
    return f"{factor}*x + {more} = {factor * root + more}"


def _arithmetic(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    a, b, c = (random.randint(2, 60) for _ in range(3))
    return random.choice((f"({a} + {b}) * {c}", f"{a} * {b} - {c}", f"{a * b} / {a} + {c}", f"({a} - {b}) * {c} + 5"))


def _numbers(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return random.sample(range(3, 200), random.randint(3, 5))


def _multiples(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    base = random.randint(3, 15)
    return [base * factor for factor in random.sample(range(2, 20), random.randint(2, 3))]


def _decimal(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return random.randint(1_000, 99_999) / 1_000


SOURCES: Mapping[str, Mapping[str, Source]] = {
    "algebra": {
        "expression": _expression,
        "expand_expression.expression": _product,
        "factor_expression.expression": _factorable,
        "equation": _equation,
        "value": _between(-9, 12),
        "lower": _between(0, 4),
        "upper": _between(5, 12),
        "name": _one("rate", "path", "curve", "budget", "signal", "load"),
        "look_up_polynomial.name": _key("polynomials"),
    },
    "calculator": {
        "expression": _arithmetic,
        "numbers": _numbers,
        "percent": _between(2, 95),
        "amount": _between(20, 4_000, 20),
        "old_value": _between(20, 500, 5),
        "new_value": _between(23, 900, 5),
        "integers": _multiples,
        "value": _decimal,
        "decimals": _between(1, 2),
        "slot": _one("total", "mean", "ratio", "first", "rest", "target"),
        "recall_number.slot": _key("memory"),
    },
    "calendar": {
        "title": _one(*TITLES),
        "find_event.title": _field("events", "title"),
        "date": lambda random, state, given: some_day(random),
        "list_events.date": _field("events", "date"),
        "find_free_time.date": _field("events", "date"),
        "start_time": lambda random, state, given: some_time(random),
        "minutes": _one(*LENGTHS),
        "event_id": _key("events"),
        "attendee": _one(*PEOPLE),
    },
    "currency": {
        "amount": _between(10, 400, 10),
        "currency": _one(*CODES),
        "withdraw_money.currency": _key("balances"),
        "exchange_money.currency": _key("balances"),
        "get_balance.currency": _key("balances"),
        "to_currency": _other(_one(*CODES), "currency"),
    },
    "files": {
        "path": _file,
        "create_file.path": _new_file,
        "new_path": _new_file,
        "copy_path": _new_file,
        "folder": _folder,
        "make_folder.folder": _new_folder,
        "file_name": _file_name,
        "text": _one(*NEW_TEXTS),
    },
    "inbox": {
        "folder": _one(*MAIL_FOLDERS),
        "list_messages.folder": _field("messages", "folder"),
        "subject": _one(*NEW_SUBJECTS),
        "find_message.subject": _field("messages", "subject"),
        "body": _one(*BODIES),
        "message_id": _key("messages"),
        "recipient": lambda random, state, given: address(random.choice(PEOPLE)),
    },
    "library": {
        "query": _words,
        "limit": _one(1, 2, 4, 5),
        "passage_id": _passage,
        "relabel_bookmark.passage_id": _key("bookmarks"),
        "remove_bookmark.passage_id": _key("bookmarks"),
        "topic": _one(*TOPICS),
        "label": _one(*LABELS),
        "new_label": _one(*LABELS),
        "list_bookmarks.label": lambda random, state, given: _any(random, list(state["bookmarks"].values())),
    },
    "notes": {
        "title": _title_of_note,
        "find_note.title": _field("notes", "title"),
        "text": _text_of_note,
        "line": _one(*LINES),
        "note_id": _key("notes"),
        "tag": _one(*TAGS),
        "list_notes_with_tag.tag": _used_tag,
        "new_title": _one("Weekend", "Old plans", "For Sunday", "Shared list", "Second try", "Spring"),
    },
    "shop": {
        "product": _field("stock", "name"),
        "sku": _key("stock"),
        "pieces": _between(5, 60, 5),
        "price": _between(3, 120),
        "customer": _one(*PEOPLE),
        "list_orders.customer": _field("orders", "customer"),
        "quantity": _between(1, 7),
        "order_id": _key("orders"),
        "ship_order.order_id": _open_order,
        "cancel_order.order_id": _open_order,
    },
    "tables": {
        "table": _key("tables"),
        "create_table.table": _new_table,
        "columns": _columns,
        "column": _column,
        "value": _cell("column"),
        "set_column": _detail,
        "new_value": _new_cell,
        "row": _row,
        "function": _one(*FUNCTIONS),
        "order": _one("descending"),
        "limit": _one(1, 1, 2, 3),
    },
    "units": {
        "name": _key("measurements"),
        "record_measurement.name": _new_thing,
        "other_name": _comparable,
        "value": _between(2, 500),
        "new_value": _between(2, 500),
        "unit": _unit,
        "to_unit": _same_quantity,
        "degrees": _between(-30, 120),
        "scale": _one(*SCALES),
        "to_scale": _other(_one(*SCALES), "scale"),
    },
}
"""World -> parameter, or `tool.parameter` -> where its values come from."""

COLUMNS = tuple(sorted({column for table in TABLES.values() for column, _ in table}))

LINKS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "algebra": {"value": ("solutions", "result"), "lower": ("solutions",), "upper": ("solutions", "result")},
    "calculator": {
        "value": ("result", "percent"),
        "amount": ("result", "value"),
        "percent": ("result", "value"),
        "old_value": ("result", "value"),
        "new_value": ("result", "value"),
    },
    "currency": {"to_currency": ("currency",)},
    "inbox": {"recipient": ("sender",)},
    "tables": {"value": ("result", *COLUMNS), "new_value": COLUMNS},
    "units": {"new_value": ("value", "ratio"), "to_unit": ("unit",)},
}
"""World -> parameter -> names of results that can stand for it besides its own."""

COMPANIONS: Mapping[str, tuple[str, ...]] = {
    "amount": ("currency",),
    "degrees": ("scale",),
    "start_time": ("date",),
    "value": ("unit", "table", "column"),
    "new_value": ("table", "set_column"),
}
"""Where the first comes by reference, the others come from where it comes from."""
