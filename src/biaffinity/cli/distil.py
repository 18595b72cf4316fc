"""``biaffinity distil``: a fast student from large teachers and text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biaffinity.cli.app import INTERRUPTED, app
from biaffinity.cli.console import talk
from biaffinity.cli.options import (
    Address,
    AllScores,
    Device,
    Engine,
    EngineName,
    Export,
    IdField,
    Overrides,
    Seed,
    Test,
    TextField,
    TextKind,
    Threads,
    Vectors,
    Workers,
    require_cluster,
)
from biaffinity.errors import MissingExtraError

_HELP = "\n\n".join(
    (
        "Train a small, fast model on what larger ones see in unlabelled text.",
        "Every TEACHER reads the text, one after the other; they may be of any kind, and must know the types "
        "of the training data (best: they were trained on it). A label is kept if the mean of its scores "
        "over all teachers is at least --vote, where one that did not find it counts 0. The student then "
        "learns from the gold sentences, --gold-times over, and from the labelled ones.",
        "Text is what biaffinity extract reads: files, folders of .txt files, - for stdin; .jsonl, .csv, "
        ".tsv and .parquet hold a document per record. Several are named by several --text.",
        "The labels stay in OUT/labels, as JSON lines: each teacher's with scores, and what they agree on in "
        "labelled.jsonl. --labels names another folder; once its labels are whole, any number of students "
        "can learn from them, and neither teachers nor text need to be named again.",
        "--workers 4 lets each teacher read in four processes: one alone keeps no GPU busy.",
        "--also mixes in data of other makers, such as sentences that a program wrote; the student reads "
        "them once, as those that the teachers labelled. --only-labels ends when the labels are made.",
        "A run that was stopped or killed, in labelling or in training, goes on with --resume.",
        "Example: [bold]biaffinity train transformer --train train.jsonl --dev dev.jsonl --out teacher/ "
        "--device cuda[/bold]",
        "Example: [bold]biaffinity distil teacher/ --text news/ --train train.jsonl --dev dev.jsonl "
        "--vectors glove.6B.100d.txt --out student/[/bold]",
        "Example: [bold]biaffinity distil --labels student/labels --train train.jsonl --dev dev.jsonl "
        "--set model.lstm_hidden=200 --out wide/[/bold]",
    )
)


@app.command(help=_HELP, no_args_is_help=True)
def distil(
    train: Annotated[Path, typer.Option("--train", help="Gold data, any known format.", metavar="DATA")],
    dev: Annotated[
        Path, typer.Option("--dev", help="Development data, which chooses the epoch.", metavar="DATA")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The student's folder to write.", metavar="DIR")],
    teachers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TEACHER",
            help="Model folders, models of the package, or owner/name on the hub.",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Option("--text", metavar="FILE", help="Text for the teachers to read; repeatable."),
    ] = None,
    text_field: TextField = "text",
    id_field: IdField = "id",
    kind: TextKind = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels", metavar="DIR", help="Where the labels are, or are to be.", show_default="OUT/labels"
        ),
    ] = None,
    vote: Annotated[
        float | None,
        typer.Option(
            "--vote",
            metavar="SCORE",
            help="The least mean score of a label over all teachers.",
            show_default="0.4",
        ),
    ] = None,
    also: Annotated[
        list[Path] | None,
        typer.Option("--also", metavar="DATA", help="Labelled sentences besides, read once; repeatable."),
    ] = None,
    gold_times: Annotated[
        int, typer.Option("--gold-times", metavar="N", help="How often gold sentences are read.", min=1)
    ] = 10,
    recipe: Annotated[
        str, typer.Option("--recipe", metavar="RECIPE", help="The student's: a TOML file, or a name.")
    ] = "distilled",
    test: Test = None,
    vectors: Vectors = None,
    seed: Seed = 1,
    device: Device = "auto",
    threads: Threads = 1,
    workers: Workers = None,
    engine: EngineName = Engine.LOCAL,
    address: Address = None,
    overrides: Overrides = None,
    only_labels: Annotated[
        bool, typer.Option("--only-labels", help="Make the labels, and train no student.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    export: Export = True,
    all_scores: AllScores = False,
) -> None:
    """Train a small, fast model on what larger ones see in unlabelled text."""
    try:
        import torch

        from biaffinity import distillation
    except ModuleNotFoundError as error:
        raise MissingExtraError("training", "train") from error
    from biaffinity.bulk.readers import Fields
    from biaffinity.cli.distillation_progress import DistillationDisplay
    from biaffinity.cli.training_result import show_result

    require_cluster(engine, address)
    cluster = None
    if engine is Engine.RAY:
        from biaffinity.cluster.engine import Cluster
        from biaffinity.extraction.loading import device_named

        cluster = Cluster(address, workers, gpus=device_named(device) != "cpu")
    torch.set_num_threads(threads)
    try:
        read = distillation.files_of_text(text or (), kind=kind, fields=Fields(text_field, id_field))
        with DistillationDisplay(talk) as display:
            if only_labels:
                labelled = distillation.make_labels(
                    teachers or (),
                    text=read,
                    train=train,
                    labels=out / distillation.LABELS if labels is None else labels,
                    vote=vote,
                    device=device,
                    threads=threads,
                    workers=workers or 1,
                    cluster=cluster,
                    resume=resume,
                    watch=display,
                )
                talk.print(f"the labels are in {labelled.parent}")
                return
            finished = distillation.distil(
                teachers or (),
                text=read,
                train=train,
                dev=dev,
                test=test,
                out=out,
                labels=labels,
                vote=vote,
                also=also or (),
                gold_times=gold_times,
                recipe=recipe,
                vectors=vectors,
                seed=seed,
                device=device,
                threads=threads,
                workers=workers or 1,
                cluster=cluster,
                overrides=overrides or (),
                resume=resume,
                graphs=export,
                watch=display,
            )
    except KeyboardInterrupt:
        talk.print("interrupted: --resume goes on with it", style="yellow")
        raise typer.Exit(INTERRUPTED) from None
    show_result(finished, export=export, all_scores=all_scores)
