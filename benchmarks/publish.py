"""What publishing costs: against a bare Parquet write, against hashing the rows once, and in memory.

    python -m benchmarks.publish [--rows 100000] [--small 10000]    (10^6 rows: 15 GB of disk)

One process a size, so that peak memory is that size's own. The rows are tasks as the flow publishes them (menus of two
to eight tools), in tables of 500, in no order. Measured in one run, each against the same rows:

- `write`: the canonical file of sorted rows / pyarrow's own writer given the same tables
- `sort and write`: the same from rows in no order / that
- `publish`: the whole publication on disk / one pass of `orjson.dumps` and `sha256` over the rows, taken from the table
- `publish / dicts`: the same / that pass over rows that are Python dicts already, which no publication can start from
- `loading`: `datasets.load_dataset` of the version / of the bare file
- peak memory over the small size's

Seconds are CPU seconds of all threads, so that what else runs on the machine matters little. Quote the ratios.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from random import Random

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.sizes import apart, seconds, taking
from data.ledger import LedgerRow
from data.manifest import Origin
from data.parquet import write_tables
from data.schema import ATTEMPTS, CANDIDATES, TASKS, to_table
from data.sorting import sorted_by_id
from data.storage import open_storage
from data.store import Publication, publish

CHUNK = 500
BLOCK = 100_000
"""Rows that the measurements of writing hold at once."""
DISTINCT = 50_000
"""Rows that are made one by one (0.3 ms each). Two of a kind lie far apart, so that they compress as others do."""
WORDS = ["".join(Random(n).choices("etaoinshrdlucmfwyp", k=3 + n % 7)) for n in range(4000)]
"""So that text compresses about as a model's does, five times or so, and not like one sentence repeated."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds for each thing, and the peak of the process that published (MB)."""

    rows: int
    raw: int
    bare: float
    write: float
    sort_and_write: float
    hashing: float
    hashing_dicts: float
    publish: float
    load_bare: float
    load: float
    megabytes: float


def made_row(index: int) -> dict[str, object]:
    """A task row of realistic size; the same for the same index."""
    random = Random(f"publish:{index}")

    def words(count: int) -> str:
        return " ".join(random.choices(WORDS, k=count))

    tools = [
        {
            "name": f"tool_{random.randrange(900)}_{place}",
            "description": words(12),
            "parameters": {
                "type": "object",
                "properties": {name: {"type": "string", "description": words(5)} for name in ("city", "unit", "day")},
                "required": ["city"],
                "additionalProperties": False,
            },
        }
        for place in range(random.randint(2, 8))
    ]
    calls = [{"name": tools[0]["name"], "arguments": {"city": f"City {index}", "unit": "metric"}}]
    row: dict[str, object] = dict.fromkeys(TASKS.names)
    row |= {"schema_version": 1, "turns": 1, "env_index": 3, "attempts": 8, "passes": index % 9, "reward_values": 3}
    row |= {field.name: random.random() for field in TASKS if pa.types.is_floating(field.type)}
    row |= {"confirmed": False, "consensus_is_gold": True, "pass_rate": (index % 9) / 8}
    row |= {"task_id": hashlib.sha256(str(index).encode()).hexdigest(), "kind": "single", "domain": "weather"}
    row |= {"mode": "catalogue", "harness": "json", "band": "frontier", "rule": "calls", "accept_json": "null"}
    row |= {"may_omit_json": "null", "generator_digest": "g" * 64, "solver_digest": "s" * 64}
    row |= {"group_key": f"{row['task_id']}:json"}
    question = f"{words(12)} City {index} {words(8)}"
    for name, value in (
        ("messages_json", [{"role": "user", "content": question}]),
        ("tools_json", tools),
        ("calls_json", calls),
        ("brief_json", {"calls": 1, "domain": "weather", "index": index, "menu_size": len(tools), "seed": 1}),
    ):
        row[name] = json.dumps(value, sort_keys=True, separators=(",", ":"))
    for field in TASKS:
        if row[field.name] is None and not field.nullable:
            row[field.name] = "{}"
    return row


