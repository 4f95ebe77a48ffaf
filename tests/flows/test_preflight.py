"""Before the first sample: a store is tried, and leaves no trace of it."""

from pathlib import Path

import pytest

from data.errors import StoreError
from data.storage import LocalStorage
from flows.preflight import check_store


def test_a_store_is_tried_and_left_as_it_was(tmp_path: Path) -> None:
    store = LocalStorage(tmp_path / "sets")
    check_store(store)
    assert list(store.items()) == []


def test_a_store_in_which_writers_could_overwrite_each_other_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replacing(self: LocalStorage, key: str, content: bytes) -> bool:
        self.write(key, content)
        return True

    monkeypatch.setattr(LocalStorage, "write_new", replacing)
    store = LocalStorage(tmp_path / "sets")
    with pytest.raises(StoreError, match="If-None-Match"):
        check_store(store)
    assert list(store.items()) == []
