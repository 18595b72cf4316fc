"""The joint model of Nguyen & Verspoor (2019): tagger and relation classifier over shared token vectors.

As a pipeline the two share nothing: each has token vectors of its own, so that training them side
by side on the sum of their losses gives each the very updates it would get alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from biaffinity.encoding.batches import Batch, Encoder, Pairs
from biaffinity.encoding.decoded import Decoded, Floats, decide
from biaffinity.encoding.labels import Spans
from biaffinity.encoding.vocabulary import Vocabulary
from biaffinity.layers.crf import FORBIDDEN
from biaffinity.model.config import Config
from biaffinity.model.description import Description
from biaffinity.model.relations import RelationClassifier
from biaffinity.model.tagger import Tagger
from biaffinity.model.tensors import TokenTensors, to_tensor
from biaffinity.model.tokens import TokenEncoder


class JointModel(nn.Module):
    """Entities by BiLSTM-CRF, relations by deep biaffine attention, trained together."""

    def __init__(self, config: Config, vocabulary: Vocabulary, word_size: int, unseen: Tensor) -> None:
        super().__init__()
        self.config = config
        self.vocabulary = vocabulary
        self.word_size = word_size
        options = config.model
        self.encoder = self.new_encoder()
        labels, classes = self.encoder.labels, 1 + len(vocabulary.relation_types)
        self.tokens = TokenEncoder(options, vocabulary, word_size, unseen)
        width = self.tokens.output_size
        self.relation_tokens = (
            TokenEncoder(options, vocabulary, word_size, unseen)
            if options.architecture == "pipeline"
            else self.tokens
        )
        self.tagger = Tagger(options, labels, width)
        self.relations = RelationClassifier(options, labels, classes, width)

    def new_encoder(self) -> Encoder:
        """An encoder of this model's vocabulary and options that has met no token yet."""
        return Description(self.config, self.vocabulary, self.word_size).new_encoder()

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> JointModel:
        """Move to another device or type; the large table of unseen words stays one for both networks."""
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        self.relation_tokens.words.unseen = self.tokens.words.unseen
        return self

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.tokens.words.trained.device

    def start_words(self, rows: Sequence[int], vectors: Floats) -> None:
        """Let words number ``rows`` start from pretrained ``vectors`` [len(rows), word_size]."""
        for encoder in {self.tokens, self.relation_tokens}:
            with torch.no_grad():
                encoder.words.trained[list(rows)] = torch.from_numpy(vectors).to(self.device)

    def losses(self, batch: Batch, predicted: npt.NDArray[np.bool_]) -> tuple[Tensor, Tensor]:
        """Tagger loss and relation loss, each summed over the batch.

        ``predicted`` [batch] tells for which sentences the relation classifier is fed the tagger's
        own labels and entities instead of the gold ones.
        """
        tokens = TokenTensors.of(batch, self.device)
        vectors = self.tokens(tokens)
        emissions = self.tagger(vectors, tokens.lengths, tokens.boundaries)
        gold = to_tensor(batch.labels, self.device)
        tagger_loss = self.tagger.loss(emissions, gold, tokens.lengths).sum()
        labels, spans, pairs = gold, batch.spans, batch.pairs
        if predicted.any():
            own = self.tagger.decode(emissions, tokens.lengths, tokens.boundaries)
            labels = torch.where(torch.from_numpy(predicted).to(self.device).unsqueeze(1), own, gold)
            spans = self.encoder.labels.decode(labels.cpu().numpy(), batch.lengths, batch.boundaries)
            pairs = self.encoder.matched_pairs(spans, batch)
        if len(pairs) == 0:
            return tagger_loss, tagger_loss.new_zeros(())
        if self.relation_tokens is not self.tokens:
            vectors = self.relation_tokens(tokens)
        states = self.relations(vectors, labels, tokens.lengths)
        scores = self._pair_scores(states, spans, pairs)
        classes = to_tensor(pairs.relation, self.device)
        return tagger_loss, nn.functional.cross_entropy(scores, classes, reduction="sum")

    @torch.no_grad()
    def decode(
        self, batch: Batch, *, scores: bool = True, allowed: npt.NDArray[np.bool_] | None = None
    ) -> Decoded:
        """Entities and relations of a batch; without ``scores`` entity scores may be left at 1.

        ``allowed`` [batch, size, labels] tells which labels each token may have, where that is known
        beforehand (entities that a user gives).
        """
        self.eval()  # nothing is dropped out of a prediction
        tokens = TokenTensors.of(batch, self.device)
        vectors = self.tokens(tokens)
        emissions = self.tagger(vectors, tokens.lengths, tokens.boundaries)
        if allowed is not None:
            emissions = emissions.masked_fill(~torch.from_numpy(allowed).to(self.device), FORBIDDEN)
        labels = self.tagger.decode(emissions, tokens.lengths, tokens.boundaries)
        spans = self.encoder.labels.decode(labels.cpu().numpy(), batch.lengths, batch.boundaries)
        doubt = self.config.model.entity_doubt
        span_scores = np.ones(len(spans), dtype=np.float32)
        if (scores or doubt) and len(spans):
            where = [to_tensor(part, self.device) for part in (spans.sentence, spans.start, spans.end)]
            found = self.tagger.span_scores(emissions, tokens.lengths, labels, *where)
            span_scores = found.float().cpu().numpy()
        pairs = self.encoder.candidates(spans)
        if len(pairs) == 0:
            return Decoded(spans, span_scores, pairs, np.zeros(0, dtype=np.float32))
        if self.relation_tokens is not self.tokens:
            vectors = self.relation_tokens(tokens)
        states = self.relations(vectors, labels, tokens.lengths)
        classes = self._pair_scores(states, spans, pairs).float().cpu().numpy()
        return decide(spans, span_scores, pairs, classes, entity_doubt=doubt)

    def _pair_scores(self, states: Tensor, spans: Spans, pairs: Pairs) -> Tensor:
        arrays = (spans.sentence, spans.start, spans.end, pairs.head, pairs.tail)
        return self.relations.scores(states, *(to_tensor(part, self.device) for part in arrays))
