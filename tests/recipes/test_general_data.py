"""The data of the general model, from invented passages and documents."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from biaffinity.annotation import Entity, Judged, Relation, Sentence
from biaffinity.config.about import About
from biaffinity.formats import Report

ROOT = Path(__file__).parents[2]


def script(name: str) -> Any:
    """A program of recipes/ as a module; what lies beside it can be imported by it."""
    sys.path.insert(0, str(ROOT / "recipes"))
    try:
        spec = importlib.util.spec_from_file_location(name, ROOT / "recipes" / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop(0)


data, score = script("general_data"), script("general_score")
TABLE = data.Table(data.TABLE)


def passage(text: str, properties: list[str], *facts: tuple[str, str, str]) -> dict[str, Any]:
    """A passage with facts between the first places of their arguments' texts."""
    places = [
        [name, *((text.index(part), text.index(part) + len(part)) for part in parts)]
        for name, *parts in facts
    ]
    return {
        "id": "7",
        "document": "d",
        "fold": 1,
        "text": text,
        "annotated_properties": properties,
        "facts": [{"property": name, "subject": list(s), "object": list(o)} for name, s, o in places],
    }


ADA = passage(
    "Ada Lee, whose son is Bo Lee, runs Osken Steel; she lives in Tarvik.",
    ["CHILD_OF", "PLACE_OF_RESIDENCE"],
    ("CHILD_OF", "Bo Lee", "Ada Lee"),
    ("PLACE_OF_RESIDENCE", "she", "Tarvik"),
)


def test_a_passage_has_its_facts_between_names_and_says_what_was_judged() -> None:
    (sentence,) = data.from_knowledgenet(ADA, TABLE, Report())
    texts = [sentence.entity_text(index) for index in range(len(sentence.entities))]
    assert sorted(texts) == ["Ada Lee", "Bo Lee"]
    (child,) = sentence.relations
    assert (child.type, texts[child.head], texts[child.tail]) == ("child", "Ada Lee", "Bo Lee")
    # The fact about "she" is not known to be true of Ada Lee, nor to be false.
    assert sentence.judged.relations == ("child",)
    pronouns = [sentence.tokens[start] for start, _ in sentence.judged.tokens]
    assert pronouns == ["whose", "she"]


def test_names_in_capitals_are_no_pronouns() -> None:
    assert [TABLE.is_pronoun(text) for text in ("It", "IT", "US", "us", "I")] == [
        True,
        False,
        False,
        False,
        True,
    ]


DOCUMENT: dict[str, Any] = {
    "title": "Ada Lee",
    "sentences": [
        ["Ada", "Lee", "of", "Tarvik", "met", "Bo"],
        ["Ada", "left", "Tarvik", "in", "two", "days"],
    ],
    "entities": [
        [
            {"sentence": 0, "start": 0, "end": 2, "type": "PER"},
            {"sentence": 1, "start": 0, "end": 1, "type": "PER"},
        ],
        [
            {"sentence": 0, "start": 3, "end": 4, "type": "LOC"},
            {"sentence": 1, "start": 2, "end": 3, "type": "LOC"},
        ],
        [{"sentence": 0, "start": 5, "end": 6, "type": "PER"}],
        [{"sentence": 1, "start": 4, "end": 5, "type": "NUM"}],
    ],
    "relations": [
        {"property": "P19", "name": "place of birth", "head": 0, "tail": 1, "evidence": [0]},
        {"property": "P22", "name": "father", "head": 2, "tail": 0, "evidence": []},
    ],
}


def test_a_document_s_relation_holds_where_there_is_evidence_and_is_undecided_elsewhere() -> None:
    first, second = data.from_redocred(DOCUMENT, TABLE)
    assert first.entities == (Entity(0, 2, "Person"), Entity(3, 4, "Location"), Entity(5, 6, "Person"))
    assert first.relations == (Relation("place of birth", 0, 1),)
    assert ("child", 0, 2) in first.judged.undecided
    assert second.relations == ()
    assert ("place of birth", 0, 1) in second.judged.undecided
    assert first.judged.tokens is None
    assert "chief executive officer" not in first.judged.relations


