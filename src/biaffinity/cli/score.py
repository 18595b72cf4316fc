"""``biaffinity score``: how good a prediction is, every way the field counts it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.cli.app import app
from biaffinity.cli.console import counted, print_tables, talk, tell
from biaffinity.cli.options import Json
from biaffinity.cli.sheet import comparison_table, print_record, sheet_table
from biaffinity.errors import DataError
from biaffinity.files import read_lines

if TYPE_CHECKING:
    from biaffinity.scoring import Tally

_SAMPLES = 1000  # for --compare where --bootstrap says nothing


@app.command()
def score(
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="The annotation that is right.")],
    predicted: Annotated[
        Path, typer.Argument(metavar="PREDICTED", help="The same sentences as a system annotated them.")
    ],
    as_json: Json = False,
    other: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TYPE", help="Leave this type out of 'macro, without'; repeatable.", show_default="Other"
        ),
    ] = None,
    exclude_ids: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Leave out these ids: a JSON list, or one id per line."),
    ] = None,
    bootstrap: Annotated[
        int,
        typer.Option(
            metavar="N", help="Resamples for a 95% interval of every F1.", min=0, show_default="none"
        ),
    ] = 0,
    rival: Annotated[
        Path | None,
        typer.Option("--compare", metavar="OTHER", help="Is PREDICTED better than this? Two tests."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the resamples.", min=0)] = 0,
) -> None:
    """Score a prediction against gold: the whole matrix, each cell under its name.

    Both files hold the same sentences in the same order, in any format that is known.

    strict: boundaries and types are right
    EC: at least one token of an entity has the right type
    RC as released: relation type and last tokens of both arguments are right

    Example: [bold]biaffinity score test.jsonl predicted.jsonl --bootstrap 1000[/bold]
    """
    # With it comes numpy, which no other command should wait for.
    from biaffinity.scoring import ScoreSheet, compare, with_intervals

    types = other or ["Other"]
    excluded = _read_ids(exclude_ids) if exclude_ids else set()
    reports: dict[Path, formats.Report] = {}
    with talk.status("scoring"):
        tally = _count(gold, predicted, excluded, reports)
        sheet = (
            with_intervals(tally, other=types, samples=bootstrap, seed=seed)
            if bootstrap
            else ScoreSheet.of(tally, other=types)
        )
        comparison = (
            compare(
                tally,
                _count(gold, rival, excluded, reports),
                other=types,
                samples=bootstrap or _SAMPLES,
                seed=seed,
            )
            if rival
            else None
        )
    for path, report in reports.items():
        for line in report.lines():
            tell(f"{path}: {line}")
    if exclude_ids:
        _tell_excluded(excluded, tally, exclude_ids, gold)
    record, tables = sheet.to_dict(), [sheet_table(sheet)]
    if comparison:
        record["compare"] = comparison.to_dict()
        tables.append(comparison_table(comparison, sheet.other, ("F1", "F1 of other")))
    if as_json:
        print_record(record)
    else:
        print_tables(tables, sys.stdout)


def _count(gold: Path, predicted: Path, excluded: set[str], reports: dict[Path, formats.Report]) -> Tally:
    from biaffinity.scoring import MismatchError, count

    try:
        tally = count(_read(gold, reports), _read(predicted, reports), exclude=excluded)
    except MismatchError as error:
        raise error.at(f"{gold} and {predicted}") from None
    if not tally.sentences:
        raise DataError("there is no sentence to score", where=str(gold), remedy="is it the right file?")
    return tally


def _read(path: Path, reports: dict[Path, formats.Report]) -> Iterator[Sentence]:
    """The sentences of a file; its report takes the place of that of an earlier reading."""
    reports[path] = formats.Report()
    return formats.read(path, report=reports[path])


def _read_ids(path: Path) -> set[str]:
    """Ids from a JSON list or from lines; a JSON list starts with a bracket."""
    lines = [line.strip() for _, line in read_lines(path)]
    text = "\n".join(lines)
    if not text.lstrip().startswith("["):
        return {line for line in lines if line}
    try:
        ids = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise DataError(
            "is not a JSON list", where=f"{path}{line}", remedy="write a list of ids, or one id per line"
        ) from error
    for index, name in enumerate(ids):
        if not isinstance(name, str | int):
            raise DataError(f"an id must be a string, not {name!r:.40}", where=f"{path}: [{index}]")
    return {str(name) for name in ids}


def _tell_excluded(wanted: set[str], tally: Tally, path: Path, gold: Path) -> None:
    tell(f"{counted(len(tally.excluded), 'sentence')} left out, {tally.sentences:,} scored")
    missing = sorted(wanted - tally.excluded)
    if missing:
        names = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        tell(f"{path}: {counted(len(missing), 'id')} not in {gold}: {names}")
