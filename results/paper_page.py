"""The tables of docs/paper.md and of results/report, made anew from the series in results/.

    python results/paper_page.py [--model runs/paper/full/setup1-seed1]

In the page a table stands between the lines <!-- NAME --> and <!-- end -->. After new runs were gathered into
results/paper.jsonl this is all there is to do; `tests/experiments/test_results.py` sees that it was done.
With a model, what it finds in the paper's example is drawn too.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import biaffinity
from biaffinity.experiments import tables
from biaffinity.experiments.cells import Cell
from biaffinity.experiments.paper_fit import PLACES
from biaffinity.experiments.render import latex, markdown, markdown_rows
from biaffinity.experiments.report import circumstances
from biaffinity.experiments.series import HEADLINE, Series, read_all
from biaffinity.experiments.tables import Table
from biaffinity.experiments.variants import FULL
from biaffinity.show import svg

RESULTS = Path(__file__).parent
PAGE = RESULTS.parent / "docs" / "paper.md"
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
    """The tables of the page, by name."""
    batched, train_words, paper, ours = read_all(RESULTS / f"{name}.jsonl" for name in SOURCES)
    made = {
        "table 1": tables.test_table([paper, batched, train_words, ours]),
        "table 2, setup 1": tables.matrices_table([batched, train_words], 1),
        "table 2, setup 2": tables.matrices_table([batched, train_words], 2),
        "fit": tables.fit_table([batched, train_words]),
        "to the letter, dev": letter_table(paper, batched),
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
    """The page with its tables replaced; one that is not made stays as it is."""

    def replaced(found: re.Match[str]) -> str:
        name = found[1]
        return f"<!-- {name} -->\n\n{made[name]}\n\n<!-- end -->" if name in made else found[0]

    return re.sub(r"<!-- ([^>]+?) -->\n(?:(?!<!-- )[\s\S])*?<!-- end -->", replaced, page)


def draw_example(model: Path) -> None:
    """The sentence of the paper's introduction as a model reads it."""
    (PAGE.parent / "images" / "paper-example.svg").write_text(
        svg(biaffinity.load(model)(EXAMPLE)) + "\n", encoding="utf-8"
    )


def main() -> None:
    """Write the report and the page, and draw the example if there is a model to read it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", type=Path)
    model = parser.parse_args().model
    if model is not None:
        draw_example(model)
    for name, text in report().items():
        (RESULTS / "report" / name).write_text(text, encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_tables(page, page_tables()), encoding="utf-8")


if __name__ == "__main__":
    main()
