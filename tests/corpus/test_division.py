"""A corpus divided: whole documents, no text twice, every part its share of every relation type."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.corpus.division import divide
from biaffinity.corpus.repeats import text_fingerprint
from biaffinity.errors import DataError, UsageError


def sentence(text: str, relation: str | None = None, document: str | None = None) -> Sentence:
    entities = [Entity(0, 1, "A"), Entity(1, 2, "B")]
    relations = [] if relation is None else [Relation(relation, 0, 1)]
    return Sentence([*text.split(), "x", "y"], entities, relations, id=text, document=document)


corpora = st.lists(
    st.builds(
        sentence,
        st.integers(0, 30).map(str),
        st.sampled_from(["Kill", "Live_In", None]),
        st.sampled_from(["a", "b", "c", "d", None]),
    ),
    max_size=40,
)


@given(corpora, st.integers(0, 3))
def test_nothing_is_lost_and_nothing_tied_is_parted(corpus: list[Sentence], seed: int) -> None:
    try:
        parts = divide(corpus, {"dev": 0.2, "test": 0.2}, seed)
    except DataError:
        return
    assert all(parts.values())
    assert Counter(map(id, corpus)) == Counter(id(own) for part in parts.values() for own in part)
    for key in (lambda s: s.document, text_fingerprint):
        found = [{key(own) for own in part} - {None} for part in parts.values()]
        assert sum(map(len, found)) == len(set().union(*found))


def test_every_relation_type_has_its_share_in_every_part() -> None:
    types = ["Kill"] * 30 + ["Live_In"] * 300 + [None] * 170
    corpus = [sentence(str(number), type_) for number, type_ in enumerate(types)]
    parts = divide(corpus, {"dev": 0.1, "test": 0.2})
    counts = {
        name: Counter(s.relations[0].type if s.relations else None for s in part)
        for name, part in parts.items()
    }
    assert counts == {
        "train": {"Kill": 21, "Live_In": 210, None: 119},
        "dev": {"Kill": 3, "Live_In": 30, None: 17},
        "test": {"Kill": 6, "Live_In": 60, None: 34},
    }


def test_a_seed_divides_always_alike_and_another_otherwise() -> None:
    corpus = [sentence(str(number), "Kill") for number in range(50)]
    assert divide(corpus, {"dev": 0.2}, 7) == divide(corpus, {"dev": 0.2}, 7)
    assert divide(corpus, {"dev": 0.2}, 7) != divide(corpus, {"dev": 0.2}, 8)


def test_a_heading_that_all_documents_have_does_not_tie_them() -> None:
    corpus = [
        own
        for name in "abcdefghij"
        for own in (Sentence(["Introduction"], document=name), sentence(name, "Kill", name))
    ]
    parts = divide(corpus, {"dev": 0.2})
    assert {name: len({own.document for own in part}) for name, part in parts.items()} == {
        "train": 8,
        "dev": 2,
    }


@pytest.mark.parametrize(
    "shares", [{"dev": 0.0}, {"dev": 1.0}, {"dev": 0.6, "test": 0.4}, {"dev": float("nan")}]
)
def test_shares_that_are_none_are_refused(shares: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        divide([sentence("a"), sentence("b")], shares)


def test_one_document_cannot_be_divided() -> None:
    with pytest.raises(DataError, match="2 sentences of 1 document cannot be divided into 2 parts"):
        divide([sentence("a", document="d"), sentence("b", document="d")], {"dev": 0.1})
