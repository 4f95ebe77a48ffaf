"""What others read: `datasets`, pandas and plain pyarrow see the rows of a version and nothing else of its folder."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from data.card import card
from data.schema import TASKS
from data.storage import open_storage
from data.store import Publication, publish
from data.version import Version


@pytest.fixture
def version(tmp_path: Path, publication: Callable[..., Publication]) -> Version:
    return publish(open_storage(tmp_path / "sets"), publication(5))


def test_datasets_loads_a_version_by_its_path(
    version: Version, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    loaded = datasets.load_dataset(version.location, cache_dir=str(tmp_path / "cache"))
    assert list(loaded) == ["train"]
    assert loaded["train"].column_names == TASKS.names
    calls = [json.loads(text) for text in loaded["train"]["calls_json"]]
    assert sorted(one["arguments"]["a"] for [one] in calls) == [0, 1, 2, 3, 4]
    assert loaded["train"][0]["world_json"] is None


def test_datasets_loads_both_splits(
    tmp_path: Path, publication: Callable[..., Publication], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    whole = publication(5)
    tables = list(whole.tasks)
    version = publish(open_storage(tmp_path / "sets"), replace(whole, tasks=tables[:3], eval=tables[3:]))
    loaded = datasets.load_dataset(version.location, cache_dir=str(tmp_path / "cache"))
    assert {name: len(split) for name, split in loaded.items()} == {"train": 3, "eval": 2}


def test_pandas_reads_the_tasks(version: Version) -> None:
    frame = pd.read_parquet(Path(version.location) / "data")
    assert list(frame.columns) == TASKS.names
    assert frame["task_id"].is_monotonic_increasing
    assert frame["pass_rate"].tolist() == [0.5] * 5


def test_no_reader_meets_metadata_of_a_library(version: Version) -> None:
    assert pq.read_schema(Path(version.location) / "data/train-00000-of-00001.parquet").metadata is None


def test_the_card_says_what_the_set_is(version: Version) -> None:
    text = card(version.manifest)
    assert text == version.storage.read("README.md").decode()
    for part in ("license: apache-2.0", version.manifest.digest, "- equal: `true`", "- k: `8`", "Known limits"):
        assert part in text
