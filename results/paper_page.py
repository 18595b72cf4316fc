"""The tables of docs/paper.md, those of docs/results.md on batches, and results/report, from the series here.

    python results/paper_page.py [--model runs/paper/full/setup1-seed1]

In a page a table stands between the lines <!-- NAME --> and <!-- end -->. After new runs were gathered into
results/paper.jsonl this is all there is to do; `tests/experiments/test_results.py` sees that it was done.
With a model, what it finds in the paper's example is drawn too.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from statistics import fmean

import biaffinity
from biaffinity.experiments import tables
from biaffinity.experiments.cells import Cell
from biaffinity.experiments.paper_fit import PLACES
from biaffinity.experiments.render import latex, markdown, markdown_rows
from biaffinity.experiments.report import circumstances
from biaffinity.experiments.series import HEADLINE, Series, read_all
from biaffinity.experiments.tables import Table
from biaffinity.experiments.variants import FULL
from biaffinity.scoring.significance import welch_p_value
from biaffinity.show import svg

RESULTS = Path(__file__).parent
DOCS = RESULTS.parent / "docs"
PAGES = (DOCS / "paper.md", DOCS / "results.md")
#: The series that are reported on, in this order: Table 2 as it was first run, with the words of train alone,
#: the recipe to the letter, and the recipe of ours.
SOURCES = ("paper-batched", "paper-batched-train-words", "paper", "default")
#: The same as the first, but for the labels that relations are learnt with.
PREDICTED = RESULTS / "paper-batched-predicted-labels.jsonl"

EXAMPLE = "David Foster is the AP's Northwest regional reporter, based in Seattle."


def report() -> dict[str, str]:
    """The files of results/report."""
    all_series = read_all(RESULTS / f"{name}.jsonl" for name in SOURCES)
    made = list(tables.all_tables(all_series))
    facts = [fact for series in all_series for fact in circumstances(series)]
    return {"tables.md": markdown(made, facts), "tables.tex": latex(made)}


def page_tables() -> dict[str, str]:
    """The tables of the pages, by name."""
    batched, train_words, paper, ours = read_all(RESULTS / f"{name}.jsonl" for name in SOURCES)
    made = {
        "table 1": tables.test_table([paper, batched, train_words, ours]),
        "table 2, setup 1": tables.matrices_table([batched, train_words], 1),
        "table 2, setup 2": tables.matrices_table([batched, train_words], 2),
        "fit": tables.fit_table([batched, train_words]),
        "to the letter, dev": letter_table(paper, batched),
        "batches": batches_table(paper, batched),
        "last epochs": last_epochs_table(paper, batched),
    }
    if PREDICTED.exists():
        made["labels"] = labels_table(batched, Series.read(PREDICTED))
    return {name: markdown_rows(table) for name, table in made.items()}


def letter_table(letter: Series, batched: Series) -> Table:
    """The full network on dev, one sentence per update and in batches, beside the paper's."""
    places = [place for place in PLACES if place[1] == FULL.name]
    table = Table(
        "", [("", "dev"), ("", "seeds"), *((tables.SETUPS[s], tables.NAMES[s, of]) for s, _, of in places)]
    )
    paper = [str(tables.paper_score("dev", setup, FULL.name, of)) for setup, _, of in places]
    table.rows.append([tables.PAPER, "10", *paper])
    for series in (letter, batched):
        cells = [Cell(series.values(FULL, setup, "dev", HEADLINE[setup, of])) for setup, _, of in places]
        seeds = " / ".join(str(len(series.runs.get((FULL.name, setup), {}))) for setup in (1, 2))
        table.rows.append([series.name, seeds, *map(str, cells)])
    return table


