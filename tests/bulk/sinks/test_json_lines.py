from __future__ import annotations

import json
import tempfile
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity import formats
from biaffinity.annotation import Document, documents
from biaffinity.bulk.sinks import format_named
from biaffinity.bulk.sinks.json_lines import json_line
from bulk.sinks.example import DOCUMENT
from extraction.texts import annotated_texts
from paragraph import PARAGRAPH, TRIPLES, triples
from strategies import whole_documents

with_tokens = partial(json_line, tokens=True)


def test_a_json_line_is_small_and_counts_in_characters() -> None:
    line = json_line(DOCUMENT)
    assert line.endswith("}\n")
    assert line.count("\n") == 1
    assert json.loads(line) == {
        "id": "a,b",
        "text": 'Rain. Ilka "Roe left Łódź',
        "entities": [
            {"text": 'Ilka "Roe', "type": "Peop", "start_char": 6, "end_char": 15, "score": 0.75},
            {"text": "Łódź", "type": "Loc", "start_char": 21, "end_char": 25, "score": 0.5},
        ],
        "relations": [{"type": "Live_In", "head": 0, "tail": 1, "score": 0.25}],
    }


@pytest.mark.parametrize("line", [json_line, with_tokens])
def test_a_relation_of_a_later_sentence_has_its_own_arguments(line: partial[str]) -> None:
    assert triples(json.loads(line(PARAGRAPH))) == TRIPLES


@given(whole_documents(scores=True), st.booleans())
def test_a_json_line_is_what_python_gives(document: Document, tokens: bool) -> None:
    assert json.loads(json_line(document, tokens=tokens)) == document.to_dict(tokens=tokens)


@given(whole_documents(scores=True))
def test_with_tokens_the_document_can_be_had_again(document: Document) -> None:
    line = with_tokens(document)
    assert line.count("\n") == 1
    assert Document.from_json(line) == document


def mentions(document: Document) -> tuple[str, list[object], list[object]]:
    """A document in characters: its text, its entities, its relations."""
    entities = [(e.text, e.start_char, e.end_char, e.type, e.score) for e in document.entities]
    keys = dict(zip(document.entities, entities, strict=True))
    relations = [(r.type, keys[r.head], keys[r.tail], r.score) for r in document.relations]
    return document.text, [*entities], [*relations]


@pytest.mark.parametrize("tokens", [True, False])
@pytest.mark.parametrize("name", ["json", "jsonl"])
@given(found=st.lists(annotated_texts(), min_size=1, max_size=3), named=st.booleans())
def test_what_is_written_can_be_read_as_annotated_text(
    name: str, tokens: bool, found: list[Document], named: bool
) -> None:
    if named:
        found = [Document(document.sentences, id=str(number)) for number, document in enumerate(found)]
    form, report = format_named(name, tokens=tokens), formats.Report()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "written"
        whole = form.whole(map(form.render, found), len(found) == 1)
        path.write_text("".join(whole), encoding="utf-8", newline="")
        again = list(documents(formats.read(path, report=report)))
    assert [mentions(d) for d in again] == [mentions(d) for d in found if d.text]
    assert not report


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_tokens_are_written_where_they_are_asked_for(form: str) -> None:
    assert format_named(form, tokens=True).render(DOCUMENT) == with_tokens(DOCUMENT)
    assert format_named(form).render(DOCUMENT) == json_line(DOCUMENT) != with_tokens(DOCUMENT)
