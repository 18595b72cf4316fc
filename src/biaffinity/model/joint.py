"""The joint model of Nguyen & Verspoor (2019): tagger and relation classifier over shared token vectors.

As a pipeline the two share nothing: each has token vectors of its own, so that training them side
by side on the sum of their losses gives each the very updates it would get alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import torch
from torch import Tensor, nn

from biaffinity.config.settings import Config, ModelConfig
from biaffinity.decoding.arrays import Array
from biaffinity.decoding.candidates import Pairs, candidates
from biaffinity.decoding.crf import CRFDecoder
from biaffinity.decoding.decode import best_labelling
from biaffinity.decoding.labels import BOUNDARIES, Spans
from biaffinity.decoding.network import Batch
from biaffinity.decoding.schema import Schema
from biaffinity.encoders.encoder import Encoder
from biaffinity.layers.crf import FORBIDDEN
from biaffinity.layers.dropout import Dropout
from biaffinity.model.gold import Gold, Targets
from biaffinity.model.relations import RelationClassifier, one_relation_loss, several_relations_loss
from biaffinity.model.tagger import Tagger


class BoundaryEmbedding(nn.Module):
    """Appends an embedding of given boundaries to token vectors."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(BOUNDARIES, config.boundary_size)
        nn.init.xavier_uniform_(self.embedding.weight)
        self.dropout = Dropout(config.dropout)

    def forward(self, vectors: Tensor, boundaries: Tensor) -> Tensor:
        """[batch, size, width] and tags [batch, size] -> [batch, size, width + boundary_size]."""
        return torch.cat([vectors, self.dropout(self.embedding(boundaries))], dim=2)


class JointModel(nn.Module):
    """Entities by BiLSTM-CRF, relations by deep biaffine attention, trained together."""

    def __init__(self, config: Config, schema: Schema, encoder: Encoder) -> None:
        super().__init__()
        self.schema = schema
        self.configure(config)
        options, pipeline = config.model, config.model.architecture == "pipeline"
        labels = self.description.labels
        self.encoder = encoder
        self.relation_encoder = encoder.twin() if pipeline else encoder
        width = encoder.output_size
        self.boundaries = self.relation_boundaries = None
        if options.boundaries == "given":
            self.boundaries = BoundaryEmbedding(options)
            self.relation_boundaries = BoundaryEmbedding(options) if pipeline else self.boundaries
            width += options.boundary_size
        self.tagger = Tagger(options, labels, width)
        self.relations = RelationClassifier(options, len(labels), schema.classes, width)

    def configure(self, config: Config) -> None:
        """Take on settings; of a network that stands, those that only decoding knows may change."""
        self.config = config
        self.description = config.describe(self.schema)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> JointModel:
        """Move to another device or type; what the encoders of a pipeline share stays shared."""
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        self.encoder.share_tables(self.relation_encoder)
        return self

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.tagger.output.weight.device

    def pretrained(self) -> Iterator[nn.Parameter]:
        """Weights that were learnt elsewhere."""
        yield from self.encoder.pretrained()
        if self.relation_encoder is not self.encoder:
            yield from self.relation_encoder.pretrained()

    def tables(self) -> Iterator[nn.Parameter]:
        """The vectors of words that training changes."""
        yield self.encoder.table()
        if self.relation_encoder is not self.encoder:
            yield self.relation_encoder.table()

    def crf(self) -> CRFDecoder:
        """The tagger's transitions, to decode by."""
        crf = self.tagger.crf
        transitions, start, end = (
            part.detach().float().cpu().numpy() for part in (crf.transitions, crf.start, crf.end)
        )
        legal = self.description.labels.allowed() if self.description.constrained else None
        return CRFDecoder(transitions, start, end, legal)

    def token_vectors(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The vectors that the tagger reads and those that the relation classifier reads."""
        features = self._tensors(batch.features)
        vectors = self.encoder(features)
        pipeline = self.relation_encoder is not self.encoder
        others = self.relation_encoder(features) if pipeline else vectors
        if self.boundaries is None or self.relation_boundaries is None or batch.boundaries is None:
            return vectors, others
        tags = self._tensor(batch.boundaries)
        vectors = self.boundaries(vectors, tags)
        return vectors, self.relation_boundaries(others, tags) if pipeline else vectors

    def losses(self, batch: Batch, gold: Gold, *, predicted: bool = False) -> tuple[Tensor, Tensor]:
        """Tagger loss and relation loss, each summed over the batch.

        With ``predicted`` the relation classifier is fed the tagger's own labels and entities instead of
        the gold ones. Where nobody judged the labels of some tokens, it is fed the tagger's own there, as it
        will be in use: among those entities are the pairs that a judged relation type is not between.
        """
        vectors, relation_vectors = self.token_vectors(batch)
        lengths, labels = self._tensor(batch.lengths), self._tensor(gold.labels)
        emissions = self.tagger(vectors, lengths)
        if self.description.within_boundaries and batch.boundaries is not None:
            legal = self._tensor(self.description.labels.within(batch.boundaries))
            emissions = emissions.masked_fill(~legal, FORBIDDEN)
        known = gold.possible_labels(len(self.description.labels))
        possible = None if known is None else self._tensor(known)
        tagger_loss = self.tagger.loss(emissions, labels, lengths, possible).sum()
        spans, pairs, targets = gold.spans, gold.pairs, gold.targets
        if predicted or known is not None:
            scores = emissions.detach().float().cpu().numpy()
            if known is not None and not predicted:
                scores = np.where(known, scores, FORBIDDEN)
            own, _ = best_labelling(self.description, self.crf(), scores, batch)
            spans = self.description.labels.decode(own, batch.lengths, batch.boundaries)
            pairs = candidates(spans, self.description.related)
            labels, targets = self._tensor(own), gold.targets_of(spans, pairs)
        if len(pairs) == 0:
            return tagger_loss, tagger_loss.new_zeros(())
        states = self.relations(relation_vectors, labels, lengths)
        logits = self.pair_logits(states, spans, pairs)
        return tagger_loss, self._pair_loss(logits, targets)

    def _pair_loss(self, logits: Tensor, targets: Targets) -> Tensor:
        unknown = None if targets.unknown is None else self._tensor(targets.unknown)
        if self.description.several_relations:
            return several_relations_loss(logits, self._tensor(targets.held), unknown)
        return one_relation_loss(logits, self._tensor(targets.classes), unknown)

    def pair_logits(self, states: Tensor, spans: Spans, pairs: Pairs) -> Tensor:
        """The scores of pairs by the relation classifier's states, [pairs, classes]."""
        arrays = (spans.sentence, spans.start, spans.end, pairs.head, pairs.tail)
        logits: Tensor = self.relations.scorer(states, *(self._tensor(part) for part in arrays))
        return logits

    def _tensor(self, array: Array) -> Tensor:
        """An array as a tensor, sharing its memory on CPU; nobody waits for it to come to a GPU."""
        return torch.from_numpy(array).to(self.device, non_blocking=True)

    def _tensors(self, features: Mapping[str, Array]) -> dict[str, Tensor]:
        return {name: self._tensor(array) for name, array in features.items()}
