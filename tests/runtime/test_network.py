"""The runtime without PyTorch finds what PyTorch finds, and says clearly why it cannot run."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from safetensors.numpy import load_file, save_file

from biaffinity import formats
from biaffinity.annotation import Entity, Sentence
from biaffinity.config.seal import seal
from biaffinity.decoding.network import Network
from biaffinity.decoding.prediction import predict, sorted_batches
from biaffinity.errors import BiaffinityError, DataError
from biaffinity.extraction.loading import load_network, model_folder
from biaffinity.model import network as torch_network
from biaffinity.model.folder import owned_tensors, save_model, save_weights
from biaffinity.model.joint import JointModel
from biaffinity.runtime import network as onnx_network
from biaffinity.runtime.network import OnnxNetwork
from model.tiny import SWITCHES, tiny_model
from runtime.conftest import COMBINATIONS, TRAINED, WITHOUT_UNSEEN
from runtime.exported import assert_found_alike, found, runtimes

Combination = Callable[[str], Path]
GRAPHS = ["emissions.onnx", "states.onnx", "pairs.onnx", "encoder.characters.onnx"]


@pytest.fixture
def spare(folder: Path, tmp_path: Path) -> Path:
    """A whole model, exported, for a test to spoil."""
    return shutil.copytree(folder, tmp_path / "model")


# The same in both runtimes


@pytest.mark.parametrize("candidates", ["types", "all"])
@pytest.mark.parametrize("constrained", [False, True], ids=["any labels", "legal labels"])
@pytest.mark.parametrize("name", COMBINATIONS)
def test_both_runtimes_find_the_same(
    name: str, constrained: bool, candidates: str, combination: Combination, strange_news: list[Sentence]
) -> None:
    torch, onnxruntime = runtimes(combination(name), constrained=constrained, candidates=candidates)
    theirs = found(torch, strange_news)
    assert len(theirs.pairs if candidates == "all" else theirs.spans)
    assert_found_alike(found(onnxruntime, strange_news), theirs)


@pytest.mark.parametrize("boundaries", ["predicted", "given"])
@pytest.mark.parametrize("switches", SWITCHES.values(), ids=SWITCHES)
def test_every_switch_of_the_paper_is_compared(boundaries: str, switches: dict[str, Any]) -> None:
    own = {key: value for key, value in switches.items() if key not in ("constrained", "candidates")}
    compared = [c for c in COMBINATIONS.values() if c.get("boundaries", "predicted") == boundaries]
    assert any(own.items() <= combined.items() for combined in compared)


def test_one_layer_and_two_and_three_are_compared() -> None:
    assert {combined.get("lstm_layers", 2) for combined in COMBINATIONS.values()} == {1, 2, 3}


def test_a_model_without_vectors_of_unseen_words_is_compared(combination: Combination) -> None:
    torch, _ = runtimes(combination(WITHOUT_UNSEEN))
    assert torch.model.encoder.words.unseen.shape[0] == 0


@pytest.mark.parametrize("name", ["pipeline", "given"])
@pytest.mark.parametrize("constrained", [False, True])
def test_labels_may_be_confined(
    name: str, constrained: bool, combination: Combination, strange_news: list[Sentence]
) -> None:
    torch, onnxruntime = runtimes(combination(name), constrained=constrained, candidates="all")
    shape = (len(strange_news), max(map(len, strange_news)), len(torch.description.labels))
    allowed = np.random.default_rng(0).random(shape) < 0.6
    allowed[:, :, 0] = True
    theirs = found(torch, strange_news, allowed=allowed)
    assert len(theirs.pairs)
    assert_found_alike(found(onnxruntime, strange_news, allowed=allowed), theirs)


def test_the_embedded_model_annotates_the_whole_of_conll04_dev_alike(corpora: Path) -> None:
    torch, onnxruntime = runtimes(model_folder(None), candidates="all")
    sentences = list(formats.read(corpora / "conll04" / "dev.jsonl"))
    entities = relations = 0
    for rows in sorted_batches([len(sentence) for sentence in sentences], 2048):
        batch = [sentences[row] for row in rows]
        theirs = found(torch, batch)
        assert_found_alike(found(onnxruntime, batch), theirs)
        entities, relations = entities + len(theirs.spans), relations + len(theirs.pairs)
    assert entities > 100
    assert relations > 20


# Entity confidence

#: A weight under which a model of random weights loses some of its relations and keeps others.
DOUBT = 0.5


def relations_found(network: Network, sentences: list[Sentence], *, scores: bool) -> set[tuple[Any, ...]]:
    """The relations that prediction finds, each by its place and without a score."""
    return {
        (place, relation.type, relation.head, relation.tail)
        for place, sentence in enumerate(predict(network, sentences, scores=scores))
        for relation in sentence.relations
    }


@pytest.fixture(scope="module")
def doubtful(combination: Combination, tmp_path_factory: pytest.TempPathFactory) -> dict[float, Path]:
    """Folders of one model that differ in what config.json says of the confidence in entities."""
    folders = {}
    for weight in (0.0, DOUBT):
        folder = shutil.copytree(combination("pipeline"), tmp_path_factory.mktemp("doubt") / "model")
        head = json.loads((folder / "config.json").read_text())
        head["config"]["model"]["entity_confidence_weight"] = weight
        (folder / "config.json").write_text(json.dumps(head))
        seal(folder)
        folders[weight] = folder
    return folders


@pytest.mark.parametrize("scores", [True, False], ids=["with scores", "without scores"])
@pytest.mark.parametrize("runtime", ["torch", "onnx"])
def test_doubt_about_entities_takes_relations_away(
    runtime: str, scores: bool, doubtful: dict[float, Path], strange_news: list[Sentence]
) -> None:
    sure, unsure = (
        relations_found(load_network(doubtful[weight], runtime), strange_news, scores=scores)
        for weight in (0.0, DOUBT)
    )
    assert set() < unsure < sure


@pytest.mark.parametrize("scores", [True, False], ids=["with scores", "without scores"])
def test_both_runtimes_doubt_alike(
    scores: bool, doubtful: dict[float, Path], strange_news: list[Sentence]
) -> None:
    torch, onnxruntime = (load_network(doubtful[DOUBT], runtime) for runtime in ("torch", "onnx"))
    theirs = found(torch, strange_news, scores=scores)
    assert_found_alike(found(onnxruntime, strange_news, scores=scores), theirs)


# Batches


@pytest.fixture(scope="module")
def network(folder: Path) -> OnnxNetwork:
    """A network that knows the sample by heart."""
    return OnnxNetwork.load(folder)


def test_padding_changes_nothing(network: OnnxNetwork, strange_news: list[Sentence]) -> None:
    together = found(network, strange_news)
    assert len(together.pairs)
    for number, sentence in enumerate(strange_news):
        alone = found(network, [sentence])
        ours = together.spans.sentence == number
        np.testing.assert_array_equal(alone.spans.start, together.spans.start[ours])
        np.testing.assert_array_equal(alone.spans.type, together.spans.type[ours])
        np.testing.assert_allclose(alone.span_scores, together.span_scores[ours], atol=1e-5)
        related = ours[together.pairs.head]
        np.testing.assert_array_equal(alone.relations, together.relations[related])
        np.testing.assert_allclose(alone.relation_scores, together.relation_scores[related], atol=1e-5)


def test_without_scores_the_entities_are_the_same(
    folder: Path, network: OnnxNetwork, strange_news: list[Sentence]
) -> None:
    torch, _ = runtimes(folder)
    theirs = found(torch, strange_news, scores=False)
    ours = found(network, strange_news, scores=False)
    assert_found_alike(ours, theirs)
    assert set(ours.span_scores.tolist()) == {1.0}


@pytest.mark.parametrize("runtime", ["torch", "onnx"])
def test_sentences_without_a_pair_are_left_out_and_nothing_changes(
    runtime: str, combination: Combination, strange_news: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    torch, onnxruntime = runtimes(combination(TRAINED), candidates="all")
    lengths = [len(sentence) for sentence in strange_news]
    longest = int(np.argmax(lengths))
    rows = [n for n, s in enumerate(strange_news) if len(s.entities) > 1 and n != longest][:2]
    allowed = np.zeros((len(lengths), max(lengths), len(torch.description.labels)), dtype=bool)
    allowed[:, :, 0] = True  # no entity at all, but
    allowed[longest, lengths[longest] - 1] = np.arange(allowed.shape[2]) == 4  # one at the very end,
    allowed[rows] = True  # and any in two sentences
    size = max(lengths[row] for row in rows)
    alone = found(torch, [strange_news[row] for row in rows], allowed=allowed[rows, :size])
    sizes: list[int] = []
    if runtime == "torch":
        states = torch.model.relations.forward
        monkeypatch.setattr(
            torch.model.relations, "forward", lambda v, *rest: sizes.append(len(v)) or states(v, *rest)
        )
    else:
        run = onnxruntime._states
        onnxruntime._states = lambda feeds: sizes.append(len(feeds["vectors"])) or run(feeds)  # type: ignore[func-returns-value]
    ours = found(torch if runtime == "torch" else onnxruntime, strange_news, allowed=allowed)
    assert longest in ours.spans.sentence
    assert len(ours.pairs)
    np.testing.assert_array_equal(ours.spans.start[ours.pairs.head], alone.spans.start[alone.pairs.head])
    np.testing.assert_array_equal(ours.relations, alone.relations)
    np.testing.assert_allclose(ours.relation_scores, alone.relation_scores, atol=1e-4)
    assert sizes == [2]


@pytest.mark.parametrize("runtime", ["torch", "onnx"])
def test_nothing_found_is_no_trouble(
    runtime: str, combination: Combination, strange_news: list[Sentence]
) -> None:
    network = load_network(combination("pipeline"), runtime)
    shape = (len(strange_news), max(map(len, strange_news)), len(network.description.labels))
    nothing = found(network, strange_news, allowed=np.broadcast_to(np.arange(shape[2]) == 0, shape))
    assert (len(nothing.spans), len(nothing.pairs), len(nothing.relation_scores)) == (0, 0, 0)


def test_one_token_is_a_sentence(folder: Path, network: OnnxNetwork) -> None:
    torch, _ = runtimes(folder)
    sentence = Sentence(["Oslo"], [Entity(0, 1, "Loc")])
    assert_found_alike(found(network, [sentence]), found(torch, [sentence]))


@pytest.mark.parametrize("name", [TRAINED, "pipeline", "softmax"])
def test_blocks_of_pairs_change_nothing(
    name: str, combination: Combination, strange_news: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    networks = runtimes(combination(name), candidates="all")
    whole = found(networks[0], strange_news)
    assert len(whole.pairs) > 14
    monkeypatch.setattr(torch_network, "BLOCK", 7)
    monkeypatch.setattr(onnx_network, "BLOCK_NUMBERS", 7 * networks[1]._widest)
    for network in networks:
        assert_found_alike(found(network, strange_news), whole)


def test_a_block_has_its_own_sentences_only(
    network: OnnxNetwork, strange_news: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    scored, read = network._pairs, []

    def watching(feeds: dict[str, Any]) -> Any:
        read.append((len(feeds["states"]), len(feeds["sentence"]), len(feeds["head"])))
        return scored(feeds)

    monkeypatch.setattr(network, "_pairs", watching)
    monkeypatch.setattr(onnx_network, "BLOCK_NUMBERS", 0)  # a pair at a time
    found(network, strange_news)
    longest = max(len(sentence) for sentence in strange_news)
    assert len(read) > len(strange_news)
    assert all(sentences == pairs == 1 and spans <= longest for sentences, spans, pairs in read)


def test_threads_may_share_a_network(
    folder: Path, network: OnnxNetwork, strange_news: list[Sentence]
) -> None:
    torch, _ = runtimes(folder)
    batches = [strange_news[start : start + 2] for start in range(len(strange_news) - 1)] * 3
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda batch: found(network, batch), batches))
    for batch, ours in zip(batches, together, strict=True):
        assert_found_alike(ours, found(torch, batch))


def test_neither_loading_nor_decoding_needs_pytorch(folder: Path) -> None:
    program = f"""
