"""A vector for a word from its characters: the last states of an LSTM run both ways over them.

Source: Ballesteros, Dyer & Smith (2015); Lample et al. (2016). Nguyen & Verspoor's released
program runs one and the same LSTM over the characters and over their reverse.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from biaffinity.layers.lstm import reorder, reversal, start_lstm


class CharacterEncoder(nn.Module):
    """Characters of distinct words -> one vector per word.

    Give it each distinct word of a batch once and spread the results with an index: a word that
    stands ten times in a batch is then read once.
    """

    def __init__(self, characters: int, embedding_size: int, hidden_size: int, *, shared: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(characters, embedding_size, padding_idx=0)
        nn.init.xavier_uniform_(self.embedding.weight)
        with torch.no_grad():
            self.embedding.weight[0].zero_()
        self.ahead = start_lstm(nn.LSTM(embedding_size, hidden_size, batch_first=True))
        self.back = (
            self.ahead if shared else start_lstm(nn.LSTM(embedding_size, hidden_size, batch_first=True))
        )
        self.output_size = 2 * hidden_size

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        """[words, size] character ids, [words] -> [words, 2 * hidden_size].

        Any order of words is right; in order of length they run fastest, since each part is cut to
        its own longest word. On a GPU, which would have to be asked for that length, all are read at once.
        """
        if lengths.is_cuda:
            return self._read(characters, lengths)
        parts = 2 if len(lengths) >= 32 else 1
        vectors = [
            self._read(part[:, : int(sizes.max())], sizes)
            for part, sizes in zip(characters.chunk(parts), lengths.chunk(parts), strict=True)
        ]
        return torch.cat(vectors)

    def _read(self, characters: Tensor, lengths: Tensor) -> Tensor:
        inputs = self.embedding(characters)
        turned = reorder(inputs, reversal(lengths, inputs.size(1)))
        if self.back is self.ahead:
            left, right = self.ahead(torch.cat([inputs, turned]))[0].chunk(2)
        else:
            left, right = self.ahead(inputs)[0], self.back(turned)[0]
        rows = torch.arange(len(lengths), device=lengths.device)
        return torch.cat([left[rows, lengths - 1], right[rows, lengths - 1]], dim=1)
