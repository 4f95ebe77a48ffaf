"""Starts the trainer in the engine environment: `python -I start.py FOLDER`.

There our packages are not installed, and what stands beside them (the app's own packages) must not be found: so
`policies` alone is made known.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def main(folder: Path) -> None:
    """Make `policies` known, and train."""
    room = Path(__file__).resolve().parent.parent
    spec = importlib.util.spec_from_file_location(
        "policies", room / "__init__.py", submodule_search_locations=[str(room)]
    )
    assert spec is not None
    assert spec.loader is not None
    sys.modules["policies"] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    from policies.training import train

    train.end(train.main(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
