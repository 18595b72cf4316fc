"""A document that the tests of all sinks write."""

from __future__ import annotations

from biaffinity.annotation import Document, Entity, Relation, Sentence

DOCUMENT = Document(
    [
        Sentence(["Rain", "."], text="Rain. ", token_spans=[(0, 4), (4, 5)]),
        Sentence(
            ["Ilka", '"', "Roe", "left", "Łódź"],
            [Entity(0, 3, "Peop", 0.75), Entity(4, 5, "Loc", 0.5)],
            [Relation("Live_In", 0, 1, 0.25)],
            text='Ilka "Roe left Łódź',
            token_spans=[(0, 4), (5, 6), (6, 9), (10, 14), (15, 19)],
        ),
    ],
    id="a,b",
)
