"""The network of a model folder as decoding wants it, run by onnxruntime."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biaffinity.config.folder import ModelDescription, read_description
from biaffinity.decoding.arrays import Array, Floats, Ints
from biaffinity.decoding.candidates import Pairs
from biaffinity.decoding.crf import CRFDecoder
from biaffinity.decoding.labels import BOUNDARIES, Spans
from biaffinity.decoding.network import Batch, Description, Featuriser, involved
from biaffinity.encoders.parts import load_runtime
from biaffinity.errors import DataError
from biaffinity.graphs.judge import Axes, Signature
from biaffinity.runtime.parts import FolderParts

#: Numbers of the widest array that pairs are scored with at a time, 4 MB: what a sentence full of
#: entities needs stays small, and within a cache.
BLOCK_NUMBERS = 1 << 20
_VECTORS = "relation vectors"


class OnnxNetwork:
    """The exported network of a model folder; threads may share it."""

    def __init__(self, known: ModelDescription, parts: FolderParts) -> None:
        settings, options = known.config.encoder, known.config.model
        self.description: Description = known.decoding
        self.batch_tokens: int = settings.batch_tokens
        self.crf = _crf(known, self.description, parts)
        self._encoder = load_runtime(parts, "encoder", settings)
        self._relation_encoder = (
            load_runtime(parts, "relation_encoder", settings)
            if options.architecture == "pipeline"
            else self._encoder
        )
        _check_sizes(known, parts, self._encoder.width)
        signatures = graph_signatures(known, self._encoder.width)
        self._emissions, self._states, self._pairs = (
            parts.graph(name, signature) for name, signature in signatures.items()
        )
        self._widest = signatures["pairs"].width
        self._folder = parts.folder

    @classmethod
    def load(cls, folder: Path, threads: int = 1, fingerprint: str | None = None) -> OnnxNetwork:
        """Read a model folder that has its graphs; ``fingerprint`` is that of its weights, if it is known."""
        return cls(read_description(folder), FolderParts(folder, threads, fingerprint))

    def new_featuriser(self) -> Featuriser:
        """A featuriser for this network that has met no token yet."""
        return self._encoder.new_featuriser()

    def emissions(self, batch: Batch) -> Floats:
        """[batch, size, labels]."""
        vectors = self._encoder(batch)
        if self._relation_encoder is self._encoder:
            batch.memo[_VECTORS] = vectors
        return self._numbers(self._emissions({"vectors": vectors, "lengths": batch.lengths, **_given(batch)}))

    def pair_logits(self, batch: Batch, labels: Ints, spans: Spans, pairs: Pairs) -> Floats:
        """[pairs, classes]; only the sentences that have a pair are read."""
        vectors = batch.memo.get(_VECTORS)
        if vectors is None:
            vectors = self._relation_encoder(batch)
        tokens: dict[str, Array] = {"vectors": vectors, "labels": labels, **_given(batch)}
        rows, size, spans = involved(batch.lengths, spans, pairs)
        feeds: dict[str, Array] = {name: values[rows, :size] for name, values in tokens.items()}
        states = self._states({**feeds, "lengths": batch.lengths[rows]})
        size = max(1, BLOCK_NUMBERS // self._widest)
        blocks = (pairs[start : start + size] for start in range(0, len(pairs), size))
        return self._numbers(np.concatenate([self._block_logits(states, spans, block) for block in blocks]))

    def _block_logits(self, states: Floats, spans: Spans, pairs: Pairs) -> Floats:
        """[pairs, classes], from their own sentences alone: what is computed for each entity and token is not
        computed again in every block for all of them.
        """
        sentence = spans.sentence[pairs.head]
        first, last = sentence.min(), sentence.max()
        start, end = np.searchsorted(spans.sentence, (first, last + 1))
        own = spans[start:end]
        return self._pairs(
            {
                "states": states[first : last + 1],
                "sentence": own.sentence - first,
                "start": own.start,
                "end": own.end,
                "head": pairs.head - start,
                "tail": pairs.tail - start,
            }
        )

    def _numbers(self, scores: Floats) -> Floats:
        """The scores themselves; what is no number would decide anything."""
        if not np.isfinite(scores).all():
            raise DataError(
                "its scores are no numbers", where=str(self._folder), remedy="copy or train the model again"
            )
        return scores


def _check_sizes(known: ModelDescription, parts: FolderParts, width: int) -> None:
    """See that the sizes in the config are those of the weights: graphs are measured by them."""
    options, labels = known.config.model, len(known.decoding.labels)
    if options.boundaries == "given":
        parts.require("boundaries.embedding.weight", BOUNDARIES, options.boundary_size)
        width += options.boundary_size
    read = {"tagger": width, "relations": width}
    if options.label_embeddings:
        parts.require("relations.label_embedding.weight", labels, options.label_size)
        read["relations"] += options.label_size
    hidden = options.lstm_hidden
    if options.lstm_layers:
        for part, size in read.items():
            parts.require(f"{part}.lstm.forwards.0.weight_ih_l0", 4 * hidden, size)
            parts.require(f"{part}.lstm.forwards.{options.lstm_layers - 1}.weight_hh_l0", 4 * hidden, hidden)
            read[part] = 2 * hidden
    parts.require("tagger.hidden.weight", options.tagger_hidden, read["tagger"])
    parts.require("relations.scorer.head.weight", options.projection, read["relations"])


def graph_signatures(known: ModelDescription, width: int) -> dict[str, Signature]:
    """What the graphs above the encoder read and give; ``width`` is that of its token vectors."""
    options, labels = known.config.model, len(known.decoding.labels)
    classes = known.schema.classes
    inputs: dict[str, Axes] = {"vectors": ("batch", "size", width), "lengths": ("batch",)}
    read = width + (options.boundary_size if options.boundaries == "given" else 0)
    labelled = read + (options.label_size if options.label_embeddings else 0)
    layers, hidden = 1 + options.lstm_layers, 2 * options.lstm_hidden
    states = hidden if options.lstm_layers else labelled
    given: dict[str, Axes] = {"boundaries": ("batch", "size")} if options.boundaries == "given" else {}
    return {
        "emissions": Signature(
            {**inputs, **given},
            ("batch", "size", labels),
            max(read, hidden, options.tagger_hidden, labels),
            layers,
        ),
        "states": Signature(
            {**inputs, "labels": ("batch", "size"), **given},
            ("batch", "size", states),
            max(labelled, hidden),
            layers,
        ),
        "pairs": Signature(
            {
                "states": ("batch", "size", states),
                **dict.fromkeys(("sentence", "start", "end"), ("entities",)),
                **dict.fromkeys(("head", "tail"), ("pairs",)),
            },
            ("pairs", classes),
            max(states, options.projection * classes),
        ),
    }


def _given(batch: Batch) -> dict[str, Array]:
    return {} if batch.boundaries is None else {"boundaries": batch.boundaries}


def _crf(known: ModelDescription, description: Description, parts: FolderParts) -> CRFDecoder:
    count = len(description.labels)
    legal = description.labels.allowed() if description.constrained else None
    if known.config.model.tagger == "softmax":
        return CRFDecoder.without_transitions(count, legal)
    transitions = parts.finite("tagger.crf.transitions", count, count)
    start, end = (parts.finite(f"tagger.crf.{side}", count) for side in ("start", "end"))
    return CRFDecoder(transitions, start, end, legal)
