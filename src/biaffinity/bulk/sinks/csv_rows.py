"""CSV: a row per relation, with cells that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
from typing import Any

from biaffinity.annotation import Document
from biaffinity.annotation.tables import RELATION_COLUMNS, relation_rows
from biaffinity.bulk.sinks.format import Format

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def csv_of_relations(*, raw_cells: bool = False) -> Format:
    """A row per relation; ``raw_cells`` leaves cells as they are, even those that look like formulas."""
    return Format("csv", raw_csv_rows if raw_cells else csv_rows, header=",".join(RELATION_COLUMNS) + "\n")


def csv_rows(document: Document) -> str:
    """A row of CSV for every relation; a document without relations has none."""
    rows = io.StringIO()
    csv.writer(rows, lineterminator="\n").writerows(
        tuple(map(_defused, row))
        for row in relation_rows(document, document.id)  # an unknown score is blank
    )
    return rows.getvalue()


def raw_csv_rows(document: Document) -> str:
    """The same with every cell as it is."""
    rows = io.StringIO()
    csv.writer(rows, lineterminator="\n").writerows(relation_rows(document, document.id))
    return rows.getvalue()


def _defused(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: an apostrophe in front makes it a text.

    >>> _defused("=HYPERLINK(1)"), _defused("Oslo"), _defused(-0.5)
    ("'=HYPERLINK(1)", 'Oslo', -0.5)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
