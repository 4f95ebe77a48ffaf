"""The screen before selection: questions that earlier versions of the set have, or that held-out sets ask.

In: the store, the set's name, what identifies the run, and held-out paths; then each candidate's question. Out: a
verdict that bars it from any selection, `published_before` or `contaminated`, and a report for the manifest.
Earlier versions are those before the first one that this very run made: the same run given again sees what it saw
then, and is not emptied by its own result. A change of a published task may ask what its parent asks.
Not promised: questions that a rival run publishes meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from data import log
from data.digests import file_digest, plain_values
from data.fates import CHECK
from data.held_out import held_out_files, read_held_out
from data.known import Known
from data.neardup import THRESHOLD, jaccard
from data.records import Json, JsonObject, Task, Verdict
from data.rows import messages_from_json
from data.select import question_text
from data.storage import Storage
from data.texts import folded, trigrams
from data.version import Version, logged_version, set_home

SHOWN = 50
"""Tool names that the report lists at most; it counts all."""


@dataclass(slots=True)
class HeldOutFile:
    """What is known of one held-out file, and how many candidates met a question of it."""

    name: str
    sha256: str
    questions: int = 0
    tools: set[str] = field(default_factory=set)
    met: Counter[bool] = field(default_factory=Counter)
    """Candidates by whether the question was equal."""


class Screen:
    """Questions that may not come (again). Candidates are asked for once each."""

    def __init__(self) -> None:
        self._earlier = Known()
        self._versions: list[str] = []
        self._held_out = Known()
        self._files: list[HeldOutFile] = []
        self._parents: dict[str, str] = {}

    def add_version(self, version: Version) -> None:
        """No question of this version again."""
        self._versions.append(version.manifest.version)
        for table in version.stored_tasks():
            for text in plain_values(table["messages_json"]):
                self._earlier.add(len(self._versions) - 1, question_text(messages_from_json(text)))

    def add_held_out(self, path: Path) -> None:
        """No question of this file, or version's folder. `UsageError` if it cannot be understood."""
        for file in held_out_files(path):
            known = HeldOutFile(file.name, file_digest(file))
            self._files.append(known)
            for row in read_held_out(file):
                known.questions += 1
                known.tools |= row.tools
                self._held_out.add(len(self._files) - 1, row.question)

    def add_parents(self, tasks: Iterable[Task]) -> None:
        """Tasks that are changed on purpose: what comes of one may ask what it asked."""
        self._parents |= {task.task_id: folded(question_text(task.messages)) for task in tasks}

    def verdict(self, task: Task) -> Verdict | None:
        """Why this candidate may not be published, if it may not."""
        question = question_text(task.messages)
        if found := self._held_out.alike(question):
            file = self._files[found.label]
            file.met[found.equal] += 1
            return Verdict(CHECK, "contaminated", f"{_how(found.equal)} a question of {file.name}")
        parent = self._parents.get(task.parent_task_id or "")
        if parent is not None and jaccard(trigrams(folded(question)), trigrams(parent)) >= THRESHOLD:
            return None
        if found := self._earlier.alike(question):
            return Verdict(
                CHECK, "published_before", f"{_how(found.equal)} a question of {self._versions[found.label]}"
            )
        return None

    def report(self, tools: Iterable[str]) -> JsonObject:
        """The manifest's `contamination`, for a set whose menus have these tools; empty without held-out files."""
        if not self._files:
            return {}
        names = set(tools)
        return {"near_duplicate": THRESHOLD, "held_out": [_entry(file, names) for file in self._files]}


def _how(equal: bool) -> str:
    return "equals" if equal else "says almost the same as"


def _entry(file: HeldOutFile, tools: set[str]) -> Json:
    shared = sorted(file.tools & tools)
    return {
        "name": file.name,
        "sha256": file.sha256,
        "questions": file.questions,
        "exact": file.met[True],
        "near": file.met[False],
        "tools": len(file.tools),
        "tools_shared": len(shared),
        "tools_shared_names": shared[:SHOWN],
    }


def earlier_versions(store: Storage, name: str, run: str) -> Sequence[Version]:
    """The versions of a set before the first that the run `run` (`Origin.run`) made, oldest first."""
    found = []
    for entry in log.entries(set_home(store, name)):
        version = logged_version(store, name, entry)
        if version.manifest.origin.run == run:
            break
        found.append(version)
    return found
