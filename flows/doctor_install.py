"""The doctor on what is installed: Python, packages, weights, the engine environment, readers for the tests.

In: the environment this runs in. Out: findings. Packages are compared with `constraints.txt` of the checkout; outside
of one, with what the distribution asks for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distributions, requires, version

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from flows.doctor import Finding
from flows.preflight import check_names
from flows.settings import checkout
from policies import engine_env, weights

OLDEST = (3, 11)
AGAIN = "pip install --constraint constraints.txt --editable . (or `make run`, which does)"
READERS = ("3.6.0", "4.6.1")
"""Older versions of datasets for the tests (`Makefile`)."""
SHOWN = 6


def python() -> Iterator[Finding]:
    """The interpreter."""
    said = f"{sys.version.split()[0]}, {sys.executable}"
    if sys.version_info[:2] < OLDEST:
        yield Finding("python", "fault", said, f"use Python {OLDEST[0]}.{OLDEST[1]} or newer")
    else:
        yield Finding("python", "ok", said)


def packages() -> Iterator[Finding]:
    """What sparring asks for, and the versions it was tested with."""
    try:
        asked = [Requirement(text) for text in requires("sparring") or ()]
    except PackageNotFoundError:
        yield Finding("packages", "fault", "sparring itself is not installed here", AGAIN)
        return
    if wrong := [fault for one in asked if (fault := _lacking(one))]:
        yield Finding("packages", "fault", _some(wrong), AGAIN)
    elif other := _not_as_pinned():
        yield Finding("packages", "note", f"other versions than were tested: {_some(other)}", AGAIN)
    else:
        yield Finding("packages", "ok", f"sparring {version('sparring')} with all it asks for, as it was tested")


def names() -> Iterator[Finding]:
    """Nobody else owns one of our import names; raises `UsageError` as the preflight does."""
    check_names()
    yield Finding("names", "ok", "no other package owns one of our import names")


def embedded() -> Iterator[Finding]:
    """The default weights are there, and are those; raises `PolicyError` if not."""
    path = weights.find()
    which = f"named by SPARRING_WEIGHTS, sha256 {weights.sha256(path)[:12]}" if weights.named() else "as published"
    yield Finding("weights", "ok", f"{path}: {which}")


def engine() -> Iterator[Finding]:
    """The engine environment; without one only the managed vLLM and training are missing."""
    said, well = engine_env.report()
    said, _, do = said.partition("\n  -> ")
    if well:
        yield Finding("engine", "ok", said)
    elif (engine_env.folder() / engine_env.MADE).is_file():
        yield Finding("engine", "fault", said, do)
    else:
        yield Finding("engine", "note", said, f"{do}, if you want --engine vllm or to train")


def readers() -> Iterator[Finding]:
    """The older readers that `make test` reads versions with; nothing where there are no tests."""
    root = checkout()
    if root is None or not (root / "tests").is_dir():
        return
    missing = [one for one in READERS if not (root / ".readers" / one / "ready").is_file()]
    if missing:
        yield Finding("readers", "note", f"no datasets {', '.join(missing)} for the tests", "make test sets them up")
    else:
        yield Finding("readers", "ok", f"datasets {', '.join(READERS)} beside {version('datasets')}, for the tests")


def _lacking(asked: Requirement) -> str:
    """What is wrong with a package that is asked for in any case, or nothing."""
    if asked.marker is not None and not asked.marker.evaluate({"extra": ""}):
        return ""
    try:
        found = version(asked.name)
    except PackageNotFoundError:
        return f"{asked.name} is missing"
    return "" if asked.specifier.contains(found, prereleases=True) else f"{asked.name} {found}, not {asked.specifier}"


def _not_as_pinned() -> list[str]:
    """Installed packages of another version than `constraints.txt` has."""
    root = checkout()
    if root is None:
        return []
    pins = (root / "constraints.txt").read_text(encoding="utf-8").split()
    wanted = {canonicalize_name(name): pin for name, mark, pin in (line.partition("==") for line in pins) if mark}
    found = {canonicalize_name(one.name): one.version for one in distributions()}
    return [f"{name} {found[name]} (tested: {pin})" for name, pin in wanted.items() if found.get(name, pin) != pin]


def _some(faults: list[str]) -> str:
    """The first few, and how many more."""
    more = f" and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
    return ", ".join(faults[:SHOWN]) + more
