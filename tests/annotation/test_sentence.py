from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Relation, Sentence, outermost
from biaffinity.errors import AnnotationError
from strategies import sentences

ANNA = Sentence(
    ["Anna", "Lee", "left", "Oslo", "."],
    [Entity(0, 2, "Peop"), Entity(3, 4, "Loc")],
    [Relation("Live_In", 0, 1)],
    id="1",
)


def test_an_entity_needs_whole_numbers() -> None:
    with pytest.raises(AnnotationError, match=r"^start must be a whole number, not '0'$"):
        Entity("0", 1, "Loc")  # type: ignore[arg-type]
    with pytest.raises(AnnotationError, match=r"^end must be a whole number, not 1\.0$"):
        Entity(0, 1.0, "Loc")  # type: ignore[arg-type]


def test_true_is_not_a_whole_number() -> None:
    with pytest.raises(AnnotationError, match=r"^end must be a whole number, not True$"):
        Entity(0, True, "Loc")


def test_an_entity_starts_at_zero_or_later() -> None:
    with pytest.raises(AnnotationError, match=r"^start must not be negative, but is -1 \(count from 0\)$"):
        Entity(-1, 1, "Loc")


@pytest.mark.parametrize(("start", "end"), [(1, 1), (2, 1)])
def test_an_entity_holds_at_least_one_token(start: int, end: int) -> None:
    with pytest.raises(AnnotationError, match=rf"^entity span {start}\.\.{end} is empty or reversed \("):
        Entity(start, end, "Loc")


