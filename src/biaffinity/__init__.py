"""Biaffinity: joint extraction of entities and the relations between them."""

from biaffinity.annotation import Document, Entity, Fact, Mention, Relation, Sentence
from biaffinity.errors import BiaffinityError

__version__ = "0.1.0"

__all__ = [
    "BiaffinityError",
    "Document",
    "Entity",
    "Fact",
    "Mention",
    "Relation",
    "Sentence",
    "__version__",
]
