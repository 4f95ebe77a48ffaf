"""The Arrow schemas of everything that is stored, explicit and never inferred, and tables made of rows.

In: rows as plain dicts (`data.rows` makes them of records). Out: tables of exactly the schema asked for.
Columns `*_json` hold canonical JSON (RULES J6); text columns hold text without U+0000 or lone surrogates
(`data.rows.stored_text` escapes raw completions). `to_table` refuses by name what a column cannot hold.
Not promised: that a row makes sense; that is the verifiers' work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.errors import StoreError

SCHEMA_VERSION = 1

Row: TypeAlias = Mapping[str, object]
Column: TypeAlias = "pa.Array[Any] | pa.ChunkedArray[Any]"
Field: TypeAlias = "pa.Field[Any]"

_TYPES: dict[str, pa.DataType] = {
    "str": pa.string(),
    "i32": pa.int32(),
    "i64": pa.int64(),
    "f64": pa.float64(),
    "bool": pa.bool_(),
}


def _schema(columns: str) -> pa.Schema:
    """A schema from `name:type` words; a name that ends in `?` may be null."""
    fields = []
    for word in columns.split():
        name, kind = word.split(":")
        fields.append(pa.field(name.removesuffix("?"), _TYPES[kind], nullable=name.endswith("?")))
    return pa.schema(fields)


def _nullable(columns: str) -> str:
    """The same columns, each of which may be null."""
    return " ".join(word.replace("?", "").replace(":", "?:") for word in columns.split())


_TASK = """
    messages_json:str tools_json:str calls_json:str accept_json:str may_omit_json:str unanswerable_json?:str
    world_json?:str implementations_json?:str outcome_json?:str rule:str parent_task_id?:str
"""
_MEASUREMENTS = """
    harness:str attempts:i32 passes:i32 pass_rate:f64 pass_low:f64 pass_high:f64 confirmed:bool band:str
    band_probability:f64 difficulty_reward:f64 reward_mean:f64 reward_std:f64 reward_values:i32 signal_g8:f64
    consensus_share:f64 consensus_is_gold:bool
"""
_REWARD_PARTS = """
    format_tags?:f64 format_tools?:f64 format_calls?:f64 validity_name?:f64 validity_arguments?:f64
    validity_grounding?:f64 difficulty?:f64 coherence?:f64 gate?:f64 repetition?:f64 reward?:f64
"""

TASKS = _schema(f"""
    schema_version:i32 task_id:str kind:str turns:i32 domain:str mode:str {_TASK} brief_json:str
    {_MEASUREMENTS} env_index:i32 group_key:str generator_digest:str solver_digest:str
""")
"""A published task set (CONTRACT, columns). Absent `accept` and `may_omit` are the JSON `null`."""

PROPOSALS = _schema("""
    index:i64 brief_json:str prompt_digest:str completion:str seed:i64 prompt_tokens:i32 completion_tokens:i32
    finish_reason:str error:str
""")
"""What the generator answered to each brief."""

VERIFIED = _schema(f"""
    index:i64 stage:str check:str code:str detail:str question?:str
    task_id?:str kind?:str turns?:i32 domain:str mode:str {_nullable(_TASK)} brief_json:str
    {_REWARD_PARTS}
""")
"""What became of each proposal: a task (`check` and `code` empty), or the first check it failed."""

ATTEMPTS = _schema("""
    task_id:str harness:str index:i32 seed:i64 completion:str calls_json:str outcome:str reward:f64
    prompt_tokens:i32 completion_tokens:i32 finish_reason:str answer_key:str detail:str fresh:bool steps_json:str
""")
"""Every rollout of the solver."""

SCORES = _schema(f"task_id:str {_MEASUREMENTS}")
"""Difficulty of each task that was attempted."""

CANDIDATES = _schema(f"""
    index:i64 brief_json:str domain:str mode:str stage:str check:str code:str detail:str task_id?:str question?:str
    completion:str finish_reason:str prompt_tokens:i32 completion_tokens:i32
    {_REWARD_PARTS} kind?:str turns?:i32 {_nullable(_TASK)} {_nullable(_MEASUREMENTS)}
""")
"""Every brief's fate. `stage` is `published`, or the stage that turned it down for `(check, code)`. A proven task and
its measurement are there whole, so that another rule can be judged on them; `brief_json` is the whole brief."""

COMPARISON = _schema("""
    task_id:str domain:str previous_harness:str previous_attempts:i32 previous_passes:i32 previous_pass_rate:f64
    previous_pass_low:f64 previous_pass_high:f64 previous_band:str harness:str attempts:i32 passes:i32 pass_rate:f64
    pass_low:f64 pass_high:f64 band:str