def batches_table(letter: Series, batched: Series) -> Table:
    """The full network, one sentence per update and in batches, and how far apart they are."""
    places = [
        (setup, part, of) for setup in (1, 2) for part in ("dev", "test") for of in ("entities", "relations")
    ]
    table = Table("", [("", ""), *((part, _name(setup, of)) for setup, part, of in places)])
    columns = []
    for setup, part, of in places:
        one, other = (Cell(s.values(FULL, setup, part, HEADLINE[setup, of])) for s in (letter, batched))
        facts = [(cell.mean, cell.deviation or 0.0, len(cell.values)) for cell in (one, other)]
        columns.append(
            [str(one), str(other), f"{other.mean - one.mean:+.1f}", f"{welch_p_value(*facts):.2f}"]
        )
    titles = ("one sentence per update", "batches of 8, 25 epochs", "their difference", "p")
    table.rows = [[title, *row] for title, row in zip(titles, zip(*columns, strict=True), strict=True)]
    return table


def last_epochs_table(letter: Series, batched: Series) -> Table:
    """Dev over the last fifth of the epochs, and what the choice of the best epoch gains over that."""
    places = [(setup, of) for setup in (1, 2) for of in ("entities", "relations")]
    table = Table("", [("", "dev, mean over the last fifth"), *(("", _name(*place)) for place in places)])
    gains = []
    for series, title in ((letter, "one sentence per update"), (batched, "batches of 8")):
        last, chosen = [], []
        for setup, of in places:
            curves = {seed: run.curve[of] for seed, run in series.runs[FULL.name, setup].items()}
            last.append(Cell({seed: 100 * fmean(c[-len(c) // 5 :]) for seed, c in curves.items()}))
            chosen.append(Cell(series.values(FULL, setup, "dev", HEADLINE[setup, of])))
        table.rows.append([title, *map(str, last)])
        gained = (f"{best.mean - end.mean:.1f}" for best, end in zip(chosen, last, strict=True))
        gains.append([f"gained by taking the best epoch, {title}", *gained])
    table.rows += gains
    return table


def _name(setup: int, of: str) -> str:
    """A column's name; RC is of the first setup if nothing else is said."""
    return tables.NAMES[setup, of] + (" (setup 2)" if (setup, of) == (2, "relations") else "")


def labels_table(gold: Series, predicted: Series) -> Table:
    """Gold against predicted labels in training, full network, over the seeds that both have."""
    table = Table("", [("", ""), *(("", name) for name in ("gold", "predicted", "seeds", "p"))])
    for part in ("dev", "test"):
        for setup, name, of in PLACES:
            if name != FULL.name:
                continue
            ours, theirs = (s.values(FULL, setup, part, HEADLINE[setup, of]) for s in (gold, predicted))
            common = sorted(ours.keys() & theirs.keys())
            one, other = (Cell({seed: own[seed] for seed in common}) for own in (ours, theirs))
            test = one.against(other)
            title = f"{part}, {tables.SETUPS[setup]}, {tables.NAMES[setup, of]}"
            chance = f"{test.p:.2f}" if test else tables.MISSING
            table.rows.append([title, str(one), str(other), str(len(common)), chance])
    return table


def with_tables(page: str, made: dict[str, str]) -> str:
    """A page with its tables replaced; one that is not made stays as it is."""

    def replaced(found: re.Match[str]) -> str:
        name = found[1]
        return f"<!-- {name} -->\n\n{made[name]}\n\n<!-- end -->" if name in made else found[0]

    return re.sub(r"<!-- ([^>]+?) -->\n(?:(?!<!-- )[\s\S])*?<!-- end -->", replaced, page)


def draw_example(model: Path) -> None:
    """The sentence of the paper's introduction as a model reads it."""
    (DOCS / "images" / "paper-example.svg").write_text(
        svg(biaffinity.load(model)(EXAMPLE)) + "\n", encoding="utf-8"
    )


def main() -> None:
    """Write the report and the pages, and draw the example if there is a model to read it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", type=Path)
    model = parser.parse_args().model
    if model is not None:
        draw_example(model)
    for name, text in report().items():
        (RESULTS / "report" / name).write_text(text, encoding="utf-8")
    made = page_tables()
    for page in PAGES:
        page.write_text(with_tables(page.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()
