"""The score sheet's cells in the order and under the names in which people read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from biaffinity.scoring.matching import Cell
from biaffinity.scoring.sheet import ScoreSheet

GROUPS: tuple[tuple[Cell, str], ...] = (
    (("ner",), "Entities, strict"),
    (("ner", "boundaries"), "Entities, boundaries only"),
    (("ec",), "Entity classification (EC)"),
    (("re", "strict"), "Relations, strict"),
    (("re", "boundaries"), "Relations, boundaries only"),
    (("paper",), "The paper's numbers (macro)"),
)
SUMMARY: tuple[Cell, ...] = (("ner",), ("re", "strict"))


def averages(group: Cell, other: Sequence[str]) -> Iterator[tuple[str, Cell]]:
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


def lines(sheet: ScoreSheet) -> Iterator[tuple[str, Cell | None]]:
    """Headings (without a path) and the cells under them, types included."""
    for group, title in GROUPS:
        yield title, None
        yield from averages(group, sheet.other)
        yield from _types(sheet, group)


def summary(sheet: ScoreSheet) -> Iterator[tuple[str, Cell | None]]:
    """What most people ask of a model: strict micro scores of entities and relations, and each type's."""
    for group, title in GROUPS:
        if group in SUMMARY:
            yield title, None
            yield "micro", (*group, "micro")
            yield from _types(sheet, group)


def _types(sheet: ScoreSheet, group: Cell) -> Iterator[tuple[str, Cell]]:
    types = (*group, "per_type")
    yield from ((path[-1], path) for path in sheet.scores if path[:-1] == types)
