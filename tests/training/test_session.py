"""A run on disk: what its folder holds, and what it refuses to write over."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch

from biaffinity import Extractor
from biaffinity.decoding.prediction import predict
from biaffinity.errors import DataError, UsageError
from biaffinity.formats import read, write
from biaffinity.model.folder import copied, load_model, load_tensors, owned_tensors, save_tensors
from biaffinity.model.network import TorchNetwork
from biaffinity.scoring import score
from biaffinity.training import (
    Advised,
    DivergedError,
    EpochEnded,
    Event,
    Finished,
    Finishing,
    Progress,
    Started,
    session,
)
from biaffinity.training.calibration import Calibration, apply_calibration, calibrated_config
from training import tiny

Train = Callable[..., Finished]


# What a run leaves


def test_a_finished_folder_is_a_model_with_its_history_and_record(train: Train, tmp_path: Path) -> None:
    train(tmp_path / "m")
    assert sorted(path.name for path in (tmp_path / "m").iterdir()) == [
        "README.md",
        "config.json",
        "curves.png",
        "history.jsonl",
        "model.safetensors",
        "run.json",
        "vocabulary.json",
    ]


OFF = {"temperatures": False, "no_relation_bias": "learnt"}


@pytest.mark.parametrize("precision", ["single", "half"])
@pytest.mark.parametrize("calibration", [{}, OFF], ids=["calibrated", "not calibrated"])
def test_the_model_in_the_folder_has_the_scores_that_were_told(
    precision: str, calibration: dict[str, Any], train: Train, tmp_path: Path, corpus: dict[str, Path]
) -> None:
    recipe = tiny.config(training={"epochs": 8, "precision": precision}, calibration=calibration)
    finished = train(tmp_path / "m", recipe, test=corpus["test"])
    model = load_model(tmp_path / "m")
    for name, sheet in (("dev", finished.dev), ("test", finished.test)):
        gold = list(read(corpus[name]))
        assert sheet is not None
        assert score(gold, predict(TorchNetwork(model), gold)).to_dict() == sheet.to_dict()
    assert not finished.interrupted


@pytest.mark.parametrize("selection", ["micro", "paper"])
def test_the_model_in_the_folder_is_that_of_the_best_epoch(
    selection: str, train: Train, tmp_path: Path
) -> None:
    recipe = tiny.config(training={"epochs": 8, "selection": selection}, calibration=OFF)
    finished = train(tmp_path / "m", recipe)
    best = max(tiny.history(tmp_path / "m"), key=lambda line: line["selection"])
    assert finished.best_epoch == best["epoch"]
    if selection == "paper":
        assert finished.dev.headline() == best["selection"]
    else:
        assert finished.dev["ner", "micro"].f1 == best["entities"]
        assert finished.dev["re", "strict", "micro"].f1 == best["relations"]


def test_the_model_in_the_folder_is_that_of_the_last_epoch_if_so_asked(train: Train, tmp_path: Path) -> None:
    recipe = tiny.config(training={"epochs": 8, "learning_rate": 0.5, "keep": "last"}, calibration=OFF)
    finished = train(tmp_path / "m", recipe)
    history = tiny.history(tmp_path / "m")
    assert finished.best_epoch == 8
    assert finished.dev["ner", "micro"].f1 == history[-1]["entities"]
    assert max(line["selection"] for line in history) > history[-1]["selection"]


def test_the_record_names_data_seed_config_and_scores(
    train: Train, tmp_path: Path, corpus: dict[str, Path]
) -> None:
    finished = train(tmp_path / "m", seed=3, test=corpus["test"])
    record = json.loads((tmp_path / "m" / "run.json").read_text())
    assert record["seed"] == 3
    assert record["data"]["train"]["file"] == "train.jsonl"
    assert record["data"]["train"]["sentences"] == 18
    assert record["config"] == tiny.config().model_dump()
    assert record["best_epoch"] == finished.best_epoch
    assert record["epochs_done"] == 4
    assert record["scores"]["dev"] == finished.dev.to_dict()
    assert record["scores"].keys() == {"dev", "test"}
    assert record["machine"]["processor"] in (tmp_path / "m" / "README.md").read_text()


def test_the_first_record_of_a_run_has_no_scores_yet(train: Train, tmp_path: Path) -> None:
    with pytest.raises(tiny.Killed):
        train(tmp_path / "m", watch=tiny.stop_at(1, 1, tiny.Killed))
    record = json.loads((tmp_path / "m" / "run.json").read_text())
    assert (record["seed"], record["config"]) == (1, tiny.config().model_dump())
    assert not session.is_complete(record)


def test_the_watcher_is_told_everything_and_the_end_last(train: Train, tmp_path: Path) -> None:
    told: list[Event] = []
    finished = train(tmp_path / "m", watch=told.append)
    assert isinstance(next(event for event in told if not isinstance(event, Advised)), Started)
    assert [event.step for event in told if isinstance(event, Finishing)] == [
        "calibrating it on dev",
        "scoring it",
    ]
    assert told[-1] is finished
    ended = [event.to_dict() for event in told if isinstance(event, EpochEnded)]
    lines = (tmp_path / "m" / "history.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == ended


def test_an_epoch_is_on_disk_before_it_is_told(train: Train, tmp_path: Path) -> None:
    out, seen = tmp_path / "m", []

    def watch(event: Event) -> None:
        if isinstance(event, EpochEnded):
            lines = (out / "history.jsonl").read_text().splitlines()
            state = json.loads(load_tensors(out / "checkpoint.safetensors")[1]["state"])
            seen.append((len(lines), state["epoch"], state["best_epoch"]))
            kept = int(load_tensors(out / "model.safetensors")[1]["epoch"])
            assert kept == state["best_epoch"]

    train(out, watch=watch)
    assert [(lines, epoch) for lines, epoch, _ in seen] == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_the_same_seed_gives_the_same_model_and_history(train: Train, tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        train(tmp_path / name, seed=seed)
    first, again, other = (tiny.weights(tmp_path / name) for name in "abc")
    assert tiny.same_tensors(first, again)
    assert not tiny.same_tensors(first, other)
    assert tiny.history(tmp_path / "a") == tiny.history(tmp_path / "b")


def test_a_recipe_file_with_overrides_is_the_config_it_spells(train: Train, tmp_path: Path) -> None:
    recipe = tiny.write_recipe(tmp_path / "r.toml", training={"epochs": 9})
    train(tmp_path / "a", recipe, overrides=["training.epochs=2"])
    train(tmp_path / "b", tiny.config(training={"epochs": 2}))
    assert tiny.same_tensors(tiny.weights(tmp_path / "a"), tiny.weights(tmp_path / "b"))


# Calibration


def kept_by_epochs(out: Path) -> tuple[list[dict[str, torch.Tensor]], Callable[[Event], None]]:
    """The weights in the folder after each epoch, and the watcher that takes them."""
    kept: list[dict[str, torch.Tensor]] = []

    def watch(event: Event) -> None:
        if isinstance(event, EpochEnded):
            kept.append(tiny.weights(out))

    return kept, watch


WEIGHTED = {"entity_confidence_weight": 3.0}


def test_a_run_ends_with_the_calibrated_model_of_the_best_epoch(train: Train, tmp_path: Path) -> None:
    out = tmp_path / "m"
    recipe = tiny.config(model=WEIGHTED, training={"epochs": 8})
    kept, watch = kept_by_epochs(out)
    train(out, recipe, watch=watch)
    fitted = Calibration(**json.loads(load_tensors(out / "model.safetensors")[1]["calibration"]))
    assert fitted != Calibration()
    model = load_model(out)
    assert model.config == calibrated_config(recipe, fitted)
    assert model.config.model.entity_confidence_weight != 3.0
    with torch.no_grad():
        for name, tensor in owned_tensors(model).items():
            tensor.copy_(kept[-1][name])
    apply_calibration(model, fitted)
    assert tiny.same_tensors(dict(owned_tensors(model)), tiny.weights(out))


def test_what_was_fitted_is_in_the_record_the_card_and_the_notes_of_the_weights(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted = Calibration(0.75, 1.23456789, 2.5)
    monkeypatch.setattr(session, "fit_calibration", lambda *arguments: fitted)
    finished = train(tmp_path / "m")
    notes = load_tensors(tmp_path / "m" / "model.safetensors")[1]
    assert json.loads(notes["calibration"]) == asdict(fitted)
    assert notes["epoch"] == str(finished.best_epoch)
    record = json.loads((tmp_path / "m" / "run.json").read_text())
    assert record["calibration"] == fitted.to_dict()
    assert "divided by 1.235, of relations by 2.5" in (tmp_path / "m" / "README.md").read_text()


@pytest.mark.parametrize(
    ("selection", "cell"), [("micro", ("re", "strict", "micro")), ("paper", ("paper", "rc"))]
)
def test_a_model_is_calibrated_on_dev_by_the_score_that_it_is_selected_by(
    selection: str,
    cell: tuple[str, ...],
    train: Train,
    tmp_path: Path,
    corpus: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    met: list[Any] = []
    monkeypatch.setattr(session, "fit_calibration", lambda *given: (met.append(given), Calibration())[1])
    recipe = tiny.config(
        training={"epochs": 1, "selection": selection}, calibration={"tolerance": 0.07, "temperatures": False}
    )
    train(tmp_path / "m", recipe, test=corpus["test"])
    [(_, dev, settings, relations)] = met
    assert dev == list(read(corpus["dev"]))
    assert settings == recipe.calibration
    assert relations == cell


def test_switched_off_calibration_changes_nothing(train: Train, tmp_path: Path) -> None:
    out = tmp_path / "m"
    kept, watch = kept_by_epochs(out)
    train(out, tiny.config(model=WEIGHTED, calibration=OFF), watch=watch)
    assert tiny.same_tensors(kept[-1], tiny.weights(out))
    assert load_model(out).config == tiny.config(model=WEIGHTED, calibration=OFF)
    record = json.loads((out / "run.json").read_text())
    assert record["calibration"] == Calibration().to_dict()


def test_the_record_has_the_recipe_s_config_and_the_model_the_calibrated_one(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "fit_calibration", lambda *arguments: Calibration(0.0, 1.0, 2.0))
    train(tmp_path / "m", tiny.config(model=WEIGHTED))
    record = json.loads((tmp_path / "m" / "run.json").read_text())
    assert record["config"]["model"]["entity_confidence_weight"] == 3.0
    assert load_model(tmp_path / "m").config.model.entity_confidence_weight == 1.5


# Precision


def test_in_half_precision_the_finished_weights_are_rounded_and_none_before(
    train: Train, tmp_path: Path
) -> None:
    out = tmp_path / "m"
    kept, watch = kept_by_epochs(out)
    train(out, tiny.config(training={"precision": "half"}), watch=watch)
    train(tmp_path / "single", tiny.config(training={"precision": "single"}))
    assert {tensor.dtype for tensor in kept[-1].values()} == {torch.float32}
    half, single = tiny.weights(out), tiny.weights(tmp_path / "single")
    assert tiny.same_tensors(half, {name: tensor.half() for name, tensor in single.items()})


def test_in_half_precision_the_model_is_scored_as_it_is_kept(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored: list[torch.Tensor] = []
    evaluate = session.Trainer.evaluate

    def watching(trainer: Any, sentences: Any) -> Any:
        scored.append(trainer.model.tagger.output.weight.detach().clone())
        return evaluate(trainer, sentences)

    monkeypatch.setattr(session.Trainer, "evaluate", watching)
    train(tmp_path / "m", tiny.config(training={"precision": "half"}))
    assert scored[-1].equal(load_model(tmp_path / "m").tagger.output.weight)


# Graphs


@pytest.fixture(scope="module")
def exported(train: Train, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Finished, list[Event]]:
    """A run to its very end, and what was told of it."""
    pytest.importorskip("onnx", reason="needs the extra train")
    torch.set_num_threads(1)
    folder, told = tmp_path_factory.mktemp("exported") / "m", []
    finished = train(folder, tiny.config(training={"epochs": 8}), graphs=True, watch=told.append)
    return folder, finished, told


def test_a_trained_folder_extracts_at_once(
    exported: tuple[Path, Finished, list[Event]], corpus: dict[str, Path]
) -> None:
    folder, finished, _ = exported
    assert finished.not_exported is None
    gold = list(read(corpus["dev"]))
    by_onnx, by_torch = (
        [extractor(" ".join(sentence.tokens)) for sentence in gold]
        for extractor in (Extractor.load(folder), Extractor.load(folder, runtime="torch"))
    )
    assert any(document.triples() for document in by_onnx)
    assert [document.triples() for document in by_onnx] == [document.triples() for document in by_torch]


def test_the_export_is_told_as_a_step_of_its_own(exported: tuple[Path, Finished, list[Event]]) -> None:
    steps = [event.step for event in exported[2] if isinstance(event, Finishing)]
    assert steps == ["calibrating it on dev", "scoring it", "exporting it"]


def test_a_finished_run_is_not_exported_again(
    exported: tuple[Path, Finished, list[Event]], train: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, finished, _ = exported
    before = tiny.contents(folder)
    monkeypatch.setattr(session, "export", None)
    again = train(folder, tiny.config(training={"epochs": 8}), graphs=True, resume=True)
    assert again == finished
    assert tiny.contents(folder) == before


def test_a_finished_run_without_graphs_gets_them_when_they_are_asked_for(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []
    monkeypatch.setattr(session, "export", asked.append)
    train(tmp_path / "m")
    assert asked == []
    assert train(tmp_path / "m", graphs=True, resume=True).not_exported is None
    assert asked == [tmp_path / "m"]


def test_graphs_that_were_not_asked_for_are_not_made(train: Train, tmp_path: Path) -> None:
    finished = train(tmp_path / "m", graphs=False)
    assert finished.not_exported == "it was not asked for"
    assert not [*(tmp_path / "m").glob("*.onnx")]


def test_where_onnx_is_missing_a_run_ends_well_and_says_why_it_has_no_graphs(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "biaffinity.layers.onnx_graph", raising=False)
    monkeypatch.setitem(sys.modules, "onnx", None)
    finished = train(tmp_path / "m", graphs=True)
    assert finished.not_exported is not None
    assert "pip install 'biaffinity[train]'" in finished.not_exported
    assert not finished.interrupted
    assert session.is_complete(json.loads((tmp_path / "m" / "run.json").read_text()))
    assert not [*(tmp_path / "m").glob("*.onnx")]
    load_model(tmp_path / "m")


# Mistakes


def test_overrides_of_a_config_are_refused_not_ignored(train: Train, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="overrides"):
        train(tmp_path / "m", overrides=["training.epochs=2"])


def test_data_without_sentences_is_an_error_with_its_file(train: Train, tmp_path: Path) -> None:
    write(tmp_path / "none.jsonl", [])
    with pytest.raises(DataError, match=r"none\.jsonl: holds no sentence"):
        train(tmp_path / "m", dev=tmp_path / "none.jsonl")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("device", ["cuda:77", "gpu", ""])
def test_a_device_that_is_not_there_is_named_before_any_work(
    train: Train, tmp_path: Path, device: str
) -> None:
    with pytest.raises(UsageError, match=f"no device '{device}'.*cpu"):
        train(tmp_path / "m", device=device)
    assert not (tmp_path / "m").exists()


def test_weights_of_no_epoch_are_named(train: Train, tmp_path: Path) -> None:
    train(tmp_path / "m")
    path = tmp_path / "m" / "model.safetensors"
    tensors, notes = load_tensors(path)
    save_tensors(path, tensors, {**notes, "epoch": "many"})
    with pytest.raises(DataError, match=r"model\.safetensors: is of no epoch: 'many'"):
        train(tmp_path / "m", resume=True)


# Refusals


def test_a_folder_with_a_run_is_not_overwritten(train: Train, tmp_path: Path) -> None:
    train(tmp_path / "m")
    before = tiny.contents(tmp_path / "m")
    with pytest.raises(UsageError, match=r"already holds a training run.*--resume"):
        train(tmp_path / "m")
    assert tiny.contents(tmp_path / "m") == before


def test_a_folder_with_a_model_of_other_origin_is_not_overwritten(train: Train, tmp_path: Path) -> None:
    train(tmp_path / "m")
    (tmp_path / "m" / "run.json").unlink()
    for resume in (False, True):
        with pytest.raises(UsageError, match="already holds a model"):
            train(tmp_path / "m", resume=resume)


def test_a_file_where_the_folder_should_be_is_an_error(train: Train, tmp_path: Path) -> None:
    (tmp_path / "m").write_text("")
    with pytest.raises(UsageError, match="is a file"):
        train(tmp_path / "m")


# A loss that is no number


@pytest.mark.parametrize("worth", [20, 1e9], ids=["cheap checkpoints", "costly checkpoints"])
def test_the_best_model_is_kept_when_the_loss_is_no_number(
    worth: float, train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "m"
    best: dict[str, torch.Tensor] = {}

    def spoil_the_weights(event: Event) -> None:
        if isinstance(event, EpochEnded) and event.best:
            best.update(copied(owned_tensors(running[0].model)))
        if isinstance(event, Progress) and (event.epoch, event.step) == (3, 1):
            running[0].model.tagger.output.weight.data.fill_(float("nan"))

    running: list[Any] = []
    initialise = session.Trainer.__init__

    def remember(trainer: Any, *arguments: Any, **options: Any) -> None:
        initialise(trainer, *arguments, **options)
        running.append(trainer)

    monkeypatch.setattr(session, "CHEAP", 0.5 if worth == 20 else 0.0)
    monkeypatch.setattr(session, "WORTH", worth)
    monkeypatch.setattr(session.Trainer, "__init__", remember)
    recipe = tiny.config(training={"learning_rate": 0.1})
    with pytest.raises(DivergedError, match=r"epoch 3, update 2, .*weights are not finite: tagger") as caught:
        train(folder, recipe, watch=spoil_the_weights)
    assert "the model of epoch 2 is kept" in str(caught.value)
    assert tiny.same_tensors(tiny.weights(folder), best)
    load_model(folder)
