from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest
from hypothesis import given

from biaffinity.annotation import (
    Document,
    Entity,
    EntityMention,
    Relation,
    RelationMention,
    Sentence,
    documents,
)
from biaffinity.errors import AnnotationError
from paragraph import PARAGRAPH, TRIPLES, triples
from strategies import corpora, whole_documents

FIRST = Sentence(
    ["Anna", "left", "Oslo", "."],
    [Entity(0, 1, "Peop", 0.5), Entity(2, 3, "Loc")],
    [Relation("Live_In", 0, 1, 0.25)],
    id="a",
    text=" Anna left Oslo. ",
    token_spans=[(1, 5), (6, 10), (11, 15), (15, 16)],
    document="d",
)
SECOND = Sentence(
    ["Bo", "shot", "Cy"],
    [Entity(2, 3, "Peop"), Entity(0, 1, "Peop")],
    [Relation("Kill", 1, 0)],
    id="b",
    text="Bo shot Cy\n",
    token_spans=[(0, 2), (3, 7), (8, 10)],
    document="d",
)
DOCUMENT = Document([FIRST, SECOND], id="d")


def test_the_text_is_the_texts_of_the_sentences_joined() -> None:
    assert DOCUMENT.text == " Anna left Oslo. Bo shot Cy\n"
    assert DOCUMENT.offsets == [0, 17]


def test_an_empty_document_has_an_empty_text() -> None:
    empty = Document([])
    assert (empty.text, empty.offsets, empty.entities, empty.relations) == ("", [], (), ())


def test_a_sentence_without_a_text_is_refused() -> None:
    wanted = r"^sentences\[1\]: has no text \(give it one with Sentence\.with_text\(\)\)$"
    with pytest.raises(AnnotationError, match=wanted):
        Document([FIRST, Sentence(["a"])])


def test_entities_are_mentions_in_characters_of_the_document() -> None:
    assert DOCUMENT.entities == (
        EntityMention("Anna", 1, 5, "Peop", 0.5, sentence=0, start=0, end=1),
        EntityMention("Oslo", 11, 15, "Loc", None, sentence=0, start=2, end=3),
        EntityMention("Cy", 25, 27, "Peop", None, sentence=1, start=2, end=3),
        EntityMention("Bo", 17, 19, "Peop", None, sentence=1, start=0, end=1),
    )


def test_a_relation_mention_runs_from_the_first_character_of_one_argument_to_the_last_of_the_other() -> None:
    anna, oslo, cy, bo = DOCUMENT.entities
    assert DOCUMENT.relations == (
        RelationMention("Live_In", anna, oslo, 0.25, "Anna left Oslo", 1, 15),
        RelationMention("Kill", bo, cy, None, "Bo shot Cy", 17, 27),
    )


def test_triples_are_the_relation_mentions_in_words() -> None:
    assert DOCUMENT.triples() == [("Anna", "Live_In", "Oslo"), ("Bo", "Kill", "Cy")]


@given(whole_documents())
def test_every_mention_is_the_slice_of_the_text_that_it_claims(document: Document) -> None:
    for mention in document.entities:
        assert document.text[mention.start_char : mention.end_char] == mention.text
        tokens = document.sentences[mention.sentence].tokens[mention.start : mention.end]
        assert mention.text == " ".join(tokens)


@given(whole_documents())
def test_every_relation_mention_joins_the_entities_that_its_sentence_says(document: Document) -> None:
    expected = [
        (index, sentence.entities[r.head], r.type, sentence.entities[r.tail])
        for index, sentence in enumerate(document.sentences)
        for r in sentence.relations
    ]
    assert len(document.relations) == len(expected)
    for relation, (index, head, type_, tail) in zip(document.relations, expected, strict=True):
        assert relation.type == type_
        for mention, entity in ((relation.head, head), (relation.tail, tail)):
            assert mention.sentence == index
            assert (mention.start, mention.end, mention.type) == (entity.start, entity.end, entity.type)


@given(whole_documents())
def test_every_relation_mention_is_the_slice_of_the_text_that_it_claims(document: Document) -> None:
    for relation in document.relations:
        assert document.text[relation.start_char : relation.end_char] == relation.text
        assert relation.head.text in relation.text
        assert relation.tail.text in relation.text


