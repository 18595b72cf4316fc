"""A document as samples/paragraph.txt makes it: relations in the first and in the last of its sentences."""

from __future__ import annotations

from typing import Any

from biaffinity.annotation import Document, Entity, Relation, Sentence

SENTENCES = [
    Sentence(
        ["Ana", "Ruiz", "works", "for", "Norvik", "Oil", "."],
        [Entity(0, 2, "Peop", 0.9), Entity(4, 6, "Org", 0.8)],
        [Relation("Work_For", 0, 1, 0.7)],
    ),
    Sentence(["The", "company", "is", "based", "in", "Stavanger", "."], [Entity(5, 6, "Loc", 0.6)]),
    Sentence(["It", "rained", "."]),
    Sentence(
        ["Ivo", "Marek", "shot", "Dario", "Venn", "."],
        [Entity(0, 2, "Peop", 0.5), Entity(3, 5, "Peop", 0.4)],
        [Relation("Kill", 0, 1, 0.3)],
    ),
]
PARAGRAPH = Document([sentence.with_text() for sentence in SENTENCES], id="paragraph")
TRIPLES = [("Ana Ruiz", "Work_For", "Norvik Oil"), ("Ivo Marek", "Kill", "Dario Venn")]


def triples(record: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The relations of a document's JSON in words, by nothing but their indexes into its entities."""
    text = [entity["text"] for entity in record["entities"]]
    return [(text[r["head"]], r["type"], text[r["tail"]]) for r in record["relations"]]
