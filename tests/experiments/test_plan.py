"""The plan: which runs there are, which of them stand already, and which are someone else's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from biaffinity.errors import DataError, UsageError
from biaffinity.experiments.plan import EXTRA_SCORES, Corpus, Experiment, Run, outstanding, runs_of
from biaffinity.experiments.variants import FULL, VARIANTS
from biaffinity.formats import write
from experiments import records
from training import tiny

RUN = Run(FULL, 1, 1)


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    """The paper's recipe on the tiny corpus; its test repeats no sentence of train."""
    tiny.write_corpus(tmp_path)
    write(tmp_path / "test.jsonl", [replace(s, tokens=(*s.tokens[:-1], "anew")) for s in tiny.sentences(4)])
    return Experiment("paper", Corpus.read(tmp_path), tmp_path / "out")


def leave(experiment: Experiment, run: Run = RUN, **facts: Any) -> Path:
    """The record of a run in its folder."""
    digests = experiment.corpus.digests
    data = {part: {"file": f"{part}.jsonl", "sentences": 1, "sha256": digests[part]} for part in digests}
    facts = {"data": data, **facts}
    return records.write_run(
        experiment.folder(run), variant=run.variant.name, setup=run.setup, seed=run.seed, **facts
    )


def test_runs_go_seed_by_seed_with_the_longest_variant_first() -> None:
    runs = runs_of([FULL, VARIANTS["pipeline"]], (1, 2), (1, 2))
    assert [run.name for run in runs] == [
        "pipeline/setup1-seed1",
        "pipeline/setup2-seed1",
        "full/setup1-seed1",
        "full/setup2-seed1",
        "pipeline/setup1-seed2",
        "pipeline/setup2-seed2",
        "full/setup1-seed2",
        "full/setup2-seed2",
    ]


def test_variant_and_setup_have_the_last_word_over_the_user_s_overrides(experiment: Experiment) -> None:
    experiment = replace(
        experiment, overrides=("model.tagger=softmax", "model.boundaries=predicted", "model.dropout=0.1")
    )
    model = experiment.config(Run(FULL, 2, 1)).model
    assert (model.tagger, model.boundaries, model.dropout) == ("crf", "given", 0.1)


def test_a_finished_run_is_done_and_others_are_not(experiment: Experiment) -> None:
    leave(experiment)
    runs = runs_of([FULL], (1,), (1, 2))
    assert outstanding(experiment, runs) == [Run(FULL, 1, 2)]


@pytest.mark.parametrize("facts", [{"interrupted": True}, {"scores": None}])
def test_a_run_without_its_last_scores_is_not_done(experiment: Experiment, facts: dict[str, Any]) -> None:
    folder = leave(experiment, **facts)
    if facts.get("scores", 1) is None:
        record = json.loads((folder / "run.json").read_text())
        del record["scores"]
        (folder / "run.json").write_text(json.dumps(record))
    assert not experiment.is_done(RUN)


def test_runs_that_were_begun_come_first(experiment: Experiment) -> None:
    folder = leave(experiment, Run(FULL, 1, 3), interrupted=True)
    (folder / "checkpoint.safetensors").touch()
    left = outstanding(experiment, runs_of([FULL], (1,), (1, 2, 3)))
    assert [run.seed for run in left] == [3, 1, 2]


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"overrides": ("training.epochs=7",)}, "config: training.epochs: it was 7, now it is 100"),
        (
            {"overrides": ("calibration.temperatures=true",)},
            "config: calibration.temperatures: it was True, now it is False",
        ),
        ({"vectors": "glove.txt"}, "word vectors: it was glove.txt, now it is None"),
        ({"data": {"train": {"sha256": "x"}}}, "data: train, dev, test"),
    ],
)
def test_another_run_in_the_folder_is_an_error_that_says_how(
    experiment: Experiment, facts: dict[str, Any], told: str
) -> None:
    folder = leave(experiment, **facts)
    with pytest.raises(UsageError) as caught:
        experiment.is_done(RUN)
    assert str(caught.value).startswith(f"{folder}: holds a run of other {told}")


def test_a_value_that_came_after_the_run_counts_as_its_default(experiment: Experiment) -> None:
    folder = leave(experiment)
    record = json.loads((folder / "run.json").read_text())
    del record["config"]["training"]["precision"]
    (folder / "run.json").write_text(json.dumps(record))
    assert experiment.is_done(RUN)


def test_a_run_of_version_1_counts_as_the_same(experiment: Experiment) -> None:
    folder = leave(experiment)
    record = json.loads((folder / "run.json").read_text())
    old = {
        "encoding": {"normalisation": "paper", "vocabulary": "train+dev"},
        "vectors": {"unseen": "unk"},
        "model": {"setup": 1},
        "training": {"averaging": 0.0, "unrelated_share": 1.0},
    }
    (folder / "run.json").write_text(json.dumps({**record, "config": old}))
    assert experiment.is_done(RUN)
    old["model"] = {"setup": 2}
    (folder / "run.json").write_text(json.dumps({**record, "config": old}))
    with pytest.raises(UsageError, match=r"model\.boundaries: it was given, now it is predicted"):
        experiment.is_done(RUN)


def test_repeated_test_sentences_are_found_in_the_data(tmp_path: Path) -> None:
    tiny.write_corpus(tmp_path)
    again = [replace(tiny.sentences(1)[0], id="again"), replace(tiny.sentences(1)[0], tokens=["Solund"] * 7)]
    write(tmp_path / "test.jsonl", [again[0], replace(again[1], id="new")])
    assert Corpus.read(tmp_path).repeated == {"again"}


def test_the_corpus_of_the_paper_repeats_the_24_sentences_of_the_protocol(corpora: Path) -> None:
    listed = json.loads((corpora / "conll04" / "test_ids_duplicated_in_train_or_dev.json").read_text())
    corpus = Corpus.read(corpora / "conll04")
    assert corpus.repeated == {*listed}
    assert {part: corpus.digests[part] for part in records.CORPUS} == records.CORPUS


def test_where_test_repeats_sentences_a_run_is_done_with_their_scores_too(experiment: Experiment) -> None:
    corpus = replace(experiment.corpus, repeated=frozenset({"a"}))
    folder = leave(experiment)
    (folder / "model.safetensors").touch()
    experiment = replace(experiment, corpus=corpus)
    assert not experiment.is_done(RUN)
    (folder / EXTRA_SCORES).touch()
    assert experiment.is_done(RUN)


def test_a_folder_without_test_data_will_do(tmp_path: Path) -> None:
    tiny.write_corpus(tmp_path)["test"].unlink()
    corpus = Corpus.read(tmp_path)
    assert corpus.files.keys() == {"train", "dev"}
    assert corpus.repeated == frozenset()


def test_a_missing_data_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        Corpus.read(tmp_path / "none")
