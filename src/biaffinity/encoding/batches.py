"""Sentences to padded arrays: each sentence is encoded once, a batch is put together from those.

A batch names every distinct word form once, so that the character encoder reads it once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from biaffinity.annotation import Entity, Sentence, outermost
from biaffinity.encoding.labels import Ints, Labels, Spans, encode_boundaries
from biaffinity.encoding.normalisation import Normalisation, character_form, word_form
from biaffinity.encoding.vocabulary import LONGEST_END, NEGATIVE, Vocabulary, ends

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Candidate pairs of a batch: indexes into its `Spans`, and the gold class where it is known."""

    head: Ints
    tail: Ints
    relation: Ints

    def __len__(self) -> int:
        return len(self.head)


@dataclass(frozen=True, slots=True)
class Example:
    """One sentence as arrays over its tokens, with its flat entities and its relations by entity."""

    words: Ints
    forms: Ints
    labels: Ints
    boundaries: Ints
    entities: tuple[Entity, ...]
    types: Ints
    relations: dict[tuple[int, int], int]

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded arrays of some examples.

    ``words``, ``labels``, ``boundaries``: [batch, size]; ``lengths``: [batch]; ``characters``:
    [distinct forms, longest], shortest first; ``character_lengths``: [distinct forms]; ``form_index``:
    [batch, size], which distinct form each token is; ``spans``: gold entities; ``pairs``: candidates
    among them.
    """

    words: Ints
    lengths: Ints
    characters: Ints
    character_lengths: Ints
    form_index: Ints
    labels: Ints
    boundaries: Ints
    spans: Spans
    pairs: Pairs
    relations: tuple[dict[tuple[int, int], int], ...]


class Encoder:
    """Turns sentences into examples and examples into batches, remembering the tokens it has met."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        scheme: Literal["bilou", "types"],
        normalisation: Normalisation,
        all_pairs: bool,
    ) -> None:
        self.vocabulary = vocabulary
        self.labels = Labels(tuple(vocabulary.entity_types), scheme)
        self.normalisation: Normalisation = normalisation
        self.relation_numbers = {name: 1 + i for i, name in enumerate(vocabulary.relation_types)}
        count = len(vocabulary.entity_types)
        self.allowed: Bools = np.full((count, count), all_pairs)
        for head, tail in vocabulary.pairs:
            self.allowed[self.labels.types.index(head), self.labels.types.index(tail)] = True
        self._tokens: dict[str, tuple[int, int]] = {}
        self._forms: dict[str, int] = {}
        self._spellings: list[Ints] = []

    @property
    def remembered(self) -> int:
        """How many distinct tokens, or forms of them, are kept; each takes some hundred bytes."""
        return max(len(self._tokens), len(self._forms))

    def encode(self, sentence: Sentence) -> Example:
        """A sentence with at least one token as arrays; of overlapping entities the outermost stay.

        An entity of a type the model does not know has no label, but boundaries like any other.
        """
        numbers = np.array([self._token(token) for token in sentence.tokens], dtype=np.int64)
        flat = outermost(sentence.entities)
        kept = [index for index in flat if sentence.entities[index].type in self.labels.types]
        position = {index: place for place, index in enumerate(kept)}
        entities = tuple(sentence.entities[index] for index in kept)
        relations: dict[tuple[int, int], int] = {}
        for relation in sentence.relations:
            pair = position.get(relation.head), position.get(relation.tail)
            number = self.relation_numbers.get(relation.type)
            if pair[0] is not None and pair[1] is not None and number is not None:
                relations.setdefault((pair[0], pair[1]), number)
        return Example(
            words=numbers[:, 0],
            forms=numbers[:, 1],
            labels=self.labels.encode(len(sentence), entities),
            boundaries=encode_boundaries(len(sentence), [sentence.entities[index] for index in flat]),
            entities=entities,
            types=np.array([self.labels.types.index(e.type) for e in entities], dtype=np.int64),
            relations=relations,
        )

    def batch(self, examples: Sequence[Example]) -> Batch:
        """Examples padded to one size."""
        lengths = np.array([len(example) for example in examples], dtype=np.int64)
        size = int(lengths.max())
        inside = np.arange(size) < lengths[:, None]
        flat_forms = np.concatenate([example.forms for example in examples])
        distinct, index = np.unique(flat_forms, return_inverse=True)
        characters, character_lengths, place = self._spell(distinct)
        spans = Spans(
            sentence=np.repeat(np.arange(len(examples)), [len(e.entities) for e in examples]),
            start=np.array([e.start for example in examples for e in example.entities], dtype=np.int64),
            end=np.array([e.end for example in examples for e in example.entities], dtype=np.int64),
            type=np.concatenate([example.types for example in examples]),
        )
        relations = tuple(example.relations for example in examples)
        gold = self._labelled(self.candidates(spans), spans, spans, relations)
        return Batch(
            words=_pad(np.concatenate([example.words for example in examples]), inside),
            lengths=lengths,
            characters=characters,
            character_lengths=character_lengths,
            form_index=_pad(place[index], inside),
            labels=_pad(np.concatenate([example.labels for example in examples]), inside),
            boundaries=_pad(np.concatenate([example.boundaries for example in examples]), inside),
            spans=spans,
            pairs=gold,
            relations=relations,
        )

    def matched_pairs(self, spans: Spans, batch: Batch) -> Pairs:
        """The candidates among spans of any origin; a class is gold where both last tokens are."""
        return self._labelled(self.candidates(spans), spans, batch.spans, batch.relations)

    def candidates(self, spans: Spans) -> Pairs:
        """All ordered pairs of spans of one sentence whose types may be related, class unknown (none)."""
        size = len(spans)
        counts = np.bincount(spans.sentence) if size else np.zeros(0, dtype=np.int64)
        partners = counts[spans.sentence]
        head = np.repeat(np.arange(size), partners)
        first = np.concatenate([[0], np.cumsum(counts)[:-1]])[spans.sentence] if size else head
        # Within each head's block the tails run over its sentence from the first span on.
        block = np.cumsum(partners) - partners
        tail = np.arange(len(head)) - np.repeat(block, partners) + np.repeat(first, partners)
        keep = (head != tail) & self.allowed[spans.type[head], spans.type[tail]]
        return Pairs(head[keep], tail[keep], np.full(int(keep.sum()), NEGATIVE, dtype=np.int64))

    def _labelled(
        self, pairs: Pairs, spans: Spans, gold: Spans, relations: Sequence[dict[tuple[int, int], int]]
    ) -> Pairs:
        """Candidates among ``spans`` with the classes of the ``gold`` spans' relations."""
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
        found = np.array([classes.get(key, NEGATIVE) for key in keys], dtype=np.int64)
        return Pairs(pairs.head, pairs.tail, found)

    def _token(self, token: str) -> tuple[int, int]:
        found = self._tokens.get(token)
        if found is None:
            form = ends(character_form(token, self.normalisation))
            number = self._forms.setdefault(form, len(self._forms))
            if number == len(self._spellings):
                self._spellings.append(np.array(self.vocabulary.spell(form), dtype=np.int64))
            found = self.vocabulary.word(word_form(token, self.normalisation)), number
            if len(token) <= 2 * LONGEST_END:  # what is longer hardly comes again, and may be megabytes
                self._tokens[token] = found
        return found

    def _spell(self, forms: Ints) -> tuple[Ints, Ints, Ints]:
        """Padded characters of word forms, shortest form first, their lengths, and where each form went."""
        spellings = [self._spellings[form] for form in forms]
        lengths = np.array([len(spelling) for spelling in spellings], dtype=np.int64)
        order = np.argsort(lengths, kind="stable")
        place = np.empty(len(forms), dtype=np.int64)
        place[order] = np.arange(len(forms))
        lengths = lengths[order]
        inside = np.arange(lengths.max()) < lengths[:, None]
        return _pad(np.concatenate([spellings[row] for row in order]), inside), lengths, place


def _pad(flat: Ints, inside: Bools) -> Ints:
    padded = np.zeros(inside.shape, dtype=np.int64)
    padded[inside] = flat
    return padded


def shuffled_batches(lengths: Sequence[int], size: int, generator: np.random.Generator) -> Iterator[Ints]:
    """Random batches of ``size`` of sentences of like length, in random order.

    Lengths are blurred by a twentieth before sorting, so that batches differ from epoch to epoch.
    """
    noise = generator.uniform(0.95, 1.05, len(lengths))
    order = np.argsort(np.asarray(lengths) * noise + generator.uniform(0, 1, len(lengths)), kind="stable")
    starts = np.arange(0, len(lengths), size)
    for start in generator.permutation(starts):
        yield order[start : start + size]


def sorted_batches(lengths: Sequence[int], tokens: int) -> Iterator[Ints]:
    """Batches of sentences of like length whose padded size is at most ``tokens`` (or one sentence)."""
    order = np.argsort(lengths, kind="stable")[::-1]
    start = 0
    while start < len(order):
        count = max(1, tokens // max(1, lengths[order[start]]))
        yield order[start : start + count]
        start += count