def test_the_record_counts_characters_and_entities_from_the_start_of_the_document() -> None:
    record = DOCUMENT.to_dict()
    assert record["text"] == DOCUMENT.text
    assert record["entities"][2] == {
        "text": "Cy",
        "type": "Peop",
        "start_char": 25,
        "end_char": 27,
        "sentence": 1,
        "start": 2,
        "end": 3,
    }
    assert record["relations"] == [
        {"type": "Live_In", "head": 0, "tail": 1, "score": 0.25},
        {"type": "Kill", "head": 3, "tail": 2},
    ]
    assert record["sentences"][1] == {
        "id": "b",
        "start_char": 17,
        "end_char": 28,
        "tokens": ["Bo", "shot", "Cy"],
        "token_spans": [[17, 19], [20, 24], [25, 27]],
    }


def test_without_tokens_the_record_has_only_what_counts_characters() -> None:
    assert DOCUMENT.to_dict(tokens=False) == {
        "id": "d",
        "text": " Anna left Oslo. Bo shot Cy\n",
        "entities": [
            {"text": "Anna", "type": "Peop", "start_char": 1, "end_char": 5, "score": 0.5},
            {"text": "Oslo", "type": "Loc", "start_char": 11, "end_char": 15},
            {"text": "Cy", "type": "Peop", "start_char": 25, "end_char": 27},
            {"text": "Bo", "type": "Peop", "start_char": 17, "end_char": 19},
        ],
        "relations": [
            {"type": "Live_In", "head": 0, "tail": 1, "score": 0.25},
            {"type": "Kill", "head": 3, "tail": 2},
        ],
    }


@pytest.mark.parametrize("tokens", [True, False])
def test_a_relation_of_a_later_sentence_has_its_own_arguments_in_the_record(tokens: bool) -> None:
    assert triples(PARAGRAPH.to_dict(tokens=tokens)) == TRIPLES


@given(whole_documents(scores=True))
def test_the_record_without_tokens_is_the_same_less_all_that_counts_them(document: Document) -> None:
    record = document.to_dict()
    del record["sentences"]
    for entity in record["entities"]:
        del entity["sentence"], entity["start"], entity["end"]
    assert document.to_dict(tokens=False) == record


@given(whole_documents())
def test_the_arguments_in_the_record_are_the_words_of_their_sentence(document: Document) -> None:
    expected = [
        (sentence.entity_text(r.head), r.type, sentence.entity_text(r.tail))
        for sentence in document.sentences
        for r in sentence.relations
    ]
    assert triples(document.to_dict()) == expected


def test_a_mentions_score_is_in_its_record_where_it_is_known() -> None:
    assert [mention.to_dict().get("score") for mention in DOCUMENT.entities] == [0.5, None, None, None]
    assert "score" not in DOCUMENT.entities[1].to_dict()


@given(whole_documents(scores=True))
def test_a_document_survives_json(document: Document) -> None:
    assert Document.from_json(document.to_json()) == document


def test_a_document_is_one_line_of_readable_json() -> None:
    line = Document([Sentence(["Łódź"]).with_text()]).to_json()
    assert "Łódź" in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["text"], None, "text: must be a string"),
        (["text"], DOCUMENT.text + "!", "sentences: do not cover the text exactly"),
        (["id"], [], "id: must be a string, not []"),
        (["entities"], None, "entities: must be a list, not missing"),
        (["sentences", 0], "Anna", "sentences[0]: must be of type dict, not 'Anna'"),
        (["sentences", 1, "start_char"], None, "sentences[1]: needs start_char and end_char, whole numbers"),
        (["sentences", 1, "tokens"], None, "sentences[1]: tokens: must be a list, not missing"),
        (
            ["sentences", 1, "token_spans", 0],
            ["0", "1"],
            "sentences[1]: token_spans: must hold whole numbers",
        ),
        (
            ["entities", 1, "type"],
            "",
            "sentences[0]: entities[1]: entity type must be a non-empty string, not ''",
        ),
        (
            ["entities", 1, "start_char"],
            0,
            "sentences[0]: entities[1]: characters 0..15 are not those of its tokens "
            "(correct start_char and end_char, or leave them out)",
        ),
        (
            ["entities", 0, "sentence"],
            2,
            "entities[0]: names sentence 2, but there are 2"
            " (sentence counts the document's sentences from 0)",
        ),
        (
            ["entities", 0, "sentence"],
            None,
            "entities[0]: names sentence None, but there are 2"
            " (sentence counts the document's sentences from 0)",
        ),
        (
            ["relations", 0, "head"],
            4,
            "relations[0]: head names entity 4, but there are 4"
            " (head and tail count the document's entities from 0)",
        ),
        (
            ["relations", 1, "tail"],
            [0],
            "relations[1]: tail names entity [0], but there are 4"
            " (head and tail count the document's entities from 0)",
        ),
        (
            ["relations", 0, "tail"],
            2,
            "relations[0]: joins sentences 0 and 1 (a relation stays within one sentence)",
        ),
    ],
)
def test_a_wrong_field_is_named(path: list[Any], value: object, message: str) -> None:
    record = copy.deepcopy(DOCUMENT.to_dict())
    target: Any = record
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    with pytest.raises(AnnotationError) as caught:
        Document.from_dict(record)
    assert str(caught.value) == message


