"""``biaffinity extract --engine ray``: what the command line gives becomes the work of a cluster."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biaffinity.bulk.readers import Fields
from biaffinity.bulk.sources import STDIN
from biaffinity.cli.extraction_progress import show_extraction
from biaffinity.cluster.engine import Cluster, extract_on_ray
from biaffinity.cluster.model import ModelLoader
from biaffinity.cluster.output import PartsOutput
from biaffinity.cluster.parquet_parts import ParquetParts
from biaffinity.cluster.store_parts import StoreParts
from biaffinity.errors import UsageError
from biaffinity.extraction.identity import machine, model_identity
from biaffinity.store.postgresql import SCHEMES


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Where the work is done, as it was asked for."""

    address: str | None
    workers: int | None
    device: str


def extract_to_parts(
    names: Sequence[str],
    out: str | None,
    form: str | None,
    model: str | None,
    folder: Path,
    scores: Mapping[str, float],
    options: ClusterOptions,
    *,
    kind: str | None,
    fields: Fields,
    resume: bool,
    force: bool,
    refused: Sequence[str],
) -> int:
    """Extract on a cluster with progress; the number of documents left out."""
    if refused:
        raise UsageError(f"{', '.join(refused)} cannot be had from a cluster", remedy="leave it out")
    if STDIN in names:
        raise UsageError("a cluster cannot read stdin", remedy="name files or folders that all machines see")
    output = _output(out, form, machine(model, folder).version)
    settings = {"model files": model_identity(folder), "--min-score": scores}
    device = options.device
    load = ModelLoader(folder, {"device": device, "threads": 1, "min_score": scores})
    cluster = Cluster(options.address, options.workers, gpus=device != "cpu")
    events = extract_on_ray(
        names, output, load, settings, cluster, kind=kind, fields=fields, resume=resume, force=force
    )
    return show_extraction(events, output).skipped


def _output(out: str | None, form: str | None, model: str) -> PartsOutput[Any]:
    """Where parts go: PostgreSQL by its URL, or a folder of Parquet."""
    if out is not None and out.startswith(SCHEMES):
        return StoreParts(out, model)
    is_folder = out is not None and (out.endswith(("/", os.sep)) or Path(out).is_dir())
    if out is None or form not in (None, "parquet") or not (is_folder or form == "parquet"):
        raise UsageError(
            "a cluster writes a folder of Parquet files, or PostgreSQL",
            remedy="--out FOLDER/ (with the slash), or --out postgresql://...",
        )
    return ParquetParts(out)
