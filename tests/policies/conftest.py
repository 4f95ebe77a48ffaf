"""The real weights, for the tests that run the model."""

from pathlib import Path

import pytest

from data.errors import PolicyError
from policies import weights
from tests.lacking import lacking


@pytest.fixture(scope="session")
def gguf() -> Path:
    """The GGUF that the embedded engine loads."""
    try:
        return weights.find()
    except PolicyError as fault:
        lacking(str(fault))
