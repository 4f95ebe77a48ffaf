"""Notes: short texts with a title and tags.

State: `{"notes": {note_id: {"title", "text", "tags": [tag]}}}`. Not promised: formatting, versions, full-text search
(`files` has names, `library` has full text).
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from data.records import Json
from verifiers.worlds.base import State, Tool, ToolFailure
from verifiers.worlds.parts import entry, fresh, only, room_in, takes, text, world

NOTES: Mapping[str, str] = {
    "Groceries": "Rice, lentils and two lemons.",
    "Gift ideas": "A scarf for Hana, a puzzle for Oscar.",
    "Reading list": "The history of maps, then the one about bridges.",
    "Garden": "Sow the carrots before the end of April.",
    "Packing list": "Passport, charger, rain jacket.",
    "Bike repair": "The rear brake needs a new cable.",
    "Quiz questions": "Which river runs through four capitals?",
    "Paint colors": "Hallway in light grey, kitchen in white.",
    "Recipe for dal": "Red lentils, turmeric, garlic and butter.",
    "Speech": "Begin with the story of the lost suitcase.",
    "Language practice": "Ten new words each evening.",
    "Wifi at the cabin": "The router stands behind the stove.",
}
NEW_NOTES: Mapping[str, str] = {
    "Birthday plan": "Order the cake and invite the neighbours.",
    "Museum visit": "Closed on Mondays, free on Sundays.",
    "Plant care": "Water the fern twice a week.",
    "Running goal": "Five kilometres without a break.",
    "Film night": "Ask Lucia to bring the projector.",
    "Broken lamp": "The shop needs the receipt.",
}
LINES = (
    "Ask about the price.", "Done on Monday.", "Needs a second opinion.", "Call before noon.", "Bring cash.",
    "Not before autumn.", "Compare two offers.", "Share with the family.",
)  # fmt: skip
TAGS = ("home", "travel", "ideas", "urgent", "school", "hobby", "health", "money")
MAX_TEXT = 20_000


def make(random: Random) -> State:
    """Four to eight notes with up to two tags each."""
    notes: dict[str, Any] = {}
    for title in random.sample(list(NOTES), random.randint(4, 8)):
        note = {"title": title, "text": NOTES[title], "tags": sorted(random.sample(TAGS, random.randint(0, 2)))}
        notes[fresh(notes, "N", note)] = note
    return {"notes": notes}


def _write(state: State, given: Mapping[str, Any]) -> Json:
    room_in(state["notes"], "note")
    note = {"title": given["title"], "text": given["text"], "tags": []}
    name = fresh(state["notes"], "N", note)
    state["notes"][name] = note
    return {"note_id": name}


def _append(state: State, given: Mapping[str, Any]) -> Json:
    note = entry(state["notes"], given["note_id"], "note")
    longer = f"{note['text']}\n{given['line']}"
    if len(longer) > MAX_TEXT:
        raise ToolFailure("the note is full")
    note["text"] = longer
    return {"title": note["title"], "lines": longer.count("\n") + 1}


def _find(state: State, given: Mapping[str, Any]) -> Json:
    name = only(state["notes"], "title", given["title"], "notes")
    return {"note_id": name, "title": state["notes"][name]["title"]}


def _read(state: State, given: Mapping[str, Any]) -> Json:
    note = entry(state["notes"], given["note_id"], "note")
    return {"title": note["title"], "text": note["text"], "tags": list(note["tags"])}


def _tag(state: State, given: Mapping[str, Any]) -> Json:
    note = entry(state["notes"], given["note_id"], "note")
    if given["tag"] in note["tags"]:
        raise ToolFailure(f"the note has the tag {given['tag']!r} already")
    room_in(note["tags"], "tag")
    note["tags"] = sorted([*note["tags"], given["tag"]])
    return {"title": note["title"], "tags": len(note["tags"])}


def _tagged(state: State, given: Mapping[str, Any]) -> Json:
    return {
        "notes": [
            {"note_id": name, "title": note["title"]}
            for name, note in sorted(state["notes"].items())
            if given["tag"] in note["tags"]
        ]
    }


def _rename(state: State, given: Mapping[str, Any]) -> Json:
    note = entry(state["notes"], given["note_id"], "note")
    old, note["title"] = note["title"], given["new_title"]
    return {"old_title": old}


def _delete(state: State, given: Mapping[str, Any]) -> Json:
    note = entry(state["notes"], given["note_id"], "note")
    del state["notes"][given["note_id"]]
    return {"deleted": note["title"]}


_NOTE = text("Identifier of the note, such as N1234", 20)

NOTEBOOK = world(
    "notes",
    make,
    Tool(
        "write_note",
        "Write a new note.",
        takes(title=text("Title of the note"), text=text("What the note says", 2_000)),
        _write,
    ),
    Tool(
        "append_to_note",
        "Add a line at the end of a note.",
        takes(note_id=_NOTE, line=text("The line to add", 500)),
        _append,
    ),
    Tool(
        "find_note",
        "Find the one note whose title contains a text; gives its identifier.",
        takes(title=text("Text to look for in titles")),
        _find,
    ),
    Tool("read_note", "Show the text and tags of a note.", takes(note_id=_NOTE), _read),
    Tool("tag_note", "Put a tag on a note.", takes(note_id=_NOTE, tag=text("The tag", 40)), _tag),
    Tool("list_notes_with_tag", "List the notes that have a tag.", takes(tag=text("The tag", 40)), _tagged),
    Tool("rename_note", "Give a note another title.", takes(note_id=_NOTE, new_title=text("The new title")), _rename),
    Tool("delete_note", "Delete a note for good.", takes(note_id=_NOTE), _delete),
)
