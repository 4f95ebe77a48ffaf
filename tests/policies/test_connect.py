"""Engines by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.errors import PolicyError, UsageError
from policies.connect import engine_digest, open_policy
from policies.endpoint import EndpointPolicy
from policies.scripted import ScriptedPolicy


def test_an_engine_is_what_its_text_says() -> None:
    assert isinstance(open_policy("scripted:ability=1", role="solver"), ScriptedPolicy)
    url = open_policy("http://127.0.0.1:1/v1#a/b", role="solver")
    assert isinstance(url, EndpointPolicy)
    assert url.name == "http://127.0.0.1:1/v1#a/b"


@pytest.mark.parametrize("engine", ["scripted", "scripted:faults=0.1", "http://127.0.0.1:1/v1#m"])
def test_the_digest_is_known_without_opening(engine: str) -> None:
    assert engine_digest(engine, "solver") == open_policy(engine, role="solver").digest


@pytest.mark.parametrize("engine", ["", "gpt", "Embedded", "ftp://x"])
def test_an_unknown_engine_lists_what_exists(engine: str) -> None:
    with pytest.raises(UsageError) as fault:
        open_policy(engine, role="solver")
    assert all(name in fault.value.hint for name in ("embedded", "scripted", "http"))


def test_a_named_file_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    for name, words in (("notes.txt", "no GGUF"), ("nothing.gguf", "cannot be read")):
        with pytest.raises(PolicyError, match=words):
            open_policy(f"embedded:{tmp_path / name}", role="solver")
