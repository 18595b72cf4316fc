"""A torch model as decoding wants it: arrays in, arrays out. What leaves a GPU is tokens x labels."""

from __future__ import annotations

import torch

from biaffinity.decoding.arrays import Floats, Ints
from biaffinity.decoding.candidates import Pairs
from biaffinity.decoding.crf import CRFDecoder
from biaffinity.decoding.labels import Spans
from biaffinity.decoding.network import Batch, Description, Featuriser, involved
from biaffinity.model.joint import JointModel

#: Pairs scored at a time: what a sentence with thousands of entities needs stays small.
BLOCK = 4096
#: Padded tokens per batch on a GPU.
GPU_BATCH_TOKENS = 16_384
_VECTORS = "relation vectors"


class TorchNetwork:
    """A `JointModel` run for prediction: nothing is dropped out of it, and no gradient is kept."""

    def __init__(self, model: JointModel) -> None:
        self.model = model

    @property
    def description(self) -> Description:
        """What it is."""
        return self.model.description

    @property
    def batch_tokens(self) -> int:
        """Many on a GPU, which is idle while few are read."""
        return self.model.config.encoder.batch_tokens if self.model.device.type == "cpu" else GPU_BATCH_TOKENS

    @property
    def crf(self) -> CRFDecoder:
        """The scores of neighbouring labels, as they are now: a model in training changes."""
        return self.model.crf()

    def new_featuriser(self) -> Featuriser:
        """A featuriser for this network that has met no token yet."""
        return self.model.encoder.new_featuriser()

    @torch.no_grad()
    def emissions(self, batch: Batch) -> Floats:
        """[batch, size, labels]."""
        self.model.eval()
        vectors, batch.memo[_VECTORS] = self.model.token_vectors(batch)
        emissions: Floats = self.model.tagger(vectors, self._tensor(batch.lengths)).float().cpu().numpy()
        return emissions

    @torch.no_grad()
    def pair_logits(self, batch: Batch, labels: Ints, spans: Spans, pairs: Pairs) -> Floats:
        """[pairs, classes]; only the sentences that have a pair are read."""
        rows, size, spans = involved(batch.lengths, spans, pairs)
        vectors = batch.memo[_VECTORS][self._tensor(rows), :size]
        states = self.model.relations(
            vectors, self._tensor(labels[rows, :size]), self._tensor(batch.lengths[rows])
        )
        blocks = (pairs[start : start + BLOCK] for start in range(0, len(pairs), BLOCK))
        logits = torch.cat([self.model.pair_logits(states, spans, block) for block in blocks])
        result: Floats = logits.float().cpu().numpy()
        return result

    def _tensor(self, array: Ints) -> torch.Tensor:
        return torch.from_numpy(array).to(self.model.device)
