from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.corpus.repeats import Repeat, Repeats, annotation_fingerprint, text_fingerprint
from strategies import sentences


def text_of(*tokens: str) -> int:
    return text_fingerprint(Sentence(tokens))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna left Oslo .", "ANNA LEFT OSLO"),
        ("Anna left Oslo .", "`` Anna left Oslo . ''"),
        ("can not", "cannot"),
        ("Calif. 1", "Calif . 1"),
        ("Straße", "STRASSE"),
        ("naïve", "NAÏVE"),
    ],
)
def test_case_punctuation_and_tokens_do_not_count(one: str, other: str) -> None:
    assert text_of(*one.split()) == text_of(*other.split())


@pytest.mark.parametrize(
    ("one", "other"), [("Anna left", "Anna leaves"), ("5 men", "6 men"), ("की", "का"), ("naïve", "naive")]
)
def test_letters_digits_and_marks_count(one: str, other: str) -> None:
    assert text_of(*one.split()) != text_of(*other.split())


def test_sentences_of_punctuation_alone_are_compared_as_they_stand() -> None:
    assert text_of("-", "-") != text_of("*", "*")
    assert text_of("-", "-") == text_of("-", "-")


ANNA = Sentence(
    ["Anna", "left", "Oslo", "."],
    [Entity(0, 1, "Peop"), Entity(2, 3, "Loc")],
    [Relation("Live_In", 0, 1)],
)


def test_an_annotation_is_the_same_wherever_punctuation_and_order_put_it() -> None:
    moved = Sentence(
        ["``", "ANNA", ",", "left", "Oslo"],
        [Entity(4, 5, "Loc"), Entity(1, 2, "Peop")],
        [Relation("Live_In", 1, 0)],
    )
    assert text_fingerprint(moved) == text_fingerprint(ANNA)
    assert annotation_fingerprint(moved) == annotation_fingerprint(ANNA)


@pytest.mark.parametrize(
    "other",
    [
        ANNA.annotated([Entity(0, 1, "Peop"), Entity(2, 3, "Loc")]),
        ANNA.annotated([Entity(0, 1, "Peop"), Entity(2, 3, "Org")], ANNA.relations),
        ANNA.annotated([Entity(0, 1, "Peop"), Entity(2, 4, "Loc")], ANNA.relations),
        ANNA.annotated(ANNA.entities, [Relation("Live_In", 1, 0)]),
        ANNA.annotated(ANNA.entities, [Relation("Kill", 0, 1)]),
    ],
    ids=["no relation", "entity type", "full stop inside", "direction", "relation type"],
)
def test_another_annotation_is_seen(other: Sentence) -> None:
    assert annotation_fingerprint(other) != annotation_fingerprint(ANNA)


def test_the_same_word_in_another_place_is_another_annotation() -> None:
    tokens = ["Oslo", "or", "Oslo"]
    first, second = Sentence(tokens, [Entity(0, 1, "Loc")]), Sentence(tokens, [Entity(2, 3, "Loc")])
    assert annotation_fingerprint(first) != annotation_fingerprint(second)


def test_repeats_are_told_by_split() -> None:
    repeats = Repeats()
    for split, id, text in [
        ("train", "1", "Anna left"),
        ("train", "2", "Bo left"),
        ("train", "3", "anna left !"),
        ("dev", "4", "Bo left"),
        ("dev", "5", "Cy left"),
        ("test", "6", "Bo left"),
        ("test", "7", "Cy left"),
        ("test", "8", "Cy left ."),
        ("test", "9", "Di left"),
    ]:
        repeats.add(Sentence(text.split()), split, id)
    assert repeats.groups == 3
    assert repeats.splits["train"].within == [Repeat("3", "train", "1")]
    assert repeats.splits["train"].across == []
    assert repeats.splits["dev"].across == [Repeat("4", "train", "2")]
    assert repeats.splits["test"].across == [
        Repeat("6", "train", "2"),
        Repeat("7", "dev", "5"),
        Repeat("8", "dev", "5"),
    ]
    assert repeats.splits["test"].within == [Repeat("8", "test", "7")]
    assert repeats.splits["test"].origins == {"train": 1, "dev": 3}


def test_a_text_annotated_differently_is_told_once() -> None:
    repeats = Repeats()
    for split, id, entities in [
        ("train", "1", []),
        ("dev", "2", [Entity(0, 1, "Peop")]),
        ("test", "3", [Entity(0, 1, "Org")]),
    ]:
        repeats.add(Sentence(["Anna", "left"], entities), split, id)
    assert repeats.splits["dev"].differing == [Repeat("2", "train", "1")]
    assert repeats.splits["test"].differing == []


def test_sentences_without_tokens_repeat_nothing() -> None:
    repeats = Repeats()
    repeats.add(Sentence([]), "train", "1")
    repeats.add(Sentence([]), "train", "2")
    assert repeats.groups == 0


@given(st.lists(st.tuples(st.sampled_from(["train", "dev", "test"]), sentences(max_tokens=2)), max_size=20))
def test_counts_are_those_of_comparing_every_sentence_with_every_other(
    drawn: list[tuple[str, Sentence]],
) -> None:
    order = ["train", "dev", "test"]
    corpus = sorted(drawn, key=lambda pair: order.index(pair[0]))
    repeats = Repeats()
    for number, (split, sentence) in enumerate(corpus):
        repeats.add(sentence, split, str(number))

    def letters(sentence: Sentence) -> str:
        text = "".join(sentence.tokens).lower()
        return "".join(c for c in text if c.isalnum()) or text

    for split in order:
        within, across = [], []
        for number, (mine, sentence) in enumerate(corpus):
            if mine == split:
                before = {other for other, s in corpus[:number] if letters(s) == letters(sentence)}
                within += [str(number)] * (split in before)
                across += [str(number)] * bool(before - {split})
        found = repeats.splits.get(split)
        assert [r.id for r in found.within] == within if found else not within
        assert [r.id for r in found.across] == across if found else not across
    texts = [letters(sentence) for _, sentence in corpus]
    assert repeats.groups == sum(texts.count(text) > 1 for text in set(texts))
