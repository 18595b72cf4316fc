"""The lines of a model card that the hub sorts models by."""

from __future__ import annotations

_METADATA = """\
---
library_name: biaffinity
pipeline_tag: token-classification
language: en
tags:
- biaffinity
- relation-extraction
- named-entity-recognition
- information-extraction
---
"""


def with_metadata(card: str) -> str:
    """The card as the hub wants it: the lines it sorts models by go first, unless the card has its own.

    >>> with_metadata("# harbour").splitlines()[:2]
    ['---', 'library_name: biaffinity']
    """
    return card if card.startswith("---\n") else f"{_METADATA}\n{card}"
