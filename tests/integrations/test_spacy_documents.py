"""spaCy's documents in our form: sentences, tokens and entities, to the character."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("spacy", reason="needs the extra spacy")

import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

from biaffinity.annotation import Document, Entity, Relation, Sentence
from biaffinity.errors import MissingExtraError
from biaffinity.integrations.spacy_documents import (
    SpanRelation,
    characters_of,
    register_extensions,
    to_document,
    write,
)
from extraction.texts import ANA, TOVE, annotated_texts, texts

NLP = spacy.blank("en")
register_extensions()


def shape(doc: Doc, *entities: Span) -> list[list[str]]:
    return [list(sentence.tokens) for sentence in to_document(doc, dict.fromkeys(entities, "*")).sentences]


def test_sentences_are_spacys_where_it_has_some() -> None:
    doc = Doc(NLP.vocab, ["Ana", "left", ".", "Bo"], sent_starts=[True, True, False, False])
    assert shape(doc) == [["Ana"], ["left", ".", "Bo"]]


def test_sentences_are_ours_where_spacy_has_none() -> None:
    assert shape(NLP(f"{ANA} {TOVE}\n\nNo stop")) == [
        [*ANA[:-1].replace(",", " ,").split(), "."],
        [*TOVE[:-1].split(), "."],
        ["No", "stop"],
    ]


def test_spacys_sentences_are_left_unset() -> None:
    doc = NLP(f"{ANA} {TOVE}")
    to_document(doc, {})
    assert not doc.has_annotation("SENT_START")


def test_a_token_that_runs_over_the_end_of_a_sentence_is_not_cut() -> None:
    doc = Doc(NLP.vocab, ["Ana", "left. Bo", "stayed", "."])
    assert shape(doc) == [["Ana", "left. Bo"], ["stayed", "."]]


def test_a_sentence_that_ends_within_an_entity_goes_on() -> None:
    doc = Doc(NLP.vocab, ["Ana", "St.", "Olave", "left"], sent_starts=[True, False, True, False])
    assert shape(doc) == [["Ana", "St."], ["Olave", "left"]]
    assert shape(doc, doc[1:3]) == [["Ana", "St.", "Olave", "left"]]


def test_white_space_is_no_token() -> None:
    assert shape(NLP(" Ana \n Ruiz\t left ")) == [["Ana", "Ruiz", "left"]]


def test_an_entity_is_counted_in_words() -> None:
    doc = NLP("  Ana \n Ruiz  left")
    entity = Span(doc, 0, 5, "PERSON")  # with the white space around it
    (sentence,) = to_document(doc, {entity: "Peop"}).sentences
    assert [(e.start, e.end, e.type) for e in sentence.entities] == [(0, 2, "Peop")]
    assert sentence.char_span(0) == characters_of(entity) == (2, 12)


@given(texts(), st.data())
def test_text_tokens_and_entities_are_kept_to_the_character(text: str, data: st.DataObject) -> None:
    doc = NLP(text.replace("\ud800", ""))
    borders = data.draw(st.lists(st.integers(0, len(doc)), max_size=8, unique=True).map(sorted))
    pairs = zip(borders[::2], borders[1::2], strict=False)
    spans = [span for a, b in pairs if (span := Span(doc, a, b, "X")).text.strip()]
    document = to_document(doc, dict.fromkeys(spans, "*"))
    assert document.text == doc.text
    assert [token for s in document.sentences for token in s.tokens] == [
        token.text for token in doc if not token.is_space
    ]
    for sentence in document.sentences:
        assert [(sentence.text or "")[a:b] for a, b in sentence.token_spans or ()] == list(sentence.tokens)
    assert [(e.start_char, e.end_char) for e in document.entities] == [characters_of(span) for span in spans]


def test_relations_survive_the_merging_of_tokens() -> None:
    doc = Doc(NLP.vocab, ["Ana", "Ruiz", "left", "Bergen"])
    write(doc, [SpanRelation("Left", doc[0:2], doc[3:4], 0.5)], {doc[0:2]: 0.9}, anew=True)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    (relation,) = doc._.relations
    assert (relation.head, relation.tail, relation.score) == (doc[0:1], doc[2:3], 0.5)
    assert doc[0:1]._.entity_score == 0.9


def test_a_document_that_nothing_was_found_in_has_no_relations() -> None:
    doc = NLP(ANA)
    assert doc._.relations == []
    assert doc[0:2]._.entity_score is None


@given(annotated_texts("d"))
def test_a_document_of_ours_becomes_spacys_to_the_character(document: Document) -> None:
    doc = document.to_spacy(NLP.vocab)
    assert doc.text == document.text
    assert doc.vocab is NLP.vocab
    words = [[token.text for token in sentence if token.text.strip()] for sentence in doc.sents]
    assert [w for w in words if w] == [list(s.tokens) for s in document.sentences if len(s)]
    shown = {(e.start_char, e.end_char, e.type): e.score for e in document.entities}
    for entity in doc.ents:
        assert entity._.entity_score in (
            score for (a, b, _), score in shown.items() if (a, b) == (entity.start_char, entity.end_char)
        )
        assert (entity.start_char, entity.end_char, entity.label_) in shown
    assert {(r.type, r.head.start_char, r.tail.end_char, r.score) for r in doc._.relations} <= {
        (r.type, r.head.start_char, r.tail.end_char, r.score) for r in document.relations
    }


def test_entities_relations_and_scores_go_to_spacy() -> None:
    sentence = Sentence(
        ["Ana", "Ruiz", "left", "Bergen"],
        [Entity(0, 2, "Peop", 0.9), Entity(1, 2, "Other"), Entity(3, 4, "Loc", 0.7)],
        [Relation("Left", 0, 2, 0.5), Relation("Of", 1, 0)],
    )
    doc = Document([sentence.with_text()]).to_spacy()
    assert [(e.text, e.label_, e._.entity_score) for e in doc.ents] == [
        ("Ana Ruiz", "Peop", 0.9),
        ("Bergen", "Loc", 0.7),
    ]
    assert [(r.type, r.head.text, r.tail.text, r.score) for r in doc._.relations] == [
        ("Left", "Ana Ruiz", "Bergen", 0.5),
        ("Of", "Ruiz", "Ana Ruiz", None),
    ]


def test_without_spacy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "biaffinity.integrations.spacy_documents", None)
    with pytest.raises(MissingExtraError, match=r"biaffinity\[spacy\]"):
        Document([]).to_spacy()
