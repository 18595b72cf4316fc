"""Export of a model folder: from its files alone, and for these very weights."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="needs the extra train")

import torch
from safetensors.torch import load_file, save_file

from biaffinity.annotation import Sentence
from biaffinity.config.folder import weights_fingerprint
from biaffinity.decoding.prediction import predict
from biaffinity.errors import BiaffinityError, DataError
from biaffinity.model.export import export
from biaffinity.model.folder import load_model, save_model
from biaffinity.model.network import TorchNetwork
from biaffinity.runtime.network import OnnxNetwork
from model.tiny import assert_alike, tiny_model
from model.version1 import write_version_1

WEIGHTS = "model.safetensors"
DESCRIPTION = {"config.json", "vocabulary.json", WEIGHTS}
GRAPHS = {"emissions.onnx", "states.onnx", "pairs.onnx", "encoder.characters.onnx"}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def graphs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.onnx")}


def scale_recurrence(folder: Path) -> None:
    """Change the weights of every LSTM and no other."""
    tensors = load_file(folder / WEIGHTS)
    tensors = {name: tensor * 0.2 if "_l0" in name else tensor for name, tensor in tensors.items()}
    save_file(tensors, folder / WEIGHTS)


@pytest.fixture
def changed(folder: Path, tmp_path: Path) -> Path:
    """A model whose weights have changed since it was exported."""
    copy = shutil.copytree(folder, tmp_path / "changed")
    scale_recurrence(copy)
    return copy


@pytest.fixture(scope="module")
def upgraded(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """A model of version 1 with the graphs of other weights, exported; and what that said to have written."""
    models = tmp_path_factory.mktemp("models")
    changed = shutil.copytree(folder, models / "changed")
    scale_recurrence(changed)
    old = write_version_1(load_model(changed), models / "old")
    for graph in changed.glob("*.onnx"):
        shutil.copy(graph, old)
    return old, export(old)


@pytest.fixture
def unexported(news: list[Sentence], tmp_path: Path) -> Path:
    """A model not yet exported."""
    save_model(tiny_model(news), tmp_path)
    return tmp_path


def test_the_graphs_are_added_to_the_folder_and_nothing_else(folder: Path) -> None:
    assert names(folder) == DESCRIPTION | GRAPHS


def test_an_export_tells_what_it_has_written(upgraded: tuple[Path, list[Path]]) -> None:
    folder, written = upgraded
    assert {*written} == {folder / name for name in GRAPHS}


def test_a_model_of_version_1_is_brought_up_to_date(
    upgraded: tuple[Path, list[Path]], changed: Path, news: list[Sentence]
) -> None:
    folder, _ = upgraded
    assert names(folder) == DESCRIPTION | GRAPHS
    for found, expected in zip(
        predict(OnnxNetwork.load(folder), news), predict(TorchNetwork(load_model(changed)), news), strict=True
    ):
        assert_alike(found, expected)


@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_every_graph_names_the_weights_it_is_of(folder: Path, name: str) -> None:
    onnx = pytest.importorskip("onnx")
    notes = {note.key: note.value for note in onnx.load(folder / name).metadata_props}
    assert notes["weights"] == weights_fingerprint(folder)


def test_a_graph_tells_nothing_of_the_machine_it_was_made_on(folder: Path) -> None:
    here = str(Path(__file__).parents[2]).encode()
    assert not [
        name for name, content in graphs(folder).items() if here in content or b"site-packages" in content
    ]


def test_graphs_of_other_weights_are_refused(changed: Path) -> None:
    with pytest.raises(DataError) as caught:
        OnnxNetwork.load(changed)
    assert "was made from other weights than model.safetensors" in str(caught.value)
    assert f"run: biaffinity export --model {changed}" in str(caught.value)


def test_weights_that_changed_are_exported_anew(upgraded: tuple[Path, list[Path]], folder: Path) -> None:
    before, after = graphs(folder), graphs(upgraded[0])
    assert before.keys() == after.keys()
    assert [name for name in before if before[name] == after[name]] == []


@pytest.mark.parametrize("name", ["tagger.lstm.backwards.1.weight_hh_l0", "tagger.hidden.bias"])
def test_a_tensor_that_does_not_fit_leaves_no_graph(unexported: Path, name: str) -> None:
    tensors = load_file(unexported / WEIGHTS)
    tensors[name] = torch.zeros(2)
    save_file(tensors, unexported / WEIGHTS)
    with pytest.raises(DataError, match=name):
        export(unexported)
    assert names(unexported) == DESCRIPTION


def test_a_folder_that_is_no_model_is_told_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(BiaffinityError, match="is not a Biaffinity model"):
        export(tmp_path)
    assert names(tmp_path) == {"config.json"}


@pytest.mark.parametrize("missing", ["onnx", "onnxscript"])
def test_without_what_it_needs_the_extra_is_named(
    unexported: Path, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "biaffinity.layers.onnx_graph", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(BiaffinityError) as caught:
        export(unexported)
    assert str(caught.value).endswith("-m pip install 'biaffinity[train]')")
    assert names(unexported) == DESCRIPTION
