"""A network applied to sentences: batches of like length in, annotated sentences out, in order."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from biaffinity.annotation import Entity, Relation, Sentence, outermost
from biaffinity.decoding.arrays import Bools, Doubles, Floats, Ints, padded
from biaffinity.decoding.decision import Decoded
from biaffinity.decoding.decode import Check, decode
from biaffinity.decoding.labels import encode_boundaries
from biaffinity.decoding.network import Batch, Description, Featuriser, Network

#: Sentences that `predict` reads ahead to find some of like length.
WINDOW = 2048
#: Decimals of a score; what comes after them is noise of the arithmetic.
DECIMALS = 6
#: Distinct tokens that a featuriser may remember (some 400 bytes each) before it is replaced.
REMEMBERED = 50_000


def predict(network: Network, sentences: Iterable[Sentence], *, scores: bool = True) -> Iterator[Sentence]:
    """Each sentence under the network's annotation, in order; memory stays flat on a stream.

    A model that is given boundaries has them from the sentence's own entities, whose types it does not
    look at.
    """
    predictor = Predictor(network)
    stream = iter(sentences)
    while window := list(islice(stream, WINDOW)):
        yield from predictor.annotate(window, scores=scores)


class Predictor:
    """A network and the memory of the tokens it has met; threads may share one."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._featuriser = network.new_featuriser()
        self._lock = threading.Lock()

    @property
    def description(self) -> Description:
        """What the network is."""
        return self.network.description

    def annotate(
        self,
        sentences: Sequence[Sentence],
        *,
        scores: bool = True,
        batch_tokens: int | None = None,
        allowed: Sequence[Bools | None] | None = None,
        floors: Sequence[Floats | None] | None = None,
        check: Check | None = None,
    ) -> list[Sentence]:
        """Each sentence under the network's annotation, in order; without ``scores`` it has none.

        ``batch_tokens`` are the padded tokens that are read at one time, if not as many as suit the network.
        ``allowed`` holds for each sentence the labels that its tokens may have, [tokens, labels], or None
        for all; ``floors`` the least scores of its relations, [classes], or None for the decision. The
        entities of a sentence give boundaries to a model that is given them; any other does not look.
        ``check`` is called for every batch (see `decode`).
        """
        results = [sentence if len(sentence) else sentence.annotated(()) for sentence in sentences]
        for rows in sorted_batches(
            [len(sentence) for sentence in sentences], batch_tokens or self.network.batch_tokens
        ):
            chosen = [sentences[row] for row in rows]
            mask = None if allowed is None else _padded_masks([allowed[row] for row in rows], len(chosen[0]))
            decoded = decode(
                self.network,
                self._batch(chosen),
                scores=scores,
                allowed=mask,
                floors=None if floors is None else _stacked_floors([floors[row] for row in rows]),
                check=check,
            )
            annotations = _annotations(decoded, len(chosen), self.description, scores)
            for row, sentence, (entities, relations) in zip(rows, chosen, annotations, strict=True):
                results[row] = sentence.annotated(entities, relations)
        return results

    def _batch(self, sentences: Sequence[Sentence]) -> Batch:
        featuriser, featurised = self._featurise(sentences)
        lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
        boundaries = None
        if self.description.boundaries == "given":
            tags = [given_boundaries(sentence) for sentence in sentences]
            boundaries = padded(np.concatenate(tags), lengths)
        return Batch(featuriser.collate(featurised), lengths, boundaries)

    def _featurise(self, sentences: Sequence[Sentence]) -> tuple[Featuriser, list[object]]:
        """The sentences featurised, and what did it.

        A featuriser learns tokens as it reads, one thread at a time; it puts batches together from what
        it has learnt, which any number of threads may do.
        """
        with self._lock:
            if self._featuriser.remembered > REMEMBERED:
                self._featuriser = self.network.new_featuriser()
            return self._featuriser, [self._featuriser.featurise(s.tokens) for s in sentences]


def given_boundaries(sentence: Sentence) -> Ints:
    """The boundary tags of a sentence's entities, [tokens]; of overlapping ones the outermost count."""
    entities = [sentence.entities[index] for index in outermost(sentence.entities)]
    return encode_boundaries(len(sentence), entities)


def sorted_batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Batches of sentences of like length whose padded size is at most ``tokens`` (or one sentence).

    Sentences without a token are in none.
    """
    order = np.argsort(lengths, kind="stable")[::-1].tolist()
    start = 0
    while start < len(order) and lengths[order[start]]:
        count = max(1, tokens // lengths[order[start]])
        yield [row for row in order[start : start + count] if lengths[row]]
        start += count


def _annotations(
    decoded: Decoded, sentences: int, known: Description, scores: bool
) -> list[tuple[list[Entity], list[Relation]]]:
    """For each sentence of a batch the entities and relations that were decoded for it."""
    spans, pairs = decoded.spans, decoded.pairs
    types, relation_types = known.schema.entity_types, known.schema.relation_types
    annotations: list[tuple[list[Entity], list[Relation]]] = [([], []) for _ in range(sentences)]
    place: list[int] = []
    found = (spans.sentence, spans.start, spans.end, spans.type, _rounded(decoded.span_scores))
    for sentence, start, end, type_, score in zip(*(column.tolist() for column in found), strict=True):
        entities, _ = annotations[sentence]
        place.append(len(entities))
        entities.append(Entity(start, end, types[type_], score if scores else None))
    sentence_of = spans.sentence.tolist()
    related = (pairs.head, pairs.tail, decoded.relations, _rounded(decoded.relation_scores))
    for head, tail, relation, score in zip(*(column.tolist() for column in related), strict=True):
        _, relations = annotations[sentence_of[head]]
        name = relation_types[relation - 1]
        relations.append(Relation(name, place[head], place[tail], score if scores else None))
    return annotations


def _rounded(scores: Floats) -> Doubles:
    """Scores that print as short as they are exact."""
    return scores.astype(np.float64).round(DECIMALS)


def _padded_masks(masks: Sequence[Bools | None], size: int) -> Bools | None:
    """Masks of several sentences in one array, [sentences, size, labels]; padding may have any label."""
    known = [(row, mask) for row, mask in enumerate(masks) if mask is not None]
    if not known:
        return None
    padded_mask = np.ones((len(masks), size, known[0][1].shape[1]), dtype=np.bool_)
    for row, mask in known:
        padded_mask[row, : len(mask)] = mask
    return padded_mask


def _stacked_floors(floors: Sequence[Floats | None]) -> Floats | None:
    """Floors of several sentences in one array, [sentences, classes]; an infinite one is none."""
    known = next((own for own in floors if own is not None), None)
    if known is None:
        return None
    return np.stack([np.full_like(known, np.inf) if own is None else own for own in floors])
