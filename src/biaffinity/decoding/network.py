"""What decoding asks of a network, whatever runs it: two functions over arrays, and its description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np

from biaffinity.decoding.arrays import Array, Bools, Floats, Ints
from biaffinity.decoding.candidates import Pairs
from biaffinity.decoding.crf import CRFDecoder
from biaffinity.decoding.labels import Labels, Spans
from biaffinity.decoding.schema import Schema

#: Whether a model finds the spans of entities itself or is given them: setups 1 and 2 of the paper.
Boundaries = Literal["predicted", "given"]


@dataclass(frozen=True)
class Description:
    """What a network is, apart from its numbers."""

    schema: Schema
    boundaries: Boundaries = "predicted"
    #: Only legal labellings: BILOU transitions; with given boundaries, one type inside each.
    constrained: bool = False
    #: Every pair of entities is a candidate, whatever their types.
    all_pairs: bool = False
    #: The least probability of an entity; 0 takes those of the best labelling.
    entity_threshold: float = 0.0
    entity_confidence_weight: float = 0.0
    #: A pair may have several relations: all that score higher than none.
    several_relations: bool = False

    @cached_property
    def labels(self) -> Labels:
        """The tagger's labels."""
        scheme: Literal["bilou", "types"] = "bilou" if self.boundaries == "predicted" else "types"
        return Labels(tuple(self.schema.entity_types), scheme)

    @cached_property
    def related(self) -> Bools:
        """Which types of head and tail are candidates, [types, types]."""
        return self.schema.related(all_pairs=self.all_pairs)

    @property
    def within_boundaries(self) -> bool:
        """Whether each given span gets one type, and nothing outside of them any."""
        return self.constrained and self.boundaries == "given"


@dataclass(frozen=True, slots=True)
class Batch:
    """Some sentences as arrays.

    ``features`` are whatever the encoder made of them, by name; ``lengths`` [batch]; ``boundaries``
    [batch, size] the tags of given entities (`labels.encode_boundaries`), None where they are predicted.
    ``memo`` is the network's own: what its first function computed and its second needs again.
    """

    features: Mapping[str, Array]
    lengths: Ints
    boundaries: Ints | None = None
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


class Featuriser(Protocol):
    """An encoder's way from tokens to arrays; it may remember the tokens that it has met."""

    @property
    def remembered(self) -> int:
        """How many distinct tokens are kept; each takes some hundred bytes."""

    def featurise(self, tokens: Sequence[str]) -> Any:
        """One sentence of at least one token; one thread at a time."""

    def collate(self, sentences: Sequence[Any]) -> Mapping[str, Array]:
        """Featurised sentences as one batch of padded arrays; any number of threads."""


class Network(Protocol):
    """A trained network."""

    @property
    def description(self) -> Description:
        """What it is."""

    @property
    def batch_tokens(self) -> int:
        """Padded tokens that it reads fastest at one time: enough to keep it busy, few enough for a cache."""

    @property
    def crf(self) -> CRFDecoder:
        """The scores of neighbouring labels, to decode by."""

    def new_featuriser(self) -> Featuriser:
        """A featuriser for this network that has met no token yet."""

    def emissions(self, batch: Batch) -> Floats:
        """The score of every label at every token, [batch, size, labels]; values at padding mean nothing."""

    def pair_logits(self, batch: Batch, labels: Ints, spans: Spans, pairs: Pairs) -> Floats:
        """The score of every relation class for pairs of spans, [pairs, classes].

        ``labels`` [batch, size] is the labelling that the spans were read off.
        """


def involved(lengths: Ints, spans: Spans, pairs: Pairs) -> tuple[Ints, int, Spans]:
    """The sentences that have a pair, the size of the longest, and the spans placed among them.

    What scores pairs need not read any other sentence. A span of one belongs to no pair: where it is moved
    to does not matter.
    """
    rows = np.flatnonzero(np.bincount(spans.sentence[pairs.head]))
    size = int(lengths[rows].max())
    if len(rows) == len(lengths):
        return rows, size, spans
    place = np.searchsorted(rows, spans.sentence).clip(max=len(rows) - 1)
    return rows, size, Spans(place, spans.start.clip(max=size), spans.end.clip(max=size), spans.type)
