"""What a test needs and does not find: fetched weights, an older reader."""

import os
from typing import NoReturn

import pytest


def lacking(said: str) -> NoReturn:
    """Skip, for a quick run sets nothing up; fail in `make test`, which does (`SPARRING_TESTS=whole`)."""
    if os.environ.get("SPARRING_TESTS") == "whole":
        pytest.fail(said)
    pytest.skip(said)
