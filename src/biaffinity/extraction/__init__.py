"""Text to entities and relations with a trained model; PyTorch is needed only where it is asked for."""

from biaffinity.extraction.extractor import Extractor
from biaffinity.extraction.pieces import BiaffinityWarning

__all__ = ["BiaffinityWarning", "Extractor"]
