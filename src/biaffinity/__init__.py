"""Biaffinity: joint extraction of entities and the relations between them."""

from typing import TYPE_CHECKING, Any

from biaffinity.annotation import Document, Entity, Fact, Mention, Relation, Sentence
from biaffinity.errors import BiaffinityError, MissingExtraError

if TYPE_CHECKING:
    from biaffinity.training import train as train

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


def __getattr__(name: str) -> Any:
    """Import what needs an extra only when it is used (PEP 562)."""
    if name != "train":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from biaffinity.training import train
    except ModuleNotFoundError as error:
        raise MissingExtraError("training", "train") from error
    return train
