"""Options that several commands have."""

from __future__ import annotations

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
        metavar="M",
        help="A model folder, or owner/name on the hub.",
        show_default="the one in the package",
    ),
]

Device = Annotated[str, typer.Option(metavar="D", help="cpu, cuda, cuda:1, ...")]
