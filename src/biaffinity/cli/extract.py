"""``biaffinity extract``: entities and relations from raw text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from biaffinity.cli.app import INTERRUPTED, app
from biaffinity.cli.console import counted, talk, tell, tell_changes, warn
from biaffinity.cli.document_table import print_documents
from biaffinity.cli.extraction_page import Drawings, extract_to_page, page_of_drawings
from biaffinity.cli.options import (
    Address,
    Device,
    Engine,
    EngineName,
    IdField,
    Model,
    TextField,
    TextKind,
    Workers,
    require_cluster,
)
from biaffinity.errors import UsageError

if TYPE_CHECKING:
    from biaffinity.annotation import Document
    from biaffinity.bulk.run import TextExtractor
    from biaffinity.bulk.sinks import Sink
    from biaffinity.bulk.sources import Inputs

T = TypeVar("T")
U = TypeVar("U")
STDOUT = "-"
_HELP = "\n\n".join(
    (
        "Find entities and the relations between them in raw text.",
        "An INPUT is a text in quotes, a file, a folder of .txt files, or - for stdin. A file is read by its "
        "name: .jsonl, .csv, .tsv and .parquet hold a document per record, anything else is one document. "
        "What looks like a path and leads nowhere is an error; --text says that it is a text.",
        "On a terminal the answer is a table, elsewhere JSON lines. A file tells its format by its name: "
        "facts.csv has a row per relation, .json, .jsonl and .parquet all of each document; "
        "facts.labelstudio.json, facts.doccano.jsonl and a folder (brat) go to an annotation tool, with "
        "scores, signed as the model's. facts.db (SQLite) and postgresql://... are stores: documents are "
        "added, and one that has changed replaces its own rows. --html draws all documents on a page "
        "that opens in any browser, and with --format the answer is printed as well.",
        "A document that cannot be read is named, left out and counted, and the exit code is 1. With --out, "
        "a run that was stopped or killed goes on with --resume and ends with every document once.",
        "With --engine ray a cluster reads files and folders, in object stores too, and writes a folder of "
        "Parquet or PostgreSQL.",
        'Example: [bold]biaffinity extract "Ilka Roe lives in Ghent."[/bold]',
        "Example: [bold]biaffinity extract notes/ --format csv > facts.csv[/bold]",
        "Example: [bold]biaffinity extract news.jsonl --text-field body --out facts.jsonl --workers 2[/bold]",
        "Example: [bold]biaffinity extract notes/ --out facts.db[/bold]",
        "Example: [bold]biaffinity extract s3://bucket/news/ --engine ray --address head:6379 "
        "--out s3://bucket/facts/[/bold]",
        "Example: [bold]zcat lines.gz | biaffinity extract - --from lines --min-score 0.5[/bold]",
    )
)


@app.command(help=_HELP, no_args_is_help=True)
def extract(
    names: Annotated[list[str], typer.Argument(metavar="INPUT", help="Texts, files, folders, or -.")],
    model: Model = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="table, json, jsonl, csv, parquet, sqlite, or a format of biaffinity convert.",
            show_default="see above",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--out",
            metavar="OUT",
            help="A file to write, a folder for brat, or a database.",
            show_default="stdout",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="PAGE", help="A page of drawings to write.", show_default=False),
    ] = None,
    min_score: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCORE",
            help="Find what scores as much, 0 to 1, instead of what the model decides for; or by type: "
            "--min-score 0.5 --min-score Kill=0.9.",
        ),
    ] = None,
    workers: Workers = None,
    engine: EngineName = Engine.LOCAL,
    address: Address = None,
    device: Device = "cpu",
    text_field: TextField = "text",
    id_field: IdField = "id",
    kind: TextKind = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Sentences and tokens too, in json and jsonl.")
    ] = False,
    raw_cells: Annotated[
        bool, typer.Option("--raw-cells", help="Leave cells of csv that look like formulas as they are.")
    ] = False,
    literal: Annotated[
        bool, typer.Option("--text", help="Every INPUT is a text, even if it looks like a path.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run of OUT, and try again what it left out.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Begin again: write over a file, forget an unfinished run.")
    ] = False,
) -> None:
    """Find entities and relations in raw text."""
    import biaffinity
    from biaffinity.bulk.readers import Fields
    from biaffinity.bulk.sources import Inputs
    from biaffinity.config.folder import read_description
    from biaffinity.extraction.loading import model_folder

    out = None if out == STDOUT else out
    if resume and out is None:
        raise UsageError("--resume needs the --out to go on with")
    if resume and force:
        raise UsageError("--resume and --force do not go together", remedy="go on, or start anew")
    if html is not None and out is not None:
        raise UsageError(
            "--html does not go with --out", remedy="print the rest: --html PAGE --format jsonl > OUT"
        )
    fields = Fields(text_field, id_field)
    require_cluster(engine, address)
    inputs = None if engine is Engine.RAY else Inputs(names, kind=kind, fields=fields, literal=literal)
    scores = _min_scores(min_score or [])
    folder = model_folder(model)  # once, so that workers need not ask the hub
    if read_description(folder).decoding.boundaries == "given":  # a fault of every document else
        raise UsageError(
            "this model does not find entities, it reads the relations between those it is given",
            where=str(folder),
            remedy="give them from Python or to the service, or name another model",
        )
    load = partial(biaffinity.load, folder, device=device, threads=1, min_score=scores)
    try:
        if inputs is None:
            from biaffinity.cli.extraction_on_ray import ClusterOptions, extract_to_parts

            refused = {"--html": html, "--text": literal, "--tokens": tokens, "--raw-cells": raw_cells}
            options = ClusterOptions(address, workers, device)
            skipped = extract_to_parts(
                names,
                out,
                form,
                model,
                folder,
                scores,
                options,
                kind=kind,
                fields=fields,
                resume=resume,
                force=force,
                refused=[name for name, given in refused.items() if given],
            )
        elif html is not None and form is None and not tokens:
            skipped = extract_to_page(inputs, html, folder, load, workers or 1)
        elif html is not None:
            with page_of_drawings(html, folder) as drawings:
                skipped = _to_stdout(
                    inputs, form, load, workers or 1, tokens=tokens, raw_cells=raw_cells, drawings=drawings
                )
        elif out is None:
            skipped = _to_stdout(inputs, form, load, workers or 1, tokens=tokens, raw_cells=raw_cells)
        else:
            from biaffinity.bulk.sinks import sink_named
            from biaffinity.extraction.identity import machine, model_identity

            if form == "table":
                raise UsageError("a table is for the terminal", remedy="leave out --format, or name a file's")
            by = machine(model, folder)
            sink = sink_named(form, out, tokens=tokens, raw_cells=raw_cells, single=inputs.single, by=by)
            settings = {"model files": model_identity(folder), "--min-score": scores, "--tokens": tokens}
            settings |= {"--raw-cells": raw_cells}
            skipped = _to_sink(sink, inputs, load, settings, workers or 1, resume=resume, force=force)
    except KeyboardInterrupt:
        talk.print("interrupted" if out is None else "interrupted: --resume goes on with it", style="yellow")
        raise typer.Exit(INTERRUPTED) from None
    if skipped:
        raise typer.Exit(1)


def _to_sink(
    sink: Sink[Any],
    inputs: Inputs,
    load: Callable[[], TextExtractor],
    settings: dict[str, Any],
    workers: int,
    *,
    resume: bool,
    force: bool,
) -> int:
    """Write the documents with progress; the number of those left out."""
    from biaffinity.bulk.run import extract_into
    from biaffinity.cli.extraction_progress import show_extraction

    events = extract_into(sink, inputs, load, settings, workers=workers, resume=resume, force=force)
    finished = show_extraction(events, sink)
    tell_changes(sink.report)
    return finished.skipped


def _to_stdout(
    inputs: Inputs,
    form: str | None,
    load: Callable[[], TextExtractor],
    workers: int,
    *,
    tokens: bool,
    raw_cells: bool,
    drawings: Drawings | None = None,
) -> int:
    """Print the documents as they come, and draw them if asked to; the number of those left out."""
    from biaffinity.bulk.run import Batch, annotate_all
    from biaffinity.bulk.sinks import format_named

    done = skipped = 0

    def records(render: Callable[[Document], T]) -> Generator[T, None, None]:
        if drawings is None:
            yield from told(annotate_all(inputs, load, render, workers))
            return
        for record, drawing in told(annotate_all(inputs, load, drawings.beside(render), workers)):
            drawings.add(drawing)
            yield record

    def told(batches: Generator[Batch[U], None, None]) -> Generator[U, None, None]:
        nonlocal done, skipped
        with closing(batches):
            for batch in batches:
                yield from batch.records
                sys.stdout.flush()
                done, skipped = done + batch.documents, skipped + len(batch.faults)
                for note in batch.notes:
                    tell(f"note: {note}")
                for fault in batch.faults:
                    warn(f"left out: {fault.problem}")

    if form == "table" or (form is None and not tokens and sys.stdout.isatty()):
        if tokens:
            raise UsageError("a table has no place for tokens", remedy="ask for json or jsonl")
        with closing(records(as_it_is)) as documents:
            print_documents(documents, sys.stdout)
    else:
        target = format_named(form, tokens=tokens, raw_cells=raw_cells)
        with closing(records(target.render)) as rendered:
            for piece in target.whole(rendered, inputs.single):
                sys.stdout.buffer.write(piece.encode())
    if skipped:
        warn(f"{skipped:,} of {counted(done, 'document')} left out")
    return skipped


def as_it_is(document: Document) -> Document:
    """The document: what a table is printed from."""
    return document


def _min_scores(given: list[str]) -> dict[str, float]:
    """``--min-score``: one number for all, and numbers of single types."""
    scores: dict[str, float] = {}
    for part in given:
        name, _, number = part.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            raise UsageError(
                f"--min-score {part!r} is no number", remedy="such as 0.5, or Kill=0.9 for one type"
            ) from None
        scores |= {name: value} if name else {"entities": value, "relations": value}
    return scores
