"""A finished stage is read again, an unfinished one is done again, a damaged one is named."""

from pathlib import Path

import pytest

from data.errors import StoreError
from flows.stages import Result, Stages


def test_work_is_done_once(tmp_path: Path) -> None:
    done: list[int] = []

    def work() -> Result:
        done.append(1)
        return {"a": 0.1}

    assert [Stages(tmp_path / "new").once("a", work) for _ in range(3)] == [{"a": 0.1}] * 3
    assert len(done) == 1


def test_work_that_fails_is_done_again(tmp_path: Path) -> None:
    def fails() -> Result:
        raise StoreError("no")

    stages = Stages(tmp_path)
    with pytest.raises(StoreError):
        stages.once("a", fails)
    assert stages.find("a") is None
    assert stages.once("a", lambda: {"b": 1}) == {"b": 1}


def test_a_number_that_is_none_is_never_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        Stages(tmp_path).once("a", lambda: {"b": float("nan")})
    assert not list(tmp_path.glob("*.json"))


@pytest.mark.parametrize("content", [b"", b"{", b"\xff"])
def test_a_damaged_result_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(StoreError, match=r"a\.json"):
        Stages(tmp_path).find("a")
