from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biaffinity.annotation import Document, Entity, Relation, Sentence, documents
from biaffinity.errors import AnnotationError, DataError
from biaffinity.formats.alignment import (
    ACROSS_SENTENCES,
    CharEntity,
    CharRelation,
    align,
    characters,
    in_code_points,
)
from biaffinity.formats.report import Report
from biaffinity.text import read_document
from characters import documents_of_sentences, in_characters

TEXT = "Ana Ruiz left Bergen. Tove Lind stayed there."
LONGER = TEXT + " Sol came."


def entity(covered: str, type_: str = "Peop", key: str | None = None, text: str = TEXT) -> CharEntity:
    """The first stretch of the text that reads ``covered``."""
    start = text.index(covered)
    return CharEntity(start, start + len(covered), type_, key or covered, f"f:{covered}")


def aligned(
    entities: list[CharEntity],
    relations: list[CharRelation] | None = None,
    text: str = TEXT,
    split: bool = True,
) -> tuple[list[Sentence], dict[str, int]]:
    report = Report()
    found = list(align(text, entities, relations or [], document="d", where="f", report=report, split=split))
    return found, {kind: finding.count for kind, finding in report.findings.items()}


def texts(sentence: Sentence) -> list[str]:
    return [sentence.entity_text(index) for index in range(len(sentence.entities))]


def test_entities_and_relations_land_in_their_sentences() -> None:
    (first, second), notes = aligned(
        [entity("Tove Lind"), entity("Bergen", "Loc"), entity("Ana Ruiz")],
        [CharRelation("Live_In", "Ana Ruiz", "Bergen")],
    )
    assert (first.id, first.document, first.text) == ("d:0", "d", "Ana Ruiz left Bergen. ")
    assert first.entities == (Entity(3, 4, "Loc"), Entity(0, 2, "Peop"))
    assert first.relations == (Relation("Live_In", 1, 0),)
    assert (second.id, second.text, texts(second)) == ("d:1", "Tove Lind stayed there.", ["Tove Lind"])
    assert notes == {}


def test_scores_go_with_their_entities_and_relations() -> None:
    (first, _), _ = aligned(
        [replace(entity("Ana Ruiz"), score=0.5), replace(entity("Bergen", "Loc"), score=0.25)],
        [CharRelation("Live_In", "Ana Ruiz", "Bergen", score=0.125)],
    )
    assert first.entities == (Entity(0, 2, "Peop", 0.5), Entity(3, 4, "Loc", 0.25))
    assert first.relations == (Relation("Live_In", 0, 1, 0.125),)


def test_a_document_of_one_sentence_gives_it_its_own_id() -> None:
    (only,), _ = aligned([], text="Ana left.")
    assert only.id == only.document == "d"


@pytest.mark.parametrize(
    ("start", "end"), [(0, 7), (1, 8), (2, 5)], ids=["end in a token", "start in a token", "both"]
)
def test_an_entity_that_cuts_a_token_is_widened_and_reported(start: int, end: int) -> None:
    (first, _), notes = aligned([CharEntity(start, end, "Peop", 1, "f")])
    assert texts(first) == ["Ana Ruiz"]
    assert notes == {"entity widened to whole tokens": 1}


def test_an_entity_inside_one_token_becomes_that_token() -> None:
    (first, _), notes = aligned([CharEntity(15, 17, "Loc", 1, "f")])
    assert texts(first) == ["Bergen"]
    assert notes == {"entity widened to whole tokens": 1}


def test_white_space_around_an_entity_is_trimmed_in_silence() -> None:
    (first, _), notes = aligned([CharEntity(8, 14, "Other", 1, "f")])
    assert texts(first) == ["left"]
    assert notes == {}


def test_sentences_that_an_entity_crosses_are_joined_and_that_is_reported() -> None:
    text = "One. Two. Three. Four."
    found, notes = aligned([entity("wo. Thr", text=text)], text=text)
    assert [s.text for s in found] == ["One. ", "Two. Three. ", "Four."]
    assert texts(found[1]) == ["Two. Three"]
    assert notes == {
        "entity crosses a sentence border: sentences joined": 1,
        "entity widened to whole tokens": 1,
    }