import sys; sys.modules["torch"] = sys.modules["onnx"] = None
from pathlib import Path
from biaffinity.annotation import Sentence
from biaffinity.decoding.prediction import predict
from biaffinity.runtime.network import OnnxNetwork
network = OnnxNetwork.load(Path({str(folder)!r}))
[found] = predict(network, [Sentence("Ana Ruiz works for Norvik Oil in Bergen .".split())])
print(len(found.entities))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")


# What cannot run


def complaint(folder: Path, name: str = "") -> str:
    """What loading says: one line that names the file."""
    with pytest.raises(BiaffinityError) as caught:
        OnnxNetwork.load(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(folder / name))
    return message


def assert_of_other_weights(folder: Path) -> None:
    message = complaint(folder)
    assert ".onnx: was made from other weights than model.safetensors" in message
    assert f"run: biaffinity export --model {folder}" in message


def test_a_model_not_yet_exported_tells_how(trained: JointModel, tmp_path: Path) -> None:
    save_model(trained, tmp_path)
    message = complaint(tmp_path)
    assert ".onnx: no such file" in message
    assert f"run: biaffinity export --model {tmp_path}" in message


@pytest.mark.parametrize("name", GRAPHS)
def test_a_missing_graph_is_named(spare: Path, name: str) -> None:
    (spare / name).unlink()
    assert complaint(spare, name).endswith(f": no such file (run: biaffinity export --model {spare})")


