"""A tree of text files and folders.

State: `{"files": {name: text of a file, or the same again for a folder}}`. Paths are written `docs/plan.md`, without a
slash at either end; the top is written `.`. Not promised: links, permissions, binary content; nothing outside of the
state is ever touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from data.records import Json
from verifiers.worlds.base import State, Tool, ToolFailure
from verifiers.worlds.parts import room_in, takes, text, world

TOP = "."
MAX_LEVELS, MAX_BYTES = 8, 200_000
CONTENTS: Mapping[str, str] = {
    "plan.md": "First the roof, then the windows.",
    "budget.csv": "item,cost\nroof,4200\nwindows,2600",
    "readme.txt": "Start with the plan.",
    "todo.txt": "call the plumber",
    "minutes.md": "Present: Hana, Oscar, Priya.",
    "letter.txt": "Dear neighbours, the works begin in May.",
    "recipe.md": "Stir for ten minutes.",
    "songs.txt": "Evening Rain\nThe Long Road",
    "draft.md": "Chapter one begins at sea.",
    "contacts.csv": "name,town\nElena,Parma",
    "config.ini": "theme=dark",
    "changes.log": "added a second page",
}
FOLDERS = ("docs", "projects", "archive", "music", "reports", "drafts", "shared", "letters")
NEW_NAMES = ("summary.md", "ideas.txt", "invoice.csv", "notes.md", "agenda.txt", "backup.txt")
NEW_TEXTS = ("first version", "to be written", "nothing new today", "see the plan", "checked twice", "ready to print")


def make(random: Random) -> State:
    """Three folders, one of them with a folder inside, and six to ten files in them."""
    names = random.sample(FOLDERS, 4)
    tree: dict[str, Any] = {name: {} for name in names[:3]}
    tree[names[0]][names[3]] = {}
    places = [tree, *(tree[name] for name in names[:3]), tree[names[0]][names[3]]]
    for name in random.sample(list(CONTENTS), random.randint(6, 10)):
        random.choice(places)[name] = CONTENTS[name]
    return {"files": tree}


def walk(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Every path below a folder with what stands there, sorted within each folder."""
    for name in sorted(tree):
        path = f"{above}{name}"
        yield path, tree[name]
        if isinstance(tree[name], dict):
            yield from walk(tree[name], f"{path}/")


def _parts(path: str) -> list[str]:
    if path == TOP:
        return []
    parts = path.split("/")
    if any(part in ("", ".", "..") or part != part.strip() for part in parts):
        raise ToolFailure(f"{path!r} is no path; write it like docs/plan.md")
    if len(parts) > MAX_LEVELS:
        raise ToolFailure(f"{path!r} has more than {MAX_LEVELS} levels")
    return parts


def _at(state: State, path: str) -> Any:
    """What stands at a path."""
    here = state["files"]
    for part in _parts(path):
        if not isinstance(here, dict) or part not in here:
            raise ToolFailure(f"there is nothing at {path!r}")
        here = here[part]
    return here


def _folder(state: State, path: str) -> dict[str, Any]:
    here = _at(state, path)
    if not isinstance(here, dict):
        raise ToolFailure(f"{path!r} is a file, not a folder")
    return here


def _file(state: State, path: str) -> str:
    here = _at(state, path)
    if not isinstance(here, str):
        raise ToolFailure(f"{path!r} is a folder, not a file")
    return here


def _place(state: State, path: str) -> tuple[dict[str, Any], str]:
    """The folder in which a new path stands, and its last name; refuses where there is something already."""
    parts = _parts(path)
    if not parts:
        raise ToolFailure("the top folder is there already")
    folder = _folder(state, "/".join(parts[:-1]) or TOP)
    if parts[-1] in folder:
        raise ToolFailure(f"there is something at {path!r} already")
    room_in(folder, "entry")
    return folder, parts[-1]


def _take_away(state: State, path: str) -> None:
    """Remove a file that is there."""
    *above, last = _parts(path)
    del _folder(state, "/".join(above) or TOP)[last]


def _list(state: State, given: Mapping[str, Any]) -> Json:
    folder = _folder(state, given["folder"])
    return {"entries": [name + "/" * isinstance(folder[name], dict) for name in sorted(folder)]}


def _read(state: State, given: Mapping[str, Any]) -> Json:
    return {"text": _file(state, given["path"])}


def _create(state: State, given: Mapping[str, Any]) -> Json:
    folder, name = _place(state, given["path"])
    _fits(state, given["text"])
    folder[name] = given["text"]
    return {"characters": len(given["text"])}


def _fits(state: State, more: str) -> None:
    held = sum(len(value) for _, value in walk(state["files"]) if isinstance(value, str))
    if held + len(more) > MAX_BYTES:
        raise ToolFailure("the disk is full")


def _move(state: State, given: Mapping[str, Any]) -> Json:
    moved = _file(state, given["path"])
    folder, name = _place(state, given["new_path"])
    _take_away(state, given["path"])
    folder[name] = moved
    return {"characters": len(moved)}


def _copy(state: State, given: Mapping[str, Any]) -> Json:
    copied = _file(state, given["path"])
    folder, name = _place(state, given["copy_path"])
    _fits(state, copied)
    folder[name] = copied
    return {"characters": len(copied)}


def _delete(state: State, given: Mapping[str, Any]) -> Json:
    deleted = _file(state, given["path"])
    _take_away(state, given["path"])
    return {"characters": len(deleted)}


def _make_folder(state: State, given: Mapping[str, Any]) -> Json:
    folder, name = _place(state, given["folder"])
    folder[name] = {}
    return {"entries_beside_it": len(folder) - 1}


def _find(state: State, given: Mapping[str, Any]) -> Json:
    wanted = given["file_name"].casefold()
    paths = [path for path, value in walk(state["files"]) if isinstance(value, str)]
    fits = [path for path in paths if path.rpartition("/")[2].casefold() == wanted]
    if len(fits) != 1:
        raise ToolFailure(f"{len(fits) or 'no'} files are called {given['file_name']!r}")
    return {"path": fits[0]}


_PATH = text("Path of the file, such as docs/plan.md", 200)

FILES = world(
    "files",
    make,
    Tool(
        "list_folder",
        "List what stands in a folder; folders end with a slash.",
        takes(folder=text("Path of the folder, or . for the top", 200)),
        _list,
    ),
    Tool("read_file", "Show the text of a file.", takes(path=_PATH), _read),
    Tool(
        "create_file",
        "Write a new text file.",
        takes(path=_PATH, text=text("What the file says", 2_000)),
        _create,
    ),
    Tool(
        "move_file",
        "Move or rename a file; the old path is gone afterwards.",
        takes(path=_PATH, new_path=text("Where the file shall be", 200)),
        _move,
    ),
    Tool(
        "copy_file",
        "Make a second copy of a file and keep the first.",
        takes(path=_PATH, copy_path=text("Where the copy shall be", 200)),
        _copy,
    ),
    Tool("delete_file", "Delete a file for good.", takes(path=_PATH), _delete),
    Tool("make_folder", "Make a new empty folder.", takes(folder=text("Path of the new folder", 200)), _make_folder),
    Tool(
        "find_file",
        "Find the path of the one file that has a given name, in whatever folder.",
        takes(file_name=text("Name of the file, such as plan.md")),
        _find,
    ),
)
