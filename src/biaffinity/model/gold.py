"""What a network is trained towards: the annotation of a batch, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biaffinity.annotation import Entity, Sentence, outermost
from biaffinity.decoding.arrays import Bools, Floats, Ints, padded
from biaffinity.decoding.candidates import Pairs, candidates
from biaffinity.decoding.labels import Spans
from biaffinity.decoding.network import Description
from biaffinity.decoding.schema import NO_RELATION


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of pairs, ``numbers`` [pairs], each certain to a degree, [pairs]: else it is none."""

    numbers: Ints
    certainty: Floats


@dataclass(frozen=True, slots=True)
class GoldSentence:
    """A sentence's labels [tokens], its flat entities with their types' numbers, its relations by entity.

    A relation is its class and how certain it is.
    """

    labels: Ints
    entities: tuple[Entity, ...]
    types: Ints
    relations: dict[tuple[int, int], tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Gold:
    """The annotation of a batch: ``labels`` [batch, size], entities, candidates and their classes [pairs].

    Where labels have scores, ``certainty`` [batch, size] is how likely each token has its label.
    """

    labels: Ints
    spans: Spans
    pairs: Pairs
    classes: Classes
    relations: tuple[dict[tuple[int, int], tuple[int, float]], ...]
    certainty: Floats | None

    def classes_of(self, spans: Spans, pairs: Pairs) -> Classes:
        """The classes of pairs among spans of any origin: gold where both last tokens are, else none."""
        return _classes(self.spans, self.relations, spans, pairs)

    @property
    def joined(self) -> Bools:
        """Whether a token and the next belong to one entity, [batch, size - 1]."""
        together = np.zeros((len(self.labels), max(0, self.labels.shape[1] - 1)), dtype=bool)
        for row, start, end in zip(self.spans.sentence, self.spans.start, self.spans.end, strict=True):
            together[row, start : end - 1] = True
        return together


def gold_sentence(sentence: Sentence, known: Description) -> GoldSentence:
    """A sentence's annotation; of overlapping entities the outermost stay, and those of known types."""
    numbers = {name: number for number, name in enumerate(known.schema.entity_types)}
    classes = {name: 1 + number for number, name in enumerate(known.schema.relation_types)}
    kept = [i for i in outermost(sentence.entities) if sentence.entities[i].type in numbers]
    place = {index: number for number, index in enumerate(kept)}
    entities = tuple(sentence.entities[index] for index in kept)
    relations: dict[tuple[int, int], tuple[int, float]] = {}
    for relation in sentence.relations:
        head, tail, number = place.get(relation.head), place.get(relation.tail), classes.get(relation.type)
        if head is not None and tail is not None and number is not None:
            relations.setdefault((head, tail), (number, certainty(relation.score)))
    return GoldSentence(
        labels=known.labels.encode(len(sentence), entities),
        entities=entities,
        types=np.array([numbers[entity.type] for entity in entities], dtype=np.int64),
        relations=relations,
    )


def certainty(score: float | None) -> float:
    """How certain a label with this score is; one without was put there by a person."""
    return 1.0 if score is None else score


def gold_batch(sentences: Sequence[GoldSentence], known: Description, *, soft: bool = False) -> Gold:
    """The annotation of several sentences together; their scores count if ``soft``."""
    entities = [entity for sentence in sentences for entity in sentence.entities]
    spans = Spans(
        sentence=np.repeat(np.arange(len(sentences)), [len(s.entities) for s in sentences]),
        start=np.array([entity.start for entity in entities], dtype=np.int64),
        end=np.array([entity.end for entity in entities], dtype=np.int64),
        type=np.concatenate([sentence.types for sentence in sentences]),
    )
    lengths = np.array([len(sentence.labels) for sentence in sentences], dtype=np.int64)
    relations = tuple(sentence.relations for sentence in sentences)
    pairs = candidates(spans, known.related)
    return Gold(
        labels=padded(np.concatenate([sentence.labels for sentence in sentences]), lengths),
        spans=spans,
        pairs=pairs,
        classes=_classes(spans, relations, spans, pairs),
        relations=relations,
        certainty=_certainties(spans, entities, lengths) if soft else None,
    )


def _certainties(spans: Spans, entities: Sequence[Entity], lengths: Ints) -> Floats:
    """How certain the label of each token is: as its entity, or entirely. [batch, size]."""
    certainties = np.ones((len(lengths), lengths.max()), dtype=np.float32)
    for row, entity in zip(spans.sentence, entities, strict=True):
        certainties[row, entity.start : entity.end] = certainty(entity.score)
    return certainties


def _classes(
    gold: Spans,
    relations: Sequence[dict[tuple[int, int], tuple[int, float]]],
    spans: Spans,
    pairs: Pairs,
) -> Classes:
    first = np.searchsorted(gold.sentence, np.arange(len(relations))).tolist()
    last = (gold.end - 1).tolist()
    classes = {
        (sentence, last[first[sentence] + head], last[first[sentence] + tail]): found
        for sentence, own in enumerate(relations)
        for (head, tail), found in own.items()
    }
    keys = zip(
        spans.sentence[pairs.head].tolist(),
        (spans.end[pairs.head] - 1).tolist(),
        (spans.end[pairs.tail] - 1).tolist(),
        strict=True,
    )
    found = [classes.get(key, (NO_RELATION, 1.0)) for key in keys]
    return Classes(
        np.array([number for number, _ in found], dtype=np.int64),
        np.array([sure for _, sure in found], dtype=np.float32),
    )
