"""Series of runs read back: what belongs together, what is left out, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from biaffinity.config.recipes import read_recipe
from biaffinity.errors import DataError, UsageError
from biaffinity.experiments.series import Series, read_all
from biaffinity.experiments.variants import FULL, VARIANTS
from experiments import records


def neither_of_two_variants() -> dict[str, Any]:
    """The config of a network without two of the paper's parts at once."""
    overrides = ["model.tagger=softmax", "encoder.characters=false"]
    return read_recipe("paper", overrides).model_dump()


def test_runs_are_sorted_by_what_they_are_wherever_they_lie(tmp_path: Path) -> None:
    records.write_run(tmp_path / "setup1-seed2", seed=2, dev=(88.0, 66.0))
    records.write_run(tmp_path / "deep" / "er" / "x", seed=1, dev=(87.0, 65.0))
    records.write_run(tmp_path / "softmax" / "y", variant="softmax", setup=2)
    series = Series.read(tmp_path)
    assert series.values(FULL, 1, "dev", ("paper", "rc")) == pytest.approx({1: 65.0, 2: 66.0})
    assert [variant.name for variant in series.variants] == ["full", "softmax"]
    assert series.setups == [1, 2]
    assert series.values(VARIANTS["softmax"], 1, "dev", ("paper", "rc")) == {}


def test_scores_of_their_own_file_join_the_others(tmp_path: Path) -> None:
    folder = records.write_run(tmp_path / "run")
    extra = {"scores": {"test_without_repeats": records.sheet(80.0, 60.0)}}
    (folder / "extra-scores.json").write_text(json.dumps(extra))
    series = Series.read(tmp_path)
    assert series.values(FULL, 1, "test_without_repeats", ("paper", "ner")) == pytest.approx({1: 80.0})


def test_a_score_that_a_run_lacks_is_missing_not_zero(tmp_path: Path) -> None:
    records.write_run(tmp_path / "run", test=None)
    assert Series.read(tmp_path).values(FULL, 1, "test", ("paper", "rc")) == {}


def test_unfinished_runs_are_named_and_left_out(tmp_path: Path) -> None:
    records.write_run(tmp_path / "one", seed=1)
    records.write_run(tmp_path / "two", seed=2, interrupted=True)
    series = Series.read(tmp_path)
    assert series.seeds == {1}
    assert series.notes == ["not finished: two"]


def test_a_network_that_is_no_variant_is_named_and_left_out(tmp_path: Path) -> None:
    records.write_run(tmp_path / "one")
    records.write_run(tmp_path / "two", config=neither_of_two_variants())
    assert Series.read(tmp_path).notes == ["two is none of the variants: left out"]


def test_runs_of_two_recipes_in_one_folder_are_refused(tmp_path: Path) -> None:
    records.write_run(tmp_path / "one", seed=1)
    records.write_run(tmp_path / "two", seed=2, overrides=("training.epochs=7",))
    with pytest.raises(
        UsageError, match=r"two: its training\.epochs is 7, that of .*one is 100 .*one by one"
    ):
        Series.read(tmp_path)


def test_runs_of_two_corpora_in_one_folder_are_refused(tmp_path: Path) -> None:
    records.write_run(tmp_path / "one", seed=1)
    records.write_run(tmp_path / "two", seed=2, corpus=records.OTHER_CORPUS)
    with pytest.raises(UsageError, match=r"two: its data\.dev is"):
        Series.read(tmp_path)


def test_the_same_run_twice_is_refused(tmp_path: Path) -> None:
    records.write_run(tmp_path / "one")
    records.write_run(tmp_path / "two")
    with pytest.raises(UsageError, match=r"two: is the same run as .*one"):
        Series.read(tmp_path)


def test_variants_and_setups_do_not_make_a_recipe_another(tmp_path: Path) -> None:
    for setup in (1, 2):
        for name in VARIANTS:
            records.write_run(tmp_path / f"{name}{setup}", variant=name, setup=setup)
    assert len(Series.read(tmp_path).runs) == 14


def test_only_the_paper_s_corpus_is_set_beside_the_paper(tmp_path: Path) -> None:
    records.write_run(tmp_path / "one" / "a")
    records.write_run(tmp_path / "two" / "a", corpus=records.OTHER_CORPUS)
    assert Series.read(tmp_path / "one").on_paper_corpus
    assert not Series.read(tmp_path / "two").on_paper_corpus


def test_folders_of_unlike_data_are_not_reported_together(tmp_path: Path) -> None:
    one = records.write_run(tmp_path / "one" / "a").parent
    two = records.write_run(tmp_path / "two" / "a", corpus=records.OTHER_CORPUS).parent
    with pytest.raises(UsageError, match="two: is of other dev or test data than one"):
        read_all([one, two])


def test_folders_of_one_name_are_not_reported_together(tmp_path: Path) -> None:
    folders = [records.write_run(tmp_path / name / "runs" / "a").parent for name in "ab"]
    with pytest.raises(UsageError, match="two series have the name runs"):
        read_all(folders)


def test_a_folder_without_finished_runs_says_what_makes_them(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"holds no finished run \(biaffinity reproduce"):
        Series.read(tmp_path)


def test_a_folder_without_a_variant_of_the_paper_is_no_series(tmp_path: Path) -> None:
    records.write_run(tmp_path / "run", config=neither_of_two_variants())
    with pytest.raises(DataError, match="holds no run of the paper's variants"):
        Series.read(tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="none: no such file or folder"):
        Series.read(tmp_path / "none")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("run.json", "{", "run.json:1: is not JSON"),
        ("run.json", '{"scores": {}}', "is no record of a training run: it has no config"),
        ("history.jsonl", "{}\n{", "history.jsonl:2: is not JSON"),
        ("extra-scores.json", "[]", "extra-scores.json: must hold a JSON object"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, name: str, text: str, told: str) -> None:
    folder = records.write_run(tmp_path / "run")
    (folder / name).write_text(text)
    with pytest.raises(DataError) as caught:
        Series.read(tmp_path)
    assert told in str(caught.value)
