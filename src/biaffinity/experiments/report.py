"""A report of finished runs: tables and pictures, written from the runs' records alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from biaffinity.experiments.cells import number_ranges
from biaffinity.experiments.page import html_page
from biaffinity.experiments.pictures import all_pictures
from biaffinity.experiments.render import latex, markdown
from biaffinity.experiments.series import Series, read_all
from biaffinity.experiments.tables import all_tables
from biaffinity.files import replacing, writing


def write_report(sources: Sequence[Path], out: Path) -> tuple[str, list[Path]]:
    """Report on one or more series, each a folder or a file; gives the tables as Markdown, and its files."""
    all_series = read_all(sources)
    tables = list(all_tables(all_series))
    pictures = list(all_pictures(all_series))
    facts = [fact for series in all_series for fact in circumstances(series)]
    texts = {
        "tables.md": markdown(tables, facts),
        "tables.tex": latex(tables),
        "report.html": html_page(tables, pictures, facts),
        **{f"{picture.name}.svg": picture.svg for picture in pictures},
    }
    for name, text in texts.items():
        with writing(out / name) as file:
            file.write(text)
    for picture in pictures:
        with replacing(out / f"{picture.name}.png") as neighbour:
            neighbour.write_bytes(picture.png)
    names = [*texts, *(f"{picture.name}.png" for picture in pictures)]
    return texts["tables.md"], [out / name for name in names]


def circumstances(series: Series) -> list[str]:
    """Where the numbers of a series come from, and what its reader should know."""
    runs = [run.record for run in series.all_runs()]
    machines = _values(_machine(record) for record in runs)
    versions = _values(f"torch {record.get('versions', {}).get('torch', '?')}" for record in runs)
    sizes = ", ".join(f"{part} {facts['sentences']}" for part, facts in runs[0]["data"].items())
    return [
        f"{series.name}: {len(runs)} runs of {_values(record.get('recipe') for record in runs)}, "
        f"seeds {number_ranges(series.seeds)}; sentences: {sizes}.",
        f"{series.name}: commit {_values(record.get('commit') for record in runs)}; {machines}; {versions}.",
        *(f"{series.name}: {note}." for note in series.notes),
    ]


def _machine(record: dict[str, Any]) -> str:
    machine = record.get("machine", {})
    where = f", {machine['gpu']}" if str(record.get("device", "")).startswith("cuda") else ""
    return f"{machine.get('processor', 'unknown processor')}, {machine.get('cores', '?')} cores{where}"


def _values(values: Iterable[Any]) -> str:
    return ", ".join(sorted({str(value) for value in values}))
