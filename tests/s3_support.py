"""An S3 server of the test's own process, empty buckets on it, and the environment in which it is found."""

import os
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}


@contextmanager
def s3_server() -> Iterator[str]:
    """The URL of a running server."""
    moto = pytest.importorskip("moto.server")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def make_bucket(endpoint: str) -> str:
    """`s3://bucket` of a new bucket."""
    name = f"test-{uuid.uuid4().hex}"
    urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{name}", method="PUT")).close()
    return f"s3://{name}"


def environment(endpoint: str) -> dict[str, str]:
    """The process's own environment, and in it the server."""
    return {**os.environ, "AWS_ENDPOINT_URL": endpoint, **KEYS}
