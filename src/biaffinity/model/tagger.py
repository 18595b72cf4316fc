"""The tagger: BiLSTM -> tanh layer -> linear-chain CRF (or softmax) over labels."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from biaffinity.encoding.labels import Labels
from biaffinity.layers.crf import CRF, FORBIDDEN
from biaffinity.layers.dropout import Dropout
from biaffinity.layers.lstm import BiLSTM
from biaffinity.model.config import ModelConfig


class Tagger(nn.Module):
    """Token vectors -> label scores, their likelihood, the best labelling and its probabilities."""

    def __init__(self, config: ModelConfig, labels: Labels, input_size: int) -> None:
        super().__init__()
        self.lstm = BiLSTM(input_size, config.lstm_hidden, config.lstm_layers)
        self.dropout = Dropout(config.dropout)
        self.hidden = nn.Linear(self.lstm.output_size, config.tagger_hidden)
        self.output = nn.Linear(config.tagger_hidden, len(labels))
        for layer in (self.hidden, self.output):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
        allowed = None
        if config.constrained and labels.scheme == "bilou":
            pairs, first, last = (torch.from_numpy(part) for part in labels.allowed())
            allowed = (pairs, first, last)
        self.crf = CRF(len(labels), transitions=config.tagger == "crf", allowed=allowed)
        self.within_boundaries = config.constrained and labels.scheme == "types"

    def forward(self, vectors: Tensor, lengths: Tensor, boundaries: Tensor) -> Tensor:
        """[batch, size, input_size] -> emissions [batch, size, labels]."""
        states = self.dropout(self.lstm(vectors, lengths))
        emissions: Tensor = self.output(torch.tanh(self.hidden(states)))
        if self.within_boundaries:
            outside = (boundaries == 0).unsqueeze(2)
            is_o = torch.arange(emissions.size(2), device=emissions.device) == 0
            emissions = emissions.masked_fill(outside != is_o, FORBIDDEN)
        return emissions

    def loss(self, emissions: Tensor, labels: Tensor, lengths: Tensor) -> Tensor:
        """Negative log-likelihood of the gold labels, [batch]."""
        return -self.crf.log_likelihood(emissions, labels, lengths)

    @torch.no_grad()
    def decode(self, emissions: Tensor, lengths: Tensor, boundaries: Tensor) -> Tensor:
        """The best labelling, [batch, size]."""
        labels = self.crf.viterbi(emissions, lengths)
        if not self.within_boundaries:
            return labels
        # One type for each given span: the one whose log marginals over its tokens sum highest.
        marginals = self.crf.marginals(emissions, lengths)[:, :, 1:].clamp_min(1e-30).log()
        inside = boundaries > 0
        span = ((boundaries == 1) | (boundaries == 4)).cumsum(1)  # B and U begin a span
        totals = marginals.new_zeros(len(labels), span.size(1) + 1, marginals.size(2))
        totals.scatter_add_(1, (span * inside).unsqueeze(2).expand_as(marginals), marginals)
        best = 1 + totals.argmax(2)
        return torch.where(inside, best.gather(1, span), 0)

    @torch.no_grad()
    def span_scores(
        self, emissions: Tensor, lengths: Tensor, labels: Tensor, sentence: Tensor, start: Tensor, end: Tensor
    ) -> Tensor:
        """The probability that spans carry just the labels they were given, [spans].

        By forward-backward with the labels of the span held fixed: under BILOU labels that is the
        probability of this very entity.
        """
        forward, backward, partition = self.crf.forward_backward(emissions, lengths)
        paths = self._running_scores(emissions, labels)
        first, last = labels[sentence, start], labels[sentence, end - 1]
        inner = paths[sentence, end - 1] - paths[sentence, start]
        score = forward[sentence, start, first] + inner + backward[sentence, end - 1, last]
        return (score - partition[sentence]).exp().clamp(max=1)

    def _running_scores(self, emissions: Tensor, labels: Tensor) -> Tensor:
        """[batch, size]: the score of a labelling up to each token, that token's emission included."""
        steps = emissions.gather(2, labels.unsqueeze(2)).squeeze(2).double()
        transitions = self.crf.transition_scores()
        steps[:, 1:] += transitions[labels[:, :-1], labels[:, 1:]]
        return steps.cumsum(1)