def test_broken_json_is_the_users_error() -> None:
    with pytest.raises(AnnotationError, match=r"^is not JSON: "):
        Document.from_json('{"id": ')
    with pytest.raises(AnnotationError, match=r"^must be a JSON object$"):
        Document.from_json("[]")


def test_the_characters_of_entities_may_be_left_out() -> None:
    record = DOCUMENT.to_dict()
    for entity in record["entities"]:
        del entity["start_char"], entity["end_char"], entity["text"]
    assert Document.from_dict(record) == DOCUMENT


def test_a_record_without_tokens_is_no_whole_document() -> None:
    with pytest.raises(AnnotationError) as caught:
        Document.from_dict(DOCUMENT.to_dict(tokens=False))
    assert str(caught.value) == (
        "sentences: are missing: the record was made without tokens "
        "(make it with tokens, or read it from a file with biaffinity.formats.read)"
    )


def test_entities_and_relations_are_made_once() -> None:
    document = Document([FIRST, SECOND])
    assert document.entities is document.entities
    assert document.relations is document.relations
    assert document.relations[1].head is document.entities[3]


def test_entities_and_relations_that_were_made_are_no_part_of_a_documents_value() -> None:
    fresh, used = Document([FIRST, SECOND]), Document([FIRST, SECOND])
    assert used.relations
    assert (used, hash(used), repr(used)) == (fresh, hash(fresh), repr(fresh))
    assert pickle.dumps(used) == pickle.dumps(fresh)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d))])
def test_a_copy_has_the_same_entities_and_relations(again: Any) -> None:
    document = again(DOCUMENT)
    assert (document.entities, document.relations) == (DOCUMENT.entities, DOCUMENT.relations)


def test_a_document_with_other_sentences_has_their_entities_and_relations() -> None:
    assert DOCUMENT.relations
    assert replace(DOCUMENT, sentences=[SECOND]).triples() == [("Bo", "Kill", "Cy")]


@pytest.mark.parametrize("thing", [DOCUMENT, DOCUMENT.entities[0], DOCUMENT.relations[0]])
def test_nothing_can_be_changed(thing: Document | EntityMention | RelationMention) -> None:
    for field in fields(thing):
        with pytest.raises(FrozenInstanceError):
            setattr(thing, field.name, None)


@pytest.mark.parametrize("thing", [DOCUMENT, DOCUMENT.entities[0], DOCUMENT.relations[0]])
def test_nothing_carries_a_dictionary(thing: object) -> None:
    assert not hasattr(thing, "__dict__")


def test_documents_of_equal_sentences_are_equal() -> None:
    same = Document((FIRST, SECOND), id="d")
    assert len({DOCUMENT, same}) == 1
    assert Document([FIRST], id="d") != DOCUMENT
    assert Document([FIRST, SECOND], id="e") != DOCUMENT


def test_neighbours_of_one_document_are_gathered() -> None:
    parts = [
        Sentence([word], document=name) for word, name in [("a", "x"), ("b", "x"), ("c", "y"), ("d", "x")]
    ]
    assert [(d.id, d.text) for d in documents(parts)] == [("x", "a\nb\n"), ("y", "c\n"), ("x", "d\n")]


def test_sentences_without_a_document_stand_alone_under_their_own_id() -> None:
    parts = [Sentence(["a"], id="1"), Sentence(["b"], id="2")]
    assert [(d.id, d.text) for d in documents(parts)] == [("1", "a\n"), ("2", "b\n")]


def test_gathering_reads_no_further_than_it_must() -> None:
    def endless() -> Any:
        number = 0
        while True:
            yield Sentence(["a"], document=str(number // 2))
            number += 1

    stream = documents(endless())
    assert [len(next(stream).sentences) for _ in range(3)] == [2, 2, 2]


@given(corpora())
def test_gathering_loses_no_sentence(group: list[Sentence]) -> None:
    found = [sentence for document in documents(group) for sentence in document.sentences]
    assert found == [sentence.with_text() for sentence in group]


@pytest.mark.parametrize(("id", "read"), [("x", "x"), ("", None)])
def test_a_sentences_document_is_read_back_as_the_documents_id(id: str, read: str | None) -> None:
    document = Document([Sentence(["a"], document="other").with_text()], id=id)
    assert [s.document for s in Document.from_dict(document.to_dict()).sentences] == [read]
