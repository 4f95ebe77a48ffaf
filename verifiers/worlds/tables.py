"""A small store of tables: rows of texts and numbers in named columns.

State: `{"tables": {table: {"columns": [name], "rows": [{column: text or number}]}}}`. Every row has every column. Rows
are matched by one column's value, numbers by value, texts exactly. Not promised: keys, types of columns, joins.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from data.records import Json, JsonObject
from verifiers.worlds.base import State, Tool, ToolFailure
from verifiers.worlds.parts import NUMBER, choice, entry, listing, plain, room_in, takes, text, world

Column = tuple[str, tuple[str, ...] | tuple[int, int]]
"""A column's name with the texts, or the bounds of the numbers, that are drawn for it."""

TABLES: Mapping[str, tuple[Column, ...]] = {
    "employees": (
        ("name", ("Ada", "Boris", "Carla", "Deniz", "Emil", "Fatima", "Goran", "Helga")),
        ("department", ("sales", "support", "design", "legal")),
        ("salary", (2400, 6800)),
    ),
    "books": (
        ("title", ("River Song", "Cold Harbor", "The Orchard", "Paper Moon", "Stone Age", "Night Ferry", "Salt")),
        ("genre", ("poetry", "crime", "history", "travel")),
        ("pages", (90, 620)),
    ),
    "cities": (
        ("city", ("Lisbon", "Oslo", "Nairobi", "Kyoto", "Lima", "Dublin", "Athens", "Hanoi")),
        ("continent", ("Europe", "Africa", "Asia", "South America")),
        ("offices", (2, 40)),
    ),
    "trees": (
        ("species", ("oak", "birch", "maple", "pine", "beech", "willow", "cedar")),
        ("park", ("North Park", "Lake Garden", "Hill Grove")),
        ("height", (3, 38)),
    ),
    "vehicles": (
        ("plate", ("AX 301", "BK 772", "CD 145", "DL 908", "EM 266", "FN 534")),
        ("kind", ("van", "truck", "sedan", "bus")),
        ("mileage", (1200, 98000)),
    ),
}  # fmt: skip
FUNCTIONS = ("sum", "mean", "smallest", "largest")
MOST_ROWS = 1_000
_CELL: list[Json] = [{"type": "string", "maxLength": 200}, NUMBER]
"""What a cell may hold, as branches of a schema."""


def make(random: Random) -> State:
    """Two tables of five or six rows."""
    return {"tables": {name: _table(random, TABLES[name]) for name in sorted(random.sample(list(TABLES), 2))}}


def _table(random: Random, columns: tuple[Column, ...]) -> dict[str, Any]:
    names = [str(name) for name in columns[0][1]]
    rows = [
        {columns[0][0]: name, **{column: draw(random, values) for column, values in columns[1:]}}
        for name in random.sample(names, random.randint(5, min(6, len(names))))
    ]
    return {"columns": [column for column, _ in columns], "rows": rows}


def draw(random: Random, values: tuple[str, ...] | tuple[int, int]) -> str | int:
    """A value of a column."""
    first, last = values[0], values[1]
    return (
        random.randint(first, last) if isinstance(first, int) and isinstance(last, int) else str(random.choice(values))
    )


def _column(table: Mapping[str, Any], column: str) -> str:
    if column not in table["columns"]:
        raise ToolFailure(f"there is no column {column!r}; the columns are {', '.join(table['columns'])}")
    return column


def _matching(table: Mapping[str, Any], given: Mapping[str, Any]) -> list[dict[str, Any]]:
    column = _column(table, given["column"])
    return [row for row in table["rows"] if row[column] == given["value"]]


