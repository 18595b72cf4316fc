"""``biaffinity verify``: whether a model's files are what they were."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from biaffinity.cli.app import app
from biaffinity.cli.console import print_tables, tell
from biaffinity.cli.options import Json
from biaffinity.errors import BiaffinityError, UsageError


@app.command()
def verify(
    model: Annotated[
        str,
        typer.Argument(
            help="A model folder, a model of the package, or owner/name@revision on the hub.", metavar="MODEL"
        ),
    ],
    as_json: Json = False,
    seal: Annotated[
        bool,
        typer.Option(
            "--seal", help="Take the folder as it is: write the checksums of its files into its config.json."
        ),
    ] = False,
) -> None:
    """Tell file by file whether a model is what was made, and whether it can be opened.

    config.json has the SHA-256 of every file and of itself. They find damage, not malice: whoever changes
    a file can write its checksum too. A commit on the hub, owner/name@commit, is always the same files.
    Exit code 1 if anything is wrong.

    Example: [bold]biaffinity verify model/[/bold]
    """
    from biaffinity.config.seal import Finding
    from biaffinity.config.seal import seal as write_checksums
    from biaffinity.config.seal import verify as findings_of
    from biaffinity.extraction.loading import model_folder

    folder = model_folder(model)
    if seal:
        if folder != Path(model):
            raise UsageError(f"{model} is no folder of yours", remedy="--seal takes a model folder")
        write_checksums(folder)
    findings = findings_of(folder)
    if all(finding.fault is None for finding in findings):
        findings.append(Finding("all of it", _cannot_be_opened(folder)))
    wrong = [finding for finding in findings if finding.fault is not None]
    if as_json:
        from biaffinity.cli.sheet import print_record

        print_record({"model": model, "sound": not wrong, "files": {f.file: f.fault for f in findings}})
    else:
        table = Table("file", "", box=None)
        for finding in findings:
            table.add_row(escape(finding.file), escape(finding.fault or "right"))
        print_tables([table], sys.stdout)
    if wrong:
        tell(f"{model} is not sound")
        raise typer.Exit(1)


def _cannot_be_opened(folder: Path) -> str | None:
    """Why a model whose files are right cannot be opened, if it cannot."""
    from biaffinity.extraction.loading import load_network

    try:
        load_network(folder)
    except BiaffinityError as error:
        return str(error)
    return None
