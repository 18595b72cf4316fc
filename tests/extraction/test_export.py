"""Export of a model folder: from its files alone, whole or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="needs the extra export")
pytest.importorskip("torch", reason="makes the model")

from safetensors.numpy import load_file, save_file

from biaffinity.annotation import Sentence
from biaffinity.errors import DataError
from biaffinity.extraction.export import export
from biaffinity.extraction.onnx_network import OnnxNetwork
from biaffinity.model.folder import save_model
from model.tiny import tiny_model


@pytest.fixture
def folder(news: list[Sentence], tmp_path: Path) -> Path:
    """A model not yet exported."""
    save_model(tiny_model(news), tmp_path)
    return tmp_path


def test_the_graph_is_added_to_the_folder_and_nothing_else(folder: Path) -> None:
    before = {path.name for path in folder.iterdir()}
    assert export(folder) == folder / "model.onnx"
    assert {path.name for path in folder.iterdir()} == {*before, "model.onnx"}


def test_weights_that_changed_are_exported_anew(folder: Path) -> None:
    export(folder)
    tensors = load_file(folder / "model.safetensors")
    tensors["tagger.output.bias"] += 1
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(DataError):
        OnnxNetwork.load(folder)
    export(folder)
    OnnxNetwork.load(folder)


@pytest.mark.parametrize("name", ["tagger.lstm.backwards.1.weight_hh_l0", "tagger.hidden.bias"])
def test_a_tensor_that_does_not_fit_leaves_no_graph(folder: Path, name: str) -> None:
    tensors = load_file(folder / "model.safetensors")
    tensors[name] = np.zeros(2, dtype=np.float32)
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(DataError, match=name):
        export(folder)
    assert not (folder / "model.onnx").exists()


def python(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_pytorch_is_not_needed(folder: Path) -> None:
    program = "import sys; sys.modules['torch'] = None\nfrom pathlib import Path\n"
    program += f"from biaffinity.extraction.export import export\nprint(export(Path({str(folder)!r})).name)"
    assert python(program) == "model.onnx\n"


def test_without_onnx_the_extra_is_named(folder: Path) -> None:
    program = "import sys; sys.modules['onnx'] = None\nfrom pathlib import Path\n"
    program += "from biaffinity import BiaffinityError\nfrom biaffinity.extraction.export import export\n"
    program += f"try: export(Path({str(folder)!r}))\nexcept BiaffinityError as error: print(error)"
    assert python(program).endswith("(run: pip install 'biaffinity[export]')\n")
