"""What prediction asks of a network, whatever runs it."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from biaffinity.encoding.batches import Batch, Encoder
from biaffinity.encoding.decoded import Decoded
from biaffinity.encoding.vocabulary import Vocabulary
from biaffinity.model.config import Config


class Network(Protocol):
    """Batches in, entities and relations out."""

    @property
    def config(self) -> Config:
        """How the model was made."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The names behind the numbers."""

    def new_encoder(self) -> Encoder:
        """An encoder of sentences for this network that has met no token yet."""

    def decode(
        self, batch: Batch, *, scores: bool = True, allowed: npt.NDArray[np.bool_] | None = None
    ) -> Decoded:
        """Entities and relations of a batch; without ``scores`` entity scores may be left at 1.

        ``allowed`` [batch, size, labels] tells which labels each token may have, where that is known
        beforehand (entities that a user gives).
        """
