"""Finished runs gathered in one file: what a line holds, what is left out, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from biaffinity.errors import DataError, UsageError
from biaffinity.experiments.runs import gather, read_runs
from biaffinity.experiments.series import Series
from experiments import records


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def two_seeds(folder: Path) -> Path:
    for seed in (1, 2):
        records.write_run(folder / "full" / f"setup1-seed{seed}", seed=seed)
    return folder


def test_a_line_has_all_that_the_folder_has(tmp_path: Path) -> None:
    folder = records.write_run(tmp_path / "runs" / "full" / "setup1-seed1")
    extra = {"test_without_repeats": records.sheet(80.0, 60.0)}
    (folder / "extra-scores.json").write_text(json.dumps({"scores": extra}))
    assert gather([tmp_path / "runs"], tmp_path / "a.jsonl") == (1, [])
    (line,) = lines(tmp_path / "a.jsonl")
    record = json.loads((folder / "run.json").read_text())
    assert line.pop("run") == "full/setup1-seed1"
    assert line.pop("curve") == {
        "epoch": [1, 2, 3],
        "entities": [0.81, 0.82, 0.83],
        "relations": [0.51, 0.52, 0.53],
    }
    assert line == {**record, "scores": {**record["scores"], **extra}}


def test_what_was_gathered_is_what_the_folder_is_read_as(tmp_path: Path) -> None:
    folder = two_seeds(tmp_path / "runs")
    gather([folder], tmp_path / "a.jsonl")
    of_folder, of_file = (read_runs(source)[0] for source in (folder, tmp_path / "a.jsonl"))
    assert [run.record for run in of_file] == [run.record for run in of_folder]
    assert [run.config for run in of_file] == [run.config for run in of_folder]
    assert [run.where for run in of_file] == [f"{tmp_path / 'a.jsonl'}:{line}" for line in (1, 2)]


def test_a_series_has_the_name_of_its_file(tmp_path: Path) -> None:
    gather([two_seeds(tmp_path / "runs")], tmp_path / "default.jsonl")
    assert Series.read(tmp_path / "default.jsonl").name == "default"


def test_a_number_of_the_curve_keeps_six_digits_however_small(tmp_path: Path) -> None:
    folder = records.write_run(tmp_path / "runs" / "a")
    epoch = {"entities": 0.8123456789, "relations": 0.5, "learning_rate": 1.23456789e-7, "best": True}
    (folder / "history.jsonl").write_text(json.dumps(epoch))
    ((run,), _) = read_runs(tmp_path / "runs")
    assert run.curve == {
        "entities": [0.812346],
        "relations": [0.5],
        "learning_rate": [1.23457e-7],
        "best": [True],
    }


def test_unfinished_runs_are_left_out_by_name(tmp_path: Path) -> None:
    records.write_run(tmp_path / "runs" / "one", seed=1)
    records.write_run(tmp_path / "runs" / "two", seed=2, interrupted=True)
    assert gather([tmp_path / "runs"], tmp_path / "a.jsonl") == (1, ["two"])
    assert [line["run"] for line in lines(tmp_path / "a.jsonl")] == ["one"]


def test_new_runs_are_added_to_those_of_a_file(tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    gather([two_seeds(tmp_path / "runs")], out)
    records.write_run(tmp_path / "more" / "full" / "setup1-seed3", seed=3)
    assert gather([out, tmp_path / "more"], out) == (3, [])
    assert Series.read(out).seeds == {1, 2, 3}


def test_the_folder_of_one_run_gives_it_its_name(tmp_path: Path) -> None:
    folders = [records.write_run(tmp_path / name, seed=seed) for seed, name in enumerate("ab", start=1)]
    gather(folders, tmp_path / "all.jsonl")
    assert [line["run"] for line in lines(tmp_path / "all.jsonl")] == ["a", "b"]


def test_two_runs_of_one_name_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    folders = [two_seeds(tmp_path / name) for name in ("one", "two")]
    with pytest.raises(UsageError, match=r"two/full/setup1-seed1: has the same name as .*one/full/setup1-s"):
        gather(folders, tmp_path / "a.jsonl")
    assert not (tmp_path / "a.jsonl").exists()


def test_a_folder_without_finished_runs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with pytest.raises(DataError, match=r"runs: holds no finished run \(biaffinity reproduce"):
        gather([tmp_path / "runs"], tmp_path / "a.jsonl")


def test_a_file_with_two_lines_of_one_run_is_no_series(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    gather([two_seeds(tmp_path / "runs")], path)
    path.write_text(path.read_text() + path.read_text().splitlines()[0])
    with pytest.raises(UsageError, match=r"a\.jsonl:3: is the same run as .*a\.jsonl:1"):
        Series.read(path)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda line: line[: len(line) // 2], "is not JSON"),
        (lambda line: f"[{line}]", "must hold a JSON object"),
        (lambda line: line.replace('"run":', '"ran":'), "is no record of a training run: it has no run"),
        (lambda line: line.replace('"data":', '"date":'), "is no record of a training run: it has no data"),
        (lambda line: line.replace('"seed":2', '"seed":null'), "it has no seed"),
        (lambda line: line.replace('"predicted"', '"guessed"'), "model.boundaries"),
        (lambda line: line.replace('"model":{', '"model":3,"more":{'), "model: "),
        (lambda line: line.replace('"epoch":[1,', '"epoch":['), "its curve is no table of epochs"),
        (lambda line: line.replace('"entities":[', '"entity":['), "its curve is no table of epochs"),
    ],
)
def test_a_damaged_line_is_one_error_with_its_place(tmp_path: Path, change: Any, told: str) -> None:
    path = tmp_path / "a.jsonl"
    gather([two_seeds(tmp_path / "runs")], path)
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{change(second)}\n")
    with pytest.raises((DataError, UsageError)) as caught:
        Series.read(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
