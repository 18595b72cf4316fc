"""The runtime without PyTorch finds what PyTorch finds, and says clearly why it cannot run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is the judge")
pytest.importorskip("onnx", reason="needs the extra export")

import torch

from biaffinity import formats
from biaffinity.annotation import Entity, Sentence
from biaffinity.encoding.batches import sorted_batches
from biaffinity.errors import BiaffinityError, DataError
from biaffinity.extraction.onnx_network import OnnxNetwork
from biaffinity.model.folder import save_model, save_weights
from biaffinity.model.joint import JointModel
from extraction.exported import assert_found_alike, exported
from model.tiny import SWITCHES, UNSEEN, encode, fit, stir, tiny_model


@pytest.fixture(scope="module")
def news(samples: Path) -> list[Sentence]:
    """The sample sentences, and one of words that training never met."""
    return [*formats.read(samples / "news.jsonl"), Sentence([*UNSEEN, "xyzzy", "日本"])]


@pytest.fixture(scope="module")
def trained(news: list[Sentence]) -> JointModel:
    """A tiny model that has learnt something; not to be changed."""
    model = tiny_model(news, context=True, constrained=True, dropout=0.1)
    fit(model, news[:-1], 40)
    return model


@pytest.fixture
def folder(trained: JointModel, tmp_path: Path) -> Path:
    """A whole model, exported."""
    exported(trained, tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture(scope="module")
def network(trained: JointModel, tmp_path_factory: pytest.TempPathFactory) -> OnnxNetwork:
    return exported(trained, tmp_path_factory.mktemp("network"))


@pytest.mark.parametrize("setup", [1, 2])
@pytest.mark.parametrize("switches", SWITCHES.values(), ids=SWITCHES)
def test_every_switch_decodes_as_in_pytorch(
    setup: int, switches: dict[str, Any], news: list[Sentence], tmp_path: Path
) -> None:
    found = 0
    for seed in range(2):
        model = tiny_model(news, setup=setup, **{"candidates": "all", **switches}).eval()
        stir(model, seed)
        batch = encode(model, news)
        network = exported(model, tmp_path / str(seed))
        theirs = model.decode(batch)
        assert_found_alike(network.decode(batch), theirs)
        found += len(theirs.pairs)
    assert found


@pytest.mark.parametrize("layers", [1, 3])
def test_any_number_of_layers_will_do(layers: int, news: list[Sentence], tmp_path: Path) -> None:
    model = tiny_model(news, lstm_layers=layers, candidates="all").eval()
    stir(model)
    batch = encode(model, news)
    assert_found_alike(exported(model, tmp_path).decode(batch), model.decode(batch))


def test_without_vectors_of_unseen_words_it_is_the_same(news: list[Sentence], tmp_path: Path) -> None:
    model = tiny_model(news, architecture="pipeline", candidates="all")
    vocabulary = {**model.vocabulary.to_dict(), "pairs": model.vocabulary.pairs, "unseen": []}
    model = JointModel(model.config, type(model.vocabulary)(**vocabulary), 11, torch.zeros(0, 11)).eval()
    stir(model)
    batch = encode(model, news)
    assert_found_alike(exported(model, tmp_path).decode(batch), model.decode(batch))


def test_padding_changes_nothing(network: OnnxNetwork, news: list[Sentence]) -> None:
    encoder = network.new_encoder()
    together = network.decode(encoder.batch([encoder.encode(sentence) for sentence in news]))
    for number, sentence in enumerate(news):
        alone = network.decode(encoder.batch([encoder.encode(sentence)]))
        ours = together.spans.sentence == number
        np.testing.assert_array_equal(alone.spans.start, together.spans.start[ours])
        np.testing.assert_array_equal(alone.spans.type, together.spans.type[ours])
        np.testing.assert_allclose(alone.span_scores, together.span_scores[ours], atol=1e-5)
        related = ours[together.pairs.head]
        np.testing.assert_array_equal(alone.pairs.relation, together.pairs.relation[related])
        np.testing.assert_allclose(alone.pair_scores, together.pair_scores[related], atol=1e-5)


def test_without_scores_the_entities_are_the_same(network: OnnxNetwork, trained, news) -> None:
    batch = encode(trained, news)
    assert_found_alike(network.decode(batch, scores=False), trained.decode(batch, scores=False))
    assert set(network.decode(batch, scores=False).span_scores.tolist()) == {1.0}


@pytest.mark.parametrize("setup", [1, 2])
@pytest.mark.parametrize("constrained", [False, True])
def test_labels_may_be_confined(setup: int, constrained: bool, news: list[Sentence], tmp_path: Path) -> None:
    model = tiny_model(news, setup=setup, constrained=constrained, candidates="all").eval()
    stir(model)
    batch = encode(model, news)
    allowed = np.random.default_rng(0).random((*batch.words.shape, len(model.encoder.labels))) < 0.6
    allowed[:, :, 0] = True
    theirs = model.decode(batch, allowed=allowed)
    assert_found_alike(exported(model, tmp_path).decode(batch, allowed=allowed), theirs)


def test_sentences_without_a_pair_are_left_out_and_nothing_changes(
    news: list[Sentence], tmp_path: Path
) -> None:
    model = tiny_model(news, candidates="all", context=True).eval()
    stir(model)
    network = exported(model, tmp_path)
    batch = encode(model, news)
    longest = int(batch.lengths.argmax())
    allowed = np.zeros((*batch.words.shape, len(model.encoder.labels)), dtype=bool)
    allowed[:, :, 0] = True  # no entity at all, but
    allowed[longest, batch.lengths[longest] - 1] = np.arange(allowed.shape[2]) == 4  # one at the very end,
    allowed[[0, 1]] = True  # and any in two sentences
    sizes: list[int] = []
    run = network._run
    network._run = lambda *inputs: sizes.append(len(inputs[3])) or run(*inputs)  # type: ignore[method-assign]
    theirs = model.decode(batch, allowed=allowed)
    assert longest in theirs.spans.sentence
    assert_found_alike(network.decode(batch, allowed=allowed), theirs)
    assert sizes == [len(news), 2]


def test_nothing_found_is_no_trouble(news: list[Sentence], tmp_path: Path) -> None:
    model = tiny_model(news).eval()
    model.tagger.output.bias.data[0] = 1e4
    found = exported(model, tmp_path).decode(encode(model, news))
    assert (len(found.spans), len(found.pairs), len(found.pair_scores)) == (0, 0, 0)


def test_one_token_is_a_sentence(network: OnnxNetwork, trained: JointModel) -> None:
    batch = encode(trained, [Sentence(["Oslo"], [Entity(0, 1, "Loc")])])
    assert_found_alike(network.decode(batch), trained.decode(batch))


def test_threads_may_share_a_network(network: OnnxNetwork, trained: JointModel, news) -> None:
    batches = [encode(trained, news[start : start + 2]) for start in range(len(news) - 1)] * 3
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(network.decode, batches))
    for batch, found in zip(batches, together, strict=True):
        assert_found_alike(found, trained.decode(batch))


def test_the_whole_of_conll04_dev_is_annotated_alike(corpora: Path, tmp_path: Path) -> None:
    train = list(formats.read(corpora / "conll04" / "train.jsonl"))
    model = tiny_model(train, context=True, constrained=True, candidates="all").eval()
    stir(model)
    network = exported(model, tmp_path)
    encoder = network.new_encoder()
    examples = [encoder.encode(s) for s in formats.read(corpora / "conll04" / "dev.jsonl")]
    entities = relations = 0
    for rows in sorted_batches([len(example) for example in examples], 2048):
        batch = encoder.batch([examples[row] for row in rows])
        theirs = model.decode(batch)
        assert_found_alike(network.decode(batch), theirs)
        entities, relations = entities + len(theirs.spans), relations + len(theirs.pairs)
    assert entities > 100
    assert relations > 20


def test_neither_loading_nor_decoding_needs_pytorch(folder: Path) -> None:
    program = f"""
