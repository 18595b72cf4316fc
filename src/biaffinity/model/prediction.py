"""A network applied to sentences: batches of like length in, annotated sentences out, in order.

Whatever runs the network (PyTorch or ONNX) is behind `Network`; nothing here needs either.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.encoding.batches import Bools, Encoder, Example, sorted_batches
from biaffinity.encoding.decoded import Decoded, Floats
from biaffinity.encoding.labels import Labels
from biaffinity.model.network import Network

#: Padded tokens per batch: large enough to keep the matrix products busy, small enough for the cache.
BATCH_TOKENS = 2048
#: Sentences read ahead to find some of like length.
WINDOW = 2048
#: Decimals of a score; what comes after them is noise of the arithmetic.
DECIMALS = 6
#: Distinct tokens that an encoder may remember (some 400 bytes each) before it is replaced.
REMEMBERED = 50_000


def predict(network: Network, sentences: Iterable[Sentence], *, scores: bool = True) -> Iterator[Sentence]:
    """Each sentence under the network's annotation, in order; memory stays flat on a stream.

    In setup 2 the sentence's own entities give the boundaries, and their types are not looked at.
    """
    annotator = Annotator(network)
    stream = iter(sentences)
    while window := list(islice(stream, WINDOW)):
        yield from annotator.annotate(window, scores=scores)


class Annotator:
    """A network and the memory of the tokens it has met; threads may share one."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._encoder = network.new_encoder()
        self._lock = threading.Lock()

    @property
    def labels(self) -> Labels:
        """The tagger's labels."""
        return self._encoder.labels

    def annotate(
        self,
        sentences: Sequence[Sentence],
        *,
        scores: bool = True,
        batch_tokens: int = BATCH_TOKENS,
        allowed: Sequence[Bools] | None = None,
    ) -> Iterator[Sentence]:
        """Each sentence under the network's annotation, in order; without ``scores`` it has none.

        ``allowed`` holds for each sentence the labels that its tokens may have, [tokens, labels]. The
        entities of a sentence give a model of setup 2 its boundaries; any other does not look at them.
        """
        for start in range(0, len(sentences), WINDOW):
            window = sentences[start : start + WINDOW]
            masks = None if allowed is None else allowed[start : start + WINDOW]
            yield from self._annotate_window(window, masks, batch_tokens, scores)

    def _annotate_window(
        self, window: Sequence[Sentence], masks: Sequence[Bools] | None, batch_tokens: int, scores: bool
    ) -> list[Sentence]:
        results = [sentence.annotated(()) for sentence in window]
        filled = [index for index, sentence in enumerate(window) if len(sentence)]
        encoder, examples = self._encode([window[index] for index in filled])
        types, relation_types = encoder.labels.types, self.network.vocabulary.relation_types
        for rows in sorted_batches([len(example) for example in examples], batch_tokens):
            batch = encoder.batch([examples[row] for row in rows])
            chosen = [filled[row] for row in rows]
            mask = None if masks is None else _padded([masks[index] for index in chosen])
            decoded = self.network.decode(batch, scores=scores, allowed=mask)
            found = _annotations(decoded, len(chosen), types, relation_types, scores)
            for index, (entities, relations) in zip(chosen, found, strict=True):
                results[index] = window[index].annotated(entities, relations)
        return results

    def _encode(self, sentences: Sequence[Sentence]) -> tuple[Encoder, list[Example]]:
        """The sentences as examples, and the encoder that numbered their words.

        An encoder learns tokens as it encodes, one thread at a time; it puts batches together from
        what it has learnt, which any number of threads may do.
        """
        with self._lock:
            if self._encoder.remembered > REMEMBERED:
                self._encoder = self.network.new_encoder()
            return self._encoder, [self._encoder.encode(sentence) for sentence in sentences]


def _annotations(
    decoded: Decoded, sentences: int, types: Sequence[str], relation_types: Sequence[str], scores: bool
) -> list[tuple[list[Entity], list[Relation]]]:
    """For each sentence of a batch the entities and relations that were decoded for it."""
    spans, pairs = decoded.spans, decoded.pairs
    annotations: list[tuple[list[Entity], list[Relation]]] = [([], []) for _ in range(sentences)]
    place: list[int] = []
    found = (spans.sentence, spans.start, spans.end, spans.type, _rounded(decoded.span_scores))
    for sentence, start, end, type_, score in zip(*(column.tolist() for column in found), strict=True):
        entities, _ = annotations[sentence]
        place.append(len(entities))
        entities.append(Entity(start, end, types[type_], score if scores else None))
    sentence_of = spans.sentence.tolist()
    related = (pairs.head, pairs.tail, pairs.relation, _rounded(decoded.pair_scores))
    for head, tail, relation, score in zip(*(column.tolist() for column in related), strict=True):
        _, relations = annotations[sentence_of[head]]
        name = relation_types[relation - 1]
        relations.append(Relation(name, place[head], place[tail], score if scores else None))
    return annotations


def _rounded(scores: Floats) -> npt.NDArray[np.float64]:
    """Scores that print as short as they are exact."""
    return scores.astype(np.float64).round(DECIMALS)


def _padded(masks: Sequence[Bools]) -> Bools:
    """Masks of several sentences in one array, [sentences, longest, labels]; padding may have any label."""
    size = max(len(mask) for mask in masks)
    padded = np.ones((len(masks), size, masks[0].shape[1]), dtype=np.bool_)
    for row, mask in enumerate(masks):
        padded[row, : len(mask)] = mask
    return padded
