"""The user's own entities: they come back as given, and only relations are looked for."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biaffinity import Entity, Extractor, Sentence
from biaffinity.errors import UsageError
from biaffinity.extraction import BiaffinityWarning, pieces
from biaffinity.extraction.given import ANY, allowed_labels
from biaffinity.model.joint import JointModel
from extraction.texts import ANA, TOVE, texts
from model.tiny import encode

ANA_SPANS = [(0, 8), (19, 29), (33, 39), (41, 47)]
TYPES = ["Loc", "Org", "Other", "Peop"]


@st.composite
def given_entities(draw: st.DrawFn) -> tuple[str, list[tuple[int, int, str | None]]]:
    """A text and spans of it that do not overlap, with types or without."""
    text = draw(texts())
    borders = sorted(draw(st.sets(st.integers(0, len(text)), max_size=12)))
    spans = [(a, b) for a, b in pairwise(borders) if not text[a:b].isspace()]
    chosen = [span for span in spans if draw(st.booleans())]
    return text, [(a, b, draw(st.none() | st.sampled_from(TYPES))) for a, b in chosen]


@pytest.mark.parametrize("kind", ["extractor", "within", "lawless"])
@given(case=given_entities())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_entities_come_back_as_given(
    request: pytest.FixtureRequest, kind: str, case: tuple[str, list[tuple[int, int, str | None]]]
) -> None:
    text, entities = case
    extractor: Extractor = request.getfixturevalue(kind)
    document = extractor(text, entities=entities)
    assert document.text == text
    for mention, (start, end, type_) in zip(document.entities, entities, strict=True):
        assert (mention.start_char, mention.end_char, mention.text) == (start, end, text[start:end])
        if type_ is None:
            assert mention.type in TYPES
            assert mention.score is not None
            assert 0 <= mention.score <= 1
        else:
            assert (mention.type, mention.score) == (type_, None)


def test_some_entities_of_the_lawless_model_are_found_in_parts(lawless: Extractor) -> None:
    """Or else the property above would not see what becomes of them."""
    sentence = Sentence(ANA.split(), [Entity(0, 9, ANY)])
    predictor = lawless._predictor
    mask = allowed_labels(predictor.description.labels, sentence)
    (found,) = predictor.annotate([sentence], allowed=[mask])
    assert len(found.entities) > 1


@pytest.mark.parametrize("kind", ["extractor", "within"])
def test_types_and_relations_of_given_spans_are_predicted(request: pytest.FixtureRequest, kind: str) -> None:
    document = request.getfixturevalue(kind)(ANA, entities=ANA_SPANS)
    assert [e.type for e in document.entities] == ["Peop", "Org", "Loc", "Loc"]
    assert ("Ana Ruiz", "Work_For", "Norvik Oil") in document.triples()


def test_what_the_model_found_itself_given_back_has_the_same_relations_of_sure_entities(
    extractor: Extractor,
) -> None:
    found = extractor(f"{ANA} {TOVE}")
    again = extractor(f"{ANA} {TOVE}", entities=found.entities)
    assert again.triples() == found.triples()
    for one, other in zip(again.relations, found.relations, strict=True):
        assert one.score == pytest.approx(other.score / (other.head.score * other.tail.score), abs=1e-5)


def test_a_given_type_decides_the_relations(extractor: Extractor) -> None:
    told = extractor(ANA, entities=[(0, 8, "Other"), (19, 29, "Other")])
    assert [e.type for e in told.entities] == ["Other", "Other"]
    assert told.relations == ()  # in training no relation joined two of them


def test_relations_join_given_entities_alone(extractor: Extractor) -> None:
    assert extractor(ANA, entities=[(33, 39), (41, 47)]).triples() == [("Bergen", "Located_In", "Norway")]


@pytest.mark.parametrize(
    "form",
    [
        (19, 29),
        [19, 29],
        (19, 29, "Org"),
        (19, 29, None),
        (np.int64(19), np.int64(29)),
        {"start_char": 19, "end_char": 29},
        {"start_char": 19, "end_char": 29, "type": "Org", "text": "Norvik Oil"},
        SimpleNamespace(start_char=19, end_char=29),
        SimpleNamespace(start_char=19, end_char=29, type="Org"),
    ],
)
def test_an_entity_may_be_given_in_many_forms(extractor: Extractor, form: Any) -> None:
    (mention,) = extractor(ANA, entities=[form]).entities
    assert (mention.text, mention.type) == ("Norvik Oil", "Org")


def test_the_score_of_a_type_is_its_probability_among_all_types(
    extractor: Extractor, trained: JointModel
) -> None:
    (mention,) = extractor(TOVE, entities=[(0, 9)]).entities
    tokens = ["Tove", "Lind", "lives", "in", "Solund", "."]
    batch, spelt = encode(trained, [Sentence(tokens, [Entity(0, 2, type_)]) for type_ in TYPES])
    lengths, labels = torch.from_numpy(batch.lengths), torch.from_numpy(spelt.labels)
    with torch.no_grad():
        vectors, _ = trained.token_vectors(batch)
        losses = trained.tagger.loss(trained.tagger(vectors, lengths), labels, lengths)
    probabilities = (-losses).softmax(0).tolist()
    assert mention.type == TYPES[int(np.argmax(probabilities))]
    assert mention.score == pytest.approx(max(probabilities), abs=1e-4)


def test_tokens_are_cut_at_given_borders(extractor: Extractor) -> None:
    document = extractor(ANA, entities=[(34, 38), (38, 39)])
    assert document.sentences[0].tokens[7:10] == ("B", "erge", "n")


def test_an_entity_across_a_sentence_border_joins_the_sentences(extractor: Extractor) -> None:
    text = f"{ANA} {TOVE} {ANA}"
    across = (len(ANA) - 7, len(ANA) + 5)
    document = extractor(text, entities=[(0, 8), across])
    assert [sentence.text for sentence in document.sentences] == [f"{ANA} {TOVE} ", ANA]
    assert [sentence.id for sentence in document.sentences] == ["0", "1"]
    assert document.entities[1].text == text[slice(*across)]


def test_no_entities_are_not_the_same_as_none_given(extractor: Extractor) -> None:
    assert extractor(ANA, entities=[]).entities == ()


def test_min_score_does_not_take_given_entities_away(extractor: Extractor) -> None:
    document = extractor(ANA, entities=ANA_SPANS, min_score=1.0)
    assert len(document.entities) == 4
    assert document.relations == ()


def test_overlapping_entities_are_both_named(extractor: Extractor) -> None:
    with pytest.raises(UsageError, match=r"0\.\.8 'Ana Ruiz' and 4\.\.14 'Ruiz works' overlap"):
        extractor(ANA, entities=[(4, 14), (0, 8)])


def test_an_entity_given_twice_is_refused(extractor: Extractor) -> None:
    with pytest.raises(UsageError, match="overlap"):
        extractor(ANA, entities=[(0, 8), (0, 8, "Peop")])


def test_an_unknown_type_is_told_the_known_ones(extractor: Extractor) -> None:
    with pytest.raises(UsageError, match=r"entities\[1\]: .*'Fish'.*Loc, Org, Other, Peop"):
        extractor(ANA, entities=[(0, 8), (19, 29, "Fish")])


@pytest.mark.parametrize(
    "entity",
    [
        (8, 0),
        (3, 3),
        (-4, 8),
        (0, 1000),
        (3, 4),  # white space
        (0.0, 8.0),
        ("0", "8"),
        (0, 8, 7),
        (0,),
        (0, 8, "Peop", 0.9),
        {"start": 0, "end": 8},
        "Ana Ruiz",
        None,
    ],
)
def test_an_entity_that_cannot_be_is_refused_and_named(extractor: Extractor, entity: Any) -> None:
    with pytest.raises(UsageError, match=r"entities\[0\]"):
        extractor(ANA, entities=[entity])


@pytest.mark.parametrize("wrong", ["Ana Ruiz", 7, {"start_char": 0, "end_char": 8}])
def test_entities_that_are_no_list_are_refused(extractor: Extractor, wrong: Any) -> None:
    with pytest.raises(UsageError, match="entities must be a list"):
        extractor(ANA, entities=wrong)


@pytest.mark.parametrize(
    ("entities", "lengths"),
    [
        ([(0, 1), (12, 19)], [6, 6]),  # the sixth to ninth token: the cut goes before it
        ([(2, 21)], [1, 10, 1]),  # longer than a piece
        ([(0, 21)], [11, 1]),
        ([(0, 23)], [12]),
    ],
)
def test_a_given_entity_is_never_cut(
    extractor: Extractor,
    monkeypatch: pytest.MonkeyPatch,
    entities: list[tuple[int, int]],
    lengths: list[int],
) -> None:
    monkeypatch.setattr(pieces, "LONGEST", 8)
    text = "a b c d e f g h i j k l"
    with pytest.warns(BiaffinityWarning):
        document = extractor(text, entities=entities)
    assert [(e.start_char, e.end_char) for e in document.entities] == entities
    assert [len(sentence) for sentence in document.sentences] == lengths
