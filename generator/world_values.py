"""Which values the arguments of world tools are drawn from, and which results they can be taken from.

Out: tables by world and parameter. Parameters of one name mean the same in all tools of a world, unless
`tool.parameter` says otherwise. Not promised: that a tool takes a value (the walk tries it out).
"""

from __future__ import annotations

from collections.abc import Mapping

from generator import world_sources as source
from generator.world_sources import Source
from verifiers.worlds.calendar import LENGTHS, TITLES
from verifiers.worlds.currency import CODES
from verifiers.worlds.files import NEW_TEXTS
from verifiers.worlds.inbox import BODIES, NEW_SUBJECTS, address
from verifiers.worlds.inbox import FOLDERS as MAIL_FOLDERS
from verifiers.worlds.library import LABELS, TOPICS
from verifiers.worlds.notes import LINES, NEW_NOTES, TAGS
from verifiers.worlds.parts import PEOPLE, some_day, some_time
from verifiers.worlds.tables import FUNCTIONS, TABLES
from verifiers.worlds.units import SCALES

SOURCES: Mapping[str, Mapping[str, Source]] = {
    "algebra": {
        "expression": source.expression,
        "expand_expression.expression": source.product,
        "factor_expression.expression": source.factorable,
        "equation": source.equation,
        "value": source.between(-9, 12),
        "lower": source.between(0, 4),
        "upper": source.between(5, 12),
        "name": source.one("rate", "path", "curve", "budget", "signal", "load"),
        "look_up_polynomial.name": source.key("polynomials"),
    },
    "calculator": {
        "expression": source.arithmetic,
        "numbers": source.numbers,
        "percent": source.between(2, 95),
        "amount": source.between(20, 4_000, 20),
        "old_value": source.between(20, 500, 5),
        "new_value": source.between(23, 900, 5),
        "integers": source.multiples,
        "value": source.decimal,
        "decimals": source.between(1, 2),
        "slot": source.one("total", "mean", "ratio", "basis", "rest", "target"),
        "recall_number.slot": source.key("memory"),
    },
    "calendar": {
        "title": source.one(*TITLES),
        "find_event.title": source.field("events", "title"),
        "date": lambda random, state, given: some_day(random),
        "list_events.date": source.field("events", "date"),
        "start_time": lambda random, state, given: some_time(random),
        "minutes": source.one(*LENGTHS),
        "event_id": source.key("events"),
        "attendee": source.one(*PEOPLE),
    },
    "currency": {
        "amount": source.between(10, 400, 10),
        "currency": source.one(*CODES),
        "pay_person.currency": source.key("balances"),
        "exchange_money.currency": source.key("balances"),
        "get_balance.currency": source.key("balances"),
        "recipient": source.one(*PEOPLE),
        "payment_id": source.key("payments"),
        "to_currency": source.other(source.one(*CODES), "currency"),
    },
    "files": {
        "path": source.file,
        "create_file.path": source.new_file,
        "new_path": source.new_file,
        "copy_path": source.new_file,
        "folder": source.folder,
        "make_folder.folder": source.new_folder,
        "file_name": source.file_name,
        "text": source.one(*NEW_TEXTS),
    },
    "inbox": {
        "folder": source.one(*MAIL_FOLDERS),
        "list_messages.folder": source.field("messages", "folder"),
        "subject": source.one(*NEW_SUBJECTS),
        "find_message.subject": source.field("messages", "subject"),
        "body": source.one(*BODIES),
        "message_id": source.key("messages"),
        "recipient": lambda random, state, given: address(random.choice(PEOPLE)),
    },
    "library": {
        "query": source.words,
        "limit": source.limit,
        "passage_id": source.passage,
        "relabel_bookmark.passage_id": source.key("bookmarks"),
        "remove_bookmark.passage_id": source.key("bookmarks"),
        "topic": source.one(*TOPICS),
        "label": source.one(*LABELS),
        "new_label": source.one(*LABELS),
        "list_bookmarks.label": lambda random, state, given: source.pick(random, list(state["bookmarks"].values())),
    },
    "notes": {
        "title": source.one(*NEW_NOTES),
        "find_note.title": source.field("notes", "title"),
        "text": source.text_of_note,
        "line": source.one(*LINES),
        "note_id": source.key("notes"),
        "tag": source.one(*TAGS),
        "list_notes_with_tag.tag": source.used_tag,
        "new_title": source.one("Weekend", "Old plans", "For Sunday", "Shared list", "Second try", "Spring"),
    },
    "shop": {
        "product": source.field("stock", "name"),
        "sku": source.key("stock"),
        "pieces": source.between(5, 60, 5),
        "price": source.between(3, 120),
        "customer": source.one(*PEOPLE),
        "list_orders.customer": source.field("orders", "customer"),
        "quantity": source.between(1, 7),
        "order_id": source.key("orders"),
        "ship_order.order_id": source.open_order,
        "cancel_order.order_id": source.open_order,
    },
    "tables": {
        "table": source.key("tables"),
        "create_table.table": source.new_table,
        "columns": source.columns,
        "column": source.column,
        "compute_column.column": source.numeric_column,
        "sort_rows.column": source.numeric_column,
        "value": source.cell("column"),
        "set_column": source.detail,
        "new_value": source.new_cell,
        "row": source.row,
        "function": source.one(*FUNCTIONS),
        "order": source.one("descending"),
    },
    "units": {
        "name": source.key("measurements"),
        "record_measurement.name": source.new_thing,
        "other_name": source.comparable,
        "value": source.between(2, 500),
        "new_value": source.between(2, 500),
        "unit": source.unit,
        "to_unit": source.same_quantity,
        "degrees": source.between(-30, 120),
        "scale": source.one(*SCALES),
        "to_scale": source.other(source.one(*SCALES), "scale"),
    },
}
"""World -> parameter, or `tool.parameter` -> where its values come from."""

COLUMNS = tuple(sorted({column for table in TABLES.values() for column, _ in table}))

LINKS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "algebra": {"value": ("solutions", "result"), "lower": ("solutions",), "upper": ("solutions",)},
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
    "units": {"to_unit": ("unit",)},
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

RANKED = frozenset({"search_passages", "sort_rows"})
"""Tools that answer with a list whose first item is the one that a person means."""
