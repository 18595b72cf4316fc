"""Text to entities and relations with a trained model; PyTorch is needed only where it is asked for."""

from biaffinity.errors import BiaffinityWarning
from biaffinity.extraction.extractor import Extractor
from biaffinity.extraction.inputs import TextInput

__all__ = ["BiaffinityWarning", "Extractor", "TextInput"]
