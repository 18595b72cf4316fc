"""The tables of the error page: the score sheet, and which type was taken for which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from biaffinity.scoring import ScoreSheet
from biaffinity.scoring.mistakes import Kind, Types, Verdict, confusion
from biaffinity.scoring.outline import lines
from biaffinity.show.markup import escaped

_COLUMNS = ("precision", "recall", "F1", "gold", "predicted", "correct")


def sheet_table(sheet: ScoreSheet) -> Iterator[str]:
    """Every cell of a score sheet, rates in percent."""
    yield '<table class="sheet"><thead><tr><th scope="col">cell</th>'
    yield "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS)
    yield "</tr></thead><tbody>"
    for label, path in lines(sheet):
        if path is None:
            yield f'<tr><th scope="colgroup" colspan="{1 + len(_COLUMNS)}">{escaped(label)}</th></tr>\n'
            continue
        cell = sheet[path]
        rates = (percent(rate) for rate in (cell.precision, cell.recall, cell.f1))
        counts = (f"{count:,}" for count in (cell.gold, cell.predicted, cell.correct))
        numbers = "".join(f"<td>{number}</td>" for number in (*rates, *counts))
        yield f'<tr><th scope="row">{escaped(label)}</th>{numbers}</tr>\n'
    yield "</tbody></table>"


def confusion_table(task: str, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Gold types downwards, predicted types across; each count is a button that picks its sentences."""
    counts = confusion(verdicts)
    correct = confusion(verdict for verdict in verdicts if verdict.kind is Kind.CORRECT)
    names: list[str | None] = [*type_names(verdicts), None]
    worst = max((count - correct[types] for types, count in counts.items()), default=0)
    yield '<table class="confusion"><thead><tr><th scope="col">predicted →<br>gold ↓</th>'
    yield "".join(f'<th scope="col">{_heading(name, "missing")}</th>' for name in names)
    yield "</tr></thead><tbody>"
    for wanted in names:
        yield f'<tr><th scope="row">{_heading(wanted, "spurious")}</th>'
        for given in names:
            yield _cell(task, (wanted, given), counts, correct, worst)
        yield "</tr>\n"
    yield "</tbody></table>"


def type_names(verdicts: Sequence[Verdict]) -> list[str]:
    """The types that occur, on either side, by name."""
    return sorted({name for verdict in verdicts for name in verdict.types if name is not None})


def percent(fraction: float) -> str:
    """A rate as it is printed everywhere: in percent, with one decimal."""
    return f"{100 * fraction:.1f}"


def _heading(name: str | None, absent: str) -> str:
    return f"<i>{absent}</i>" if name is None else escaped(name).replace("_", "_<wbr>")


def _cell(
    task: str, types: Types, counts: Mapping[Types, int], correct: Mapping[Types, int], worst: int
) -> str:
    count, right = counts.get(types, 0), correct.get(types, 0)
    if not count:
        return "<td></td>"
    wanted, given = types
    faults = count - right
    if wanted == given:
        told = f"{right} correct" + (f", {faults} of the right type but otherwise wrong" if faults else "")
        shown = f"{right}<small>+{faults}</small>" if faults else f"{right}"
    else:
        told = shown = f"{count}"
    pair = f"gold {wanted or 'none'}, predicted {given or 'none'}"
    return (
        f'<td><button type="button" class="cell {"right" if wanted == given else "fault"}"'
        f' style="--heat:{faults / max(worst, 1):.2f}" data-task="{task}" data-gold="{escaped(wanted or "")}"'
        f' data-predicted="{escaped(given or "")}" data-told="{escaped(pair)}" aria-pressed="false"'
        f' title="{escaped(pair)}: {told}" aria-label="{escaped(pair)}: {told}">{shown}</button></td>'
    )
