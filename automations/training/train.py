"""An example of training that a published task set starts: put your trainer's call where this one counts.

In: the version's folder and its digest, from the event `taskset.published`. Out: how many tasks there are to train on.
The manifest is the record, not the event: a version whose digest is another is refused.
"""

import json
from pathlib import Path

import datasets
from prefect import flow
from prefect.logging import get_run_logger


@flow(name="train")
def train(path: str, digest: str) -> int:
    """Train on one version.

    Args:
        path: Folder of the version.
        digest: Digest the version must have.
    """
    manifest = json.loads((Path(path) / "manifest.json").read_bytes())
    if manifest["digest"] != digest:
        raise ValueError(f"{path} has the digest {manifest['digest']}, the event said {digest}")
    tasks = datasets.load_dataset("parquet", data_files=f"{path}/data/train-*.parquet", split="train")
    get_run_logger().info("training on %s tasks of %s@%s", len(tasks), manifest["name"], manifest["version"])
    return len(tasks)
