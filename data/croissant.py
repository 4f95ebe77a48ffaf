"""`croissant.json` of a version: its files and columns in MLCommons' metadata format (Croissant 1.0, JSON-LD).

In: the manifest, with its files, and the licence of the card. Out: the text. Each split is a record set.
Not promised: columns of `candidates.parquet` and the other tables; they are listed as files.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from data.log import version_number
from data.manifest import FileEntry, Manifest
from data.schema import TASKS

_TYPES = {
    pa.string(): "sc:Text",
    pa.int32(): "cr:Int32",
    pa.int64(): "cr:Int64",
    pa.float64(): "cr:Float64",
    pa.bool_(): "sc:Boolean",
}
_TERMS = (
    "citeAs column conformsTo equivalentProperty extract field fileProperty fileObject fileSet format includes "
    "isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate "
    "separator source subField transform"
)
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS.split() if term != "conformsTo"},
    "conformsTo": "dct:conformsTo",
}
_LICENCES = {"apache-2.0": "https://spdx.org/licenses/Apache-2.0.html"}


def croissant(manifest: Manifest, licence: str) -> str:
    """The JSON-LD text, ended by a newline; the same manifest gives the same bytes."""
    tables = [entry for entry in manifest.files if entry.path.endswith(".parquet")]
    whole = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"{manifest.name} {manifest.version}",
        "description": "Tool-calling tasks that verifiers proved solvable, with their measured difficulty.",
        "identifier": manifest.digest,
        "citeAs": f"{manifest.name} {manifest.version}, sparring task set, digest {manifest.digest}",
        "version": f"{version_number(manifest.version)}.0.0",
        "datePublished": manifest.created_at,
        "license": _LICENCES.get(licence, "not said: see README.md"),
        "creator": {"@type": "sc:Organization", "name": "sparring"},
        "distribution": [_file(entry) for entry in tables],
        "recordSet": [_records(entry) for entry in tables if entry.split],
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _file(entry: FileEntry) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": entry.path,
        "name": entry.path,
        "contentUrl": entry.path,
        "contentSize": f"{entry.bytes} B",
        "encodingFormat": "application/x-parquet",
        "sha256": entry.sha256,
    }


def _records(entry: FileEntry) -> dict[str, Any]:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{entry.split}/{column.name}",
            "name": column.name,
            "dataType": _TYPES[column.type],
            "source": {"fileObject": {"@id": entry.path}, "extract": {"column": column.name}},
        }
        for column in TASKS
    ]
    key = {"@id": f"{entry.split}/task_id"}
    return {"@type": "cr:RecordSet", "@id": entry.split, "name": entry.split, "key": key, "field": fields}
