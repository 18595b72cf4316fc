from __future__ import annotations

import pytest

import biaffinity.show
from biaffinity.annotation import Document, Entity, Sentence

SENTENCE = Sentence(["Ida", "left", "."], [Entity(0, 1, "Peop")])


@pytest.mark.parametrize("annotated", [SENTENCE, Document([SENTENCE.with_text()])])
def test_a_notebook_shows_the_drawing(annotated: Document | Sentence) -> None:
    assert annotated._repr_html_() == biaffinity.show.html(annotated)


@pytest.mark.parametrize("annotated", [SENTENCE, Document([SENTENCE.with_text()])])
def test_a_drawing_that_fails_leaves_the_notebook_its_text(
    annotated: Document | Sentence, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(biaffinity.show, "html", fail)
    assert annotated._repr_html_() is None
