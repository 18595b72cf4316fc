"""The tables of a report, as plain text in rows and columns; `render` makes them Markdown, LaTeX and HTML."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from biaffinity.experiments.cells import MISSING, Cell, number_ranges
from biaffinity.experiments.paper_fit import fit_of
from biaffinity.experiments.paper_scores import SEEDS, paper_mark, paper_score
from biaffinity.experiments.runs import CellPath
from biaffinity.experiments.series import HEADLINE, Series
from biaffinity.experiments.variants import FULL, VARIANTS, Variant
from biaffinity.scoring.significance import welch_p_value

PAPER = "Nguyen & Verspoor (2019)"
WITHIN = "✓"
SETUPS = {1: "setup 1", 2: "setup 2"}
TASKS = {1: "setup 1 (NER&RC)", 2: "setup 2 (EC&RC)"}
NAMES = {(1, "entities"): "NER", (2, "entities"): "EC", (1, "relations"): "RC", (2, "relations"): "RC"}
_BOTH = ("entities", "relations")
_PERCENT = "F1 in percent: mean over seeds, in brackets the standard deviation."
_STARS = "* p < 0.05, ** p < 0.01: two-tailed paired t-test over seeds against the full network."
_WELCH = "p: Welch's two-tailed t-test of our seeds against the paper's mean, deviation and ten seeds."
_WITHIN = f"{WITHIN}: our mean is within one of the paper's standard deviations of the paper's."

#: The cells of a score sheet that other papers report, each under its name.
MATRIX: tuple[tuple[str, CellPath], ...] = (
    ("entities, strict, micro", ("ner", "micro")),
    ("entities, strict, macro over all types", ("ner", "macro")),
    ("entities, strict, macro without Other (the paper's NER)", ("paper", "ner")),
    ("entities, boundaries only, micro", ("ner", "boundaries")),
    ("entities, one token, macro without Other (the paper's EC)", ("paper", "ec")),
    ("relations, strict, micro", ("re", "strict", "micro")),
    ("relations, strict, macro (the paper's RC)", ("paper", "rc")),
    ("relations, boundaries, micro", ("re", "boundaries", "micro")),
    ("relations, boundaries, macro", ("re", "boundaries", "macro")),
    ("relations, last tokens, macro (RC as released)", ("paper", "rc_released")),
)
_PARTS = {"dev": "dev", "test": "test", "test_without_repeats": "no repeats"}


@dataclass(slots=True)
class Table:
    """Columns, each with the group it belongs to (or none), and rows of as many texts."""

    title: str
    columns: list[tuple[str, str]]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def all_tables(all_series: Sequence[Series]) -> Iterator[Table]:
    """Every table that the series have data for."""
    if any("test" in series.digests for series in all_series):
        yield test_table(all_series)
    whole = [series for series in all_series if fit_of(series) is not None]
    if len(whole) > 1:
        yield from (matrices_table(whole, setup) for setup in (1, 2))
    if whole:
        yield fit_table(whole)
    for series in all_series:
        of = f" ({series.name})" if len(all_series) > 1 else ""
        if series.is_ablation:
            yield from (ablation_table(series, setup, of) for setup in series.setups)
            if "test" in series.digests:
                yield ablation_on_test(series, of)
        yield matrix_table(series, of)
        yield cost_table(series, of)


def test_table(all_series: Sequence[Series]) -> Table:
    """Table 1: the full network on test, beside the paper's."""
    columns = [("", ""), ("", "seeds")]
    columns += [(SETUPS[setup], NAMES[setup, of]) for setup in (1, 2) for of in _BOTH]
    table = Table("The paper's Table 1: test", columns, notes=[_PERCENT])
    beside_paper = all_series[0].on_paper_corpus
    if beside_paper:
        cells = [str(paper_score("test", setup, FULL.name, of)) for setup in (1, 2) for of in _BOTH]
        table.rows.append([PAPER, "10", *cells])
        table.notes += [_WITHIN, _WELCH]
    else:
        table.notes.append("The data is not the paper's, so its numbers are left out.")
    for series in all_series:
        cells, differences, chances = [], [], []
        for setup in (1, 2):
            for of in _BOTH:
                cell = Cell(series.values(FULL, setup, "test", HEADLINE[setup, of]))
                cells.append(str(cell))
                differences.append(_difference(cell, "test", setup, FULL, of))
                chances.append(_chance(cell, setup, of))
        table.rows.append([series.name, _seed_counts(series, FULL), *cells])
        if beside_paper:
            table.rows.append(["difference", "", *differences])
            table.rows.append(["p", "", *chances])
    return table