def _some_matching(table: Mapping[str, Any], given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The matching rows; a refusal where there are none, for what changes rows has then nothing to do."""
    rows = _matching(table, given)
    if not rows:
        raise ToolFailure(f"no row of {given['table']} has {given['value']!r} in {given['column']}")
    return rows


def _describe(state: State, given: Mapping[str, Any]) -> Json:
    table = entry(state["tables"], given["table"], "table")
    return {"columns": list(table["columns"]), "rows": len(table["rows"])}


def _insert(state: State, given: Mapping[str, Any]) -> Json:
    table = entry(state["tables"], given["table"], "table")
    if set(given["row"]) != set(table["columns"]):
        raise ToolFailure(f"a row of {given['table']} has the columns {', '.join(table['columns'])}")
    if len(table["rows"]) >= MOST_ROWS:
        raise ToolFailure(f"{given['table']} is full")
    table["rows"].append({column: given["row"][column] for column in table["columns"]})
    return {"row_number": len(table["rows"])}


def _select(state: State, given: Mapping[str, Any]) -> Json:
    table = entry(state["tables"], given["table"], "table")
    return {"rows": [dict(row) for row in _matching(table, given)]}


def _update(state: State, given: Mapping[str, Any]) -> Json:
    table = entry(state["tables"], given["table"], "table")
    target = _column(table, given["set_column"])
    if target == given["column"]:
        raise ToolFailure("the column to change is the one by which rows are matched")
    rows = _some_matching(table, given)
    if all(row[target] == given["new_value"] for row in rows):
        raise ToolFailure(f"{target} is {given['new_value']!r} there already")
    for row in rows:
        row[target] = given["new_value"]
    return {"changed": len(rows), "rows": [dict(row) for row in rows]}


def _delete(state: State, given: Mapping[str, Any]) -> Json:
    table = entry(state["tables"], given["table"], "table")
    gone = _some_matching(table, given)
    table["rows"] = [row for row in table["rows"] if not any(row is one for one in gone)]
    return {"deleted": len(gone)}


def _compute(state: State, given: Mapping[str, Any]) -> Json:
    table = entry(state["tables"], given["table"], "table")
    column = _column(table, given["column"])
    values = [row[column] for row in table["rows"]]
    if not values or not all(isinstance(value, int | float) for value in values):
        raise ToolFailure(f"{column!r} of {given['table']} has no numbers, or more than numbers")
    exact = [Fraction(value) for value in values]
    results = {"sum": sum(exact), "mean": sum(exact) / len(exact), "smallest": min(exact), "largest": max(exact)}
    return {"result": plain(Fraction(results[given["function"]]))}


def _sort(state: State, given: Mapping[str, Any]) -> Json:
    table = entry(state["tables"], given["table"], "table")
    column = _column(table, given["column"])
    # Numbers before texts; a tie keeps the order of the table.
    rows = sorted(
        table["rows"],
        key=lambda row: (isinstance(row[column], str), row[column]),
        reverse=given.get("order", "ascending") == "descending",
    )
    return {"rows": [dict(row) for row in rows]}


def _add_table(state: State, given: Mapping[str, Any]) -> Json:
    room_in(state["tables"], "table")
    if given["table"] in state["tables"]:
        raise ToolFailure(f"there is a table {given['table']!r} already")
    if len(set(given["columns"])) < len(given["columns"]):
        raise ToolFailure("two columns have the same name")
    state["tables"][given["table"]] = {"columns": list(given["columns"]), "rows": []}
    return {"tables": len(state["tables"])}


_NAME = text("Name of the table", 40)
_WHERE = text("Column by which rows are matched", 40)
_VALUE: JsonObject = {"description": "Value that the rows have in that column", "anyOf": _CELL}

STORE = world(
    "tables",
    make,
    Tool("describe_table", "Show the columns and the number of rows of a table.", takes(table=_NAME), _describe),
    Tool(
        "create_table",
        "Make a new table without rows.",
        takes(
            table=_NAME,
            columns=listing("Names of its columns", {"type": "string", "minLength": 1, "maxLength": 40}, 1, 12),
        ),
        _add_table,
    ),
    Tool(
        "insert_row",
        "Add one row at the end of a table.",
        takes(
            table=_NAME,
            row={
                "type": "object",
                "description": "A value for each column",
                "additionalProperties": {"anyOf": _CELL},
                "maxProperties": 12,
            },
        ),
        _insert,
    ),
    Tool(
        "select_rows",
        "Show the rows that have a value in a column.",
        takes(table=_NAME, column=_WHERE, value=_VALUE),
        _select,
    ),
    Tool(
        "update_rows",
        "Set a column of all rows that have a value in another column.",
        takes(
            table=_NAME,
            column=_WHERE,
            value=_VALUE,
            set_column=text("Column to change", 40),
            new_value={"description": "What to write there", "anyOf": _CELL},
        ),
        _update,
    ),
    Tool(
        "delete_rows",
        "Remove all rows that have a value in a column.",
        takes(table=_NAME, column=_WHERE, value=_VALUE),
        _delete,
    ),
    Tool(
        "compute_column",
        "Sum, mean, smallest or largest number of a column.",
        takes(table=_NAME, column=text("Column of numbers", 40), function=choice("What to compute", FUNCTIONS)),
        _compute,
    ),
    Tool(
        "sort_rows",
        "Show all rows in the order of a column; the table stays as it is.",
        takes(
            optional=("order",),
            table=_NAME,
            column=text("Column to sort by", 40),
            order={**choice("Direction", ("ascending", "descending")), "default": "ascending"},
        ),
        _sort,
    ),
)
