"""Chunks in a bucket: the same as on disk, for every process that has its keys."""

import json

import obstore
import pytest

from data.chunks import chunk_digest, find_chunk, read_chunk, table_digest, write_chunk
from data.errors import StoreError
from data.s3 import S3Storage
from data.schema import LEDGER
from tests.data.test_chunks import KEY, ledger


def test_a_chunk_is_found_by_its_derivation_and_read_back(bucket: str) -> None:
    assert find_chunk(f"{bucket}/run/chunks", "verify", KEY) is None
    path = write_chunk(f"{bucket}/run/chunks", "verify", KEY, ledger(1, 2), LEDGER)
    assert path.startswith(f"{bucket}/run/chunks/verify/")
    assert chunk_digest(path) == table_digest(ledger(1, 2))
    assert find_chunk(f"{bucket}/run/chunks", "verify", KEY) == path
    assert read_chunk(path, LEDGER) == ledger(1, 2)


def test_two_processes_that_did_the_same_step_differently_leave_both_chunks_and_one_record(bucket: str) -> None:
    paths = [write_chunk(bucket, "solve", KEY, ledger(count), LEDGER) for count in (1, 2)]
    assert [read_chunk(path, LEDGER) for path in paths] == [ledger(1), ledger(2)]
    assert find_chunk(bucket, "solve", KEY) == paths[1]


def test_a_changed_a_lost_and_an_unread_chunk_are_named(bucket: str) -> None:
    storage = S3Storage.open_url(f"{bucket}/verify")
    path = write_chunk(bucket, "verify", KEY, ledger(1), LEDGER)
    name = path.rpartition("/")[2]
    other = write_chunk(bucket, "verify", "k2", ledger(2), LEDGER)
    storage.write(name, storage.read(other.rpartition("/")[2]))
    with pytest.raises(StoreError, match="does not hold what its name says"):
        read_chunk(path, LEDGER)
    storage.delete([name])
    with pytest.raises(StoreError, match="is gone"):
        find_chunk(bucket, "verify", KEY)
    with pytest.raises(StoreError, match=f"cannot read {path}"):
        read_chunk(path, LEDGER)


def test_a_broken_record_is_named(bucket: str) -> None:
    S3Storage.open_url(f"{bucket}/verify").write(f"{KEY}.json", json.dumps({"step": "verify"}).encode())
    with pytest.raises(StoreError, match=r"record .* is broken"):
        find_chunk(bucket, "verify", KEY)


def test_storages_of_a_bucket_share_its_connections(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = S3Storage.open_url(f"{bucket}/a"), S3Storage.open_url(f"{bucket}/b")
    assert first.bucket is second.bucket
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "another")
    assert S3Storage.open_url(f"{bucket}/a").bucket is not first.bucket
    obstore.put(first.bucket, "a/x", b"1")
    assert first.has("x")
    assert not first.has("y")