@pytest.mark.parametrize("label", ["", None, 5])
def test_a_type_is_a_string_with_something_in_it(label: object) -> None:
    with pytest.raises(AnnotationError, match=r"^entity type must be a non-empty string, not "):
        Entity(0, 1, label)  # type: ignore[arg-type]
    with pytest.raises(AnnotationError, match=r"^relation type must be a non-empty string, not "):
        Relation(label, 0, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan"), "0.5", True])
def test_a_score_lies_between_zero_and_one(score: object) -> None:
    with pytest.raises(AnnotationError, match=r"^score must lie in \[0, 1\], not "):
        Entity(0, 1, "Loc", score)  # type: ignore[arg-type]
    with pytest.raises(AnnotationError, match=r"^score must lie in \[0, 1\], not "):
        Relation("Kill", 0, 1, score)  # type: ignore[arg-type]


@pytest.mark.parametrize("score", [None, 0, 1, 0.0, 0.25, 1.0])
def test_the_ends_of_the_score_range_are_inside(score: float | None) -> None:
    assert Entity(0, 1, "Loc", score).score == score


def test_a_relation_joins_two_entities() -> None:
    with pytest.raises(AnnotationError, match=r"^relation Kill joins entity 1 to itself$"):
        Relation("Kill", 1, 1)


def test_a_relation_names_its_arguments_by_whole_numbers() -> None:
    with pytest.raises(AnnotationError, match=r"^tail must not be negative, but is -1 \(count from 0\)$"):
        Relation("Kill", 0, -1)
    with pytest.raises(AnnotationError, match=r"^head must be a whole number, not missing$"):
        Relation("Kill", None, 1)  # type: ignore[arg-type]


def test_tokens_are_strings_with_something_in_them() -> None:
    with pytest.raises(AnnotationError, match=r"^tokens\[1\]: must be a non-empty string, not ''$"):
        Sentence(["a", ""])
    with pytest.raises(AnnotationError, match=r"^tokens\[0\]: must be a non-empty string, not 5$"):
        Sentence([5])  # type: ignore[list-item]


def test_one_string_is_not_taken_for_its_characters() -> None:
    with pytest.raises(AnnotationError, match=r"^tokens: must be a sequence of strings, not one string$"):
        Sentence("Anna left")


def test_an_entity_stays_in_its_sentence() -> None:
    wanted = r"^entities\[1\]: entity span 1\.\.3 leaves the sentence of 2 tokens$"
    with pytest.raises(AnnotationError, match=wanted):
        Sentence(["a", "b"], [Entity(0, 2, "Loc"), Entity(1, 3, "Loc")])


def test_an_entity_stands_in_a_sentence_once() -> None:
    with pytest.raises(
        AnnotationError, match=r"^entities\[1\]: entity Loc 0\.\.1 stands there twice \(keep it once\)"
    ):
        Sentence(["a"], [Entity(0, 1, "Loc"), Entity(0, 1, "Loc", 0.5)])


def test_one_span_may_have_two_types() -> None:
    assert len(Sentence(["a"], [Entity(0, 1, "Loc"), Entity(0, 1, "Org")]).entities) == 2


def test_a_relation_names_entities_that_exist() -> None:
    wanted = (
        r"^relations\[0\]: relation Kill names entity 2, but there are 2 \(head and tail count the sentence's"
    )
    with pytest.raises(AnnotationError, match=wanted):
        Sentence(["a", "b"], [Entity(0, 1, "A"), Entity(1, 2, "B")], [Relation("Kill", 0, 2)])
    with pytest.raises(AnnotationError, match="names entity 7, but there are 2"):
        Sentence(["a", "b"], [Entity(0, 1, "A"), Entity(1, 2, "B")], [Relation("Kill", 7, 0)])


def test_a_relation_stands_in_a_sentence_once() -> None:
    twice = [Relation("Kill", 0, 1), Relation("Kill", 0, 1, 0.5)]
    with pytest.raises(
        AnnotationError, match=r"^relations\[1\]: relation Kill\(0, 1\) stands there twice \(keep"
    ):
        Sentence(["a", "b"], [Entity(0, 1, "A"), Entity(1, 2, "B")], twice)


def test_two_entities_may_carry_two_relations_and_both_directions() -> None:
    links = [Relation("Kill", 0, 1), Relation("Live_In", 0, 1), Relation("Kill", 1, 0)]
    assert len(Sentence(["a", "b"], [Entity(0, 1, "A"), Entity(1, 2, "B")], links).relations) == 3


def test_text_and_token_spans_come_together() -> None:
    for half in ({"text": "a"}, {"token_spans": [(0, 1)]}):
        with pytest.raises(
            AnnotationError, match=r"^token_spans: text and token_spans are given together or not"
        ):
            Sentence(["a"], **half)  # type: ignore[arg-type]


def test_text_is_a_string() -> None:
    with pytest.raises(AnnotationError, match=r"^text: must be a string, not 5$"):
        Sentence(["a"], text=5, token_spans=[(0, 1)])  # type: ignore[arg-type]


def test_every_token_has_a_span() -> None:
    with pytest.raises(AnnotationError, match=r"^token_spans: there are 1 spans for 2 tokens$"):
        Sentence(["a", "b"], text="a b", token_spans=[(0, 1)])


@pytest.mark.parametrize(
    "second", [(1, 1), (0, 2), (2, 4), (2, 1)], ids=["empty", "out of order", "outside", "reversed"]
)
def test_token_spans_go_forward_through_the_text(second: tuple[int, int]) -> None:
    wanted = (
        rf"^token_spans\[1\]: span {second[0]}\.\.{second[1]} is empty, out of order or outside the text$"
    )
    with pytest.raises(AnnotationError, match=wanted):
        Sentence(["a", "b"], text="a b", token_spans=[(0, 1), second])


def test_tokens_may_touch_and_white_space_may_surround_them() -> None:
    sentence = Sentence(["can", "not"], text="  cannot\n", token_spans=[(2, 5), (5, 8)])
    assert sentence.text == "  cannot\n"


@pytest.mark.parametrize("thing", [Entity(0, 1, "Loc"), Relation("Kill", 0, 1), ANNA])
def test_nothing_can_be_changed(thing: Entity | Relation | Sentence) -> None:
    for field in fields(thing):
        with pytest.raises(FrozenInstanceError):
            setattr(thing, field.name, None)


@pytest.mark.parametrize("thing", [Entity(0, 1, "Loc"), Relation("Kill", 0, 1), ANNA])
def test_nothing_carries_a_dictionary(thing: object) -> None:
    assert not hasattr(thing, "__dict__")


def test_a_list_changed_later_does_not_change_the_sentence() -> None:
    tokens, spans = ["a", "b"], [(0, 1), (2, 3)]
    sentence = Sentence(tokens, text="a b", token_spans=spans)
    tokens.append("c")
    spans.clear()
    assert sentence.tokens == ("a", "b")
    assert sentence.token_spans == ((0, 1), (2, 3))


def test_sentences_of_equal_content_are_equal_whatever_sequence_they_came_in() -> None:
    as_tuples = Sentence(tuple(ANNA.tokens), tuple(ANNA.entities), tuple(ANNA.relations), id="1")
    as_lists = Sentence(list(ANNA.tokens), list(ANNA.entities), list(ANNA.relations), id="1")
    assert as_tuples == as_lists
    assert len({as_tuples, as_lists}) == 1


def test_every_part_of_a_sentence_counts_for_equality() -> None:
    others = [
        replace(ANNA, tokens=("Anna", "Lee", "left", "Rome", ".")),
        ANNA.annotated(ANNA.entities),
        replace(ANNA, id="2"),
        replace(ANNA, document="d"),
        ANNA.with_text(),
    ]
    assert ANNA not in others


def test_the_length_is_the_number_of_tokens() -> None:
    assert len(ANNA) == 5
    assert len(Sentence([])) == 0


@given(sentences())
def test_overlap_is_a_shared_token(sentence: Sentence) -> None:
    for a in sentence.entities:
        for b in sentence.entities:
            shared = set(range(a.start, a.end)) & set(range(b.start, b.end))
            assert a.overlaps(b) == bool(shared)


@given(sentences(max_tokens=6))
def test_the_outermost_entities_do_not_overlap_and_leave_no_room(sentence: Sentence) -> None:
    kept = outermost(sentence.entities)
    flat = [sentence.entities[index] for index in kept]
    assert not any(a.overlaps(b) for i, a in enumerate(flat) for b in flat[:i])
    for index, entity in enumerate(sentence.entities):
        if index not in kept:
            assert any(
                entity.overlaps(other) and other.end - other.start >= entity.end - entity.start
                for other in flat
            )


def test_without_a_text_an_entity_is_its_tokens_joined() -> None:
    assert ANNA.char_span(0) is None
    assert ANNA.entity_text(0) == "Anna Lee"


def test_with_a_text_an_entity_is_the_slice_not_the_tokens() -> None:
    sentence = Sentence(
        ["-LRB-", "Oslo", "-RRB-"],
        [Entity(0, 3, "Loc")],
        text=" (Oslo)",
        token_spans=[(1, 2), (2, 6), (6, 7)],
    )
    assert sentence.char_span(0) == (1, 7)
    assert sentence.entity_text(0) == "(Oslo)"


@given(sentences())
def test_a_made_up_text_holds_every_token_where_its_span_says(sentence: Sentence) -> None:
    made = sentence.with_text()
    assert made.text is not None
    assert made.token_spans is not None
    assert [made.text[start:end] for start, end in made.token_spans] == list(sentence.tokens)
    assert made.text == " ".join(sentence.tokens) + "\n"


def test_a_text_that_is_there_is_kept() -> None:
    sentence = Sentence(["a"], text=" a ", token_spans=[(1, 2)])
    assert sentence.with_text() is sentence


def test_another_annotation_leaves_tokens_text_and_names_alone() -> None:
    sentence = replace(ANNA.with_text(), document="d")
    bare = sentence.annotated([Entity(3, 4, "Loc")])
    assert (bare.tokens, bare.text, bare.token_spans) == (
        sentence.tokens,
        sentence.text,
        sentence.token_spans,
    )
    assert (bare.id, bare.document) == ("1", "d")
    assert (bare.entities, bare.relations) == ((Entity(3, 4, "Loc"),), ())


def test_what_is_not_known_is_left_out_of_the_record() -> None:
    assert ANNA.to_dict() == {
        "id": "1",
        "tokens": ["Anna", "Lee", "left", "Oslo", "."],
        "entities": [{"start": 0, "end": 2, "type": "Peop"}, {"start": 3, "end": 4, "type": "Loc"}],
        "relations": [{"type": "Live_In", "head": 0, "tail": 1}],
    }


def test_what_is_known_is_in_the_record() -> None:
    sentence = Sentence(
        ["Oslo"], [Entity(0, 1, "Loc", 0.5)], id="1", text=" Oslo", token_spans=[(1, 5)], document="d"
    )
    assert sentence.to_dict() == {
        "id": "1",
        "document": "d",
        "tokens": ["Oslo"],
        "entities": [
            {
                "start": 0,
                "end": 1,
                "type": "Loc",
                "start_char": 1,
                "end_char": 5,
                "text": "Oslo",
                "score": 0.5,
            }
        ],
        "relations": [],
        "text": " Oslo",
        "token_spans": [[1, 5]],
    }


@given(sentences(scores=True), st.booleans(), st.none() | st.text())
def test_a_sentence_survives_json(sentence: Sentence, has_text: bool, document: str | None) -> None:
    full = replace(sentence.with_text() if has_text else sentence, document=document)
    assert Sentence.from_dict(json.loads(json.dumps(full.to_dict()))) == full


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens": None}, "tokens: must be a list, not missing"),
        ({"tokens": "Anna"}, "tokens: must be a list, not 'Anna'"),
        ({"tokens": ["Anna", 5]}, "tokens[1]: must be of type str, not 5"),
        ({"entities": {}}, "entities: must be a list, not {}"),
        ({"entities": [[0, 1, "Loc"]]}, "entities[0]: must be of type dict, not [0, 1, 'Loc']"),
        ({"entities": [{"start": 0, "type": "Loc"}]}, "entities[0]: end must be a whole number, not missing"),
        (
            {"relations": [{"head": 0, "tail": 1}]},
            "relations[0]: relation type must be a non-empty string, not missing",
        ),
        (
            {"relations": [{"type": "Kill", "head": 0}]},
            "relations[0]: tail must be a whole number, not missing",
        ),
        ({"id": ["1"]}, "id: must be a string, not ['1']"),
        ({"document": True}, "document: must be a string, not True"),
        ({"text": 5, "token_spans": [[0, 1]] * 5}, "text: must be a string, not 5"),
        ({"text": "x", "token_spans": "0-1"}, "token_spans: must be a list of [start, end] pairs"),
        ({"text": "x", "token_spans": [[0, 1, 2]]}, "token_spans: must be a list of [start, end] pairs"),
        ({"text": "x", "token_spans": [["0", "1"]]}, "token_spans: must hold whole numbers"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(AnnotationError) as caught:
        Sentence.from_dict({**ANNA.to_dict(), **change})
    assert str(caught.value) == message


def test_characters_that_are_not_those_of_the_tokens_are_an_error() -> None:
    record = ANNA.with_text().to_dict()
    record["entities"][1]["start_char"] += 1
    with pytest.raises(
        AnnotationError, match=r"^entities\[1\]: characters 15\.\.18 are not those of its tokens \("
    ):
        Sentence.from_dict(record)


def test_an_entity_text_that_is_not_the_slice_of_its_tokens_is_an_error() -> None:
    record = ANNA.with_text().to_dict()
    right = record["entities"][1]["text"]
    record["entities"][1]["text"] = "Bonn"
    with pytest.raises(AnnotationError) as caught:
        Sentence.from_dict(record)
    assert str(caught.value) == (
        f"entities[1].text: 'Bonn' is not the text of its tokens, {right!r} "
        "(correct its start and end, or leave its text out)"
    )


def test_an_entity_text_is_not_looked_at_where_the_text_is_not_known() -> None:
    record = ANNA.to_dict()
    record["entities"][1]["text"] = "as it stood before it was cut into tokens"
    assert Sentence.from_dict(record) == ANNA


def test_a_number_as_id_becomes_a_string_and_none_becomes_empty() -> None:
    assert Sentence.from_dict({**ANNA.to_dict(), "id": 0}).id == "0"
    assert Sentence.from_dict({**ANNA.to_dict(), "id": None}).id == ""
