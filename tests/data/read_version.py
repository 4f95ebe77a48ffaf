"""Runs in an environment that has some version of `datasets` and nothing of ours: what it reads of a version, as JSON.

python read_version.py VERSION CACHE CONFIG...
"""

import json
import sys

import datasets  # type: ignore[import-untyped,unused-ignore]

folder, cache, *configs = sys.argv[1:]
said: dict[str, object] = {"datasets": datasets.__version__}
for config in configs:
    loaded = datasets.load_dataset(folder, config, cache_dir=cache)
    said[config] = {name: {column: split[column][:] for column in split.column_names} for name, split in loaded.items()}
print(json.dumps(said))
