"""The tagger's labels: BILOU labels or plain types, as arrays, and back to spans.

Label 0 is O. Under ``bilou`` type k has the labels 1 + 4k + (B, I, L, U); under ``types`` (entity
boundaries given) it has the one label 1 + k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from biaffinity.annotation import Entity
from biaffinity.decoding.arrays import Bools, Ints

BEGIN, INSIDE, LAST, UNIT = range(4)
#: Boundary tags: O and then B, I, L, U.
BOUNDARIES = 5


@dataclass(frozen=True, slots=True)
class Spans:
    """Entities of a batch, sentence by sentence and from left to right: four arrays of one length."""

    sentence: Ints
    start: Ints
    end: Ints
    type: Ints

    def __len__(self) -> int:
        return len(self.sentence)

    def __getitem__(self, chosen: slice | Ints) -> Spans:
        return Spans(self.sentence[chosen], self.start[chosen], self.end[chosen], self.type[chosen])


@dataclass(frozen=True, slots=True)
class Labels:
    """The label set over some entity types."""

    types: tuple[str, ...]
    scheme: Literal["bilou", "types"]

    def __len__(self) -> int:
        return 1 + len(self.types) * (4 if self.scheme == "bilou" else 1)

    @property
    def names(self) -> list[str]:
        """Readable names, in the order of the labels.

        >>> Labels(("Loc",), "bilou").names
        ['O', 'B-Loc', 'I-Loc', 'L-Loc', 'U-Loc']
        """
        if self.scheme == "types":
            return ["O", *self.types]
        return ["O", *(f"{kind}-{name}" for name in self.types for kind in "BILU")]

    def encode(self, length: int, entities: Sequence[Entity]) -> Ints:
        """The labels of a sentence's tokens, [length]; entities must not overlap."""
        labels = np.zeros(length, dtype=np.int64)
        for entity in entities:
            number = self.types.index(entity.type)
            if self.scheme == "types":
                labels[entity.start : entity.end] = 1 + number
            else:
                labels[entity.start : entity.end] = 1 + 4 * number + _kinds(entity.end - entity.start)
        return labels

    def spell(self, spans: Spans, lengths: Ints) -> Ints:
        """The BILOU labels of spans that do not overlap, [batch, size]: the inverse of `decode`."""
        first, last = (spans.sentence, spans.start), (spans.sentence, spans.end - 1)
        inside = 1 + 4 * spans.type + INSIDE
        labels = np.zeros((len(lengths), lengths.max() + 1), dtype=np.int64)
        labels[first] += inside
        np.subtract.at(labels, (spans.sentence, spans.end), inside)
        labels = labels[:, :-1].cumsum(axis=1)
        labels[first] = inside - INSIDE + BEGIN
        labels[last] = inside - INSIDE + np.where(spans.end - spans.start == 1, UNIT, LAST)
        return labels

    def type_of(self, labels: Ints) -> Ints:
        """The type number behind each label; -1 for O."""
        width = 4 if self.scheme == "bilou" else 1
        return np.where(labels > 0, (labels - 1) // width, -1)

    def decode(self, labels: Ints, lengths: Ints, boundaries: Ints | None = None) -> Spans:
        """The spans that labels [batch, size] spell.

        BILOU labels need not be legal: a span ends where the next label does not continue it. Plain
        types need the ``boundaries`` [batch, size]; each run of one type inside a given span is a span.
        """
        inside = (labels > 0) & (np.arange(labels.shape[1]) < lengths[:, None])
        types = self.type_of(labels)
        if self.scheme == "bilou":
            kinds = (labels - 1) % 4
        elif boundaries is not None:
            kinds, inside = boundaries - 1, inside & (boundaries > 0)
        else:
            raise ValueError("plain types are decoded within given boundaries")
        joined = inside[:, :-1] & inside[:, 1:] & (types[:, :-1] == types[:, 1:])
        joined &= (kinds[:, :-1] <= INSIDE) & ((kinds[:, 1:] == INSIDE) | (kinds[:, 1:] == LAST))
        edge = np.zeros((len(labels), 1), dtype=bool)
        starts = inside & ~np.concatenate([edge, joined], axis=1)
        ends = inside & ~np.concatenate([joined, edge], axis=1)
        sentence, start = np.nonzero(starts)
        _, last = np.nonzero(ends)
        return Spans(sentence, start, last + 1, types[sentence, start])

    def allowed(self) -> tuple[Bools, Bools, Bools]:
        """Legal transitions [labels, labels], and the labels a sentence may start and end with."""
        count = len(self)
        if self.scheme == "types":
            return np.ones((count, count), bool), np.ones(count, bool), np.ones(count, bool)
        labels = np.arange(count)
        types, kinds = self.type_of(labels), (labels - 1) % 4
        opens = (labels > 0) & (kinds <= INSIDE)  # what follows must continue it
        goes_on = (labels > 0) & ((kinds == INSIDE) | (kinds == LAST))  # must continue what precedes
        same = types[:, None] == types
        pairs = np.where(opens[:, None], goes_on & same, ~goes_on)
        return pairs, ~goes_on, ~opens

    def within(self, boundaries: Ints) -> Bools:
        """Which labels tokens may have under given boundaries: a type inside them, O outside.

        [...] -> [..., labels].
        """
        is_o = np.arange(len(self)) == 0
        allowed: Bools = (boundaries > 0)[..., None] != is_o
        return allowed


def encode_boundaries(length: int, entities: Sequence[Entity]) -> Ints:
    """The boundary tags of given entities, [length]: 0 for O, then B, I, L, U."""
    tags = np.zeros(length, dtype=np.int64)
    for entity in entities:
        tags[entity.start : entity.end] = 1 + _kinds(entity.end - entity.start)
    return tags


def _kinds(size: int) -> Ints:
    if size == 1:
        return np.array([UNIT])
    return np.array([BEGIN] + [INSIDE] * (size - 2) + [LAST])
