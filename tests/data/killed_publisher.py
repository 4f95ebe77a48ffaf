"""A process that publishes and is killed by the kernel on the way; run by `test_store_crashes`.

    python -m tests.data.killed_publisher STORE COUNT STEP

Publishes `COUNT` tasks into the store; before its `STEP`-th act towards the outside (0: never) it kills itself. Acts on
disk are what Python audits (opening for writing, linking, renaming, removing, making and syncing folders); on S3 each
request. Prints `ready`, and at the end how many acts there were.
"""

import os
import signal
import sys
from typing import Any

import obstore
import pyarrow as pa

from data import atomic, storage
from data.store import publish
from tests.data.conftest import make_publication

DISK = {"os.link", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"}
ON_S3 = ("get", "put", "list", "list_with_delimiter", "delete", "open_reader")


class Fate:
    """Counts acts, and ends the process at the chosen one."""

    def __init__(self, step: int) -> None:
        self.step = step
        self.acts = 0

    def act(self) -> None:
        self.acts += 1
        if self.acts == self.step:
            os.kill(os.getpid(), signal.SIGKILL)

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in DISK or (event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_WRONLY):
            self.act()

    def before(self, module: Any, name: str) -> None:
        """Count each call of a function."""
        function = getattr(module, name)

        def counted(*positional: Any, **named: Any) -> Any:
            self.act()
            return function(*positional, **named)

        setattr(module, name, counted)


def main(location: str, count: str, step: str) -> None:
    place = storage.open_storage(location)
    publication = make_publication(int(count))
    fate = Fate(int(step))
    if isinstance(place, storage.LocalStorage):
        sys.addaudithook(fate.audit)
        for module, name in ((atomic, "sync_file"), (atomic, "sync_folder"), (storage, "sync_file"), (pa, "OSFile")):
            fate.before(module, name)
    else:
        for name in ON_S3:
            fate.before(obstore, name)
    print("ready", flush=True)
    publish(place, publication)
    print(fate.acts)


if __name__ == "__main__":
    main(*sys.argv[1:])
