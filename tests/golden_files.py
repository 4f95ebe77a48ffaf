"""Golden files: what a text must be, written down. `make golden` writes them anew; the review reads the diff."""

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def assert_golden(name: str, text: str) -> None:
    """`text` is what `tests/golden/<name>` holds; with GOLDEN=write it is written there first."""
    path = FOLDER / name
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
