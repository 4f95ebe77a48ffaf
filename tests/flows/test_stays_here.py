"""No call leaves the machine: every connection and every name looked up by a whole run, in all of its processes.

Two witnesses: an audit hook in each Python process, and the kernel by `strace` where there is one, which also sees what
compiled code does, such as the embedded model's own server.
"""

import ipaddress
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.flows_support import Done
from tests.flows.served_support import ROOT

WITNESS = """
import os, sys

def _note(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        address = (arguments[0],)
    else:
        return
    if isinstance(address, tuple) and address[0] is not None:
        host = address[0].decode() if isinstance(address[0], bytes) else str(address[0])
        handle = os.open(os.environ["WITNESSED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(handle, f"{os.getpid()} {event} {host}\\n".encode())
        os.close(handle)

sys.addaudithook(_note)
"""
STRACE = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o"]
SEEN_BY_KERNEL = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')
TELLTALE = ("DO_NOT_TRACK", "PREFECT_SERVER_ANALYTICS_ENABLED", "HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")


def watched(folder: Path, command: list[str], timeout: float = 600) -> tuple[Done, list[str], set[str]]:
    """Run the command; what it said, the audit hooks' lines and the hosts that were called or looked up."""
    (folder / "witness").mkdir()
    (folder / "witness" / "sitecustomize.py").write_text(WITNESS)
    said, kernel = folder / "said.txt", folder / "kernel.txt"
    said.touch()
    kernel.touch()
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PREFECT_") and name not in TELLTALE
    } | {
        "PYTHONPATH": os.pathsep.join([str(folder / "witness"), str(ROOT)]),
        "WITNESSED": str(said),
        "PREFECT_HOME": str(folder / "prefect"),
    }
    traced = [*STRACE, str(kernel), *command] if shutil.which("strace") else command
    done = subprocess.run(traced, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout)
    lines = said.read_text().splitlines()
    hosts = {line.split(" ", 2)[2] for line in lines}
    hosts |= {first or second for first, second in SEEN_BY_KERNEL.findall(kernel.read_text(errors="replace"))}
    return Done(done.returncode, done.stdout, done.stderr), lines, hosts


def elsewhere(hosts: set[str]) -> set[str]:
    """Those that are not this machine."""
    return {host for host in hosts if host not in ("localhost", "") and not _loopback(host)}


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def test_the_witnesses_see_a_call_that_leaves(tmp_path: Path) -> None:
    script = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {script!r}])"
    _, lines, hosts = watched(tmp_path, [sys.executable, "-c", nested])
    assert elsewhere(hosts) == {"192.0.2.1"}
    assert [line.split(" ", 1)[1] for line in lines] == ["socket.connect 192.0.2.1"]


@pytest.mark.skipif(not shutil.which("strace"), reason="no strace: compiled code is not watched")
def test_the_kernel_sees_what_no_audit_hook_does(tmp_path: Path) -> None:
    script = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"
    isolated = f"import subprocess, sys; subprocess.run([sys.executable, '-I', '-c', {script!r}])"
    _, lines, hosts = watched(tmp_path, [sys.executable, "-c", isolated])
    assert (lines, elsewhere(hosts)) == ([], {"192.0.2.1"})


@pytest.mark.flow
@pytest.mark.parametrize(
    ("engine", "size"),
    [
        ("scripted", ["--tasks", "5", "--budget", "100"]),
        pytest.param(
            "embedded", ["--tasks", "1", "--budget", "8", "--k", "4", "--k-max", "4"], marks=pytest.mark.model
        ),
    ],
)
def test_a_whole_run_with_its_own_server_calls_nobody_elsewhere(tmp_path: Path, engine: str, size: list[str]) -> None:
    command = [
        sys.executable,
        "-m",
        "flows.cli",
        "run",
        "--engine",
        engine,
        *size,
        "--store",
        "sets",
        "--workdir",
        "work",
    ]
    done, lines, hosts = watched(tmp_path, command)
    assert (done.code in (0, 1), "measured" in done.err) == (True, True), done.err  # Too few tasks are no matter here.
    assert elsewhere(hosts) == set()
    assert len({line.split()[0] for line in lines}) >= 2, "the run and its server both talk, to each other"
