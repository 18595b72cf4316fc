"""``Extractor.pipe``: a stream as users of spaCy know it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from biaffinity import Extractor
from biaffinity.errors import BiaffinityError, UsageError
from extraction.test_extractor import assert_same
from extraction.texts import ANA, TOVE


def test_documents_come_in_the_order_of_the_texts(extractor: Extractor) -> None:
    texts = [ANA, "", TOVE, ANA]
    for ours, theirs in zip(extractor.pipe(texts, batch_size=2), map(extractor, texts), strict=True):
        assert_same(ours, theirs)


def test_tuples_come_back_with_their_contexts(extractor: Extractor) -> None:
    context = {"page": 4}
    (one, first), (other, second) = extractor.pipe([(ANA, context), (TOVE, "b")], as_tuples=True)
    assert first is context
    assert (one.text, one.id, other.id, second) == (ANA, "", "b", "b")


def test_no_more_texts_are_taken_than_a_batch(extractor: Extractor) -> None:
    taken = []

    def source() -> Iterator[str]:
        for number in range(100):
            taken.append(number)
            yield TOVE

    next(extractor.pipe(source(), batch_size=3))
    assert taken == [0, 1, 2]


def test_processes_read_side_by_side(extractor: Extractor) -> None:
    pairs = [(text, object()) for text in [ANA, "", TOVE, ANA, TOVE]]
    options: dict[str, Any] = {"as_tuples": True, "min_score": {"Org": 1.0}}
    alone = list(extractor.pipe(pairs, **options))
    together = list(extractor.pipe(pairs, **options, n_process=2, batch_size=2))
    assert [context for _, context in together] == [context for _, context in pairs]
    for (ours, _), (theirs, _) in zip(together, alone, strict=True):
        assert_same(ours, theirs)
    with pytest.raises(BiaffinityError, match=r"^texts\[3\]: entities\[0\]: characters 0..99 are"):
        list(extractor.pipe([ANA] * 4, entities=[None] * 3 + [[(0, 99)]], n_process=2, batch_size=2))


def test_an_extractor_that_cannot_be_sent_says_so_at_once(within: Extractor) -> None:
    with pytest.raises(UsageError, match="loaded from a folder"):
        within.pipe([ANA], n_process=2)


@pytest.mark.parametrize(
    ("texts", "options", "told"),
    [
        (ANA, {}, "texts must be an iterable of strings, not str"),
        ([ANA], {"batch_size": 0}, "batch_size must be a whole number from 1 on"),
        ([ANA], {"n_process": 0}, "n_process must be a whole number from 1 on"),
        ([ANA, "x"], {"as_tuples": True}, r"texts\[0\]: must be a pair \(text, context\)"),
        ([ANA, (TOVE, 1)], {}, r"texts\[1\]: must be a string"),
    ],
)
def test_mistakes_are_named(extractor: Extractor, texts: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        list(extractor.pipe(texts, **options))