""")
"""Both measurements of each task of a version that was measured again."""

LEDGER = _schema("stage:str code:str count:i64 tokens:i64 seconds:f64")
"""How many briefs ended where, and what they cost."""

SCHEMAS: Mapping[str, pa.Schema] = {
    "tasks": TASKS,
    "proposals": PROPOSALS,
    "verified": VERIFIED,
    "attempts": ATTEMPTS,
    "scores": SCORES,
    "candidates": CANDIDATES,
    "ledger": LEDGER,
    "comparison": COMPARISON,
}

MEASURED = tuple(_schema(_MEASUREMENTS).names)
"""The columns of a measurement, as `TASKS`, `SCORES` and `CANDIDATES` name them."""

MEASUREMENT_COLUMNS = frozenset(MEASURED) | {"group_key", "solver_digest"}
"""Columns of `TASKS` that say how hard a task was for some solver, not what it is: outside `digest`."""


def to_table(rows: Iterable[Row], schema: pa.Schema) -> pa.Table:
    """Rows as a table of exactly this schema.

    Raises `StoreError` naming the column for: a missing or an unknown column, null where it may not be, a value of
    another type or out of range, NaN or infinity, U+0000 or a lone surrogate in text.
    """
    held: Sequence[Row] = rows if isinstance(rows, Sequence) else list(rows)
    names = set(schema.names)
    for row in held:
        if row.keys() != names:
            stray = sorted(names.symmetric_difference(row.keys()))
            raise StoreError(f"a row and its schema differ in {', '.join(stray)}", hint="write rows by data.rows")
    columns = [_column([row[field.name] for row in held], field) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


_PYTHON: dict[pa.DataType, tuple[type, ...]] = {
    pa.string(): (str,),
    pa.int32(): (int,),
    pa.int64(): (int,),
    pa.float64(): (float, int),
    pa.bool_(): (bool,),
}
"""What Arrow may be given: on its own it takes bytes for text and cuts 2.5 down to 2."""


def _column(values: list[object], field: Field) -> Column:
    kinds = set(map(type, values)) - {type(None)}
    strange = {kind for kind in kinds if not issubclass(kind, _PYTHON[field.type])}
    if strange:
        names = ", ".join(sorted(kind.__name__ for kind in strange))
        raise StoreError(f"column {field.name} was given {names}", hint=f"it wants {field.type}")
    try:
        column: Column = pa.array(values, type=field.type)
    except (pa.ArrowException, UnicodeEncodeError, OverflowError) as error:
        raise StoreError(f"column {field.name} cannot hold a value: {error}", hint=f"it wants {field.type}") from error
    check_column(column, field)
    return column


def check_column(column: Column, field: Field) -> None:
    """Raise `StoreError` if the column holds what its field may not (see `to_table`)."""
    fault = ""
    if column.null_count and not field.nullable:
        fault = "null"
    elif pa.types.is_string(field.type) and _has_zero(column):
        fault = "U+0000"
    elif pa.types.is_floating(field.type) and pc.all(pc.is_finite(column)).as_py() is False:
        fault = "NaN or infinity"
    if fault:
        raise StoreError(f"column {field.name} may not hold {fault}", hint="refuse or escape it before it is stored")


def _has_zero(column: Column) -> bool:
    """Whether some text holds U+0000: its bytes are looked through as they lie, and text by text only on a hit."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    if not any(0 in _text_bytes(chunk) for chunk in chunks):
        return False
    return bool(pc.any(pc.match_substring(column, "\0")).as_py())


def _text_bytes(array: Any) -> Any:
    """All texts of a string array, end to end (what lies under nulls too), without copying them."""
    _, offsets, content = array.buffers()
    if content is None or not len(array):
        return np.empty(0, np.uint8)
    first = np.frombuffer(offsets, np.int32)[array.offset]
    last = np.frombuffer(offsets, np.int32)[array.offset + len(array)]
    return np.frombuffer(content, np.uint8)[first:last]


def conform(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table, if it has this very schema and holds what it may; else `StoreError`."""
    check_columns(table, schema)
    for field in schema:
        check_column(table[field.name], field)
    return table


def check_columns(table: pa.Table, schema: pa.Schema) -> None:
    """Raise `StoreError` if the table has not this very schema."""
    if table.schema != schema:
        raise StoreError(f"a table has other columns than expected: {table.schema.names}", hint="see data.schema")


def describe() -> str:
    """All schemas as text, for the golden file."""
    parts = []
    for name, schema in SCHEMAS.items():
        lines = [f"  {field.name}: {field.type}{'' if field.nullable else ' not null'}" for field in schema]
        parts.append("\n".join([name, *lines]))
    return f"schema_version {SCHEMA_VERSION}\n\n" + "\n\n".join(parts) + "\n"
