"""What a transformer is, apart from its numbers: kept in a model folder, so that it opens without a hub."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from biaffinity.encoders.spelling import Alphabet
from biaffinity.encoders.transformer.featuriser import TransformerFeaturiser
from biaffinity.encoders.transformer.pieces import WordPieces
from biaffinity.encoders.transformer.settings import TransformerSettings
from biaffinity.errors import DataError
from biaffinity.files import read_json, writing

TOKENIZER, TRANSFORMER = TransformerSettings.files

#: What the width of a transformer is called in its config, depending on its kind.
_HIDDEN = ("hidden_size", "dim", "emb_dim", "d_model")
#: Keys of a transformer's config that would have its library fetch or run code.
_CODE = ("auto_map", "custom_pipelines", "quantization_config", "trust_remote_code")


@dataclass(frozen=True)
class Identity:
    """The transformer's own config, the pieces it can read at one time, its padding, and our characters."""

    config: dict[str, Any]
    limit: int
    padding: int
    characters: list[str]

    @classmethod
    def read(cls, folder: Path) -> Identity:
        """From a model folder; one that is damaged is an error."""
        path = folder / TRANSFORMER
        record = read_json(path)
        wanted = {"config": dict, "limit": int, "padding": int, "characters": list}
        for key, kind in wanted.items():
            if type(record.get(key)) is not kind:
                raise DataError(f"{key} is missing or no {kind.__name__}", where=str(path))
        if record.keys() != wanted.keys():
            raise DataError(f"unknown: {', '.join(record.keys() - wanted.keys())}", where=str(path))
        if record["limit"] < 8 or record["padding"] < 0:
            raise DataError("limit or padding is out of range", where=str(path))
        for key in record["config"]:
            if key in _CODE or key.endswith("attn_implementation"):
                raise DataError(f"{key} is not allowed: it may name code", where=f"{path}: config")
        if not all(type(character) is str for character in record["characters"]):
            raise DataError("must be a list of strings", where=f"{path}: characters")
        return cls(**record)

    def write(self, folder: Path) -> None:
        """Into a model folder."""
        with writing(folder / TRANSFORMER) as file:
            json.dump(asdict(self), file, indent=2, ensure_ascii=False)

    @property
    def layers(self) -> int:
        """How many layers its config says that it has, whatever it calls them."""
        counts = [value for key, value in self.config.items() if "layer" in key and type(value) is int]
        return max(1, *counts, 1)

    def hidden_size(self, folder: Path) -> int:
        """The width of what it gives, whatever its config calls it."""
        sizes = [self.config.get(key) for key in _HIDDEN]
        size = next((size for size in sizes if type(size) is int and size > 0), None)
        if size is None:
            raise DataError("its config has no hidden_size", where=str(folder / TRANSFORMER))
        return size

    def check_layers(self, matrices: int, folder: Path) -> None:
        """See that it has no more layers than weights, before any is made: one layer has several."""
        if self.layers > matrices:
            raise DataError(
                f"its config says {self.layers} layers, the weights have {matrices} matrices",
                where=str(folder / TRANSFORMER),
                remedy="copy or train it again",
            )

    @property
    def alphabet(self) -> Alphabet:
        """The characters that the character encoder knows."""
        return Alphabet(self.characters)

    def featuriser(self, pieces: WordPieces, settings: TransformerSettings) -> TransformerFeaturiser:
        """A featuriser that has met no token yet."""
        vocabulary = self.config["vocab_size"] if settings.case else 0
        return TransformerFeaturiser(pieces, self.padding, self.alphabet, settings.spelling, vocabulary)
