"""What of a sentence was judged: said, kept, and refused where it cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from biaffinity.annotation import Document, Entity, Judged, Relation, Sentence
from biaffinity.errors import AnnotationError

PARTLY = Judged(tokens=[(0, 1), (3, 5)], relations=["Live_In"], undecided=[("Kill", 1, 0)])
SENTENCE = Sentence(
    ["Ada", "Lee", "of", "Quell", "."],
    [Entity(0, 2, "Peop"), Entity(3, 4, "Loc")],
    [Relation("Live_In", 0, 1)],
    id="1",
    judged=PARTLY,
)


def test_it_is_part_of_the_sentence_s_record() -> None:
    assert SENTENCE.to_dict()["judged"] == {
        "tokens": [[0, 1], [3, 5]],
        "relations": ["Live_In"],
        "undecided": [{"type": "Kill", "head": 1, "tail": 0}],
    }
    assert Sentence.from_dict(SENTENCE.to_dict()) == SENTENCE


def test_a_complete_annotation_says_nothing_of_it() -> None:
    assert "judged" not in SENTENCE.annotated(SENTENCE.entities).to_dict()
    assert SENTENCE.annotated(SENTENCE.entities).judged is None


def test_nothing_judged_is_not_everything_judged() -> None:
    for judged in (Judged(tokens=[], relations=[]), Judged()):
        assert Judged.from_dict(judged.to_dict()) == judged
    assert Judged(relations=[]) != Judged()


def test_a_document_keeps_it() -> None:
    document = Document([SENTENCE.with_text(), SENTENCE.with_text()], id="d")
    assert [part.judged for part in Document.from_dict(document.to_dict()).sentences] == [PARTLY, PARTLY]


def test_the_tokens_of_a_marked_entity_are_judged_whatever_else_is_said() -> None:
    assert PARTLY.open_tokens(6, [(0, 2)]) == [False, False, True, False, False, True]
    assert Judged().open_tokens(2, []) == [False, False]


@pytest.mark.parametrize(
    ("asked", "known"),
    [(("Live_In", 0, 1), True), (("Work_For", 0, 1), False), (("Kill", 1, 0), False)],
)
def test_relations_are_known_by_type_and_unless_they_are_undecided(
    asked: tuple[str, int, int], known: bool
) -> None:
    assert PARTLY.decides(*asked) == known


def test_without_types_all_are_known_but_the_undecided() -> None:
    judged = Judged(undecided=[("Kill", 1, 0)])
    assert judged.decides("Kill", 0, 1)
    assert not judged.decides("Kill", 1, 0)


@pytest.mark.parametrize(
    ("record", "where"),
    [
        ([], "judged"),
        ({"token": []}, "judged.token"),
        ({"tokens": 3}, "judged.tokens"),
        ({"tokens": [[0, 1], [2]]}, "judged.tokens[1]"),
        ({"tokens": [[0, -1]]}, "judged.tokens[0]"),
        ({"tokens": [[1, 3], [2, 4]]}, "judged.tokens[1]"),
        ({"tokens": [[4, 6]]}, "judged.tokens[0]"),
        ({"relations": "Kill"}, "judged.relations"),
        ({"relations": ["Kill", ""]}, "judged.relations[1]"),
        ({"undecided": ["Kill"]}, "judged.undecided[0]"),
        ({"undecided": [{"type": "Kill", "head": 0}]}, "judged.undecided[0]"),
        ({"undecided": [{"head": 0, "tail": 1}]}, "judged.undecided[0].type"),
        ({"undecided": [{"type": "Kill", "head": 0, "tail": 2}]}, "judged.undecided[0]"),
        ({"undecided": [{"type": "Live_In", "head": 0, "tail": 1}]}, "judged.undecided[0]"),
    ],
)
def test_what_cannot_be_said_is_refused_with_its_place(record: Any, where: str) -> None:
    with pytest.raises(AnnotationError) as caught:
        Sentence.from_dict({**SENTENCE.to_dict(), "judged": record})
    assert caught.value.where == where
