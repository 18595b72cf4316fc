"""What a network is trained towards: the annotation of a batch, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from biaffinity.annotation import Entity, Judged, Sentence, outermost
from biaffinity.decoding.arrays import Bools, Ints, padded
from biaffinity.decoding.candidates import Pairs, candidates
from biaffinity.decoding.labels import Spans
from biaffinity.decoding.network import Description
from biaffinity.decoding.schema import NO_RELATION


@dataclass(frozen=True, slots=True)
class GoldSentence:
    """A sentence's labels [tokens], its flat entities with their types' numbers, its classes by entity.

    Of a partly annotated one also ``open_tokens`` [tokens], ``open_classes`` [classes] that are not complete,
    and the classes ``undecided`` by entity.
    """

    labels: Ints
    entities: tuple[Entity, ...]
    types: Ints
    relations: dict[tuple[int, int], list[int]]
    open_tokens: Bools | None = None
    open_classes: Bools | None = None
    undecided: dict[tuple[int, int], list[int]] = field(default_factory=dict)

    @property
    def is_partial(self) -> bool:
        """Whether the class of some pair is not known."""
        return self.open_classes is not None or bool(self.undecided)


@dataclass(frozen=True, slots=True)
class Targets:
    """What is known of pairs: their first relations' class [pairs], and all they have [pairs, classes].

    ``unknown`` [pairs, classes] are the relations that nobody judged; None where all are known.
    """

    classes: Ints
    held: Bools
    unknown: Bools | None = None


@dataclass(frozen=True, slots=True)
class Gold:
    """The annotation of a batch: ``labels`` [batch, size], entities, candidates and what they are.

    ``open_tokens`` [batch, size] are those whose labels nobody judged, and padding; None where all are known.
    """

    labels: Ints
    open_tokens: Bools | None
    spans: Spans
    pairs: Pairs
    targets: Targets
    sentences: tuple[GoldSentence, ...]
    classes: int

    def targets_of(self, spans: Spans, pairs: Pairs) -> Targets:
        """What pairs among spans of any origin are: gold where both last tokens are, else none."""
        return _targets(self.sentences, spans, pairs, self.classes)

    def possible_labels(self, labels: int) -> Bools | None:
        """Which of so many labels each token may have, [batch, size, labels]; None where all are known."""
        if self.open_tokens is None:
            return None
        possible: Bools = self.open_tokens[..., None] | (np.arange(labels) == self.labels[..., None])
        return possible


def gold_sentence(sentence: Sentence, known: Description) -> GoldSentence:
    """A sentence's annotation; of overlapping entities the outermost stay, and those of known types."""
    numbers = {name: number for number, name in enumerate(known.schema.entity_types)}
    classes = {name: 1 + number for number, name in enumerate(known.schema.relation_types)}
    kept = [i for i in outermost(sentence.entities) if sentence.entities[i].type in numbers]
    place = {index: number for number, index in enumerate(kept)}
    entities = tuple(sentence.entities[index] for index in kept)
    relations: dict[tuple[int, int], list[int]] = {}
    for relation in sentence.relations:
        head, tail, number = place.get(relation.head), place.get(relation.tail), classes.get(relation.type)
        if head is not None and tail is not None and number is not None:
            relations.setdefault((head, tail), []).append(number)
    gold = GoldSentence(
        labels=known.labels.encode(len(sentence), entities),
        entities=entities,
        types=np.array([numbers[entity.type] for entity in entities], dtype=np.int64),
        relations=relations,
    )
    return gold if sentence.judged is None else _partial(gold, sentence, sentence.judged, place, known)


def _partial(
    gold: GoldSentence, sentence: Sentence, judged: Judged, place: dict[int, int], known: Description
) -> GoldSentence:
    """The same with what nobody judged; ``place`` is that of the sentence's entities among the flat ones."""
    types = known.schema.relation_types
    unknown = judged.open_tokens(len(sentence), [(e.start, e.end) for e in sentence.entities])
    undecided: dict[tuple[int, int], list[int]] = {}
    for type_, head, tail in judged.undecided:
        if type_ in types and head in place and tail in place:
            undecided.setdefault((place[head], place[tail]), []).append(1 + types.index(type_))
    complete = judged.relations is None or set(types) <= set(judged.relations)
    return replace(
        gold,
        open_tokens=np.array(unknown, dtype=np.bool_) if any(unknown) else None,
        open_classes=None
        if complete
        else np.array([False, *(type_ not in (judged.relations or ()) for type_ in types)]),
        undecided=undecided,
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
    open_tokens = None
    if any(sentence.open_tokens is not None for sentence in sentences):
        known_tokens = [
            np.ones(len(s.labels), dtype=np.int64) if s.open_tokens is None else ~s.open_tokens
            for s in sentences
        ]
        open_tokens = padded(np.concatenate(known_tokens), lengths) == 0
    pairs = candidates(spans, known.related)
    return Gold(
        labels=padded(np.concatenate([sentence.labels for sentence in sentences]), lengths),
        open_tokens=open_tokens,
        spans=spans,
        pairs=pairs,
        targets=_targets(sentences, spans, pairs, known.schema.classes),
        sentences=tuple(sentences),
        classes=known.schema.classes,
    )


def _targets(sentences: Sequence[GoldSentence], spans: Spans, pairs: Pairs, classes: int) -> Targets:
    keys = list(
        zip(
            spans.sentence[pairs.head].tolist(),
            (spans.end[pairs.head] - 1).tolist(),
            (spans.end[pairs.tail] - 1).tolist(),
            strict=True,
        )
    )
    relations = _by_last_tokens([sentence.relations for sentence in sentences], sentences)
    held = np.zeros((len(keys), classes), dtype=np.bool_)
    first = np.full(len(keys), NO_RELATION, dtype=np.int64)
    for row, key in enumerate(keys):
        if key in relations:
            first[row] = relations[key][0]
            held[row, relations[key]] = True
    if not any(sentence.is_partial for sentence in sentences):
        return Targets(first, held)
    unknown = np.zeros_like(held)
    undecided = _by_last_tokens([sentence.undecided for sentence in sentences], sentences)
    for row, key in enumerate(keys):
        incomplete = sentences[key[0]].open_classes
        if incomplete is not None:
            unknown[row] = incomplete
        unknown[row, undecided.get(key, [])] = True
    return Targets(first, held, unknown & ~held)


def _by_last_tokens(
    by_entities: Sequence[dict[tuple[int, int], list[int]]], sentences: Sequence[GoldSentence]
) -> dict[tuple[int, int, int], list[int]]:
    """Classes by pairs of entities, now by their sentence and their last tokens."""
    return {
        (number, sentence.entities[head].end - 1, sentence.entities[tail].end - 1): classes
        for number, (own, sentence) in enumerate(zip(by_entities, sentences, strict=True))
        for (head, tail), classes in own.items()
    }
