from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.recipes.test_general_data import script

from biaffinity import formats
from biaffinity.config.folder import read_head
from biaffinity.config.recipes import read_recipe
from biaffinity.config.seal import verify
from biaffinity.decoding.prediction import predict
from biaffinity.errors import DataError
from biaffinity.extraction import Extractor
from biaffinity.model.folder import load_model, owned_tensors, save_model
from biaffinity.model.network import TorchNetwork
from biaffinity.training import Trainer, TrainingData
from biaffinity.training.calibration import Calibration, fit_calibration
from training import tiny

program = script("mean_of_models")
DISTILLED = read_recipe("distilled", ())


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two models that differ by two in every weight."""
    data = TrainingData(tiny.sentences(6), tiny.sentences(3, first=31))
    model = Trainer(tiny.config(), data, seed=1, device="cpu").model
    folders = [tmp_path_factory.mktemp("models") / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
        save_model(model, folder)
        for parameter in model.parameters():
            parameter.data += 2
    return folders


def test_the_mean_lies_between_its_models_and_is_whole(models: list[Path], tmp_path: Path) -> None:
    program.write_mean(models, tmp_path / "mean")
    low, mean = (owned_tensors(load_model(folder)) for folder in (models[0], tmp_path / "mean"))
    changed = [name for name in mean if "unseen" not in name and "temperature" not in name]
    assert len(changed) > 10
    for name in changed:
        assert mean[name].float().allclose(low[name].float() + 1, atol=1e-5), name
    assert all(finding.fault is None for finding in verify(tmp_path / "mean"))
    assert read_head(tmp_path / "mean")["config"] == read_head(models[0])["config"]
    assert list(Extractor.load(tmp_path / "mean", runtime="torch").pipe(["Ida works in Oslo."]))


def test_what_twins_are_calibrated_by_is_given_to_the_mean(models: list[Path], tmp_path: Path) -> None:
    dev = tmp_path / "dev.jsonl"
    formats.write(dev, tiny.sentences(20, first=31), "jsonl")
    fitted = program.calibration_by(models[:1], dev)
    assert fitted == fit_calibration(
        load_model(models[0]), tiny.sentences(20, first=31), DISTILLED.calibration, ("paper", "rc")
    )
    fitted = replace(fitted, no_relation_bias=0.5, relation_temperature=2.0)
    program.write_mean(models, tmp_path / "plain")
    program.write_mean(models, tmp_path / "mean", fitted)
    plain, mean = (load_model(tmp_path / name).relations.scorer for name in ("plain", "mean"))
    assert (mean.bias - plain.bias).tolist() == pytest.approx([0.5, *[0.0] * (len(mean.bias) - 1)], abs=0.01)
    assert float(mean.temperature) == pytest.approx(2 * float(plain.temperature))


def test_a_mean_is_as_careful_as_sentences_without_a_relation_ask(
    models: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "STEP", 2.0)  # from a bias of -20 up: four hundred models otherwise
    unrelated = [replace(sentence, relations=[]) for sentence in tiny.sentences(40)]

    def found(fitted: Calibration) -> int:
        program.write_mean(models[:1], tmp_path / "other", fitted)
        network = TorchNetwork(load_model(tmp_path / "other"))
        return sum(len(sentence.relations) for sentence in predict(network, unrelated))

    rash = Calibration(no_relation_bias=-20.0, relation_temperature=2.0)
    fitted = program.write_careful_mean(models[:1], tmp_path / "mean", rash, unrelated)
    assert found(rash) > 2  # of 40; sixty in a thousand are two
    assert found(fitted) <= 2
    assert found(replace(fitted, no_relation_bias=fitted.no_relation_bias - program.STEP)) > 2
    assert replace(fitted, no_relation_bias=-20.0) == rash
    assert program.write_careful_mean(models[:1], tmp_path / "mean", fitted, unrelated) == fitted


def test_models_of_other_words_have_no_mean(models: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(models[1], other)
    words = other / "vocabulary.json"
    words.write_text(words.read_text(encoding="utf-8") + " ", encoding="utf-8")
    with pytest.raises(DataError, match="other words"):
        program.write_mean([models[0], other], tmp_path / "mean")
    assert not (tmp_path / "mean").exists()
