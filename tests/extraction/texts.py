"""Texts about the people of the sample, and texts about nothing at all, bare and annotated."""

from __future__ import annotations

from hypothesis import strategies as st

from biaffinity.annotation import Document
from biaffinity.text import read_document
from strategies import annotations

ANA = "Ana Ruiz works for Norvik Oil in Bergen, Norway."
TOVE = "Tove Lind lives in Solund."

_PARTS = [
    *("Ana Ruiz", "works for", "Norvik Oil", " in ", "Bergen", ", ", ". ", "Solund", " Dr. ", "U.S.", "'s"),
    *(" ", "\n", "\r\n", "\r", "\n\n", "\t", "\u00a0", "\u2028", "\u2029", "\0", "\ufeff", "; "),
    *("😀", "👩‍👧", "🇳🇴", "e\u0301", "\u0301", "שלום", "مرحبا", "東京。", "ß", "İ", "\U0001f3fd", "\u200d"),
]


def texts() -> st.SearchStrategy[str]:
    """Any text at all, more likely one of names, line ends, emoji and scripts of all kinds."""
    return st.lists(st.sampled_from(_PARTS) | st.text(max_size=4), max_size=30).map("".join)


@st.composite
def annotated_texts(draw: st.DrawFn, id: str = "") -> Document:
    """Some paragraphs of any text, cut as the extractor cuts them, with entities, relations and scores."""
    document = read_document(draw(st.lists(texts(), max_size=3).map("\n\n".join)), id)
    found = [s.annotated(*draw(annotations(len(s), scores=True))) for s in document.sentences]
    return Document(found, id=id)