def matrices_table(all_series: Sequence[Series], setup: int) -> Table:
    """Table 2, one setup, as the paper and several series have it, side by side."""
    names = ["paper", *(series.name for series in all_series)]
    table = Table(
        f"The paper's Table 2 beside ours: dev, {TASKS[setup]}",
        [("", "variant"), *((NAMES[setup, of], name) for of in _BOTH for name in names)],
        notes=[_PERCENT, _STARS],
    )
    for variant in VARIANTS.values():
        row = [str(variant)]
        for of in _BOTH:
            row.append(f"{paper_score('dev', setup, variant.name, of)}{paper_mark(setup, variant.name, of)}")
            for series in all_series:
                cell = Cell(series.values(variant, setup, "dev", HEADLINE[setup, of]))
                row.append(f"{cell}{_stars(series, variant, setup, 'dev', of, cell)}")
        table.rows.append(row)
    return table


def fit_table(all_series: Sequence[Series]) -> Table:
    """Which series fits the paper's Table 2 best, judged over all of its cells."""
    fits = [fit for series in all_series if (fit := fit_of(series)) is not None]
    table = Table(
        "How well the paper's Table 2 is met: dev, all cells of both setups",
        [("", ""), *(("", series.name) for series in all_series)],
        notes=[
            "Points of F1. An effect is a variant's mean less that of the full network.",
            "Spearman's rank correlation. Stars agree where both have some or neither has any.",
        ],
    )
    table.rows = [
        ["mean difference from the paper", *(f"{fit.shift:+.1f}" for fit in fits)],
        ["mean absolute difference", *(f"{fit.distance:.2f}" for fit in fits)],
        ["cells within one of the paper's deviations", *(f"{fit.within}" for fit in fits)],
        ["rank correlation, all cells", *(f"{fit.rank_correlation:.3f}" for fit in fits)],
        ["rank correlation within a column, mean", *(f"{fit.column_rank_correlation:.2f}" for fit in fits)],
        ["mean absolute difference of effects", *(f"{fit.effect_distance:.2f}" for fit in fits)],
        ["stars that agree", *(f"{fit.agreeing_stars} of {fit.tests}" for fit in fits)],
        ["the same stars", *(f"{fit.same_stars} of {fit.tests}" for fit in fits)],
    ]
    return table


def ablation_table(series: Series, setup: int, of_series: str = "") -> Table:
    """Table 2, one setup: every variant on dev, beside the paper's."""
    table = Table(
        f"The paper's Table 2: dev, {TASKS[setup]}{of_series}",
        [("", "variant"), ("", "seeds")],
        notes=[_PERCENT, _STARS],
    )
    beside_paper = series.on_paper_corpus
    for of in _BOTH:
        wanted = ("paper", "ours", "difference") if beside_paper else ("ours",)
        table.columns += [(NAMES[setup, of], name) for name in wanted]
    if beside_paper:
        table.notes.append(_WITHIN)
    for variant in VARIANTS.values():
        row = [str(variant), str(len(series.runs.get((variant.name, setup), {})) or MISSING)]
        for of in _BOTH:
            cell = Cell(series.values(variant, setup, "dev", HEADLINE[setup, of]))
            ours = f"{cell}{_stars(series, variant, setup, 'dev', of, cell)}"
            paper = str(paper_score("dev", setup, variant.name, of))
            difference = _difference(cell, "dev", setup, variant, of)
            row += [paper, ours, difference] if beside_paper else [ours]
        table.rows.append(row)
    table.notes += _missing(series, (setup,))
    return table


def ablation_on_test(series: Series, of_series: str = "") -> Table:
    """The same variants on test; the paper has only the full network's."""
    table = Table(
        f"The ablation on test{of_series}",
        [("", "variant"), *((SETUPS[setup], NAMES[setup, of]) for setup in series.setups for of in _BOTH)],
        notes=[_PERCENT, _STARS, *_missing(series, series.setups)],
    )
    for variant in VARIANTS.values():
        row = [str(variant)]
        for setup in series.setups:
            for of in _BOTH:
                cell = Cell(series.values(variant, setup, "test", HEADLINE[setup, of]))
                row.append(f"{cell}{_stars(series, variant, setup, 'test', of, cell)}")
        table.rows.append(row)
    return table


