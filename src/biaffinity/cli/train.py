"""``biaffinity train``: a model from annotated sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biaffinity.cli.app import INTERRUPTED, app
from biaffinity.cli.console import talk
from biaffinity.cli.options import AllScores, Device, Export, Overrides, Seed, Test, Threads, Vectors
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
    test: Test = None,
    vectors: Vectors = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--start",
            help="Go on from this model, a folder or a name: its network, words and types stay.",
            metavar="MODEL",
        ),
    ] = None,
    seed: Seed = 1,
    device: Device = "cpu",
    threads: Threads = 1,
    overrides: Overrides = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    export: Export = True,
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
    from biaffinity.cli.training_result import show_result
    from biaffinity.extraction.loading import device_named, model_folder

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
                start=None if start is None else model_folder(start),
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
    show_result(finished, export=export, all_scores=all_scores)


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
