"""A corpus divided into train, dev and test: by documents, alike in relation types, no text on two sides.

What belongs together is dealt out together: the sentences of a document, and sentences of the same text,
case and punctuation ignored. (A sentence without an entity, such as a heading, does not tie its document to
another that has it too.) It is dealt by iterative stratification (Sechidis, Tsoumakas and Vlahavas
2011): the rarest relation type first, each time to the part that still lacks most of it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from biaffinity.annotation import Sentence
from biaffinity.corpus.repeats import text_fingerprint
from biaffinity.errors import DataError, UsageError

TRAIN = "train"
#: What a sentence without a relation is counted as.
NO_RELATION = ""


@dataclass(frozen=True, slots=True)
class _Group:
    """Sentences, by index, that stay together, and how many relations they have of each type."""

    sentences: Sequence[int]
    labels: Counter[str]


def divide(
    sentences: Sequence[Sentence], shares: Mapping[str, float], seed: int = 1
) -> dict[str, list[Sentence]]:
    """The sentences of every part, in the order given; ``train`` is what the shares of the others leave.

    >>> parts = divide([Sentence([word]) for word in "abcdefghij"], {"dev": 0.2, "test": 0.1})
    >>> {name: len(part) for name, part in parts.items()}
    {'train': 7, 'dev': 2, 'test': 1}
    """
    if not all(0 < share < 1 for share in shares.values()) or sum(shares.values()) >= 1:
        told = ", ".join(f"{name} {share:g}" for name, share in shares.items())
        raise UsageError(
            f"{told} leave nothing for train or are no shares",
            remedy="give shares between 0 and 1 that add up to less than 1, such as --dev 0.1",
        )
    groups = _groups(sentences)
    wanted = {TRAIN: 1 - sum(shares.values()), **shares}
    if len(groups) < len(wanted):
        raise DataError(
            f"{len(sentences):,} sentences of {len(groups):,} document{'s' * (len(groups) != 1)} cannot be "
            f"divided into {len(wanted)} parts, for a document stays whole",
            remedy="annotate more documents, or name dev data of its own",
        )
    dealt = _deal(groups, wanted, random.Random(seed))
    return {name: [sentences[index] for index in sorted(own)] for name, own in dealt.items()}


def _groups(sentences: Sequence[Sentence]) -> list[_Group]:
    """Sentences joined by their document or their text."""
    joined = list(range(len(sentences)))  # each points to an earlier one of its group, the first to itself

    def first(index: int) -> int:
        while joined[index] != index:
            joined[index] = index = joined[joined[index]]
        return index

    seen: dict[object, int] = {}
    for index, sentence in enumerate(sentences):
        keys: list[object] = [] if sentence.document is None else [sentence.document]
        if sentence.tokens and (sentence.entities or sentence.document is None):
            keys.append(text_fingerprint(sentence))
        for key in keys:
            one, other = sorted((first(seen.setdefault(key, index)), first(index)))
            joined[other] = one
    members: dict[int, list[int]] = {}
    for index in range(len(sentences)):
        members.setdefault(first(index), []).append(index)
    return [_Group(own, _labels([sentences[index] for index in own])) for own in members.values()]


def _labels(sentences: Sequence[Sentence]) -> Counter[str]:
    labels = Counter(relation.type for sentence in sentences for relation in sentence.relations)
    labels[NO_RELATION] = sum(not sentence.relations for sentence in sentences)
    return +labels


def _deal(
    groups: Sequence[_Group], shares: Mapping[str, float], drawing: random.Random
) -> dict[str, list[int]]:
    """The sentences of every part, by index."""
    waiting = sorted(drawing.sample(groups, len(groups)), key=lambda group: -len(group.sentences))
    left: Counter[str] = Counter()
    for group in groups:
        left.update(group.labels)
    lacking = {name: {label: share * n for label, n in left.items()} for name, share in shares.items()}
    room = {name: share * sum(len(group.sentences) for group in groups) for name, share in shares.items()}
    dealt: dict[str, list[_Group]] = {name: [] for name in shares}
    while waiting:
        rarest = min((label for label in left if left[label]), key=lambda label: (left[label], label))
        for group in (group for group in waiting if rarest in group.labels):
            part = max(shares, key=lambda name: (lacking[name][rarest], room[name]))
            dealt[part].append(group)
            room[part] -= len(group.sentences)
            for label, count in group.labels.items():
                lacking[part][label] -= count
            left.subtract(group.labels)
        waiting = [group for group in waiting if rarest not in group.labels]
    for own in dealt.values():
        if not own:  # of so few that its share is less than one
            own.append(max(dealt.values(), key=len).pop())
    return {name: [index for group in own for index in group.sentences] for name, own in dealt.items()}
