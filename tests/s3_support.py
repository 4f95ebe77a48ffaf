"""An S3 server of the test's own process, empty buckets on it, and the environment in which it is found."""

import os
import threading
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from werkzeug.serving import WSGIRequestHandler, make_server

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}


class Silent(WSGIRequestHandler):
    """Says nothing of each request."""

    def log(self, *_: Any) -> None:
        """Nothing."""


@contextmanager
def s3_server() -> Iterator[str]:
    """The URL of a running server."""
    moto = pytest.importorskip("moto.server")
    application = moto.DomainDispatcherApplication(moto.create_backend_app)
    lock = threading.Lock()

    def one_at_a_time(environ: Any, start: Any) -> list[bytes]:
        with lock:  # moto looks whether an object is there and makes it in two steps; S3 does in one.
            return list(application(environ, start))

    server = make_server("127.0.0.1", 0, one_at_a_time, threaded=True, request_handler=Silent)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        thread.join()


def make_bucket(endpoint: str) -> str:
    """`s3://bucket` of a new bucket."""
    name = f"test-{uuid.uuid4().hex}"
    urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{name}", method="PUT")).close()
    return f"s3://{name}"


def environment(endpoint: str) -> dict[str, str]:
    """The process's own environment, and in it the server."""
    return {**os.environ, "AWS_ENDPOINT_URL": endpoint, **KEYS}
