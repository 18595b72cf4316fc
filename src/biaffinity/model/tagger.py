"""The tagger: BiLSTM -> tanh layer -> linear-chain CRF (or softmax) over labels."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from biaffinity.config.settings import ModelConfig
from biaffinity.decoding.labels import Labels
from biaffinity.layers.crf import CRF
from biaffinity.layers.dropout import Dropout
from biaffinity.layers.lstm import BiLSTM


class Tagger(nn.Module):
    """Token vectors -> the scores of labels, and the likelihood of gold labels."""

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
        if config.constrained:
            pairs, first, last = (torch.from_numpy(part) for part in labels.allowed())
            allowed = (pairs, first, last)
        self.crf = CRF(len(labels), transitions=config.tagger == "crf", allowed=allowed)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """[batch, size, input_size] -> emissions [batch, size, labels]."""
        states = self.dropout(self.lstm(vectors, lengths))
        emissions: Tensor = self.output(torch.tanh(self.hidden(states)))
        return emissions

    def loss(
        self,
        emissions: Tensor,
        labels: Tensor,
        lengths: Tensor,
        certainty: Tensor | None = None,
        joined: Tensor | None = None,
    ) -> Tensor:
        """Negative log-likelihood of the gold labels, [batch]; see `CRF.log_likelihood`."""
        return -self.crf.log_likelihood(emissions, labels, lengths, certainty, joined)
