"""Biaffinity: joint extraction of entities and the relations between them."""

from typing import TYPE_CHECKING, Any

from biaffinity.annotation import Document, Entity, Mention, Relation, RelationMention, Sentence
from biaffinity.errors import BiaffinityError, BiaffinityWarning, MissingExtraError
from biaffinity.version import __version__

if TYPE_CHECKING:
    from biaffinity.extraction import Extractor as Extractor
    from biaffinity.extraction import TextInput as TextInput
    from biaffinity.hub import push_to_hub as push_to_hub
    from biaffinity.training import train as train

    load = Extractor.load

__all__ = [
    "BiaffinityError",
    "BiaffinityWarning",
    "Document",
    "Entity",
    "Mention",
    "Relation",
    "RelationMention",
    "Sentence",
    "__version__",
]


def __getattr__(name: str) -> Any:
    """Import what takes time or needs an extra only when it is used (PEP 562)."""
    if name in ("Extractor", "TextInput", "load"):
        from biaffinity import extraction

        return extraction.Extractor.load if name == "load" else getattr(extraction, name)
    if name == "push_to_hub":
        from biaffinity.hub import push_to_hub

        return push_to_hub
    if name != "train":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from biaffinity.training import train
    except ModuleNotFoundError as error:
        raise MissingExtraError("training", "train") from error
    return train
