"""A library: full-text search over a shipped corpus of short passages (`corpus.jsonl`), and bookmarks.

State: `{"bookmarks": {passage_id: label}}`; the passages are no part of it. SQLite's FTS5 ranks by BM25, ties in the
order of the corpus, in an index in memory that each thread builds once. Words of a query are quoted one by one, so that
nothing of a query is ever syntax. Not promised: stemming beyond Porter's, phrases, other languages.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

import regex

from data.records import Json
from verifiers.worlds.base import State, Tool, ToolFailure
from verifiers.worlds.parts import choice, entry, room_in, takes, text, whole, world

LABELS = ("to read", "for the talk", "homework", "check again", "quiz", "for Hana", "favourite")
TOPICS = ("animals", "astronomy", "body", "earth", "food", "history", "inventions", "music", "plants", "physics")
MAX_WORDS = 32
_WORD = regex.compile(r"[^\W_]+")
_local = threading.local()


@cache
def corpus() -> Mapping[str, Mapping[str, str]]:
    """The passages by identifier: `topic`, `title`, `text`."""
    lines = files("verifiers.worlds").joinpath("corpus.jsonl").read_text(encoding="utf-8").splitlines()
    passages = [json.loads(line) for line in lines]
    return {passage.pop("passage_id"): passage for passage in passages}


def _index() -> sqlite3.Connection:
    index: sqlite3.Connection | None = getattr(_local, "index", None)
    if index is None:
        index = sqlite3.connect(":memory:")
        index.execute(
            "CREATE VIRTUAL TABLE passages USING fts5(passage_id UNINDEXED, title, text, tokenize='porter unicode61')"
        )
        rows = [(name, passage["title"], passage["text"]) for name, passage in corpus().items()]
        index.executemany("INSERT INTO passages VALUES (?, ?, ?)", rows)
        _local.index = index
    return index


def make(random: Random) -> State:
    """Two to four bookmarks."""
    names = sorted(random.sample(list(corpus()), random.randint(2, 4)))
    return {"bookmarks": {name: random.choice(LABELS) for name in names}}


def search(query: str, most: int) -> list[str]:
    """Identifiers of the passages that hold every word of a query, best first."""
    words = _WORD.findall(query)
    if not words or len(words) > MAX_WORDS:
        raise ToolFailure(f"a query has one to {MAX_WORDS} words")
    quoted = " ".join(f'"{word}"' for word in words)
    rows = _index().execute(
        "SELECT passage_id FROM passages WHERE passages MATCH ? ORDER BY rank, rowid LIMIT ?", (quoted, most)
    )
    return [str(name) for (name,) in rows]


def _search(state: State, given: Mapping[str, Any]) -> Json:
    names = search(given["query"], int(given.get("limit", 3)))
    return {"passages": [{"passage_id": name, "title": corpus()[name]["title"]} for name in names]}


def _open(state: State, given: Mapping[str, Any]) -> Json:
    return dict(entry(corpus(), given["passage_id"], "passage"))


def _browse(state: State, given: Mapping[str, Any]) -> Json:
    return {
        "passages": [
            {"passage_id": name, "title": passage["title"]}
            for name, passage in corpus().items()
            if passage["topic"] == given["topic"]
        ]
    }


def _bookmark(state: State, given: Mapping[str, Any]) -> Json:
    entry(corpus(), given["passage_id"], "passage")
    if given["passage_id"] in state["bookmarks"]:
        raise ToolFailure(f"{given['passage_id']} has a bookmark already; change its label instead")
    room_in(state["bookmarks"], "bookmark")
    state["bookmarks"][given["passage_id"]] = given["label"]
    return {"title": corpus()[given["passage_id"]]["title"]}


def _label(state: State, given: Mapping[str, Any]) -> Json:
    entry(state["bookmarks"], given["passage_id"], "bookmark")
    old, state["bookmarks"][given["passage_id"]] = state["bookmarks"][given["passage_id"]], given["new_label"]
    return {"old_label": old}


def _remove(state: State, given: Mapping[str, Any]) -> Json:
    entry(state["bookmarks"], given["passage_id"], "bookmark")
    return {"label": state["bookmarks"].pop(given["passage_id"])}


def _list(state: State, given: Mapping[str, Any]) -> Json:
    return {
        "bookmarks": [
            {"passage_id": name, "title": entry(corpus(), name, "passage")["title"]}
            for name, label in sorted(state["bookmarks"].items())
            if label == given["label"]
        ]
    }


_PASSAGE = text("Identifier of the passage, such as P17", 20)
_LABEL = text("Label of the bookmark", 40)

LIBRARY = world(
    "library",
    make,
    Tool(
        "search_passages",
        "Full-text search: the passages that contain all words of a query, best first.",
        takes(
            optional=("limit",),
            query=text("Words to search for", 200),
            limit={**whole("How many passages to show at most", 1, 10), "default": 3},
        ),
        _search,
    ),
    Tool("open_passage", "Show the whole text of a passage.", takes(passage_id=_PASSAGE), _open),
    Tool(
        "browse_topic",
        "List all passages on one topic of the library.",
        takes(topic=choice("Topic to browse", TOPICS)),
        _browse,
    ),
    Tool("add_bookmark", "Set a bookmark on a passage.", takes(passage_id=_PASSAGE, label=_LABEL), _bookmark),
    Tool(
        "relabel_bookmark",
        "Change the label of a bookmark that is set.",
        takes(passage_id=_PASSAGE, new_label=text("The new label", 40)),
        _label,
    ),
    Tool("remove_bookmark", "Take away the bookmark of a passage.", takes(passage_id=_PASSAGE), _remove),
    Tool("list_bookmarks", "List the bookmarked passages that have a label.", takes(label=_LABEL), _list),
)
