"""Token vectors without PyTorch beside PyTorch's, and what is imported for them."""

from __future__ import annotations

import copy
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra transformers")
pytest.importorskip("onnx", reason="needs the extra train")

import torch

from biaffinity.annotation import Sentence
from biaffinity.decoding.network import Batch
from biaffinity.encoders.parts import EncoderRuntime, Graph, load_runtime
from biaffinity.encoders.transformer import replay
from biaffinity.encoders.transformer.encoder import TransformerEncoder
from biaffinity.errors import DataError
from biaffinity.graphs.judge import Signature
from biaffinity.layers.onnx_graph import Traced, onnx_files
from biaffinity.model.folder import load_model
from biaffinity.runtime.network import OnnxNetwork
from biaffinity.runtime.parts import FolderParts
from encoders.transformer import tiny
from layers.exported import loaded
from model.tiny import stir
from runtime.exported import assert_found_alike, found, runtimes

Both = tuple[TransformerEncoder, EncoderRuntime]
TEXT = "Ana Ruiz works for Norvik Oil in Bergen, Norway."


class GraphParts:
    """The files of an encoder in a folder, its graphs in memory."""

    def __init__(self, folder: Path, encoder: TransformerEncoder, graphs: dict[str, bytes]) -> None:
        encoder.save(folder)
        self.folder = folder
        self.shapes = {f"encoder.{name}": tuple(own.shape) for name, own in encoder.state_dict().items()}
        self._graphs = graphs

    def require(self, name: str, *shape: int) -> None:
        assert self.shapes[name] == shape

    def graph(self, name: str, signature: Signature) -> Graph:
        run = loaded(self._graphs[name], signature)
        return lambda feeds: run(**feeds)


@pytest.fixture(scope="module")
def both(
    transformer_folder: Path, news: list[Sentence], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Both]:
    """Encoders with and without PyTorch, by what a word is to them: two have no characters."""
    tokenizer = tiny.byte_level_tokenizer()
    folder = tmp_path_factory.mktemp("roberta")
    tiny.save(folder, tiny.roberta(tokenizer, num_hidden_layers=1), tokenizer, pad_token="<pad>")

    def exported(**switches: bool) -> Both:
        encoder = tiny.encoder(folder, news, pooling="first", characters=False, **switches)
        if encoder.settings.case:
            stir(encoder.words.transformer.get_input_embeddings().cases)
        traced = copy.deepcopy(encoder).graphs()  # an export changes what it traces
        graphs = onnx_files({f"encoder.{name}": Traced(*own) for name, own in traced.items()}, {})
        parts = GraphParts(tmp_path_factory.mktemp("encoder"), encoder, graphs)
        return encoder, load_runtime(parts, "encoder", encoder.settings)

    mean = load_model(transformer_folder).encoder
    assert isinstance(mean, TransformerEncoder)
    return {
        "first": exported(),
        "cased": exported(case=True),
        "mean": (mean, load_runtime(FolderParts(transformer_folder), "encoder", mean.settings)),
    }


def batches(news: list[Sentence]) -> dict[str, list[list[str]]]:
    sentences = [list(sentence.tokens) for sentence in news]
    long = [token for tokens in sentences for token in tokens] * 3
    return {
        "one word": [["Oslo"]],
        "mixed": sentences,
        "over-long": [["in"], long, sentences[0], long[5:40]],
        "strange": [["\x07", "日本", "x" * 500, "\ud800", ""], ["Oslo"]],
    }


@pytest.mark.parametrize("kind", ["one word", "mixed", "over-long", "strange"])
@pytest.mark.parametrize("name", ["first", "cased", "mean"])
def test_token_vectors_are_pytorchs(
    name: str, kind: str, both: dict[str, Both], news: list[Sentence]
) -> None:
    encoder, runtime = both[name]
    sentences = batches(news)[kind]
    featuriser = runtime.new_featuriser()
    features = featuriser.collate([featuriser.featurise(tokens) for tokens in sentences])
    lengths = np.array([len(tokens) for tokens in sentences])
    ours = runtime(Batch(features, lengths, None))
    with torch.no_grad():
        theirs = encoder({key: torch.from_numpy(array) for key, array in features.items()}).numpy()
    assert ours.dtype == np.float32
    inside = np.arange(lengths.max()) < lengths[:, None]
    np.testing.assert_allclose(ours[inside], theirs[inside], atol=1e-5, rtol=1e-5)


def test_a_graph_computes_in_single_precision_wherever_it_is_made(
    transformer: Path, news: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    def graph() -> bytes:
        made = tiny.encoder(transformer, news, characters=False, bfloat16=True).graphs()
        [content] = onnx_files({name: Traced(*own) for name, own in made.items()}, {}).values()
        return content

    monkeypatch.setattr(replay, "computes_bfloat16", lambda device: False)
    single = graph()
    monkeypatch.setattr(replay, "computes_bfloat16", lambda device: True)
    assert graph() == single


def test_both_runtimes_find_the_same(transformer_folder: Path, news: list[Sentence]) -> None:
    torch_network, onnx_network = runtimes(transformer_folder)
    long = Sentence([token for sentence in news for token in sentence.tokens])
    theirs = found(torch_network, [*news, long])
    assert len(theirs.pairs)
    assert_found_alike(found(onnx_network, [*news, long]), theirs)


def test_neither_loading_nor_reading_imports_pytorch_or_transformers(
    transformer_folder: Path, tmp_path: Path
) -> None:
    program = f"""
import sys
import biaffinity
found = biaffinity.load(sys.argv[1])({TEXT!r})
print(len(found.entities))
print(sorted({{"torch", "transformers", "onnx"}} & set(sys.modules)))
"""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "nothing")}
    done = subprocess.run(
        [sys.executable, "-c", program, str(transformer_folder)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "4\n[]\n", "")
    assert not (tmp_path / "nothing").exists()


def test_where_tokenizers_is_missing_the_extra_is_named(transformer_folder: Path) -> None:
    program = (
        "import sys; sys.modules['tokenizers'] = None\nfrom biaffinity.cli import main; main(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "extract", "--model", str(transformer_folder), TEXT],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: a transformer encoder needs an extra that is not installed")
    assert "pip install 'biaffinity[transformers]'" in done.stderr


@pytest.mark.parametrize("name", ["transformer.json", "tokenizer.json"])
@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", None], ids=["empty", "{}", "bytes", "missing"])
def test_a_damaged_file_is_named(
    name: str, content: bytes | None, transformer_folder: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(transformer_folder, tmp_path / "model")
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        OnnxNetwork.load(folder)
    assert str(caught.value).startswith(str(folder / name))
    assert "\n" not in str(caught.value)
