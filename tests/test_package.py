"""The names of the package: what a user sees of it, and how its objects show themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import biaffinity
from biaffinity import Document, Entity, Relation, Sentence, formats

MEANT = {"load", "train", "evaluate", "Extractor", "TextInput", "Document", "to_pandas", "formats", "show"}


def test_what_users_call_is_listed_and_nothing_else() -> None:
    assert set(biaffinity.__all__) >= MEANT
    shown = {name for name in dir(biaffinity) if not name.startswith("__")}
    assert shown == set(biaffinity.__all__) - {"__version__"}


def test_every_name_that_is_listed_is_there() -> None:
    for name in dir(biaffinity):
        assert getattr(biaffinity, name) is not None


def test_names_are_there_before_their_modules_are_imported() -> None:
    program = "import biaffinity; print(biaffinity.formats.names()[0], biaffinity.show.svg.__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "jsonl svg\n"


def test_a_document_and_what_it_holds_show_themselves_in_a_line() -> None:
    entities = [Entity(0, 1, "Peop", 0.9), Entity(3, 4, "Org")]
    sentence = Sentence(["Ana", "works", "for", "Norvik"], entities, [Relation("Work_For", 0, 1, 0.8)])
    document = Document([sentence.with_text()], id="d")
    assert repr(document) == "Document(id='d', 'Ana works for Norvik', 1 sentence, 2 entities, 1 relation)"
    assert [repr(entity) for entity in document.entities] == [
        "EntityMention('Ana', Peop, characters 0-3, score 0.90)",
        "EntityMention('Norvik', Org, characters 14-20)",
    ]
    [relation] = document.relations
    assert repr(relation) == "RelationMention('Ana' -> 'Norvik', Work_For, score 0.80)"
    assert len(repr(Document([sentence.with_text()] * 100))) < 120


def test_evaluate_scores_a_model_on_a_file_or_on_sentences(folder: Path, samples: Path) -> None:
    sheet = biaffinity.evaluate(folder, samples / "news.jsonl")
    assert sheet["ner", "micro"].f1 == sheet["re", "strict", "micro"].f1 == 1.0
    assert biaffinity.evaluate(folder, formats.read(samples / "news.jsonl")) == sheet
    assert repr(sheet) == "ScoreSheet(5 sentences, strict micro F1: entities 100.0, relations 100.0)"