def test_the_second_encoder_of_a_pipeline_must_be_there(combination: Combination, tmp_path: Path) -> None:
    folder = shutil.copytree(combination("pipeline"), tmp_path / "model")
    (folder / "relation_encoder.characters.onnx").unlink()
    assert "no such file" in complaint(folder, "relation_encoder.characters.onnx")


def test_graphs_of_other_weights_are_refused(spare: Path, news: list[Sentence]) -> None:
    save_weights(owned_tensors(tiny_model(news, context=True, constrained=True, seed=5)), spare)
    assert_of_other_weights(spare)


def test_lstm_weights_that_were_scaled_are_other_weights(spare: Path) -> None:
    tensors = load_file(spare / "model.safetensors")
    scaled = {name: 0.2 * tensor if ".lstm." in name else tensor for name, tensor in tensors.items()}
    assert sum(scaled[name] is not tensors[name] for name in tensors) > 8
    save_file(scaled, spare / "model.safetensors")
    assert_of_other_weights(spare)


def test_every_weight_counts(spare: Path) -> None:
    whole = load_file(spare / "model.safetensors")
    for name, tensor in whole.items():
        changed = tensor.copy()
        changed.flat[-1] += 1
        save_file({**whole, name: changed}, spare / "model.safetensors")
        assert_of_other_weights(spare)


@pytest.mark.parametrize("name", GRAPHS)
def test_every_graph_tells_its_weights(spare: Path, name: str) -> None:
    graph = onnx.load(spare / name)
    helper.set_model_props(graph, {"weights": "0" * 64})
    onnx.save(graph, spare / name)
    assert "made from other weights" in complaint(spare, name)


def test_a_graph_that_does_not_tell_its_weights_is_refused(spare: Path) -> None:
    graph = onnx.load(spare / "states.onnx")
    del graph.metadata_props[:]
    onnx.save(graph, spare / "states.onnx")
    assert "made from other weights" in complaint(spare, "states.onnx")


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "half": lambda whole: whole[: len(whole) // 2],
    "one byte less": lambda whole: whole[:-1],
    "text": lambda whole: b"version https://git-lfs.example/spec/v1\n",
    "zeros": lambda whole: bytes(len(whole)),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_graph_is_named(spare: Path, damage: Callable[[bytes], bytes], name: str) -> None:
    path = spare / name
    path.write_bytes(damage(path.read_bytes()))
    assert "run: biaffinity export" in complaint(spare, name)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such model folder"):
        OnnxNetwork.load(tmp_path / "none")
