"""What tests of several rooms use: an S3 server of the session's own, and buckets on it; no test is timed."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.s3_support import KEYS, make_bucket, s3_server

# A busy machine is no fault of the code: speed is measured in benchmarks/ alone.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    """An S3 server for the whole session."""
    with s3_server() as url:
        yield url


@pytest.fixture
def bucket(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """`s3://...` of an empty bucket, which this process can reach."""
    for name, value in {"AWS_ENDPOINT_URL": endpoint, **KEYS}.items():
        monkeypatch.setenv(name, value)
    return make_bucket(endpoint)
