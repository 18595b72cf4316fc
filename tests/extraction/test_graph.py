"""The ONNX graph: what it promises to those who run it, and how large it is."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="needs the extra export")
pytest.importorskip("torch", reason="PyTorch is the judge")

import onnx
import torch

from biaffinity.annotation import Sentence
from biaffinity.extraction.graph import build_graph
from biaffinity.extraction.weights import Weights
from biaffinity.model.description import read_description
from biaffinity.model.folder import save_model
from biaffinity.model.joint import JointModel
from extraction.exported import assert_found_alike, exported
from model.tiny import encode, stir, tiny_model


@pytest.fixture
def model(news: list[Sentence]) -> JointModel:
    model = tiny_model(news, candidates="all", lstm_hidden=40).eval()
    stir(model, scale=0.2)
    return model


def built(model: JointModel, folder: Path) -> bytes:
    save_model(model, folder)
    return build_graph(read_description(folder), Weights.read(folder))


def test_it_needs_no_newer_runtime_than_was_promised(model: JointModel, tmp_path: Path) -> None:
    graph = onnx.load_from_string(built(model, tmp_path))
    assert [(part.domain, part.version) for part in graph.opset_import] == [("", 17)]
    assert graph.ir_version == 8


def test_it_names_the_weights_it_was_made_from(model: JointModel, tmp_path: Path) -> None:
    graph = onnx.load_from_string(built(model, tmp_path))
    noted = {entry.key: entry.value for entry in graph.metadata_props}
    assert noted == {"weights": Weights.read(tmp_path).fingerprint()}


def test_the_same_weights_give_the_same_bytes(model: JointModel, tmp_path: Path) -> None:
    assert built(model, tmp_path / "a") == built(model, tmp_path / "b")


def test_it_holds_the_recurrent_parts_and_no_more(model: JointModel, tmp_path: Path) -> None:
    parts = (model.tagger.lstm, model.tagger.hidden, model.tagger.output, model.relations.lstm)
    assert model.relations.label_embedding is not None
    numbers = sum(p.numel() for part in (*parts, model.relations.label_embedding) for p in part.parameters())
    assert 4 * numbers < len(built(model, tmp_path)) < 4 * numbers + 10_000


def test_weights_that_half_precision_holds_take_half_the_room_and_lose_nothing(
    model: JointModel, news: list[Sentence], tmp_path: Path
) -> None:
    full = len(built(model, tmp_path / "full"))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half().float())
    assert len(built(model, tmp_path / "half")) < 0.6 * full
    batch = encode(model, news)
    assert_found_alike(exported(model, tmp_path / "half").decode(batch), model.decode(batch), tolerance=1e-5)
