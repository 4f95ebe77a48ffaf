"""Task sets in an S3 bucket, or in anything that speaks its protocol and honours `If-None-Match: *`.

In: `s3://bucket/prefix`; endpoint, region and keys from the environment (`AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_*`),
else from the machine's role. Out: a `data.storage.Storage`. `obstore` does the talking, retries included.
An object that is made anew comes in one request, so that it can be conditional; large files in parts.
Not promised: profiles of the AWS command line (`aws configure export-credentials --format env` prints what is needed);
removing the parts of an upload that was killed, which no reader can see (a lifecycle rule of the bucket does).
"""

from __future__ import annotations

import io
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import obstore
import pyarrow as pa
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import S3Store

from data.errors import StoreError, UsageError
from data.storage import Item

BUFFER = 1 << 20
"""Bytes read ahead when a file is read in order."""

_RETRIES = 5
_HINTS = (
    (r"/latest/|credential|<Code>InvalidAccessKeyId|<Code>SignatureDoesNotMatch", "set AWS_ACCESS_KEY_ID and "
     "AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN where there is one) to keys of this storage"),
    (r"<Code>NoSuchBucket", "make the bucket first, or mend its name"),
    (r"<Code>AccessDenied|403 Forbidden", "these keys may not do this: ask for rights to list, get, put and delete"),
    (r"<Code>NoSuchKey|not found", "it is not there: was it moved or removed meanwhile?"),
    (r"error sending request|<Code>PermanentRedirect", "nobody answers there: see AWS_ENDPOINT_URL and AWS_REGION"),
)  # fmt: skip
_AGAIN = "check the storage, then give the same command again"


@dataclass(frozen=True, slots=True)
class S3Storage:
    """A prefix of a bucket."""

    bucket: S3Store
    name: str
    prefix: str
    """Empty, or ends in `/`."""

    @classmethod
    def open_url(cls, url: str) -> S3Storage:
        """The storage of `s3://bucket/prefix`; nothing is asked of the server yet."""
        name, _, prefix = url.removeprefix("s3://").partition("/")
        if not name:
            raise UsageError(f"{url} names no bucket", hint="write s3://bucket/prefix")
        found = tuple(sorted(one for one in os.environ.items() if one[0].startswith("AWS_")))
        return cls(_bucket(name, found), name, f"{prefix.strip('/')}/".lstrip("/"))

    @property
    def location(self) -> str:
        return f"s3://{self.name}/{self.prefix}".rstrip("/")

    def at(self, key: str) -> S3Storage:
        return S3Storage(self.bucket, self.name, f"{self.prefix}{key.strip('/')}/")

    def has(self, key: str) -> bool:
        with self._errors("read", key):
            try:
                obstore.head(self.bucket, self.prefix + key)
            except (FileNotFoundError, NotFoundError):
                return False
        return True

    def read(self, key: str) -> bytes:
        with self._errors("read", key):
            return bytes(obstore.get(self.bucket, self.prefix + key).bytes())

    def open(self, key: str) -> pa.NativeFile:
        with self._errors("read", key):
            reader = obstore.open_reader(self.bucket, self.prefix + key)
        return pa.PythonFile(io.BufferedReader(_Object(reader), BUFFER), mode="r")

    def write(self, key: str, content: bytes) -> None:
        with self._errors("write", key):
            obstore.put(self.bucket, self.prefix + key, content)

    def write_new(self, key: str, content: bytes) -> bool:
        with self._errors("write", key):
            try:
                obstore.put(self.bucket, self.prefix + key, content, mode="create", use_multipart=False)
            except AlreadyExistsError:
                return False
        return True

    def put(self, source: Path, key: str) -> None:
        with self._errors("write", key):
            obstore.put(self.bucket, self.prefix + key, source)

    def items(self) -> Iterator[Item]:
        with self._errors("list"):
            for batch in obstore.list(self.bucket, self.prefix):
                for one in batch:
                    yield Item(one["path"].removeprefix(self.prefix), one["size"], one["last_modified"])

    def folders(self) -> tuple[str, ...]:
        with self._errors("list"):
            found = obstore.list_with_delimiter(self.bucket, self.prefix)["common_prefixes"]
        return tuple(sorted(path.removeprefix(self.prefix) for path in found))

    def delete(self, keys: Iterable[str]) -> None:
        with self._errors("remove objects in"):
            obstore.delete(self.bucket, [self.prefix + key for key in keys])

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="sparring-") as folder:
            yield Path(folder)

    @contextmanager
    def _errors(self, doing: str, key: str = "") -> Iterator[None]:
        """What the storage refuses, as a `StoreError` about the object."""
        try:
            yield
        except (BaseError, OSError) as error:
            text = str(error)
            hint = next((hint for pattern, hint in _HINTS if re.search(pattern, text)), _AGAIN)
            said = re.search(r"<Message>([^<]*)</Message>", text)
            reason = said[1] if said else text.partition("\n")[0]
            raise StoreError(f"cannot {doing} {self.location}/{key}: {reason}", hint=hint) from error


@lru_cache(maxsize=16)
def _bucket(name: str, _environment: tuple[tuple[str, str], ...]) -> S3Store:
    """A bucket with its connections, which every storage in it shares; another environment is another bucket."""
    # Plain HTTP happens only where AWS_ENDPOINT_URL asks for it.
    return S3Store(name, client_options={"allow_http": True}, retry_config={"max_retries": _RETRIES})


class _Object(io.RawIOBase):
    """An object read by ranges, as Python knows files."""

    def __init__(self, reader: obstore.ReadableFile) -> None:
        self._reader = reader

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._reader.seek(offset, whence)

    def tell(self) -> int:
        return self._reader.tell()

    def readinto(self, buffer: Any) -> int:
        try:
            content = self._reader.read(len(buffer))
        except BaseError as error:
            raise OSError(str(error).partition("\n")[0]) from error
        buffer[: len(content)] = content
        return len(content)