def tables(rows: int) -> Iterator[pa.Table]:
    """The rows in tables as a run's chunks come: the first `DISTINCT` rows over and over, under ids of their own."""
    some = [
        to_table([made_row(index) for index in range(first, first + CHUNK)], TASKS)
        for first in range(0, min(rows, DISTINCT), CHUNK)
    ]
    for first in range(0, rows, CHUNK):
        table = some[first // CHUNK % len(some)].slice(0, rows - first)
        ids = [hashlib.sha256(str(first + place).encode()).hexdigest() for place in range(table.num_rows)]
        for name, values in ("task_id", ids), ("group_key", [f"{one}:json" for one in ids]):
            table = table.set_column(TASKS.get_field_index(name), TASKS.field(name), pa.array(values))
        yield table


def publication(rows: int, chunks: Iterator[pa.Table]) -> Publication:
    """Those rows as a run without rejected candidates or attempts: neither enters the digests."""
    origin = Origin("scripted", {}, {}, "1", {}, 0, {})
    candidates = (empty_candidates(min(CHUNK, rows - first)) for first in range(0, rows, CHUNK))
    ledger = (LedgerRow("published", "", rows),)
    return Publication("bench", chunks, candidates, [ATTEMPTS.empty_table()], ledger, origin, lambda name: name)


def empty_candidates(rows: int) -> pa.Table:
    """Candidates that are rows and nothing else."""
    plain = {pa.string(): "", pa.int32(): 0, pa.int64(): 0, pa.float64(): 0.0, pa.bool_(): True}
    columns = [
        pa.nulls(rows, field.type) if field.nullable else pa.repeat(pa.scalar(plain[field.type], field.type), rows)
        for field in CANDIDATES
    ]
    return pa.Table.from_arrays(columns, schema=CANDIDATES)


def hash_rows(file: Path) -> None:
    """One pass of orjson and sha256 over the rows of a Parquet file."""
    for batch in pq.ParquetFile(file).iter_batches(1024):
        for row in batch.to_pylist():
            hashlib.sha256(orjson.dumps(row, option=orjson.OPT_SORT_KEYS)).digest()


def hash_dicts(file: Path) -> float:
    """Seconds of orjson and sha256 alone, the rows being dicts already."""
    spent = 0.0
    for batch in pq.ParquetFile(file).iter_batches(1024):
        rows = batch.to_pylist()
        spent += seconds(lambda: [hashlib.sha256(orjson.dumps(r, option=orjson.OPT_SORT_KEYS)).digest() for r in rows])  # noqa: B023
    return spent


def load(what: str, cache: Path) -> None:
    """`datasets.load_dataset` of a version's folder or of a file."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import datasets

    datasets.disable_progress_bars()
    files = {"data_files": what} if what.endswith(".parquet") else {}
    name = "parquet" if files else what
    assert len(datasets.load_dataset(name, split="train", cache_dir=str(cache), **files))


def published(folder: str, rows: int) -> float:
    """Seconds of publishing rows that come as a stream from disk."""
    chunks = (pq.ParquetFile(path).read(use_threads=False) for path in sorted(Path(folder, "chunks").iterdir()))
    return seconds(lambda: publish(open_storage(f"{folder}/sets"), publication(rows, chunks)))


def blocks(file: Path, rows: int) -> Iterator[pa.Table]:
    """The tables that `made` wrote, in slices of so many rows."""
    with pq.ParquetFile(file) as source:
        for group in range(source.num_row_groups):
            table = source.read_row_group(group)
            yield from (table.slice(first, rows) for first in range(0, table.num_rows, rows))


def made(folder: Path, rows: int) -> tuple[int, float]:
    """Write the rows as chunks, and as one file by pyarrow alone: their bytes, and the seconds of the latter."""
    (folder / "chunks").mkdir()
    raw, spent = 0, 0.0
    with pq.ParquetWriter(folder / "bare.parquet", TASKS, compression="zstd") as writer:
        source = tables(rows)
        while held := list(islice(source, BLOCK // CHUNK)):
            for table in held:
                pq.write_table(table, folder / "chunks" / f"{raw:012}.parquet")
                raw += table.nbytes
            block = pa.concat_tables(held)
            spent += seconds(lambda: writer.write_table(block, row_group_size=BLOCK))  # noqa: B023
    return raw, spent


def measure(rows: int) -> Measured:
    """Everything for one size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        raw, bare = made(folder, rows)
        spent, megabytes = apart(published, name, rows)
        (version,) = (folder / "sets" / "bench" / "versions").iterdir()
        whole, own = folder / "bare.parquet", folder / "own.parquet"
        return Measured(
            rows=rows,
            raw=raw,
            bare=bare,
            write=taking(lambda source: write_tables(own, source, TASKS), blocks(whole, BLOCK)),
            sort_and_write=taking(
                lambda source: write_tables(own, sorted_by_id(source, TASKS, folder), TASKS), blocks(whole, CHUNK)
            ),
            hashing=seconds(lambda: hash_rows(whole)),
            hashing_dicts=hash_dicts(whole),
            publish=spent,
            load_bare=seconds(lambda: load(str(whole), folder / "a")),
            load=seconds(lambda: load(str(version), folder / "b")),
            megabytes=megabytes,
        )


def main() -> None:
    """Measure both sizes and print the ratios of the large one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--small", type=int, default=10_000)
    options = parser.parse_args()
    small, large = measure(options.small), measure(options.rows)
    for one in (small, large):
        print({name: round(value, 2) for name, value in asdict(one).items()})
    print(f"write            {large.write / large.bare:.2f} x a bare write (at most 1.5)")
    print(f"sort and write   {large.sort_and_write / large.bare:.2f} x a bare write")
    print(f"publish          {large.publish / large.hashing:.2f} x one pass of orjson and sha256 (at most 2)")
    print(f"publish / dicts  {large.publish / large.hashing_dicts:.2f} x the same over rows that are dicts already")
    print(f"loading          {large.load / large.load_bare:.2f} x loading the bare file")
    print(f"peak memory      {large.megabytes / small.megabytes:.2f} x that of {small.rows:,} rows")


if __name__ == "__main__":
    main()
