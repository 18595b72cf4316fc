"""Tiny models exported, and what two runtimes found compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from biaffinity.annotation import Sentence
from biaffinity.config.folder import ModelDescription, read_description
from biaffinity.decoding.arrays import padded
from biaffinity.decoding.decision import Decoded
from biaffinity.decoding.decode import decode
from biaffinity.decoding.network import Batch, Network
from biaffinity.decoding.prediction import given_boundaries
from biaffinity.model.export import export
from biaffinity.model.folder import load_model, save_model
from biaffinity.model.joint import JointModel
from biaffinity.model.network import TorchNetwork
from biaffinity.runtime.network import OnnxNetwork
from biaffinity.runtime.parts import FolderParts


def exported(model: JointModel, folder: Path) -> OnnxNetwork:
    """The model saved, exported and loaded without PyTorch."""
    save_model(model, folder)
    export(folder)
    return OnnxNetwork.load(folder)


def runtimes(folder: Path, **decoding: Any) -> tuple[TorchNetwork, OnnxNetwork]:
    """The network of a folder in PyTorch and in onnxruntime, under other settings that decoding knows."""
    known = read_description(folder)
    config = known.config.updated("model", **decoding)
    model = load_model(folder)
    model.configure(config)
    return TorchNetwork(model), OnnxNetwork(ModelDescription(config, known.schema), FolderParts(folder))


def batch_of(network: Network, sentences: Sequence[Sentence]) -> Batch:
    """Some sentences as a network reads them; it belongs to that network."""
    featuriser = network.new_featuriser()
    features = featuriser.collate([featuriser.featurise(sentence.tokens) for sentence in sentences])
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    boundaries = None
    if network.description.boundaries == "given":
        boundaries = padded(np.concatenate([given_boundaries(sentence) for sentence in sentences]), lengths)
    return Batch(features, lengths, boundaries)


def found(network: Network, sentences: Sequence[Sentence], **options: Any) -> Decoded:
    """What a network finds in some sentences, read as one batch."""
    return decode(network, batch_of(network, sentences), **options)


def assert_found_alike(ours: Decoded, theirs: Decoded, tolerance: float = 1e-4) -> None:
    """The same entities and relations, with scores within the tolerance."""
    for part in ("sentence", "start", "end", "type"):
        np.testing.assert_array_equal(getattr(ours.spans, part), getattr(theirs.spans, part))
    for part in ("head", "tail"):
        np.testing.assert_array_equal(getattr(ours.pairs, part), getattr(theirs.pairs, part))
    np.testing.assert_array_equal(ours.relations, theirs.relations)
    np.testing.assert_allclose(ours.span_scores, theirs.span_scores, atol=tolerance, rtol=0)
    np.testing.assert_allclose(ours.relation_scores, theirs.relation_scores, atol=tolerance, rtol=0)
    assert ours.span_scores.dtype == ours.relation_scores.dtype == np.float32
