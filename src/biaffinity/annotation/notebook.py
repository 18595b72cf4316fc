"""Annotated text as a notebook shows it: the one place where a container asks for its picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biaffinity.annotation.document import Document
    from biaffinity.annotation.sentence import Sentence


def drawing(annotated: Document | Sentence) -> str | None:
    """The text with its entities and relations as HTML; None, and the notebook prints it, if that fails."""
    try:
        from biaffinity.show import html

        return html(annotated)
    except Exception:  # a picture is no reason to lose the cell that a user runs
        return None
