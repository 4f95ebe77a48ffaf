"""What tests of several rooms use: an S3 server of the session's own, and buckets on it."""

from collections.abc import Iterator

import pytest

from tests.s3_support import KEYS, make_bucket, s3_server


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