import sys; sys.modules["torch"] = sys.modules["onnx"] = None
from pathlib import Path
from biaffinity.annotation import Sentence
from biaffinity.extraction.onnx_network import OnnxNetwork
network = OnnxNetwork.load(Path({str(folder)!r}))
encoder = network.new_encoder()
network.decode(encoder.batch([encoder.encode(Sentence(["Ana", "lives", "here"]))]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def complaint(folder: Path, name: str = "") -> str:
    """What loading says: one line that names the file."""
    with pytest.raises(BiaffinityError) as caught:
        OnnxNetwork.load(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(folder / name))
    return message


def test_a_model_not_yet_exported_tells_how(trained: JointModel, tmp_path: Path) -> None:
    save_model(trained, tmp_path)
    assert f"run: biaffinity export {tmp_path}" in complaint(tmp_path, "model.onnx")


def test_a_graph_of_other_weights_is_refused(folder: Path, trained: JointModel, news) -> None:
    other = tiny_model(news, context=True, constrained=True, seed=5)
    save_weights(other, folder)
    message = complaint(folder, "model.onnx")
    assert "made from other weights" in message
    assert "run: biaffinity export" in message


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "half": lambda whole: whole[: len(whole) // 2],
    "one byte less": lambda whole: whole[:-1],
    "text": lambda whole: b"version https://git-lfs.example/spec/v1\n",
    "zeros": lambda whole: bytes(len(whole)),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_graph_is_named(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    path = folder / "model.onnx"
    path.write_bytes(damage(path.read_bytes()))
    assert "run: biaffinity export" in complaint(folder, "model.onnx")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such model folder"):
        OnnxNetwork.load(tmp_path / "none")
