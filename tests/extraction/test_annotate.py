"""Documents whose sentences, tokens and entities are someone else's, annotated by an extractor."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biaffinity import Document, Entity, Extractor, Sentence
from biaffinity.decoding.labels import Labels
from biaffinity.errors import BiaffinityWarning, UsageError
from biaffinity.extraction.given import Entities
from decoding.written import written
from extraction.texts import ANA, TOVE
from model.tiny import assert_alike

TOKENS = ["Ana", "Ruiz", "works", "for", "Norvik", "Oil", "in", "Bergen", ",", "Norway", "."]
TYPES = ["Loc", "Org", "Other", "Peop", "*"]


def document(*entities: Entity, tokens: list[str] = TOKENS) -> Document:
    return Document([Sentence(tokens, entities, id="0").with_text()], id="d")


@st.composite
def entity_lists(draw: st.DrawFn) -> list[Entity]:
    """Entities among the tokens that do not overlap."""
    borders = sorted(draw(st.lists(st.integers(0, len(TOKENS)), max_size=8, unique=True)))
    pairs = zip(borders[::2], borders[1::2], strict=False)
    return [Entity(a, b, draw(st.sampled_from(TYPES))) for a, b in pairs]


def test_replace_finds_what_is_found_in_the_same_tokens(extractor: Extractor) -> None:
    (found,) = extractor.annotate([document(Entity(2, 3, "Loc"), Entity(0, 1, "Org"))])
    (expected,) = extractor.tokens(TOKENS).sentences
    assert found.id == "d"
    assert [(e.start, e.end, e.type) for e in found.sentences[0].entities] == [
        (e.start, e.end, e.type) for e in expected.entities
    ]
    assert found.triples() == extractor.tokens(TOKENS).triples() != []


def test_given_finds_what_is_found_between_the_same_characters(extractor: Extractor) -> None:
    entities = [(0, 8, "Peop"), (19, 29, None), (33, 39, None)]
    (expected,) = extractor(ANA.replace(",", " ,").replace(".", " ."), entities=entities).sentences
    own = document(Entity(0, 2, "Peop"), Entity(4, 6, "*"), Entity(7, 8, "*"))
    (found,) = extractor.annotate([own], entities="given", min_score={"entities": 1.0})
    (sentence,) = found.sentences
    assert sentence.entities == expected.entities
    assert sentence.relations == expected.relations != ()


def test_keep_with_nothing_to_keep_is_replace(extractor: Extractor) -> None:
    (kept,), (replaced,) = (extractor.annotate([document()], entities=e) for e in ("keep", "replace"))
    assert_alike(kept.sentences[0], replaced.sentences[0])


def test_keep_finds_relations_between_old_and_new(extractor: Extractor) -> None:
    (found,) = extractor.annotate([document(Entity(0, 2, "Peop"))], entities="keep")
    assert ("Ana Ruiz", "Work_For", "Norvik Oil") in found.triples()
    assert [e.score is None for e in found.entities] == [True, False, False, False]


@given(entity_lists())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("kind", ["extractor", "lawless"])
def test_what_is_kept_stays_and_nothing_overlaps_it(
    request: pytest.FixtureRequest, kind: str, entities: list[Entity]
) -> None:
    model: Extractor = request.getfixturevalue(kind)
    (found,) = model.annotate([document(*entities)], entities="keep", min_score={"entities": 0.5})
    spans = {(e.start, e.end): e for e in found.entities}
    for entity in entities:
        kept = spans[entity.start, entity.end]
        assert kept.score is None
        assert entity.type in (kept.type, "*")
    taken = [token for e in found.entities for token in range(e.start, e.end)]
    assert len(taken) == len(set(taken))
    assert all(e.score >= 0.5 for e in found.entities if e.score is not None)
    assert sum(e.score is None for e in found.entities) == len(entities)


def test_many_documents_come_in_order_and_only_as_they_are_needed(extractor: Extractor) -> None:
    taken = 0

    def documents() -> Iterator[Document]:
        nonlocal taken
        while True:
            taken += 1
            yield Document([Sentence(TOVE.split()).with_text()] * (taken % 3), id=str(taken))

    stream = extractor.annotate(documents(), batch_tokens=8)
    assert [(d.id, len(d.sentences)) for d in islice(stream, 30)] == [(str(n), n % 3) for n in range(1, 31)]
    assert taken < 100


@pytest.mark.parametrize(
    ("entities", "message"),
    [
        ([Entity(0, 2, "Peop"), Entity(1, 3, "Loc")], r"sentence 0: entities 0\.\.2 and 1\.\.3 overlap"),
        ([Entity(0, 2, "PERSON")], "sentence 0: the model knows no entity type 'PERSON'"),
    ],
)
def test_entities_that_cannot_be_given_are_refused(
    extractor: Extractor, entities: list[Entity], message: str
) -> None:
    for mode in ("keep", "given"):
        with pytest.raises(UsageError, match=message):
            list(extractor.annotate([document(*entities)], entities=mode))  # type: ignore[arg-type]
    assert list(extractor.annotate([document(*entities)]))


@pytest.mark.parametrize("options", [{"entities": "some"}, {"batch_tokens": 0}, {"min_score": 2}])
def test_a_request_that_makes_no_sense_is_refused(extractor: Extractor, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(options))):
        extractor.annotate([document()], **options)


def test_a_model_that_is_given_entities_only_takes_them(within: Extractor) -> None:
    for mode in ("keep", "replace"):
        with pytest.raises(UsageError, match='entities="given"'):
            within.annotate([document()], entities=mode)  # type: ignore[arg-type]
    (found,) = within.annotate([document(Entity(0, 2, "*"))], entities="given")
    assert [e.text for e in found.entities] == ["Ana Ruiz"]


def test_sentences_come_back_as_sentences(extractor: Extractor) -> None:
    bare = Sentence(TOKENS, id="s", document="d")
    [found] = extractor.annotate([bare])
    [expected] = extractor.annotate([document()])
    assert (found.tokens, found.id, found.document, found.text) == (bare.tokens, "s", "d", None)
    assert [(e.start, e.end, e.type) for e in found.entities] == [
        (e.start, e.end, e.type) for e in expected.sentences[0].entities
    ]
    assert found.relations


def test_a_monstrous_sentence_stays_one(extractor: Extractor) -> None:
    with pytest.warns(BiaffinityWarning, match="in 2 pieces"):
        [found] = extractor.annotate([Sentence((TOKENS * 60)[:550], id="s")])
    assert len(found) == 550
    for index in range(0, 44, 11):
        assert Entity(index, index + 2, "Peop") in [Entity(e.start, e.end, e.type) for e in found.entities]
    last = max(r.head for r in found.relations)
    assert found.entities[last].start > 512


@pytest.mark.parametrize("one", [document(), Sentence(TOKENS)])
def test_one_document_is_no_iterable_of_them(extractor: Extractor, one: Any) -> None:
    with pytest.raises(UsageError, match="must be an iterable, not one"):
        extractor.annotate(one)


def reader_of_periods() -> Extractor:
    """Of three tokens the last two are one name, or, a little less likely, the second alone is."""
    scores = np.zeros((1, 3, 9), dtype=np.float32)
    labels = Labels(("Loc", "Peop"), "bilou").names
    for token, label, score in ((0, "O", 9), (1, "B-Loc", 5), (1, "U-Loc", 4), (2, "L-Loc", 5), (2, "O", 4)):
        scores[0, token, labels.index(label)] = score
    return Extractor(written(scores=scores, constrained=True))


@pytest.mark.parametrize(("name", "end"), [("UK", 2), ("Solund", 2), ("U.S", 3), ("Calif", 3)])
def test_the_period_of_a_sentence_is_no_part_of_a_name_but_that_of_an_abbreviation_is(
    name: str, end: int
) -> None:
    [found] = reader_of_periods().annotate([Sentence(["in", name, "."])])
    assert [(e.start, e.end, e.type) for e in found.entities] == [(1, end, "Loc")]


@pytest.mark.parametrize("kind", ["keep", "given"])
def test_a_period_that_is_given_as_part_of_a_name_stays(kind: Entities) -> None:
    sentence = Sentence(["in", "UK", "."], [Entity(1, 3, "Loc")])
    [found] = reader_of_periods().annotate([sentence], entities=kind)
    assert found.entities == sentence.entities


def test_a_period_stays_outside_of_what_is_found_beside_given_entities() -> None:
    sentence = Sentence(["in", "UK", "."], [Entity(0, 1, "Peop")])
    [found] = reader_of_periods().annotate([sentence], entities="keep")
    assert [(e.start, e.end) for e in found.entities] == [(0, 1), (1, 2)]
