"""The runs kept in results/: configs of the past can still be read, and give the tables that stand there."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("scipy", reason="needs the extra stats")

from biaffinity.experiments.render import latex, markdown
from biaffinity.experiments.report import circumstances
from biaffinity.experiments.series import Series, read_all
from biaffinity.experiments.tables import all_tables
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


def test_the_tables_are_those_of_the_series() -> None:
    all_series = read_all([RESULTS / "paper-batched.jsonl", RESULTS / "default.jsonl"])
    tables = list(all_tables(all_series))
    facts = [fact for series in all_series for fact in circumstances(series)]
    assert markdown(tables, facts) == (RESULTS / "report" / "tables.md").read_text()
    assert latex(tables) == (RESULTS / "report" / "tables.tex").read_text()
