"""``biaffinity export`` as a user meets it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("onnx", reason="needs the extra train")

from biaffinity import formats
from biaffinity.cli import main
from biaffinity.model.folder import save_model
from biaffinity.runtime.network import OnnxNetwork
from model.tiny import tiny_model


@pytest.fixture
def run(samples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Run a command in a folder that has the model ``m``: its exit code, stdout and stderr."""
    save_model(tiny_model(list(formats.read(samples / "news.jsonl"))), tmp_path / "m")
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        return left.value.code or 0, *capsys.readouterr()

    return command


def test_an_exported_model_runs_without_pytorch(run) -> None:
    code, out, err = run("export", "--model", "m")
    assert (code, out) == (0, "")
    graphs = "emissions.onnx, states.onnx, pairs.onnx, encoder.characters.onnx"
    assert re.fullmatch(rf"{graphs} written to m, 0\.\d MB\n", err)
    OnnxNetwork.load(Path("m"))


def test_help_teaches_by_example(run) -> None:
    code, out, _ = run("export", "--help")
    assert code == 0
    assert "biaffinity export --model model/" in out


def test_a_missing_folder_is_one_line(run) -> None:
    assert run("export", "--model", "none") == (1, "", "error: none: no such model folder (check the path)\n")


def test_a_folder_without_weights_is_one_line(run) -> None:
    Path("m/model.safetensors").unlink()
    code, _, err = run("export", "--model", "m")
    assert code == 1
    assert err.startswith(f"error: {Path('m/model.safetensors')}: no such file")
    assert err.count("\n") == 1
    assert not list(Path("m").glob("*.onnx"))


def test_without_pytorch_the_extra_is_named(run, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("biaffinity.training.export", "biaffinity.model.export"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    code, _, err = run("export", "--model", "m")
    assert code == 1
    assert err.startswith("error: exporting a model needs an extra")
    assert err.endswith("-m pip install 'biaffinity[train]')\n")
