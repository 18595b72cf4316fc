"""The relation classifier: labels and token vectors -> BiLSTM -> scores of pairs of entities."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from biaffinity.config.settings import ModelConfig
from biaffinity.decoding.schema import NO_RELATION
from biaffinity.layers.dropout import Dropout
from biaffinity.layers.lstm import BiLSTM
from biaffinity.layers.ranges import rows_at
from biaffinity.model.pair_terms import Candidates, chosen_terms


class RelationClassifier(nn.Module):
    """States of tokens, read off their vectors and labels, and the scores of pairs by them."""

    def __init__(self, config: ModelConfig, labels: int, classes: int, input_size: int) -> None:
        super().__init__()
        self.label_embedding = None
        if config.label_embeddings:
            self.label_embedding = nn.Embedding(labels, config.label_size)
            nn.init.xavier_uniform_(self.label_embedding.weight)
            input_size += config.label_size
        self.label_dropout = Dropout(config.dropout)
        self.lstm = BiLSTM(input_size, config.lstm_hidden, config.lstm_layers)
        self.scorer = PairScorer(config, self.lstm.output_size, classes)

    def forward(self, vectors: Tensor, labels: Tensor, lengths: Tensor) -> Tensor:
        """Token vectors [batch, size, width] and labels [batch, size] -> states [batch, size, 2 * hidden]."""
        if self.label_embedding is not None:
            vectors = torch.cat([self.label_dropout(self.label_embedding(labels)), vectors], dim=2)
        states: Tensor = self.lstm(vectors, lengths)
        return states


class PairScorer(nn.Module):
    """Scores of every relation class for pairs of entities: a bias and a sum of terms.

    An entity is known by the state of its last token, projected once as head and once as tail.
    """

    temperature: Tensor

    def __init__(self, config: ModelConfig, width: int, classes: int) -> None:
        super().__init__()
        self.dropout = Dropout(config.dropout)
        self.head = nn.Linear(width, config.projection)
        self.tail = nn.Linear(width, config.projection)
        nn.init.orthogonal_(self.head.weight)
        with torch.no_grad():  # both start from the same matrix, as in the released program
            self.tail.weight.copy_(self.head.weight)
        for layer in (self.head, self.tail):
            nn.init.zeros_(layer.bias)
        self.bias = nn.Parameter(torch.zeros(classes))
        #: What scores are divided by, fitted once the network is trained.
        self.register_buffer("temperature", torch.ones(()))
        self.terms = chosen_terms(config, width, classes)

    def forward(
        self, states: Tensor, sentence: Tensor, start: Tensor, end: Tensor, head: Tensor, tail: Tensor
    ) -> Tensor:
        """Class scores of candidate pairs.

        Args:
            states: [batch, size, width].
            sentence, start, end: [entities], where each entity stands.
            head, tail: [pairs], indexes of entities.

        Returns:
            [pairs, classes].
        """
        last = rows_at(states, sentence, end - 1)
        heads = torch.tanh(self.head(self.dropout(last)))
        tails = torch.tanh(self.tail(self.dropout(last)))
        pairs = Candidates(states, heads, tails, sentence, start, end, head, tail)
        scores = self.bias.expand(head.size(0), -1)
        for term in self.terms.values():
            scores = scores + term(pairs)
        return scores / self.temperature


def one_relation_loss(logits: Tensor, classes: Tensor, unknown: Tensor | None = None) -> Tensor:
    """Negative log-likelihood of the classes of pairs [pairs], summed; a pair has one.

    A pair without a known relation may have one of those ``unknown`` [pairs, classes]: then of all classes
    that are possible. So what nobody judged gains and loses nothing against "no relation".
    """
    if unknown is None:
        return nn.functional.cross_entropy(logits, classes, reduction="sum")
    free = unknown & (classes == NO_RELATION).unsqueeze(1)
    possible = free.scatter(1, classes.unsqueeze(1), True)
    known = logits.masked_fill(~possible, -torch.inf)
    return (logits.logsumexp(1) - known.logsumexp(1)).sum()


def several_relations_loss(logits: Tensor, held: Tensor, unknown: Tensor | None = None) -> Tensor:
    """Negative log-likelihood of the relations of pairs [pairs, classes], summed; each is its own question.

    Its probability is the sigmoid of its score less that of "no relation", which is what a relation must
    exceed (Zhou et al. 2021). What nobody judged has no part in it.
    """
    scores = logits[:, NO_RELATION + 1 :] - logits[:, NO_RELATION].unsqueeze(1)
    judged = None if unknown is None else (~unknown[:, NO_RELATION + 1 :]).to(scores.dtype)
    return nn.functional.binary_cross_entropy_with_logits(
        scores, held[:, NO_RELATION + 1 :].to(scores.dtype), weight=judged, reduction="sum"
    )