def matrix_table(series: Series, of_series: str = "") -> Table:
    """Every average of the full network (or of the one there is), so that any paper can be compared with."""
    variant = FULL if FULL in series.variants else series.variants[0]
    setups = [setup for setup in series.setups if (variant.name, setup) in series.runs]
    parts = [part for part in _PARTS if any(part in run.scores for run in series.all_runs())]
    table = Table(
        f"Every average, {variant}{of_series}",
        [("", "counts as correct, averaged"), *((SETUPS[s], _PARTS[p]) for s in setups for p in parts)],
        notes=[_PERCENT],
    )
    if "test_without_repeats" in parts:
        table.notes.append("No repeats: test without the sentences that train or dev have too.")
    sizes: dict[str, int] = {}
    for setup in setups:
        for run in series.runs[variant.name, setup].values():
            sizes |= {part: run.scores[part]["sentences"] for part in parts if part in run.scores}
    table.notes.append(f"Sentences: {', '.join(f'{_PARTS[part]} {size}' for part, size in sizes.items())}.")
    for name, path in MATRIX:
        cells = [str(Cell(series.values(variant, s, part, path))) for s in setups for part in parts]
        table.rows.append([name, *cells])
    return table


def cost_table(series: Series, of_series: str = "") -> Table:
    """Seconds per run, and the epoch whose weights were kept."""
    groups = [(SETUPS[setup], name) for setup in series.setups for name in ("seconds", "best epoch")]
    table = Table(f"Seconds per run{of_series}", [("", "variant"), *groups])
    table.notes.append("Training and scoring of dev after each epoch: mean, shortest and longest run.")
    epochs = {run.config.training.epochs for run in series.all_runs()}
    table.notes.append(f"Of {number_ranges(epochs)} epochs.")
    for variant in series.variants:
        row = [str(variant)]
        for setup in series.setups:
            runs = series.runs.get((variant.name, setup), {}).values()
            row += [_spread([run.record["seconds"] for run in runs])]
            row += [_spread([run.record["best_epoch"] for run in runs if "best_epoch" in run.record])]
        table.rows.append(row)
    return table


def _spread(values: Sequence[float]) -> str:
    if not values:
        return MISSING
    mean = f"{statistics.fmean(values):.0f}"
    return mean if len(values) == 1 else f"{mean} ({min(values):.0f} to {max(values):.0f})"


def _difference(cell: Cell, part: str, setup: int, variant: Variant, of: str) -> str:
    """Ours less the paper's, as both are printed, and whether it is within a deviation."""
    paper = paper_score(part, setup, variant.name, of)
    if paper is None or not cell.values:
        return MISSING
    difference = round(cell.mean, 1) - paper.mean
    return f"{difference:+.1f}" + (f" {WITHIN}" if paper.holds(cell.mean) else "")


def _chance(cell: Cell, setup: int, of: str) -> str:
    """How likely a difference from the paper's test score as large as ours is, if there is none."""
    paper, deviation = paper_score("test", setup, FULL.name, of), cell.deviation
    if paper is None or deviation is None:
        return MISSING
    p = welch_p_value((cell.mean, deviation, len(cell.values)), (paper.mean, paper.deviation, SEEDS))
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _stars(series: Series, variant: Variant, setup: int, part: str, of: str, cell: Cell) -> str:
    if variant is FULL:
        return ""
    test = cell.against(Cell(series.values(FULL, setup, part, HEADLINE[setup, of])))
    return test.stars if test else ""


def _seed_counts(series: Series, variant: Variant) -> str:
    """How many seeds each setup has, as one number where they are the same."""
    counts = [len(series.runs.get((variant.name, setup), {})) for setup in (1, 2)]
    present = {count for count in counts if count}
    return str(present.pop()) if len(present) == 1 else " / ".join(str(count or MISSING) for count in counts)


def _missing(series: Series, setups: Sequence[int]) -> list[str]:
    """Notes on cells that lack runs, and on pairs of unlike seeds."""
    notes = []
    for setup in setups:
        full = set(series.runs.get((FULL.name, setup), {}))
        absent = [v.title for v in VARIANTS.values() if (v.name, setup) not in series.runs]
        if absent:
            notes.append(f"Setup {setup}, not run: {'; '.join(absent)}.")
        for variant in series.variants:
            have = set(series.runs.get((variant.name, setup), {}))
            where = f"Setup {setup}, {variant.title}"
            if not have:
                continue
            if have != series.seeds:
                notes.append(f"{where}: only seeds {number_ranges(have)} of {number_ranges(series.seeds)}.")
            if variant is FULL:
                continue
            if len(have & full) < 2:
                notes.append(f"{where}: fewer than two seeds in common with full, so no test.")
            elif have != full:
                notes.append(
                    f"{where}: tested over the seeds it shares with full, {number_ranges(have & full)}."
                )
    return notes
