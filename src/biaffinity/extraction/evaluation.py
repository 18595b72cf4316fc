"""A model's score sheet on annotated data."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.decoding.prediction import predict
from biaffinity.extraction.loading import load_network, model_folder
from biaffinity.scoring import ScoreSheet, score


def evaluate(
    model: str | Path | None, data: str | Path | Iterable[Sentence], *, device: str = "cpu"
) -> ScoreSheet:
    """Score a model, named as for `Extractor.load`, on annotated data: a file of any format, or sentences.

    ``sheet["re", "strict", "micro"].f1`` is one cell, ``sheet.to_dict()`` has all. A model of given
    boundaries is given the data's own.
    """
    network = load_network(model_folder(model), device=device)
    sentences = list(formats.read(data) if isinstance(data, str | Path) else data)
    return score(sentences, predict(network, sentences))