def test_an_entity_that_ends_at_a_border_crosses_nothing() -> None:
    text = "安娜离开。托弗留下。"
    found, notes = aligned([entity("安娜离开。", text=text)], text=text)
    assert [s.text for s in found] == ["安娜离开。", "托弗留下。"]
    assert notes == {}


def test_chains_of_crossing_entities_join_all_they_touch() -> None:
    text = "One. Two. Three. Four."
    found, _ = aligned([entity("One. Two", text=text), entity("Two. Three", text=text)], text=text)
    assert [s.text for s in found] == ["One. Two. Three. ", "Four."]


def test_what_had_to_give_is_reported_with_its_place() -> None:
    report = Report()
    entities = [entity("Ana"), entity("ergen"), entity("there. Sol", text=LONGER), entity("Tove")]
    relations = [CharRelation("Kill", "Ana", "Tove", "f:9")]
    list(align(LONGER, entities, relations, document="d", where="f", report=report))
    assert set(report.lines()) == {
        "1 x entity crosses a sentence border: sentences joined (e.g. f:there. Sol)",
        "1 x entity widened to whole tokens (e.g. f:ergen)",
        f"1 x {ACROSS_SENTENCES} (e.g. f:9)",
    }


def test_entities_made_equal_by_widening_are_merged_and_relations_follow() -> None:
    (first, _), notes = aligned(
        [entity("Ana"), entity("An", key="cut"), entity("Bergen", "Loc")],
        [CharRelation("Live_In", "cut", "Bergen"), CharRelation("Live_In", "Ana", "Bergen")],
    )
    assert texts(first) == ["Ana", "Bergen"]
    assert first.relations == (Relation("Live_In", 0, 1),)
    assert notes == {
        "entity widened to whole tokens": 1,
        "entity given twice, kept once": 1,
        "relation given twice, kept once": 1,
    }


def test_a_relation_of_an_entity_to_itself_is_left_out_and_reported() -> None:
    (first, _), notes = aligned([entity("Ana")], [CharRelation("Kill", "Ana", "Ana")])
    assert first.relations == ()
    assert notes == {"relation of an entity to itself left out": 1}


def test_a_relation_across_sentences_is_left_out_and_reported() -> None:
    found, notes = aligned([entity("Ana"), entity("Tove")], [CharRelation("Kill", "Ana", "Tove", "f:3")])
    assert [s.relations for s in found] == [(), ()]
    assert notes == {ACROSS_SENTENCES: 1}


def test_without_splitting_a_relation_across_sentences_is_kept() -> None:
    (only,), notes = aligned(
        [entity("Ana"), entity("Tove")], [CharRelation("Kill", "Ana", "Tove")], split=False
    )
    assert (only.id, only.text, only.relations) == ("d", TEXT, (Relation("Kill", 0, 1),))
    assert notes == {}


def test_given_tokens_are_the_tokens_of_one_sentence() -> None:
    spans = [(0, 8), (9, 13), (14, len(TEXT))]
    report = Report()
    [only] = align(TEXT, [entity("Ana")], [], document="d", where="f", report=report, token_spans=spans)
    assert only.tokens == ("Ana Ruiz", "left", "Bergen. Tove Lind stayed there.")
    assert texts(only) == ["Ana Ruiz"]
    assert "entity widened to whole tokens" in report.findings


def test_an_entity_on_none_of_the_given_tokens_is_an_error() -> None:
    with pytest.raises(DataError, match=r"^f:left: entity span 9\.\.13 covers no token \(remove"):
        list(
            align(TEXT, [entity("left")], [], document="d", where="f", report=Report(), token_spans=[(0, 8)])
        )


