from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.recipes.test_general_data import script

from biaffinity.config.folder import read_head
from biaffinity.config.seal import verify
from biaffinity.errors import DataError
from biaffinity.extraction import Extractor
from biaffinity.model.folder import load_model, owned_tensors, save_model
from biaffinity.training import Trainer, TrainingData
from training import tiny

average = script("mean_of_models").average


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
    average(models, tmp_path / "mean")
    low, mean = (owned_tensors(load_model(folder)) for folder in (models[0], tmp_path / "mean"))
    changed = [name for name in mean if "unseen" not in name and "temperature" not in name]
    assert len(changed) > 10
    for name in changed:
        assert mean[name].float().allclose(low[name].float() + 1, atol=1e-5), name
    assert all(finding.fault is None for finding in verify(tmp_path / "mean"))
    assert read_head(tmp_path / "mean")["config"] == read_head(models[0])["config"]
    assert list(Extractor.load(tmp_path / "mean", runtime="torch").pipe(["Ida works in Oslo."]))


def test_models_of_other_words_have_no_mean(models: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(models[1], other)
    words = other / "vocabulary.json"
    words.write_text(words.read_text(encoding="utf-8") + " ", encoding="utf-8")
    with pytest.raises(DataError, match="other words"):
        average([models[0], other], tmp_path / "mean")
    assert not (tmp_path / "mean").exists()
