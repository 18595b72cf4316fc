"""Token vectors without PyTorch beside PyTorch's, and how those of characters are remembered."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is the judge")
pytest.importorskip("onnx", reason="needs the extra train")

import torch

from biaffinity.annotation import Sentence
from biaffinity.decoding.network import Batch
from biaffinity.encoders import character_vectors
from biaffinity.encoders.character_vectors import CharacterVectors
from biaffinity.encoders.parts import Graph, load_runtime
from biaffinity.encoders.recurrent.encoder import RecurrentEncoder
from biaffinity.encoders.recurrent.rows import Rows
from biaffinity.encoders.recurrent.runtime import RecurrentRuntime
from biaffinity.graphs.judge import Signature
from biaffinity.layers.onnx_graph import Traced, onnx_files
from biaffinity.model.joint import JointModel
from layers.exported import loaded
from model.tiny import ENCODER_SIZES, UNSEEN, encode, stir, tiny_model

Array = np.ndarray[Any, Any]
Spellings = tuple[Array, Array]
SWITCHES: dict[str, dict[str, Any]] = {
    "one LSTM": {},
    "two LSTMs": {"character_shared": False},
    "no characters": {"characters": False},
}


def pipeline(news: list[Sentence], **switches: Any) -> JointModel:
    """A model of two encoders that differ in all but the table of unseen words."""
    model = tiny_model(news, architecture="pipeline", **switches).eval()
    stir(model)
    return model


@pytest.fixture(scope="module")
def models(news: list[Sentence]) -> dict[str, JointModel]:
    return {name: pipeline(news, **switches) for name, switches in SWITCHES.items()}


@pytest.fixture(scope="module")
def exported(news: list[Sentence]) -> dict[str, bytes]:
    """The graphs of all encoders of the models, by names such as ``one LSTM/encoder.characters``."""
    parts = {
        f"{name}/{part}.{graph}": Traced(*traced)
        for name, switches in SWITCHES.items()
        for part, encoder in encoders(pipeline(news, **switches)).items()
        for graph, traced in encoder.graphs().items()
    }
    return onnx_files(parts, {})


def encoders(model: JointModel) -> dict[str, RecurrentEncoder]:
    return {"encoder": model.encoder, "relation_encoder": model.relation_encoder}


class MemoryParts:
    """What an encoder finds in a model folder, here in memory but for the vocabulary."""

    def __init__(self, model: JointModel, graphs: dict[str, bytes], folder: Path) -> None:
        model.encoder.save(folder)
        self.folder = folder
        self.asked: list[str] = []
        self._tensors = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
        self._graphs = graphs

    def tensor(self, name: str, *shape: int) -> Array:
        self.asked.append(name)
        tensor: Array = self._tensors[name]
        assert tensor.shape == shape
        return tensor

    def rows(self, name: str, count: int, size: int) -> Rows:
        return Rows(self.tensor(name, count, size))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: tensor.shape for name, tensor in self._tensors.items()}

    def require(self, name: str, *shape: int) -> None:
        assert self.shapes[name] == shape

    def graph(self, name: str, signature: Signature) -> Graph:
        run = loaded(self._graphs[name], signature)
        return lambda feeds: run(**feeds)


def parts_of(name: str, model: JointModel, exported: dict[str, bytes], folder: Path) -> MemoryParts:
    own = {key.removeprefix(f"{name}/"): content for key, content in exported.items() if key.startswith(name)}
    return MemoryParts(model, own, folder)


@pytest.fixture(params=["one LSTM", "two LSTMs"])
def model(request: pytest.FixtureRequest, models: dict[str, JointModel]) -> JointModel:
    return models[request.param]


class Counted:
    """A graph that tells how many word forms it was given at each time, and how wide."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.shapes: list[tuple[int, ...]] = []

    def __call__(self, feeds: Any) -> Array:
        self.shapes.append(feeds["characters"].shape)
        return self.graph(feeds)


@pytest.fixture
def graph(model: JointModel, models: dict[str, JointModel], exported: dict[str, bytes]) -> Counted:
    [name] = [name for name, one in models.items() if one is model]
    run = loaded(exported[f"{name}/encoder.characters"])
    return Counted(lambda feeds: run(**feeds))


@pytest.fixture
def characters(graph: Counted) -> CharacterVectors:
    return CharacterVectors(graph, 2 * ENCODER_SIZES["character_hidden"])


def spellings(count: int, seed: int = 0) -> Spellings:
    """Random word forms of 3 to 12 characters, in no order."""
    random = np.random.default_rng(seed)
    lengths = random.integers(3, 13, count)
    numbers = random.integers(1, 40, (count, 12))
    numbers[np.arange(12) >= lengths[:, None]] = 0
    numbers[np.arange(count), lengths - 1] = 3
    return numbers, lengths


