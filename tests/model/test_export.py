"""Export of a model folder: from its files alone, and for these very weights."""

from __future__ import annotations

import shutil
import subprocess
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
from biaffinity.model.joint import JointModel
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


@pytest.fixture(scope="module")
def upgraded(trained: JointModel, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """A model of version 1 after its export, and what that said to have written."""
    folder = write_version_1(trained, tmp_path_factory.mktemp("models") / "old")
    return folder, export(folder)


@pytest.fixture(scope="module")
def changed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A model whose weights have changed, exported anew; and what loading it said before."""
    copy = tmp_path_factory.mktemp("models") / "changed"
    shutil.copytree(folder, copy)
    scale_recurrence(copy)
    with pytest.raises(DataError) as caught:
        OnnxNetwork.load(copy)
    export(copy)
    return copy, str(caught.value)


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
    upgraded: tuple[Path, list[Path]], trained: JointModel, news: list[Sentence]
) -> None:
    folder, _ = upgraded
    assert names(folder) == DESCRIPTION | GRAPHS
    for found, expected in zip(
        predict(OnnxNetwork.load(folder), news), predict(TorchNetwork(trained), news), strict=True
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


def test_graphs_of_other_weights_are_refused(changed: tuple[Path, str]) -> None:
    folder, told = changed
    assert "was made from other weights than model.safetensors" in told
    assert f"run: biaffinity export --model {folder}" in told


def test_weights_that_changed_are_exported_anew(
    changed: tuple[Path, str], folder: Path, news: list[Sentence]
) -> None:
    again, _ = changed
    for found, expected in zip(
        predict(OnnxNetwork.load(again), news), predict(TorchNetwork(load_model(again)), news), strict=True
    ):
        assert_alike(found, expected)
    before, after = graphs(folder), graphs(again)
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
def test_without_what_it_needs_the_extra_is_named(unexported: Path, missing: str) -> None:
    program = f"import sys; sys.modules[{missing!r}] = None\nfrom pathlib import Path\n"
    program += "from biaffinity import BiaffinityError\nfrom biaffinity.model.export import export\n"
    program += f"try: export(Path({str(unexported)!r}))\nexcept BiaffinityError as error: print(error)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("-m pip install 'biaffinity[train]')\n")
    assert names(unexported) == DESCRIPTION
