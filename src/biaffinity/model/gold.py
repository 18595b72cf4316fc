"""What a network is trained towards: the annotation of a batch, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biaffinity.annotation import Entity, Sentence, outermost
from biaffinity.decoding.arrays import Ints, padded
from biaffinity.decoding.candidates import Pairs, candidates
from biaffinity.decoding.labels import Spans
from biaffinity.decoding.network import Description
from biaffinity.decoding.schema import NO_RELATION


@dataclass(frozen=True, slots=True)
class GoldSentence:
    """A sentence's labels [tokens], its flat entities with their types' numbers, its relations by entity."""

    labels: Ints
    entities: tuple[Entity, ...]
    types: Ints
    relations: dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class Gold:
    """The annotation of a batch: ``labels`` [batch, size], entities, candidates and their classes [pairs]."""

    labels: Ints
    spans: Spans
    pairs: Pairs
    classes: Ints
    relations: tuple[dict[tuple[int, int], int], ...]

    def classes_of(self, spans: Spans, pairs: Pairs) -> Ints:
        """The classes of pairs among spans of any origin: gold where both last tokens are, else none."""
        return _classes(self.spans, self.relations, spans, pairs)


def gold_sentence(sentence: Sentence, known: Description) -> GoldSentence:
    """A sentence's annotation; of overlapping entities the outermost stay, and those of known types."""
    numbers = {name: number for number, name in enumerate(known.schema.entity_types)}
    classes = {name: 1 + number for number, name in enumerate(known.schema.relation_types)}
    kept = [i for i in outermost(sentence.entities) if sentence.entities[i].type in numbers]
    place = {index: number for number, index in enumerate(kept)}
    entities = tuple(sentence.entities[index] for index in kept)
    relations: dict[tuple[int, int], int] = {}
    for relation in sentence.relations:
        head, tail, number = place.get(relation.head), place.get(relation.tail), classes.get(relation.type)
        if head is not None and tail is not None and number is not None:
            relations.setdefault((head, tail), number)
    return GoldSentence(
        labels=known.labels.encode(len(sentence), entities),
        entities=entities,
        types=np.array([numbers[entity.type] for entity in entities], dtype=np.int64),
        relations=relations,
    )


def gold_batch(sentences: Sequence[GoldSentence], known: Description) -> Gold:
    """The annotation of several sentences together."""
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
    )


def _classes(
    gold: Spans, relations: Sequence[dict[tuple[int, int], int]], spans: Spans, pairs: Pairs
) -> Ints:
    first = np.searchsorted(gold.sentence, np.arange(len(relations))).tolist()
    last = (gold.end - 1).tolist()
    classes = {
        (sentence, last[first[sentence] + head], last[first[sentence] + tail]): number
        for sentence, numbers in enumerate(relations)
        for (head, tail), number in numbers.items()
    }
    keys = zip(
        spans.sentence[pairs.head].tolist(),
        (spans.end[pairs.head] - 1).tolist(),
        (spans.end[pairs.tail] - 1).tolist(),
        strict=True,
    )
    return np.array([classes.get(key, NO_RELATION) for key in keys], dtype=np.int64)
