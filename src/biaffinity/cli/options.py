"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
