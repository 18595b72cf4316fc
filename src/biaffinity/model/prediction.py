"""A model applied to sentences: batches of like length in, annotated sentences out, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.encoding.batches import Encoder, sorted_batches
from biaffinity.encoding.decoded import Decoded
from biaffinity.model.joint import JointModel

#: Padded tokens per batch: large enough to keep the matrix products busy, small enough for the cache.
BATCH_TOKENS = 2048
#: Sentences read ahead to find some of like length.
WINDOW = 2048
#: Distinct tokens that an encoder may remember (some 400 bytes each) before it is replaced.
REMEMBERED = 200_000


def predict(model: JointModel, sentences: Iterable[Sentence], *, scores: bool = True) -> Iterator[Sentence]:
    """Each sentence under the model's annotation, in order; memory stays flat on a stream.

    In setup 2 the sentence's own entities give the boundaries, and their types are not looked at.
    """
    model.eval()
    stream = iter(sentences)
    encoder = model.new_encoder()
    while window := list(islice(stream, WINDOW)):
        yield from _predict_window(model, encoder, window, scores)
        if encoder.remembered > REMEMBERED:
            encoder = model.new_encoder()


def _predict_window(
    model: JointModel, encoder: Encoder, window: Sequence[Sentence], scores: bool
) -> list[Sentence]:
    results = [sentence.annotated(()) for sentence in window]
    filled = [index for index, sentence in enumerate(window) if len(sentence)]
    examples = [encoder.encode(window[index]) for index in filled]
    for rows in sorted_batches([len(example) for example in examples], BATCH_TOKENS):
        decoded = model.decode(encoder.batch([examples[row] for row in rows]), scores=scores)
        originals = [filled[row] for row in rows]
        for index, annotated in zip(
            originals, _annotate(model, window, originals, decoded, scores), strict=True
        ):
            results[index] = annotated
    return results


def _annotate(
    model: JointModel, window: Sequence[Sentence], originals: Sequence[int], decoded: Decoded, scores: bool
) -> list[Sentence]:
    """The sentences at ``originals`` with what was decoded for them."""
    spans, pairs = decoded.spans, decoded.pairs
    types, relation_types = model.encoder.labels.types, model.vocabulary.relation_types
    entities: list[list[Entity]] = [[] for _ in originals]
    relations: list[list[Relation]] = [[] for _ in originals]
    place = []
    found = (spans.sentence, spans.start, spans.end, spans.type, decoded.span_scores)
    for sentence, start, end, type_, score in zip(*(column.tolist() for column in found), strict=True):
        place.append((sentence, len(entities[sentence])))
        entities[sentence].append(Entity(start, end, types[type_], score if scores else None))
    related = (pairs.head, pairs.tail, pairs.relation, decoded.pair_scores)
    for head, tail, relation, score in zip(*(column.tolist() for column in related), strict=True):
        sentence, first = place[head]
        name = relation_types[relation - 1]
        relations[sentence].append(Relation(name, first, place[tail][1], score if scores else None))
    return [window[index].annotated(entities[row], relations[row]) for row, index in enumerate(originals)]
