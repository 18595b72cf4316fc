"""``biaffinity reproduce``: the paper's tables run anew, variant by variant and seed by seed."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from biaffinity.cli.app import INTERRUPTED, app
from biaffinity.cli.console import talk, tell
from biaffinity.cli.options import Device
from biaffinity.errors import MissingExtraError, UsageError


@app.command()
def reproduce(
    data: Annotated[
        Path, typer.Option(help="A folder with train.jsonl, dev.jsonl and test.jsonl.", metavar="DIR")
    ],
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Where the runs go, a folder each.", metavar="DIR")
    ],
    vectors: Annotated[
        Path | None, typer.Option(help="Word vectors, as for biaffinity train.", metavar="FILE")
    ] = None,
    recipe: Annotated[
        str, typer.Option(help="paper, paper-batched, default, or a TOML file.", metavar="RECIPE")
    ] = "paper",
    variants: Annotated[
        str,
        typer.Option(
            help="all, or some of: full, pipeline, no-characters, softmax, no-entity, linear-only, "
            "bilinear-only.",
            metavar="NAMES",
        ),
    ] = "all",
    setups: Annotated[str, typer.Option(help="1, 2 or both.", metavar="N")] = "1,2",
    seeds: Annotated[str, typer.Option(help="How many; or which, such as 3-7 or 1,4.", metavar="N")] = "10",
    workers: Annotated[
        int | None,
        typer.Option(help="Runs side by side, a core each.", metavar="N", min=1, show_default="all cores"),
    ] = None,
    device: Device = "cpu",
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", help="Override the recipe, as for biaffinity train.", metavar="A.B=V"),
    ] = None,
    keep_models: Annotated[
        bool,
        typer.Option(help="Whether finished runs keep their models (6 to 50 MB each) or only their records."),
    ] = True,
    paper: Annotated[
        bool,
        typer.Option(
            "--paper",
            help="Run nothing: list all that the reproduction of the paper is made of, in OUT/NAME each, "
            "what is done and how long the rest takes here.",
        ),
    ] = False,
) -> None:
    """Train variants x setups x seeds of a recipe side by side.

    What is done is not done again: the same command goes on after Ctrl-C or a
    kill, and calls for other seeds or variants add to the same folder. A run
    that fails is reported, the rest go on, and the exit code is 1.

    Example: [bold]biaffinity reproduce --data conll04/ --vectors glove.6B.100d.txt
    --out runs/paper --seeds 10 --workers 16[/bold], then
    [bold]biaffinity report runs/paper[/bold]. All of the paper: [bold]biaffinity
    reproduce --paper --data conll04/ --vectors glove.6B.100d.txt --out runs[/bold]
    """
    try:
        from biaffinity.experiments.runner import perform
        from biaffinity.model.device import available_device
    except ModuleNotFoundError as error:
        raise MissingExtraError("training", "train") from error
    from biaffinity.cli.reproduction_progress import ReproductionDisplay
    from biaffinity.experiments.plan import Corpus, Experiment, outstanding, runs_of
    from biaffinity.experiments.variants import variants_named, whole_numbers
    from biaffinity.extraction.loading import device_named
    from biaffinity.files import existing_file

    device = device_named(device)
    available_device(device)
    workers = workers or os.cpu_count() or 1
    if paper:
        from biaffinity.cli.paper_plan import show_plan

        show_plan(data, out, existing_file(vectors) if vectors else None, device, workers)
        return
    runs = runs_of(variants_named(variants), _setups(setups), whole_numbers(_range(seeds), "--seeds"))
    experiment = Experiment(
        recipe,
        Corpus.read(data),
        out,
        existing_file(vectors) if vectors else None,
        device,
        tuple(overrides or ()),
        keep_models,
    )
    left = outstanding(experiment, runs)
    epochs = experiment.config(runs[0]).training.epochs
    count = f"{len(runs)} run{'s' * (len(runs) != 1)}"
    tell(f"{count}, {len(runs) - len(left)} done before, {min(workers, len(left))} at a time")
    for line in experiment.corpus.changes:
        talk.print(f"in reading: {line}", style="yellow", highlight=False, soft_wrap=True)
    try:
        with (
            closing(perform(experiment, left, workers)) as outcomes,
            ReproductionDisplay(talk, total=len(runs), left=len(left), epochs=epochs) as display,
        ):
            for outcome in outcomes:
                display(outcome)
    except KeyboardInterrupt:
        talk.print("interrupted: the same command goes on with it", style="yellow")
        raise typer.Exit(INTERRUPTED) from None
    if display.failures:
        tell(f"{len(display.failures)} of {count} failed; the same command tries them again")
        raise typer.Exit(1)
    tell(f"done: {count} in {out}")


def _setups(text: str) -> list[int]:
    from biaffinity.experiments.variants import whole_numbers

    setups = list(whole_numbers(text, "--setups"))
    if not {*setups} <= {1, 2}:
        raise UsageError(f"{text!r} is not 1, 2 or both", where="--setups")
    return setups


def _range(seeds: str) -> str:
    """``--seeds 10`` is short for the first ten."""
    return f"1-{seeds}" if seeds.strip().isdigit() else seeds
