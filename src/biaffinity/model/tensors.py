"""A batch of arrays as tensors on a device."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from biaffinity.encoding.batches import Batch
from biaffinity.encoding.labels import Ints


@dataclass(frozen=True, slots=True)
class TokenTensors:
    """What the network reads of a batch; shapes as in `Batch`."""

    words: Tensor
    lengths: Tensor
    characters: Tensor
    character_lengths: Tensor
    form_index: Tensor
    boundaries: Tensor

    @classmethod
    def of(cls, batch: Batch, device: torch.device) -> TokenTensors:
        """The token arrays of a batch, on a device."""
        return cls(
            words=to_tensor(batch.words, device),
            lengths=to_tensor(batch.lengths, device),
            characters=to_tensor(batch.characters, device),
            character_lengths=to_tensor(batch.character_lengths, device),
            form_index=to_tensor(batch.form_index, device),
            boundaries=to_tensor(batch.boundaries, device),
        )


def to_tensor(array: Ints, device: torch.device) -> Tensor:
    """An integer array as a tensor, sharing its memory on CPU."""
    return torch.from_numpy(array).to(device)