@pytest.mark.parametrize("text", ["", " \r\n "])
def test_a_text_without_tokens_is_kept_as_it_stands(text: str) -> None:
    found, _ = aligned([], text=text)
    assert "".join(s.text or "" for s in found) == text
    assert all(s.tokens == () for s in found)


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ((-1, 3), "entity span -1..3 leaves the text of 45 characters (correct its offsets, "),
        ((40, 46), "entity span 40..46 leaves the text of 45 characters (correct its offsets, "),
        ((5, 3), "entity span 5..3 is empty or reversed (correct its offsets: the start comes before"),
        ((3, 3), "entity span 3..3 is empty or reversed (correct its offsets: the start comes before"),
        ((3, 4), "entity span 3..4 covers only white space (remove the entity or correct"),
        (("0", 3), "entity offsets must be whole numbers, not '0' and 3 (offsets count characters from 0"),
        ((0, 2.5), "entity offsets must be whole numbers, not 0 and 2.5 (offsets count characters from 0"),
        ((None, True), "entity offsets must be whole numbers, not None and True (offsets count"),
    ],
)
def test_a_span_that_cannot_be_is_an_error_with_place_and_remedy(span: tuple[int, int], message: str) -> None:
    with pytest.raises(DataError) as caught:
        aligned([CharEntity(*span, "Peop", 1, "f:3")])
    assert str(caught.value).startswith(f"f:3: {message}")


@pytest.mark.parametrize("type_", ["", " ", None, 7])
def test_an_entity_without_a_type_is_an_error(type_: str) -> None:
    with pytest.raises(DataError, match=r"^f:3: entity type must be .* \(give it a type\)$"):
        aligned([CharEntity(0, 3, type_, 1, "f:3")])


@pytest.mark.parametrize("type_", ["", None])
def test_a_relation_without_a_type_is_an_error(type_: str) -> None:
    with pytest.raises(DataError, match=r"^f:9: relation type must be .* \(give it a type\)$"):
        aligned([entity("Ana"), entity("Bergen")], [CharRelation(type_, "Ana", "Bergen", "f:9")])


@pytest.mark.parametrize("missing", ["T9", None, 3])
def test_a_relation_to_an_entity_that_is_not_there_is_an_error(missing: object) -> None:
    with pytest.raises(DataError) as caught:
        aligned([entity("Ana")], [CharRelation("Kill", "Ana", missing, "f:9")])
    assert str(caught.value) == (
        f"f:9: relation Kill names the entity {missing!r}, which is not there "
        "(add that entity or remove the relation)"
    )


def test_ids_that_no_json_key_can_be_are_errors() -> None:
    with pytest.raises(DataError, match=r"^f:1: entity id must be a number or string, not \['x'\]"):
        aligned([CharEntity(0, 3, "Peop", ["x"], "f:1")])
    with pytest.raises(DataError, match=r"^f:2: relation Kill names the entity \[\], which is not there"):
        aligned([entity("Ana")], [CharRelation("Kill", [], "Ana", "f:2")])


def test_an_id_used_twice_is_an_error() -> None:
    with pytest.raises(DataError, match=r"^f:Bergen: the entity id 'T1' is used twice \(give every"):
        aligned([entity("Ana", key="T1"), entity("Bergen", key="T1")])


@pytest.mark.parametrize("score", [-0.5, 7, "high", True])
def test_a_score_that_cannot_be_is_an_error_with_its_place(score: float) -> None:
    message = rf"^f:9: score must lie in \[0, 1\], not {score!r}$"
    with pytest.raises(AnnotationError, match=message):
        aligned([replace(entity("Tove"), where="f:9", score=score)])
    with pytest.raises(AnnotationError, match=message):
        aligned([entity("Ana"), entity("Bergen")], [CharRelation("Kill", "Ana", "Bergen", "f:9", score)])


RAW = st.text(alphabet="aB.é 😀'日。-\n\r\t!(", min_size=1, max_size=60)


