"""What publishing asks of a storage, held on disk and on S3; and what each says when it cannot."""

import sys
import threading
from pathlib import Path

import pytest

from data.errors import StoreError, UsageError
from data.storage import LocalStorage, Storage, open_storage


def keys(storage: Storage) -> list[str]:
    return sorted(item.key for item in storage.items())


def test_what_was_written_is_read_again(store: Storage) -> None:
    store.write("a/b", b"1")
    store.write("a/b", b"22")
    assert store.read("a/b") == b"22"
    assert [(item.key, item.bytes) for item in store.items()] == [("a/b", 2)]


def test_only_the_first_makes_an_object_anew(store: Storage) -> None:
    assert store.write_new("log/1", b"first")
    assert not store.write_new("log/1", b"second")
    assert store.read("log/1") == b"first"


def test_of_many_at_once_one_makes_it(store: Storage) -> None:
    made: list[bool] = []
    threads = [threading.Thread(target=lambda: made.append(store.write_new("log/1", b"x"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [False] * 7 + [True]


def test_a_file_is_put_and_opened_for_seeking(store: Storage) -> None:
    content = bytes(range(256)) * 100_000
    with store.scratch() as folder:
        (folder / "file").write_bytes(content)
        store.put(folder / "file", "data/file")
    with store.open("data/file") as file:
        file.seek(24_999_990)
        assert file.read(20) == content[24_999_990:25_000_010]
        file.seek(0)
        assert file.read() == content
    assert keys(store) == ["data/file"]


def test_a_folder_is_a_storage_of_its_own(store: Storage) -> None:
    store.write("a/b/c", b"1")
    store.write("ab/c", b"2")
    assert store.at("a").at("b").read("c") == store.at("a/b").read("c") == b"1"
    assert keys(store.at("a")) == ["b/c"]
    assert store.at("a").location == f"{store.location}/a"
    assert open_storage(store.at("a").location).read("b/c") == b"1"


def test_folders_are_those_directly_below(store: Storage) -> None:
    for key in ("b/x", "a/y/z", "file"):
        store.write(key, b"")
    assert store.folders() == ("a", "b")


def test_what_is_not_there_has_no_objects_and_no_folders(store: Storage) -> None:
    assert (keys(store.at("none")), store.at("none").folders()) == ([], ())


def test_removing_leaves_no_empty_folder_and_forgives_what_is_gone(store: Storage) -> None:
    store.write("a/b/c", b"")
    store.delete(["a/b/c", "a/b/d"])
    assert (keys(store), store.folders()) == ([], ())


@pytest.mark.parametrize("act", [lambda store: store.read("no/key"), lambda store: store.open("no/key").read()])
def test_reading_what_is_not_there_names_it(store: Storage, act: object) -> None:
    with pytest.raises(StoreError, match=r"cannot read .*no/key.*\n.*not there"):
        act(store)  # type: ignore[operator]


def test_a_path_is_a_folder_on_disk(tmp_path: Path) -> None:
    assert open_storage(str(tmp_path)) == open_storage(tmp_path) == LocalStorage(tmp_path)


@pytest.mark.parametrize(
    ("url", "message"),
    [("gs://bucket/x", "gs://bucket/x is no place"), ("s3://", "names no bucket"), ("s3:///x", "names no bucket")],
)
def test_a_url_that_is_none_of_ours_is_wrong_usage(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=f"{message}.*\n.*s3://bucket/prefix"):
        open_storage(url)


def test_without_its_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "data.s3", raising=False)
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(UsageError, match=r"needs the package obstore\n.*sparring\[s3\]"):
        open_storage("s3://bucket")


def test_a_bucket_that_is_not_there_is_named(bucket: str) -> None:
    for act in (
        lambda store: list(store.items()),
        lambda store: store.write_new("a", b""),
        lambda store: store.folders(),
    ):
        with pytest.raises(StoreError, match=r"s3://none-such/x/.*bucket does not exist\n.*make the bucket"):
            act(open_storage("s3://none-such/x"))


def test_without_credentials_the_variables_are_named(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(StoreError, match=r"cannot write s3://.*\n.*set AWS_ACCESS_KEY_ID"):
        open_storage(bucket).write("a", b"")


def test_a_server_that_does_not_answer_is_named(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(StoreError, match=r"127.0.0.1:9.*\n.*AWS_ENDPOINT_URL"):
        open_storage(bucket).read("a")
