"""Scores on their way out: tables to read, in percent, one named cell per line; and JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from biaffinity.scoring import Comparison, ScoreSheet
    from biaffinity.scoring.matching import Cell


def print_record(record: Mapping[str, Any]) -> None:
    """Print scores as JSON."""
    sys.stdout.write(json.dumps(record, ensure_ascii=False, indent=2) + "\n")


def short_tables(sheet: ScoreSheet) -> list[Table]:
    """What most people ask of a model, and the types that it takes for one another most often."""
    from biaffinity.scoring.outline import summary

    tables = [_cells(sheet, summary(sheet))]
    if sheet.confusions:
        confused = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for column in ("Most often confused", "gold", "predicted"):
            confused.add_column(column, overflow="fold")
        confused.add_column("times", justify="right")
        for c in sheet.confusions:
            confused.add_row(f"  {c.items}", Text(c.gold), Text(c.predicted), f"{c.count:,}")
        tables.append(confused)
    return tables


def sheet_table(sheet: ScoreSheet) -> Table:
    """Every cell of a sheet: precision, recall, F1 (with its interval, if known) and counts."""
    from biaffinity.scoring.outline import lines

    return _cells(sheet, lines(sheet))


def _cells(sheet: ScoreSheet, lines: Iterable[tuple[str, Cell | None]]) -> Table:
    table = _table("precision", "recall", "F1", *(["95% interval"] if sheet.intervals else []))
    for name in ("gold", "predicted", "correct"):
        table.add_column(name, justify="right")
    for label, path in lines:
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
    from biaffinity.scoring.outline import GROUPS, averages

    table = _table(*names, "difference", "p (bootstrap)", "p (randomisation)")
    for group, title in GROUPS:
        _heading(table, title)
        for label, path in averages(group, other):
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