def test_facts_without_evidence_can_count_as_stated() -> None:
    first, _ = data.from_redocred(DOCUMENT, TABLE, stated=True)
    assert Relation("child", 0, 2) in first.relations


def test_documents_without_relations_judge_none() -> None:
    for sentence in data.from_redocred({**DOCUMENT, "relations": None}, TABLE):
        assert sentence.relations == ()
        assert sentence.judged == Judged(relations=[])


def test_sentences_between_whose_names_there_is_no_fact_are_unrelated() -> None:
    apart = {**DOCUMENT, "relations": [DOCUMENT["relations"][1]]}
    assert [sentence.id for sentence in data.unrelated([apart], TABLE)] == ["Ada Lee:1"]
    assert not list(data.unrelated([DOCUMENT], TABLE))


def test_of_conll04_other_names_are_not_judged() -> None:
    tokens = ["Ada", "of", "Tarvik", "won", "the", "Quell", "Cup", "in", "May"]
    entities = [Entity(0, 1, "Peop"), Entity(2, 3, "Loc"), Entity(4, 7, "Other")]
    sentence = data.from_conll04(Sentence(tokens, entities, [Relation("Live_In", 0, 1)], id="1"), TABLE)
    assert sentence.entities == (Entity(0, 1, "Person"), Entity(2, 3, "Location"))
    assert sentence.relations == (Relation("residence", 0, 1),)
    assert [tokens[start] for start, _ in sentence.judged.tokens] == ["of", "won", "in"]


def test_parts_are_the_same_whatever_the_order_and_share_no_document() -> None:
    documents = [{"title": str(number)} for number in range(120)]
    parts = data.divided_documents(documents)
    assert data.divided_documents(documents[::-1]) == parts
    assert [len(parts[name]) for name in ("train", "dev", "test")] == [20, 50, 50]
    passages = [{"document": str(n // 2), "fold": 1 + n // 2 % 3} for n in range(600)]
    found = {name: {p["document"] for p in part} for name, part in data.divided_passages(passages).items()}
    assert not found["train"] & found["dev"]
    assert {p["fold"] for p in data.divided_passages(passages)["test"]} == {3}
    assert found["dev"]


def test_every_label_of_the_table_is_described_and_its_direction_documented() -> None:
    assert About.model_validate(data.about(TABLE)).relation_types.keys() == TABLE.relations.keys()
    page = (ROOT / "docs" / "general.md").read_text(encoding="utf-8")
    for name, row in TABLE.relations.items():
        labels = (", ".join(row.get(source, ["–"])) for source in ("knowledgenet", "redocred", "conll04"))
        assert f"| {name} | {row['id']} | {row['says']} | {' | '.join(labels)} |" in page


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (("child", "Ada Lee", "Bo Lee"), {("CHILD_OF", "Bo Lee", "Ada Lee")}),
        (("employer", "Ada Lee", "Osken Steel"), set()),
    ],
    ids=["annotated", "not annotated"],
)
def test_what_is_found_counts_as_the_property_of_the_passage(
    found: tuple[str, str, str], expected: set[tuple[str, str, str]]
) -> None:
    text = ADA["text"]
    type_, *arguments = found
    spans = [(text.index(part), text.index(part) + len(part)) for part in arguments]
    ends = [type("End", (), {"start_char": a, "end_char": b}) for a, b in spans]
    relation = type("Found", (), {"type": type_, "head": ends[0], "tail": ends[1]})
    document = type("Read", (), {"relations": [relation]})
    facts = score.found_facts(document, ADA, TABLE)
    assert {(name, text[slice(*s)], text[slice(*o)]) for name, s, o in facts} == expected


def test_facts_about_pronouns_are_not_scored() -> None:
    assert {fact[0] for fact in score.gold_facts(ADA, TABLE)} == {"CHILD_OF"}
