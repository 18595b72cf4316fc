"""Models of version 1 as models of version 2: the same numbers, the same predictions."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from biaffinity import Extractor
from biaffinity.annotation import Sentence
from biaffinity.decoding.prediction import predict
from biaffinity.errors import BiaffinityError, DataError, UsageError
from biaffinity.model.folder import load_model, load_tensors, save_model
from biaffinity.model.joint import JointModel
from biaffinity.model.network import TorchNetwork
from biaffinity.model.upgrade import upgrade_folder
from model.tiny import SWITCHES, UNSEEN, stir, tiny_model
from model.version1 import write_version_1

WEIGHTS, CONFIG, VOCABULARY = "model.safetensors", "config.json", "vocabulary.json"
each_kind = pytest.mark.parametrize("boundaries", ["predicted", "given"])


@pytest.fixture
def old(trained: JointModel, tmp_path: Path) -> Path:
    """A folder of version 1."""
    return write_version_1(trained, tmp_path / "old")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def rewrite(path: Path, **values: Any) -> None:
    """Change values of a JSON object; an ellipsis takes one out."""
    record = {**json.loads(path.read_text(encoding="utf-8")), **values}
    kept = {key: value for key, value in record.items() if value is not ...}
    path.write_text(json.dumps(kept), encoding="utf-8")


@each_kind
@pytest.mark.parametrize("switches", SWITCHES.values(), ids=SWITCHES)
def test_an_upgraded_model_has_the_same_tensors_and_predictions(
    switches: dict[str, Any], boundaries: str, news: list[Sentence], tmp_path: Path
) -> None:
    model = tiny_model(news, boundaries=boundaries, entity_confidence_weight=1.5, **switches).eval()
    stir(model)
    folder = write_version_1(model, tmp_path / "old")
    assert upgrade_folder(folder)
    again = load_model(folder)
    ours, theirs = model.state_dict(), again.state_dict()
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if not ours[name].equal(theirs[name])] == []
    assert (again.config.encoder, again.config.model) == (model.config.encoder, model.config.model)
    assert (again.schema, again.encoder.vocabulary) == (model.schema, model.encoder.vocabulary)
    parts = [*news, Sentence([*UNSEEN, "xyzzy", "Ana"])]
    assert list(predict(TorchNetwork(again), parts)) == list(predict(TorchNetwork(model), parts))


def test_an_upgraded_model_is_not_said_to_be_calibrated(old: Path) -> None:
    upgrade_folder(old)
    assert load_tensors(old / WEIGHTS)[0]["relations.scorer.temperature"].item() == 1
    config = load_model(old).config
    assert (config.calibration.temperatures, config.calibration.no_relation_bias) == (False, "learnt")
    assert config.training.selection == "paper"


def test_the_notes_of_the_weights_are_kept(old: Path) -> None:
    upgrade_folder(old)
    assert load_tensors(old / WEIGHTS)[1] == {"format": "biaffinity-model", "epoch": "17"}


def test_weights_in_half_precision_stay_so(old: Path) -> None:
    tensors = {name: tensor.half() for name, tensor in load_file(old / WEIGHTS).items()}
    save_file(tensors, old / WEIGHTS, {"format": "biaffinity-model"})
    upgrade_folder(old)
    kept = load_file(old / WEIGHTS)
    assert {tensor.dtype for name, tensor in kept.items() if "temperature" not in name} == {torch.float16}
    load_model(old)


def test_the_graph_of_version_1_is_removed(old: Path) -> None:
    upgrade_folder(old)
    assert sorted(contents(old)) == [CONFIG, WEIGHTS, VOCABULARY]


def test_a_model_is_upgraded_once(old: Path) -> None:
    assert upgrade_folder(old)
    before = contents(old)
    assert not upgrade_folder(old)
    assert contents(old) == before


def test_a_model_of_this_version_is_left_alone(trained: JointModel, tmp_path: Path) -> None:
    save_model(trained, tmp_path / "m")
    before = contents(tmp_path / "m")
    assert not upgrade_folder(tmp_path / "m")
    assert contents(tmp_path / "m") == before


@pytest.mark.parametrize("load", [load_model, Extractor.load], ids=["model", "extractor"])
def test_a_model_of_version_1_that_is_just_read_is_told_how_to_be_upgraded(old: Path, load: Any) -> None:
    before = contents(old)
    with pytest.raises(DataError) as caught:
        load(old)
    assert str(caught.value) == (
        f"{old / CONFIG}: is a model of version 1, this program reads version 2 "
        f"(run: biaffinity export --model {old})"
    )
    assert contents(old) == before


def test_a_model_of_a_future_version_is_left_alone_and_told(old: Path) -> None:
    rewrite(old / CONFIG, version=3)
    before = contents(old)
    assert not upgrade_folder(old)
    assert contents(old) == before
    with pytest.raises(DataError, match=r"version 3, this program reads version 2 \(install a newer"):
        load_model(old)


@pytest.mark.parametrize(
    ("name", "damage", "told"),
    [
        (CONFIG, {"format": "other"}, "is not a Biaffinity model"),
        (CONFIG, {"word_size": ...}, "is not a whole model of version 1: KeyError('word_size')"),
        (CONFIG, {"config": ...}, "is not a whole model of version 1: KeyError('config')"),
        (CONFIG, {"config": 3}, "config: "),
        (CONFIG, {"config": {"model": []}}, "model: "),
        (CONFIG, {"config": {"model": {"setup": 3}}}, "model.boundaries: "),
        (CONFIG, {"config": {"training": {"averaging": 0.9}}}, "unknown key training.averaging"),
        (VOCABULARY, {"entity_types": ...}, "is not a whole model of version 1: KeyError('entity_types')"),
    ],
    ids=str,
)
def test_a_damaged_model_of_version_1_is_told_and_left_alone(
    name: str, damage: dict[str, Any], told: str, old: Path
) -> None:
    rewrite(old / name, **damage)
    before = contents(old)
    with pytest.raises((DataError, UsageError)) as caught:
        upgrade_folder(old)
    assert told in str(caught.value)
    assert str(caught.value).startswith(str(old))
    assert "\n" not in str(caught.value)
    assert contents(old) == before


@pytest.mark.parametrize("name", [CONFIG, VOCABULARY, WEIGHTS])
def test_a_missing_file_is_named_and_nothing_written(old: Path, name: str) -> None:
    (old / name).unlink()
    before = contents(old)
    with pytest.raises(DataError, match=f"{name}: no such file"):
        upgrade_folder(old)
    assert contents(old) == before


def test_damaged_weights_are_named_and_nothing_written(old: Path) -> None:
    (old / WEIGHTS).write_bytes(b"not tensors")
    before = contents(old)
    with pytest.raises(DataError, match=r"model\.safetensors: is damaged"):
        upgrade_folder(old)
    assert contents(old) == before


class Killed(BaseException):
    """The process is gone."""


def upgrade_and_die(folder: Path, number: int) -> None:
    """Be gone as soon as the ``number``-th file (from 0) has taken its name."""
    replace, numbers = Path.replace, count()

    def failing(path: Path, target: Path) -> Path:
        replace(path, target)
        if next(numbers) == number:
            raise Killed
        return target

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "replace", failing)
        upgrade_folder(folder)


def test_killed_before_the_vocabulary_is_written_an_upgrade_can_be_done_again(
    trained: JointModel, news: list[Sentence], old: Path
) -> None:
    with pytest.raises(Killed):
        upgrade_and_die(old, 0)
    assert upgrade_folder(old)
    again = TorchNetwork(load_model(old))
    assert list(predict(again, news)) == list(predict(TorchNetwork(trained), news))


def test_killed_before_the_config_is_written_an_upgrade_says_that_files_do_not_go_together(
    old: Path,
) -> None:
    with pytest.raises(Killed):
        upgrade_and_die(old, 1)
    for read in (load_model, upgrade_folder):
        with pytest.raises(BiaffinityError, match="version 1"):
            read(old)
