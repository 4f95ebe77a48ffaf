"""Every benchmark by the name a person gives it, and the file or folder it is read from.

In: a name and a path. Out: a `Bench`. Not promised: a download; files are read where the person put them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from data.errors import UsageError
from solver.benches import apibank, bfcl, nestful, own, probe, sealtools, snips, toolalpaca
from solver.benches.base import Bench

READERS: Mapping[str, Callable[[Path], Bench]] = {
    "bfcl": bfcl.read,
    "api-bank": apibank.read,
    "toolalpaca": toolalpaca.read,
    "seal-tools": sealtools.read,
    "snips": snips.read,
    "nestful": nestful.read,
    "set": own.read,
}
PROBE = "probe"


def read_bench(name: str, where: str) -> Bench:
    """The benchmark `name` at `where` (of the probe: a half, or nothing for both). Raises `UsageError`."""
    if name == PROBE:
        return probe.read(where)
    if name not in READERS:
        raise UsageError(
            f"there is no benchmark {name!r}", hint=f"there are {', '.join([PROBE, *READERS])}, as --bench NAME=PATH"
        )
    path = Path(where).expanduser()
    if not where or not path.exists():
        raise UsageError(f"--bench {name}={where}: no such file or folder", hint=f"as --bench {name}=PATH")
    return READERS[name](path)
