"""A leash: runs a command that ends when whoever started it does, also by kill -9.

In: the command as arguments, and a pipe as standard input whose other end the parent alone holds. Out: the command's
output as it comes, then a line with its exit status. When the pipe closes, for whatever reason, the command gets
SIGTERM, and after `GRACE` seconds its whole process group SIGKILL; when it ends by itself, what it left goes too.
To be started as the leader of a session (`start_new_session`). It is a pipe because PR_SET_PDEATHSIG fires when the
*thread* that started the child ends. Standard library alone: it runs in the engine environment.
Not promised: processes that leave the group, or the command if the leash itself is killed by -9.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

GRACE = 5.0
"""Seconds between SIGTERM and SIGKILL."""


def main(command: list[str]) -> None:
    """Run `command` until it or the parent ends; ends the whole group, itself included."""
    signal.signal(signal.SIGTERM, lambda *_: None)  # a handler, which children do not inherit
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    threading.Thread(target=_end_with_parent, args=(child,), daemon=True).start()
    print(f"leash: the command ended with status {child.wait()}", file=sys.stderr, flush=True)
    os.killpg(0, signal.SIGKILL)


def _end_with_parent(child: subprocess.Popen[bytes]) -> None:
    while os.read(0, 1):
        pass
    child.terminate()
    try:
        child.wait(GRACE)
    except subprocess.TimeoutExpired:
        os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1:])