def judged(model: JointModel, words: Spellings) -> Array:
    assert model.encoder.characters is not None
    with torch.no_grad():
        return model.encoder.characters(*(torch.from_numpy(part) for part in words)).numpy()


def test_character_vectors_are_those_of_pytorch(model: JointModel, characters: CharacterVectors) -> None:
    words = spellings(50)
    np.testing.assert_allclose(characters(*words), judged(model, words), atol=1e-5)


def test_a_form_is_read_once(model: JointModel, characters: CharacterVectors, graph: Counted) -> None:
    first, second = spellings(20), spellings(30, seed=1)
    both = tuple(np.concatenate(parts) for parts in zip(first, second, strict=True))
    for words in (first, first, both, second):
        np.testing.assert_allclose(characters(*words), judged(model, words), atol=1e-5)
    assert [count for count, _ in graph.shapes] == [20, 30]


def test_forms_are_read_no_wider_than_they_are(characters: CharacterVectors, graph: Counted) -> None:
    numbers, lengths = spellings(10)
    characters(np.pad(numbers, ((0, 0), (0, 7))), lengths)
    assert graph.shapes == [(10, lengths.max())]


def test_forms_that_are_spelt_alike_in_one_batch_take_one_row(
    model: JointModel, characters: CharacterVectors
) -> None:
    """Two words that differ in unknown characters alone have the same numbers."""
    first, second = spellings(5), spellings(5, seed=1)
    doubled = tuple(np.concatenate([part, part]) for part in first)
    for words in (doubled, second, first):
        np.testing.assert_allclose(characters(*words), judged(model, words), atol=1e-5)
    assert sorted(characters._rows.values()) == list(range(10))


def test_wider_padding_is_the_same_form(characters: CharacterVectors) -> None:
    numbers, lengths = spellings(10)
    wide = np.pad(numbers, ((0, 0), (0, 7)))
    np.testing.assert_array_equal(characters(wide, lengths), characters(numbers, lengths))
    assert len(characters._rows) == 10


def test_what_is_remembered_is_bounded(
    model: JointModel, characters: CharacterVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(character_vectors, "REMEMBERED", 25)
    for seed in range(8):
        words = spellings(15, seed % 3)
        np.testing.assert_allclose(characters(*words), judged(model, words), atol=1e-5)
        assert len(characters._rows) <= 40


def test_threads_may_share_what_is_remembered(
    model: JointModel, characters: CharacterVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(character_vectors, "REMEMBERED", 25)
    parts = [spellings(15, seed % 5) for seed in range(60)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda words: characters(*words), parts))
    for words, vectors in zip(parts, found, strict=True):
        np.testing.assert_allclose(vectors, judged(model, words), atol=1e-5)


@pytest.fixture
def batches(models: dict[str, JointModel], news: list[Sentence]) -> Iterator[Batch]:
    """The sample and words that training never met, in two batches."""
    model = models["one LSTM"]
    strange = Sentence([*UNSEEN, "xyzzy", "Ana", "日本"])
    return iter([encode(model, [*news, strange])[0], encode(model, [strange])[0]])


@pytest.mark.parametrize("part", ["encoder", "relation_encoder"])
@pytest.mark.parametrize("name", SWITCHES)
def test_token_vectors_are_those_of_pytorch(
    name: str,
    part: str,
    models: dict[str, JointModel],
    exported: dict[str, bytes],
    batches: Iterator[Batch],
    tmp_path: Path,
) -> None:
    model = models[name]
    own = load_runtime(parts_of(name, model, exported, tmp_path), part, model.encoder.settings)
    for batch in batches:
        features = {key: torch.from_numpy(array) for key, array in batch.features.items()}
        with torch.no_grad():
            theirs = encoders(model)[part](features).numpy()
        ours = own(batch)
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_both_networks_of_a_pipeline_read_one_table_of_unseen_words(
    models: dict[str, JointModel], exported: dict[str, bytes], tmp_path: Path
) -> None:
    model = models["one LSTM"]
    parts = parts_of("one LSTM", model, exported, tmp_path)
    for part in ("encoder", "relation_encoder"):
        load_runtime(parts, part, model.encoder.settings)
    assert parts.asked.count("encoder.words.unseen") == 2
    assert "relation_encoder.words.unseen" not in parts.asked


def test_its_featuriser_gives_the_arrays_of_training(
    models: dict[str, JointModel], exported: dict[str, bytes], news: list[Sentence], tmp_path: Path
) -> None:
    model = models["one LSTM"]
    own = RecurrentRuntime(
        parts_of("one LSTM", model, exported, tmp_path), "encoder", model.encoder.settings
    ).new_featuriser()
    found = own.collate([own.featurise(sentence.tokens) for sentence in news])
    for name, array in encode(model, news)[0].features.items():
        np.testing.assert_array_equal(found[name], array)
