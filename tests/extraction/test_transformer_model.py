"""An extractor of a model that reads with a transformer."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

import biaffinity
from biaffinity import Extractor, Sentence
from biaffinity.errors import UsageError
from extraction.texts import ANA, TOVE


@pytest.fixture(scope="module")
def reader(transformer_folder: Path) -> Extractor:
    return biaffinity.load(transformer_folder)


def test_it_finds_what_it_was_taught(reader: Extractor, news: list[Sentence]) -> None:
    for sentence in news:
        found = reader.tokens(sentence.tokens)
        assert [(e.start, e.end, e.type) for e in found.sentences[0].entities] == [
            (e.start, e.end, e.type) for e in sentence.entities
        ]


def test_both_runtimes_read_the_same(reader: Extractor, transformer_folder: Path) -> None:
    other = biaffinity.load(transformer_folder, runtime="torch")
    text = " ".join([ANA.rstrip("."), "and", TOVE.rstrip(".")] * 12) + "."
    assert reader(text).triples() == other(text).triples()
    assert len(reader(text).entities) > 20


def test_a_stream_gives_what_single_calls_give(reader: Extractor) -> None:
    texts = [ANA, TOVE, "", "\x07 \u200b", ANA * 30]
    assert [document.triples() for document in reader.stream(texts)] == [
        reader(text).triples() for text in texts
    ]


def test_threads_may_share_it_and_processes_have_it_sent(reader: Extractor) -> None:
    expected = [reader(text).triples() for text in (ANA, TOVE)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: reader(text).triples(), [ANA, TOVE] * 8))
    assert found == expected * 8
    assert pickle.loads(pickle.dumps(reader))(ANA).triples() == expected[0]


def test_given_entities_are_kept(reader: Extractor) -> None:
    found = reader(ANA, entities=[(0, 8, "Peop"), (19, 29, "Org")])
    assert [(e.text, e.type) for e in found.entities] == [("Ana Ruiz", "Peop"), ("Norvik Oil", "Org")]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_without_a_gpu_asking_for_one_is_a_clear_error(transformer_folder: Path) -> None:
    with pytest.raises(UsageError, match=r"^PyTorch sees no device 'cuda' here \(it sees cpu\)$"):
        biaffinity.load(transformer_folder, device="cuda")
