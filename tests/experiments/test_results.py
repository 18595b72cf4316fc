"""The runs kept in results/: configs of the past can still be read, and give the tables that stand there."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("scipy", reason="needs the extra stats")

from biaffinity.experiments.series import Series
from biaffinity.files import read_json_lines

RESULTS = Path(__file__).parents[2] / "results"
#: A line per run; but for files whose lines are of something else.
FILES = [path for path in sorted(RESULTS.glob("*.jsonl")) if path.stem != "no-relation-bias"]
#: Runs of several recipes, corpora or folds, some of code that was not kept: records, but no series.
NO_SERIES = {"news", "transformer-ade"}
SERIES = [path for path in FILES if path.stem not in NO_SERIES]

pytestmark = pytest.mark.skipif(not FILES, reason="results/ is not in the source distribution")


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.stem not in NO_SERIES], ids=lambda path: path.stem
)
def test_a_series_can_be_read_with_all_its_runs(path: Path) -> None:
    series = Series.read(path)
    assert len([*series.all_runs()]) == len(path.read_text().splitlines())
    assert series.notes == []
    assert all(len(run.curve["entities"]) == run.config.training.epochs for run in series.all_runs())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_run_says_where_it_comes_from(path: Path) -> None:
    records = [record for _, record in read_json_lines(path)]
    facts = {"seed", "command", "commit", "machine", "versions", "data", "seconds", "scores", "curve"}
    assert all(record.keys() >= facts for record in records)
    assert len({record["run"] for record in records}) == len(records)


@pytest.fixture(scope="module")
def paper_page() -> dict[str, Any]:
    """What results/paper_page.py defines."""
    return runpy.run_path(str(RESULTS / "paper_page.py"))


def test_the_tables_are_those_of_the_series(paper_page: dict[str, Any]) -> None:
    for name, text in paper_page["report"]().items():
        assert text == (RESULTS / "report" / name).read_text(), "run: python results/paper_page.py"


def test_the_pages_have_the_tables_of_the_series(paper_page: dict[str, Any]) -> None:
    pages, made = [page.read_text() for page in paper_page["PAGES"]], paper_page["page_tables"]()
    assert {name for name in made if sum(f"<!-- {name} -->" in page for page in pages) != 1} == set()
    for page in pages:
        assert paper_page["with_tables"](page, made) == page, "run: python results/paper_page.py"


def test_a_table_of_the_page_is_replaced_and_the_rest_stays(paper_page: dict[str, Any]) -> None:
    first, second = "<!-- a -->\nold\nrows\n<!-- end -->", "<!-- b -->\nkept\n<!-- end -->"
    replaced = paper_page["with_tables"](f"one\n{first}\ntwo\n{second}\n", {"a": "new"})
    assert replaced == f"one\n<!-- a -->\n\nnew\n\n<!-- end -->\ntwo\n{second}\n"
    assert paper_page["with_tables"](replaced, {"a": "new"}) == replaced
