"""Older versions of `datasets` load a version and its exports, each in an environment that `make test` sets up."""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from data.exports.folder import export
from data.records import Message, Task
from data.storage import open_storage
from data.store import Publication, publish
from data.version import Version
from flows.doctor_install import READERS
from tests.lacking import lacking
from verifiers import answer

ROOT = Path(__file__).resolve().parents[2]
EXPORTS = ("verl", "trl")


@pytest.fixture(scope="module", params=READERS)
def reader(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """A version of `datasets` and the Python that has it."""
    folder = ROOT / ".readers" / request.param
    if not (folder / "ready").exists():
        lacking(f"datasets {request.param} is not set up: run `make {folder.relative_to(ROOT)}/ready`")
    return request.param, folder / "bin" / "python"


def messages(task: Task) -> tuple[Message, ...]:
    return task.messages


def two_splits(tmp_path: Path, publication: Callable[..., Publication]) -> Version:
    whole = publication(5)
    tables = list(whole.tasks)
    version = publish(open_storage(tmp_path / "sets"), replace(whole, tasks=tables[:3], eval=tables[3:]))
    for name in EXPORTS:
        leaf = Path(answer.__file__).read_text(encoding="utf-8")
        folder = Path(version.location) / "exports" / name
        export(version, name, folder, harness="tags", render=messages, leaf=leaf)
    return version


def test_an_older_datasets_reads_every_row_of_a_version_and_of_its_exports(
    reader: tuple[str, Path], tmp_path: Path, publication: Callable[..., Publication]
) -> None:
    number, python = reader
    version = two_splits(tmp_path, publication)
    script = Path(__file__).with_name("read_version.py")
    done = subprocess.run(
        [python, "-I", script, version.location, tmp_path / "cache", "default", *EXPORTS],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert said.pop("datasets") == number
    for config, splits in said.items():
        folder = Path(version.location) / ("data" if config == "default" else f"exports/{config}")
        assert set(splits) == {"train", "eval"}
        for split, columns in splits.items():
            (file,) = folder.glob(f"{split}*.parquet")
            assert columns == pq.read_table(file).to_pydict()