@settings(max_examples=400)
@given(text=RAW, data=st.data())
def test_alignment_agrees_with_looking_at_every_token(text: str, data: st.DataObject) -> None:
    spans = data.draw(st.lists(st.tuples(st.integers(0, len(text)), st.integers(0, len(text))), max_size=6))
    entities = [
        CharEntity(start, end, "Peop", key, "f")
        for key, (start, end) in enumerate(spans)
        if text[start:end].strip()
    ]
    found, notes = aligned(entities, text=text)

    document = read_document(text)
    offsets = zip(document.offsets, document.sentences, strict=True)
    tokens = [(o + a, o + b) for o, s in offsets for a, b in s.token_spans or ()]
    expected, widened = set(), 0
    for e in entities:
        touched = [(a, b) for a, b in tokens if any(e.start <= c < e.end for c in range(a, b))]
        expected.add((touched[0][0], touched[-1][1], "Peop"))
        widened += touched[0][0] < e.start or touched[-1][1] > e.end
    again = Document(found, id="d")
    assert again.text == text
    assert {(m.start_char, m.end_char, m.type) for m in again.entities} == expected
    assert notes.get("entity widened to whole tokens", 0) == widened
    assert notes.get("entity given twice, kept once", 0) == len(entities) - len(expected)
    crossed = {
        offset
        for offset in document.offsets
        for e in entities
        if e.start < offset < e.end and text[e.start : offset].strip() and text[offset : e.end].strip()
    }
    assert set(again.offsets) == set(document.offsets) - crossed


@given(documents_of_sentences())
def test_characters_and_back_lose_no_entity_and_every_lost_relation_is_reported(
    sentences: list[Sentence],
) -> None:
    for whole in documents(sentences):
        report = Report()
        found = list(
            align(whole.text, *characters(whole, report), document=whole.id, where="f", report=report)
        )
        [before] = in_characters(replace(s, document="x") for s in whole.sentences)
        [after] = in_characters(replace(s, document="x") for s in found)
        assert after.text == before.text
        assert sorted(after.entities) == sorted(before.entities)
        assert set(after.relations) <= set(before.relations)
        lost = len(before.relations) - len(after.relations)
        across = report.findings.get(ACROSS_SENTENCES)
        assert lost == (across.count if across else 0)


def test_tokens_other_than_ours_are_reported_as_lost() -> None:
    report = Report()
    [document] = documents([Sentence(["Ana", "left", "."], id="x")])
    characters(document, report)
    assert not report
    [document] = documents([Sentence(["Ana's", "left."], id="x")])
    characters(document, report)
    assert str(report) == "1 x tokens not carried over: the text is cut anew when it is read (e.g. x)"


def test_scores_and_foreign_ids_are_reported_as_lost() -> None:
    report = Report()
    scored = [
        Sentence(["Ana"], [Entity(0, 1, "Peop", 0.5)], id="x:0", document="x"),
        Sentence(["left"], id="seventh", document="x"),
    ]
    [document] = documents(scored)
    characters(document, report)
    assert set(report.lines()) == {
        "1 x scores not carried over (e.g. x:0)",
        "1 x id not carried over (e.g. seventh)",
    }


def test_utf16_offsets_are_recounted_where_only_they_fit() -> None:
    text = "\uffff😀😀 Ana left"
    report = Report()
    counted = [CharEntity(6, 9, "Peop", 1, "f:1")]
    [moved] = in_code_points(text, counted, lambda e: text[e.start : e.end] == "Ana", report)
    assert (moved.start, moved.end) == (4, 7)
    assert list(report.lines()) == ["1 x offsets counted in UTF-16 units: changed to characters (e.g. f:1)"]


@pytest.mark.parametrize("fits_anywhere", [True, False])
def test_offsets_stay_where_both_countings_fit_or_neither_does(fits_anywhere: bool) -> None:
    entities = [CharEntity(3, 6, "Peop", 1, "f")]
    report = Report()
    assert in_code_points("😀😀 Ana left", entities, lambda _: fits_anywhere, report) == entities
    assert not report


@given(st.text(min_size=1, max_size=20), st.data())
def test_recounting_inverts_the_counting_of_utf16_units(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))

    def units(position: int) -> int:
        return len(text[:position].encode("utf-16-le")) // 2

    counted = [CharEntity(units(start), units(end), "Peop", 1)]
    [moved] = in_code_points(text, counted, lambda e: (e.start, e.end) == (start, end), Report())
    assert (moved.start, moved.end) == (start, end)
