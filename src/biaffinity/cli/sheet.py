"""Scores on their way out: tables to read, in percent, one named cell per line; and JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from biaffinity.files import writing

if TYPE_CHECKING:
    from biaffinity.scoring import Comparison, ScoreSheet

Cell = tuple[str, ...]


def write_record(record: Mapping[str, Any], path: Path | None) -> None:
    """Write scores as JSON to a file, or to stdout where none is named."""
    text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    if path is None:
        sys.stdout.write(text)
        return
    with writing(path) as file:
        file.write(text)


def sheet_table(sheet: ScoreSheet) -> Table:
    """Every cell of a sheet: precision, recall, F1 (with its interval, if known) and counts."""
    table = _table("precision", "recall", "F1", *(["95% interval"] if sheet.intervals else []))
    for name in ("gold", "predicted", "correct"):
        table.add_column(name, justify="right")
    for label, path in _lines(sheet):
        if path is None:
            _heading(table, label)
            continue
        score = sheet[path]
        cells = [_percent(score.precision), _percent(score.recall), _percent(score.f1)]
        if sheet.intervals:
            low, high = sheet.intervals[path]
            cells.append(f"{_percent(low)} to {_percent(high)}")
        table.add_row(Text(f"  {label}"), *cells, str(score.gold), str(score.predicted), str(score.correct))
    return table


def comparison_table(comparison: Comparison, other: Sequence[str], names: tuple[str, str]) -> Table:
    """F1 of both predictions cell by cell, the difference, and the two p-values."""
    table = _table(*names, "difference", "p (bootstrap)", "p (randomisation)")
    for group, title in _GROUPS:
        _heading(table, title)
        for label, path in _averages(group, other):
            cell = comparison[path]
            table.add_row(
                Text(f"  {label}"),
                _percent(cell.f1),
                _percent(cell.rival_f1),
                f"{100 * cell.difference:+.1f}",
                f"{cell.p_bootstrap:.3f}",
                f"{cell.p_randomisation:.3f}",
            )
    return table


_GROUPS: tuple[tuple[Cell, str], ...] = (
    (("ner",), "Entities, strict"),
    (("ner", "boundaries"), "Entities, boundaries only"),
    (("ec",), "Entity classification (EC)"),
    (("re", "strict"), "Relations, strict"),
    (("re", "boundaries"), "Relations, boundaries only"),
    (("paper",), "The paper's numbers (macro)"),
)


def _averages(group: Cell, other: Sequence[str]) -> Iterator[tuple[str, Cell]]:
    """The averaged cells of a group, each with its name."""
    without = f"without {', '.join(other)}"
    if group == ("ner", "boundaries"):
        yield "micro", group
    elif group == ("paper",):
        yield f"NER {without}", ("paper", "ner")
        yield f"EC {without}", ("paper", "ec")
        yield "RC strict", ("paper", "rc")
        yield "RC as released", ("paper", "rc_released")
    else:
        yield "micro", (*group, "micro")
        yield "macro, all types", (*group, "macro")
        if group[0] != "re":
            yield f"macro, {without}", (*group, "macro_no_other")


def _lines(sheet: ScoreSheet) -> Iterator[tuple[str, Cell | None]]:
    """Headings (without a path) and the cells under them, types included."""
    for group, title in _GROUPS:
        yield title, None
        yield from _averages(group, sheet.other)
        types = (*group, "per_type")
        yield from ((path[-1], path) for path in sheet.scores if path[:-1] == types)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("", overflow="fold")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _heading(table: Table, title: str) -> None:
    if table.row_count:
        table.add_row("")
    table.add_row(title, style="bold")


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.1f}"
