"""A model by its name, and what runs it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import biaffinity
from biaffinity.errors import DataError, MissingExtraError, UsageError
from biaffinity.extraction import loading
from biaffinity.extraction.loading import device_named, embedded_models, load_network, model_folder
from biaffinity.model.network import TorchNetwork
from biaffinity.runtime.network import OnnxNetwork
from extraction.texts import ANA


@pytest.fixture
def embedded(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package whose embedded models are the tiny one, as ``news`` and ``harbour``."""
    models = tmp_path / "models"
    for name in ("news", "harbour"):
        shutil.copytree(folder, models / name)
    (models / "notes.txt").write_text("no model")
    monkeypatch.setattr(loading, "EMBEDDED", models)
    monkeypatch.chdir(tmp_path)
    return models


@pytest.fixture
def bare(folder: Path, tmp_path: Path) -> Path:
    """The tiny model before its export."""
    copy = shutil.copytree(folder, tmp_path / "bare")
    for graph in copy.glob("*.onnx"):
        graph.unlink()
    return copy


def of_version(version: Any, folder: Path) -> Path:
    head = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**head, "version": version}))
    return folder


def test_embedded_models_are_known_by_their_names(embedded: Path) -> None:
    assert embedded_models() == {name: embedded / name for name in ("harbour", "news")}
    assert model_folder("harbour") == embedded / "harbour"


def test_where_none_is_named_the_news_model_is_meant(embedded: Path) -> None:
    assert model_folder(None) == embedded / "news"


@pytest.mark.usefixtures("embedded")
@pytest.mark.parametrize("left", ["config.json", "model.safetensors"])
def test_a_folder_with_a_model_or_what_is_left_of_one_comes_before_an_embedded_model(left: str) -> None:
    Path("news").mkdir()
    Path("news", left).touch()
    assert model_folder("news") == Path("news")


def test_a_folder_of_texts_may_have_the_name_of_an_embedded_model(embedded: Path) -> None:
    Path("news").mkdir()
    Path("news", "today.txt").write_text("Ana Ruiz works for Norvik Oil.")
    assert model_folder("news") == embedded / "news"


@pytest.mark.usefixtures("embedded")
def test_a_path_is_never_an_embedded_model() -> None:
    assert model_folder(Path("harbour")) == Path("harbour")


@pytest.mark.usefixtures("embedded")
def test_an_extractor_is_loaded_by_an_embedded_name() -> None:
    assert len(biaffinity.load("harbour")(ANA).entities) == 4


@pytest.mark.usefixtures("embedded")
def test_a_name_of_nothing_is_a_folder_that_is_missing() -> None:
    with pytest.raises(DataError, match="quay: no such model folder"):
        biaffinity.load("quay")


def test_the_package_embeds_the_news_model() -> None:
    assert "news" in embedded_models()


@pytest.mark.parametrize(
    ("runtime", "kind"), [("auto", OnnxNetwork), ("onnx", OnnxNetwork), ("torch", TorchNetwork)]
)
def test_a_model_with_graphs_runs_in_onnxruntime_unless_asked_otherwise(
    folder: Path, runtime: str, kind: type
) -> None:
    assert isinstance(load_network(folder, runtime), kind)


def test_a_model_without_graphs_runs_in_pytorch(bare: Path) -> None:
    assert isinstance(load_network(bare), TorchNetwork)


def test_another_device_than_the_cpu_is_for_pytorch(folder: Path) -> None:
    with pytest.raises(UsageError, match="PyTorch sees no device 'cuda:77'"):
        load_network(folder, device="cuda:77")


def test_onnxruntime_knows_the_cpu_alone(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"not on 'cuda' \(ask for runtime=\"torch\"\)"):
        load_network(folder, "onnx", device="cuda")


def test_an_unknown_runtime_is_told_the_known_ones(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"'jax' \(one of onnx, torch, auto\)"):
        load_network(folder, "jax")


def test_without_pytorch_a_model_without_graphs_names_the_extra(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"biaffinity\[train\]"):
        load_network(bare)


@pytest.mark.parametrize("runtime", ["auto", "onnx", "torch"])
def test_a_model_of_version_1_tells_how_to_bring_it_up_to_date(bare: Path, runtime: str) -> None:
    (bare / "model.onnx").write_bytes(b"as it was then")
    with pytest.raises(DataError) as caught:
        load_network(of_version(1, bare), runtime)
    assert str(caught.value) == (
        f"{bare / 'config.json'}: is a model of version 1, this program reads version 2"
        f" (run: biaffinity export --model {bare})"
    )


@pytest.mark.parametrize("runtime", ["auto", "onnx", "torch"])
def test_a_model_of_a_version_to_come_asks_for_a_newer_program(bare: Path, runtime: str) -> None:
    with pytest.raises(DataError, match=r"version 3, this program reads version 2 \(install a newer"):
        load_network(of_version(3, bare), runtime)


@pytest.mark.parametrize(("sees", "device"), [(True, "cuda"), (False, "cpu")])
def test_auto_is_a_gpu_where_pytorch_sees_one(
    sees: bool, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: sees)
    assert device_named("auto") == device
    assert device_named("cuda:1") == "cuda:1"


def test_auto_is_the_cpu_without_pytorch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert device_named("auto") == "cpu"
    assert biaffinity.load(folder, device="auto")(ANA).entities


def test_auto_takes_the_device_that_its_runtime_knows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    assert isinstance(load_network(folder, "onnx", device="auto"), OnnxNetwork)
    monkeypatch.setattr(loading, "_torch_network", lambda folder, device, threads: device)
    assert load_network(folder, device="auto") == "cuda"


def test_a_folder_that_is_missing_is_told_of_before_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(DataError, match="quay: no such model folder"):
        load_network(Path("quay"))
