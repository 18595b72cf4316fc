"""A network whose scores are written down, in numpy alone: what decoding makes of them is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from biaffinity.decoding.arrays import Array, Floats, Ints, padded
from biaffinity.decoding.candidates import Pairs
from biaffinity.decoding.crf import CRFDecoder
from biaffinity.decoding.decision import Decoded
from biaffinity.decoding.labels import Spans
from biaffinity.decoding.network import Batch, Description
from biaffinity.decoding.schema import Schema

SCHEMA = Schema(["Loc", "Peop"], ["Kill", "Live_In"], [("Peop", "Loc")])
Link = tuple[int, int, int]


class LabelReader:
    """A featuriser of tokens that are names of labels; any other token is O."""

    def __init__(self, names: Sequence[str]) -> None:
        self._numbers = {name: number for number, name in enumerate(names)}
        self._met: set[str] = set()

    @property
    def remembered(self) -> int:
        return len(self._met)

    def featurise(self, tokens: Sequence[str]) -> tuple[LabelReader, Ints]:
        self._met.update(tokens)
        return self, np.array([self._numbers.get(token, 0) for token in tokens], dtype=np.int64)

    def collate(self, sentences: Sequence[tuple[LabelReader, Ints]]) -> Mapping[str, Array]:
        assert all(reader is self for reader, _ in sentences), "featurised by another"
        rows = [row for _, row in sentences]
        return {"labels": padded(np.concatenate(rows), np.array([len(row) for row in rows]))}


@dataclass
class WrittenNetwork:
    """Scores its tokens' own labels with ``sure`` and all others with 0, unless ``scores`` are given.

    ``logits`` are those of pairs of entities by number; any other pair is surely unrelated.
    """

    description: Description
    logits: Mapping[tuple[int, int], Sequence[float]] = field(default_factory=dict)
    sure: float = 20.0
    scores: Floats | None = None
    #: What pairs it was asked to score, and under which labels.
    asked: list[tuple[Ints, list[tuple[int, int]]]] = field(default_factory=list)

    @property
    def batch_tokens(self) -> int:
        return 2048

    @property
    def crf(self) -> CRFDecoder:
        labels = self.description.labels
        return CRFDecoder.without_transitions(
            len(labels), labels.allowed() if self.description.constrained else None
        )

    def new_featuriser(self) -> LabelReader:
        return LabelReader(self.description.labels.names)

    def emissions(self, batch: Batch) -> Floats:
        if self.scores is not None:
            return self.scores
        one_hot = np.eye(len(self.description.labels), dtype=np.float32)
        return np.float32(self.sure) * one_hot[batch.features["labels"]]

    def pair_logits(self, batch: Batch, labels: Ints, spans: Spans, pairs: Pairs) -> Floats:
        wanted = list(zip(pairs.head.tolist(), pairs.tail.tolist(), strict=True))
        self.asked.append((labels, wanted))
        unrelated = [9.0] + [0.0] * (self.description.schema.classes - 1)
        return np.array([self.logits.get(pair, unrelated) for pair in wanted], dtype=np.float32)


def written(
    logits: Mapping[tuple[int, int], Sequence[float]] | None = None, **options: Any
) -> WrittenNetwork:
    """A network of two types of entities and of relations; options of the network or of its description."""
    own = {key: options.pop(key) for key in ("sure", "scores") if key in options}
    return WrittenNetwork(Description(SCHEMA, **options), logits or {}, **own)


def batch_of(network: WrittenNetwork, *rows: str, boundaries: Sequence[str] | None = None) -> Batch:
    """Sentences of labels, separated by spaces; boundaries are strings of O, B, I, L and U."""
    reader = network.new_featuriser()
    tokens = [row.split() for row in rows]
    lengths = np.array([len(row) for row in tokens], dtype=np.int64)
    tags = None
    if boundaries is not None:
        tags = padded(np.array(["OBILU".index(tag) for row in boundaries for tag in row]), lengths)
    return Batch(reader.collate([reader.featurise(row) for row in tokens]), lengths, tags)


def entities(found: Decoded) -> list[tuple[int, int, int, str]]:
    """(sentence, start, end, type) of each entity."""
    spans = found.spans
    columns = (spans.sentence, spans.start, spans.end, spans.type)
    return [
        (sentence, start, end, SCHEMA.entity_types[number])
        for sentence, start, end, number in zip(*(column.tolist() for column in columns), strict=True)
    ]


def links(found: Decoded) -> list[Link]:
    """(head, tail, class) of each relation."""
    columns = (found.pairs.head, found.pairs.tail, found.relations)
    return list(zip(*(column.tolist() for column in columns), strict=True))
