"""``biaffinity train``: a model from annotated sentences."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biaffinity.cli.app import INTERRUPTED, app
from biaffinity.cli.console import print_tables, talk, tell
from biaffinity.cli.options import AllScores, Device
from biaffinity.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from biaffinity.training import Event


@app.command()
def train(
    recipe: Annotated[
        str, typer.Argument(metavar="RECIPE", help="A TOML file, or a recipe by name, such as default.")
    ],
    train: Annotated[Path, typer.Option("--train", help="Training data, any known format.", metavar="DATA")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The model folder to write.", metavar="DIR")],
    dev: Annotated[
        str | None,
        typer.Option(
            "--dev",
            help="Development data, which chooses the epoch; or a share of the training data, such as 0.1.",
            metavar="DATA",
        ),
    ] = None,
    test: Annotated[
        Path | None, typer.Option("--test", help="Scored once, at the end.", metavar="DATA")
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(
            help="Word vectors: GloVe or word2vec, or NAME.words.txt beside NAME.*.npy.", metavar="FILE"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Of every random number.", min=0)] = 1,
    device: Device = "cpu",
    threads: Annotated[
        int, typer.Option(metavar="N", help="CPU threads; runs side by side do best with one each.", min=1)
    ] = 1,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Override the recipe: --set training.epochs=50; repeatable.", metavar="A.B=V"
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    export: Annotated[
        bool,
        typer.Option(
            "--export/--no-export", help="End with the export, so that the model runs without PyTorch."
        ),
    ] = True,
    all_scores: AllScores = False,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Also log for TensorBoard into OUT/tensorboard.")
    ] = False,
) -> None:
    """Train a model; the folder always holds the best epoch so far.

    Ctrl-C ends cleanly with that model and exit code 130. A run that was
    stopped or killed goes on with --resume and ends as if it never had been.

    Example: [bold]biaffinity train default --train train.jsonl
    --dev dev.jsonl --vectors glove.6B.100d.txt --out model/[/bold]
    """
    try:
        import torch

        from biaffinity import training
    except ModuleNotFoundError as error:
        raise MissingExtraError("training", "train") from error
    from biaffinity.cli.progress import TrainingDisplay
    from biaffinity.cli.sheet import sheet_table, short_tables
    from biaffinity.extraction.loading import device_named

    torch.set_num_threads(threads)
    watchers: list[Callable[[Event], None]] = []
    if tensorboard:
        watchers.append(training.TensorBoardLog(out / "tensorboard"))
    with TrainingDisplay(talk) as display:
        watchers.append(display)

        def watch(event: Event) -> None:
            for watcher in watchers:
                watcher(event)

        try:
            finished = training.train(
                recipe,
                train=train,
                dev=_share_or_path(dev),
                test=test,
                vectors=vectors,
                out=out,
                seed=seed,
                device=device_named(device),
                overrides=overrides or (),
                resume=resume,
                graphs=export,
                watch=watch,
            )
        except KeyboardInterrupt:
            talk.print("interrupted: --resume goes on from the last whole epoch", style="yellow")
            raise typer.Exit(INTERRUPTED) from None
    for name, sheet in (("dev", finished.dev), ("test", finished.test)):
        if sheet is not None:
            tables = [sheet_table(sheet)] if all_scores else short_tables(sheet)
            tables[0].title = f"\n{name}"
            print_tables(tables, sys.stdout)
    tell(f"\nthe model of epoch {finished.best_epoch} is in {finished.folder}")
    if export and finished.not_exported is not None:
        tell(f"it needs PyTorch to run, for it could not be exported: {finished.not_exported}")
    if finished.interrupted:
        talk.print("interrupted: --resume goes on from the last whole epoch", style="yellow")
        raise typer.Exit(INTERRUPTED)


def _share_or_path(dev: str | None) -> float | Path:
    """What ``--dev`` names: a share of the training data, or a file."""
    if dev is None:
        raise UsageError(
            "dev data is missing, which chooses the best epoch",
            remedy="name a file with --dev, or hold back a tenth of the training data with --dev 0.1; "
            "biaffinity split makes files of train, dev and test",
        )
    try:
        return Path(dev) if Path(dev).exists() else float(dev)
    except ValueError:
        return Path(dev)
