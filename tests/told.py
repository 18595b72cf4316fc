"""Stores of facts written by hand: texts with their entities in brackets, and what is said in them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from biaffinity import facts
from biaffinity.store import open_store
from biaffinity.store.documents import DocumentWriter, StoredDocument
from biaffinity.text import split_sentences

Relations = Iterable[tuple[str, int, int, float]]

NEWS = (
    (
        "chief.txt",
        "[Norvik Oil ASA|Organization] has named [Ana Ruiz|Person] as its chief. "
        "[Ruiz|Person] was born in [Almora|Location], [Spain|Location].",
        [("employer", 1, 0, 0.8), ("place of birth", 2, 3, 0.9), ("located in", 3, 4, 0.95)],
    ),
    (
        "fire.txt",
        "[Ingrid Sørbø|Person] is chief engineer of [Norvik Oil ASA|Organization] ([NOA|Organization]). "
        "[NOA|Organization] is based in [Bergen|Location], [Norway|Location].",
        [
            ("employer", 0, 1, 0.7),
            ("headquarters location", 3, 4, 0.6),
            ("located in", 4, 5, 0.9),
        ],
    ),
    (
        "wind.txt",
        "𐐀𐐀 [Ana Ruiz|Person] leads [Norvik Oil|Organization] in [Bergen|Location].",
        [("employer", 0, 1, 0.6), ("headquarters location", 1, 2, 0.5)],
    ),
    (
        "cup.txt",
        "[Tomás Beltrán|Person] plays for [FC Almora|Organization] in [Almora|Location]. "
        "[<img src=x onerror=alert(1)>|Person] and [Robert'); DROP TABLE entities;--|Person] watched.",
        [("employer", 0, 1, 0.9), ("headquarters location", 1, 2, 0.8), ("spouse", 3, 4, 0.4)],
    ),
)


def document(name: str, marked: str, relations: Relations) -> StoredDocument:
    """A document of a text in which ``[Norvik Oil|Organization]`` is an entity."""
    mentions, text, place = [], "", 0
    for found in re.finditer(r"\[([^\]|]*)\|(\w+)\]", marked):
        text += marked[place : found.start()]
        mentions.append((found[1], found[2], len(text), len(text) + len(found[1]), 0.9))
        text += found[1]
        place = found.end()
    text += marked[place:]
    rows = []
    for type_, head, tail, score in relations:
        start, end = next((a, b) for a, b in split_sentences(text) if a <= mentions[head][2] < b)
        rows.append((type_, head, tail, score, start, end))
    return StoredDocument(name, text, mentions, rows)


def told(
    store: str, documents: Iterable[tuple[str, str, Relations]] = NEWS, *, model: str = "general 0"
) -> str:
    """A store of documents with its facts gathered; its name."""
    with open_store(store) as database:
        writer = DocumentWriter(database, "general 0", {})
        records = [document(*each) for each in documents]
        database.transact(lambda: writer.write(records))
    with facts.open(store) as opened:
        opened.update()
    return store
