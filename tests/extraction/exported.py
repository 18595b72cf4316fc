"""Tiny models exported, and what two runtimes found compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biaffinity.encoding.decoded import Decoded
from biaffinity.extraction.export import export
from biaffinity.extraction.onnx_network import OnnxNetwork
from biaffinity.model.folder import save_model
from biaffinity.model.joint import JointModel


def exported(model: JointModel, folder: Path) -> OnnxNetwork:
    """The model saved, exported and loaded without PyTorch."""
    save_model(model, folder)
    export(folder)
    return OnnxNetwork.load(folder)


def assert_found_alike(ours: Decoded, theirs: Decoded, tolerance: float = 1e-4) -> None:
    """The same entities and relations, with scores within the tolerance."""
    for part in ("sentence", "start", "end", "type"):
        np.testing.assert_array_equal(getattr(ours.spans, part), getattr(theirs.spans, part))
    for part in ("head", "tail", "relation"):
        np.testing.assert_array_equal(getattr(ours.pairs, part), getattr(theirs.pairs, part))
    np.testing.assert_allclose(ours.span_scores, theirs.span_scores, atol=tolerance, rtol=0)
    np.testing.assert_allclose(ours.pair_scores, theirs.pair_scores, atol=tolerance, rtol=0)
    assert ours.span_scores.dtype == ours.pair_scores.dtype == np.float32
