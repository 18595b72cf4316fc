"""Biaffinity: joint extraction of entities and the relations between them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from biaffinity.annotation import (
    Document,
    Entity,
    EntityMention,
    Judged,
    Relation,
    RelationMention,
    Sentence,
    to_arrow,
    to_pandas,
)
from biaffinity.errors import BiaffinityError, BiaffinityWarning, MissingExtraError
from biaffinity.version import __version__

if TYPE_CHECKING:
    from biaffinity import facts as facts
    from biaffinity import formats as formats
    from biaffinity import show as show
    from biaffinity.distillation import distil as distil
    from biaffinity.extraction import Extractor as Extractor
    from biaffinity.extraction import TextInput as TextInput
    from biaffinity.extraction.evaluation import evaluate as evaluate
    from biaffinity.hub import push_to_hub as push_to_hub
    from biaffinity.training import train as train

    load = Extractor.load

__all__ = [
    "BiaffinityError",
    "BiaffinityWarning",
    "Document",
    "Entity",
    "EntityMention",
    "Extractor",
    "Judged",
    "MissingExtraError",
    "Relation",
    "RelationMention",
    "Sentence",
    "TextInput",
    "__version__",
    "distil",
    "evaluate",
    "facts",
    "formats",
    "load",
    "push_to_hub",
    "show",
    "to_arrow",
    "to_pandas",
    "train",
]

#: What takes time to import or needs an extra, and where it is.
_LATER = {
    "Extractor": "extraction",
    "TextInput": "extraction",
    "distil": "distillation",
    "evaluate": "extraction.evaluation",
    "push_to_hub": "hub",
    "train": "training",
}
#: What of it needs PyTorch.
_TRAINING = ("distil", "train")


def __getattr__(name: str) -> Any:
    """Import what takes time or needs an extra only when it is used (PEP 562)."""
    if name == "load":
        return import_module("biaffinity.extraction").Extractor.load
    if name in ("facts", "formats", "show"):
        return import_module(f"biaffinity.{name}")
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"biaffinity.{_LATER[name]}"), name)
    except ModuleNotFoundError as error:
        if name not in _TRAINING:
            raise
        return _without_pytorch(name, error)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def _without_pytorch(name: str, error: ModuleNotFoundError) -> Any:
    """What stands in for `train`: looking at the package's names is no reason to fail, calling this is."""

    def missing(*_: Any, **__: Any) -> NoReturn:
        """Train a model; needs the extra ``train``."""
        raise MissingExtraError("training", "train") from error

    missing.__name__ = missing.__qualname__ = name
    return missing
