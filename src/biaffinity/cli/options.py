"""Options that several commands have."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from biaffinity.errors import UsageError

Whole = Annotated[
    bool,
    typer.Option(
        "--whole",
        help="Each document of raw text stays one sentence, so relations across sentences are kept.",
    ),
]

AllScores = Annotated[
    bool,
    typer.Option(
        "--all", help="Every score: macro averages, boundaries only, the paper's cells.", show_default=False
    ),
]

Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="A model folder, a model of the package, or owner/name on the hub.",
        show_default="news",
    ),
]

ModelFolder = Annotated[Path, typer.Option("--model", metavar="MODEL", help="A model folder.")]

Device = Annotated[
    str,
    typer.Option(
        "--device", metavar="DEVICE", help="cpu, cuda, cuda:1, ..., or auto: a GPU if PyTorch sees one."
    ),
]

Json = Annotated[bool, typer.Option("--json", help="Print JSON, with all there is, in place of tables.")]

Test = Annotated[Path | None, typer.Option("--test", help="Scored once, at the end.", metavar="DATA")]

Vectors = Annotated[
    Path | None,
    typer.Option(
        "--vectors",
        help="Word vectors: GloVe or word2vec, or NAME.words.txt beside NAME.*.npy.",
        metavar="FILE",
    ),
]

Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Of every random number.", min=0)]

Threads = Annotated[
    int,
    typer.Option(
        "--threads", metavar="N", help="CPU threads; runs side by side do best with one each.", min=1
    ),
]

Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", help="Override the recipe: --set training.epochs=50; repeatable.", metavar="A.B=V"),
]

Export = Annotated[
    bool,
    typer.Option("--export/--no-export", help="End with the export, so that the model runs without PyTorch."),
]

TextField = Annotated[
    str, typer.Option("--text-field", metavar="NAME", help="The field or column that holds the text.")
]

IdField = Annotated[
    str, typer.Option("--id-field", metavar="NAME", help="The one that holds the id, if any.")
]

TextKind = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="KIND",
        help="What the files hold: text, lines (a document each), jsonl, csv, tsv, parquet.",
        show_default="told by their names",
    ),
]


class Engine(str, Enum):
    """Who does the work."""

    LOCAL = "local"
    RAY = "ray"


Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        help="Processes side by side.",
        min=1,
        show_default="1; with --engine ray all that the cluster has",
    ),
]
EngineName = Annotated[
    Engine, typer.Option(metavar="ENGINE", help="local, processes of this machine, or ray, a cluster.")
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="The Ray cluster, HOST:PORT.", show_default="this machine, or RAY_ADDRESS"
    ),
]


def require_cluster(engine: Engine, address: str | None) -> None:
    """An error where there is an address and nobody to send there."""
    if engine is Engine.LOCAL and address is not None:
        raise UsageError("--address is of a Ray cluster", remedy="say --engine ray")
