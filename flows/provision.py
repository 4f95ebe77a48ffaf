"""What a Prefect server must know to run curricula: the work pool, the deployments of prefect.yaml, the automations.

    python -m flows.provision            # against PREFECT_API_URL, from the root of the checkout

In: the checkout. Out: all of it on the server; what was there by the same name is brought up to date, so that it can be
called again. Work starts when a worker does: `prefect worker start --pool sparring`.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import yaml
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import WorkPoolCreate
from prefect.events.schemas.automations import AutomationCore
from prefect.exceptions import ObjectAlreadyExists
from prefect.workers.process import ProcessWorker

from data.errors import SparringError
from flows.server import ServerError

POOL = "sparring"


def provision(root: Path) -> list[str]:
    """Set the server up from the checkout at `root`. Returns the automations' names; raises `ServerError`."""
    automations = [read_automation(path) for path in sorted((root / "automations").glob("*.yaml"))]
    with get_client(sync_client=True) as client:
        _make_pool(client)
        for automation in automations:
            _put(client, automation)
    deploy(root)
    return [automation.name for automation in automations]


def read_automation(path: Path) -> AutomationCore:
    """One automation as Prefect reads it."""
    return AutomationCore.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


def deploy(folder: Path) -> None:
    """Create or update every deployment of the folder's prefect.yaml."""
    done = subprocess.run(
        [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all"], cwd=folder, capture_output=True, text=True
    )
    if done.returncode:
        words = (done.stdout + done.stderr).strip()
        raise ServerError(f"the deployments of {folder}/prefect.yaml were refused: {words[-2000:]}")


def _make_pool(client: SyncPrefectClient) -> None:
    template = ProcessWorker.get_default_base_job_template()
    with suppress(ObjectAlreadyExists):
        client.create_work_pool(WorkPoolCreate(name=POOL, type=ProcessWorker.type, base_job_template=template))


def _put(client: SyncPrefectClient, automation: AutomationCore) -> None:
    known = client.read_automations_by_name(automation.name)
    if known:
        client.update_automation(known[0].id, automation)
    else:
        client.create_automation(automation)


def main() -> None:
    """Entry point."""
    try:
        names = provision(Path.cwd())
    except SparringError as fault:
        sys.exit(f"sparring: {fault}")
    print(f"work pool {POOL}, the deployments of prefect.yaml and the automations {', '.join(names)} are in place")


if __name__ == "__main__":
    main()
