"""Where values for the arguments of world tools come from: small functions of the state and a random source.

In: a random source, the state, the arguments drawn so far (references as the values they stand for). Out: a value, or
None where the state has nothing to offer. Which function serves which parameter: `generator.world_values`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from verifiers.worlds.algebra import polynomial
from verifiers.worlds.base import State
from verifiers.worlds.files import FOLDERS as FILE_FOLDERS
from verifiers.worlds.files import NEW_NAMES, TOP, walk
from verifiers.worlds.library import corpus, search
from verifiers.worlds.notes import NEW_NOTES
from verifiers.worlds.tables import TABLES
from verifiers.worlds.tables import draw as draw_cell
from verifiers.worlds.units import QUANTITY, THINGS, UNITS

Source = Callable[[Random, State, Mapping[str, Any]], Any]
"""Draws a value (JSON), or None."""


def one(*options: str | int) -> Source:
    return lambda random, state, given: random.choice(options)


def between(low: int, high: int, step: int = 1) -> Source:
    return lambda random, state, given: random.randrange(low, high + 1, step)


def key(collection: str) -> Source:
    return lambda random, state, given: pick(random, list(state[collection]))


def field(collection: str, field: str) -> Source:
    """What one entry of a collection has in a field."""
    return lambda random, state, given: pick(random, [entry[field] for entry in state[collection].values()])


def pick(random: Random, options: list[Any]) -> Any:
    return random.choice(options) if options else None


def other(source: Source, than: str) -> Source:
    """Another value than the argument called `than` has."""

    def drawn(random: Random, state: State, given: Mapping[str, Any]) -> Any:
        value = source(random, state, given)
        return None if value == given.get(than) else value

    return drawn


def text_of_note(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return NEW_NOTES.get(given["title"], "Nothing yet.")


def used_tag(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return pick(random, [tag for note in state["notes"].values() for tag in note["tags"]])


def open_order(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return pick(random, [name for name, order in state["orders"].items() if order["status"] == "open"])


def file(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return pick(random, [path for path, value in walk(state["files"]) if isinstance(value, str)])


def file_name(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    path = file(random, state, given)
    return path.rpartition("/")[2] if isinstance(path, str) else None


def folder(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return pick(random, [path for path, value in walk(state["files"]) if value and not isinstance(value, str)])


def new_file(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return inside(random, state, random.choice(NEW_NAMES))


def new_folder(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return inside(random, state, random.choice(FILE_FOLDERS))


def inside(random: Random, state: State, name: str) -> str:
    folders = [path for path, value in walk(state["files"]) if isinstance(value, dict)]
    folder = random.choice([TOP, *folders])
    return name if folder == TOP else f"{folder}/{name}"


def column(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    """A column, as often as not the first, which names its rows."""
    table = state["tables"].get(given["table"])
    return random.choice([*table["columns"][:1] * len(table["columns"]), *table["columns"]]) if table else None


def numeric_column(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    table = state["tables"].get(given["table"])
    rows = table["rows"] if table else []
    return pick(random, [name for name, value in rows[0].items() if not isinstance(value, str)] if rows else [])


def detail(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    """Another column than that by which rows are matched, and not the one that names them."""
    table = state["tables"].get(given["table"])
    return pick(random, [one for one in table["columns"][1:] if one != given["column"]]) if table else None


def cell(column: str) -> Source:
    """A value that stands in the column named by an argument."""

    def drawn(random: Random, state: State, given: Mapping[str, Any]) -> Any:
        table = state["tables"].get(given["table"])
        rows = table["rows"] if table else []
        return pick(random, [row[given[column]] for row in rows if given[column] in row])

    return drawn


def new_cell(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    columns = dict(TABLES.get(given["table"], ()))
    return draw_cell(random, columns[given["set_column"]]) if given["set_column"] in columns else None


def row(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return {column: draw_cell(random, values) for column, values in TABLES.get(given["table"], ())} or None


def new_table(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return pick(random, [name for name in TABLES if name not in state["tables"]])


def columns(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return [column for column, _ in TABLES[given["table"]]] if given["table"] in TABLES else None


def words(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    """One or two longer words of a passage."""
    passage = random.choice(list(corpus().values()))
    words = sorted({word.strip(".,:").casefold() for word in passage["text"].split()})
    return " ".join(random.sample([word for word in words if len(word) > 5 and word.isalpha()], random.randint(1, 2)))


def limit(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    """Fewer passages than the query finds, but more than one; None where it does not find that many."""
    found = len(search(given["query"], 5))
    return random.randrange(2, found) if found > 2 else None


def passage(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return random.choice(list(corpus()))


def same_quantity(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    unit = given.get("unit")
    units = [one for one in UNITS[QUANTITY[unit]] if one != unit] if unit in QUANTITY else []
    return pick(random, units)


def new_thing(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    """Something not measured yet of which the unit is plausible."""
    free = [name for name in THINGS if name not in state["measurements"]]
    return pick(random, [name for name in free if given["unit"] in THINGS[name][0]])


def comparable(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    """Another measurement of the same quantity."""
    measured = state["measurements"]
    quantity = QUANTITY[measured[given["name"]]["unit"]] if given["name"] in measured else ""
    return pick(
        random, [name for name, one in measured.items() if QUANTITY[one["unit"]] == quantity and name != given["name"]]
    )


def unit(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return random.choice(random.choice(list(THINGS.values()))[0])


def expression(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return polynomial(random, random.choice((2, 2, 3)))


def product(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return f"({polynomial(random, 1)})*({polynomial(random, random.choice((1, 2)))})"


def factorable(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    """A quadratic with two roots that are integers."""
    one, other = random.choice(range(1, 9)), random.choice(range(1, 9))
    return f"x^2 - {one + other}*x + {one * other}"


def equation(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    if random.random() < 0.4:
        return f"{factorable(random, state, given)} = 0"
    factor, root, more = random.randint(2, 9), random.randint(2, 30), random.randint(1, 40)
    return f"{factor}*x + {more} = {factor * root + more}"


def arithmetic(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    a, b, c = (random.randint(2, 60) for _ in range(3))
    return random.choice((f"({a} + {b}) * {c}", f"{a} * {b} - {c}", f"{a * b} / {a} + {c}", f"({a} - {b}) * {c} + 5"))


def numbers(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return random.sample(range(3, 200), random.randint(3, 5))


def multiples(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    base = random.randint(3, 15)
    return [base * factor for factor in random.sample(range(2, 20), random.randint(2, 3))]


def decimal(random: Random, state: State, given: Mapping[str, Any]) -> Any:
    return random.randint(1_000, 99_999) / 1_000
