"""A model folder run by onnxruntime and numpy, without PyTorch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime

from biaffinity.encoding.batches import Batch, Encoder, Pairs
from biaffinity.encoding.decoded import Decoded, Floats, decide
from biaffinity.encoding.labels import Ints, Spans
from biaffinity.encoding.vocabulary import Vocabulary
from biaffinity.errors import DataError
from biaffinity.extraction.chain import FORBIDDEN, Chain
from biaffinity.extraction.pair_scores import PairScores
from biaffinity.extraction.token_vectors import TokenVectors
from biaffinity.extraction.weights import Weights
from biaffinity.model.config import Config
from biaffinity.model.description import Description, read_description

GRAPH = "model.onnx"
#: The graph's own note of which weights it was made from.
WEIGHTS_KEY = "weights"


class OnnxNetwork:
    """The network of a model folder: its LSTMs in onnxruntime, the rest in numpy. Threads may share it."""

    def __init__(
        self, description: Description, weights: Weights, session: onnxruntime.InferenceSession
    ) -> None:
        self._description = description
        self._session = session
        options = description.config.model
        # Only its labels and its choice of pairs are used, so threads can share it.
        self._encoder = description.new_encoder()
        self._tokens = TokenVectors(weights, "tokens", description)
        self._relation_tokens = (
            TokenVectors(weights, "relation_tokens", description)
            if options.architecture == "pipeline"
            else self._tokens
        )
        self._chain = Chain.of(weights, options, self._encoder.labels)
        self._within_boundaries = options.constrained and options.setup == 2
        self._pair_scores = PairScores(weights, options, 1 + len(description.vocabulary.relation_types))

    @classmethod
    def load(cls, folder: Path, threads: int = 1) -> OnnxNetwork:
        """Read a model folder that has a ``model.onnx``."""
        description, weights = read_description(folder), Weights.read(folder)
        return cls(description, weights, _session(folder / GRAPH, weights.fingerprint(), threads))

    @property
    def config(self) -> Config:
        """How the model was made."""
        return self._description.config

    @property
    def vocabulary(self) -> Vocabulary:
        """The names behind the numbers."""
        return self._description.vocabulary

    def new_encoder(self) -> Encoder:
        """An encoder of sentences for this network that has met no token yet."""
        return self._description.new_encoder()

    def decode(
        self, batch: Batch, *, scores: bool = True, allowed: npt.NDArray[np.bool_] | None = None
    ) -> Decoded:
        """Entities and relations of a batch; without ``scores`` entity scores may be left at 1.

        ``allowed`` [batch, size, labels] tells which labels each token may have, where that is known
        beforehand (entities that a user gives).
        """
        vectors = self._tokens(batch)
        emissions = self._emissions(vectors, batch, allowed)
        labels = (
            self._chain.types_within(emissions, batch.lengths, batch.boundaries.T)
            if self._within_boundaries
            else self._chain.viterbi(emissions, batch.lengths)
        )
        spans = self._encoder.labels.decode(labels.T, batch.lengths, batch.boundaries)
        doubt = self.config.model.entity_doubt
        span_scores = np.ones(len(spans), dtype=np.float32)
        if (scores or doubt) and len(spans):
            span_scores = self._chain.span_scores(emissions, batch.lengths, labels, spans)
        pairs = self._encoder.candidates(spans)
        if len(pairs) == 0:
            return Decoded(spans, span_scores, pairs, np.zeros(0, dtype=np.float32))
        if self._relation_tokens is not self._tokens:
            vectors = self._relation_tokens(batch)
        classes = self._classes(vectors, labels, batch.lengths, spans, pairs)
        return decide(spans, span_scores, pairs, classes, entity_doubt=doubt)

    def _emissions(self, vectors: Floats, batch: Batch, allowed: npt.NDArray[np.bool_] | None) -> Floats:
        """[size, batch, labels]."""
        emissions = self._run(False, vectors, np.zeros(vectors.shape[:2], dtype=np.int64), batch.lengths)
        if self._within_boundaries:
            outside = (batch.boundaries.T == 0)[:, :, None]
            is_o = np.arange(emissions.shape[2]) == 0
            emissions[outside != is_o] = FORBIDDEN
        if allowed is not None:
            emissions[~allowed.transpose(1, 0, 2)] = FORBIDDEN
        return emissions

    def _classes(self, vectors: Floats, labels: Ints, lengths: Ints, spans: Spans, pairs: Pairs) -> Floats:
        """Class scores of pairs, [pairs, classes]; only the sentences that have a pair are read."""
        rows = np.unique(spans.sentence[pairs.head])
        if len(rows) < len(lengths):
            size = lengths[rows].max()
            vectors, labels, lengths = vectors[:size, rows], labels[:size, rows], lengths[rows]
            # A span of another sentence belongs to no pair: where it is moved to does not matter.
            place = np.searchsorted(rows, spans.sentence).clip(max=len(rows) - 1)
            spans = Spans(place, spans.start, spans.end.clip(max=size), spans.type)
        return self._pair_scores(self._run(True, vectors, labels, lengths), spans, pairs)

    def _run(self, stage: bool, vectors: Floats, labels: Ints, lengths: Ints) -> Floats:
        feeds = {
            "stage": np.array(stage),
            "vectors": vectors,
            "labels": labels,
            "lengths": lengths.astype(np.int32),
        }
        result: Floats = self._session.run(["result"], feeds)[0]
        return result


def _session(path: Path, fingerprint: str, threads: int) -> onnxruntime.InferenceSession:
    remedy = f"run: biaffinity export {path.parent}"
    if not path.is_file():
        raise DataError("no such file", where=str(path), remedy=remedy)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_mem_pattern = False  # a plan kept for every shape of batch would grow with a stream
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        made_from = session.get_modelmeta().custom_metadata_map.get(WEIGHTS_KEY)
    except Exception as error:  # onnxruntime's errors have no class of their own above them
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"is damaged: {reason}", where=str(path), remedy=remedy) from error
    if made_from != fingerprint:
        raise DataError("was made from other weights than model.safetensors", where=str(path), remedy=remedy)
    return session
