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
        if not all(type(character) is str for character in record["characters"]):
            raise DataError("must be a list of strings", where=f"{path}: characters")
        return cls(**record)

    def write(self, folder: Path) -> None:
        """Into a model folder."""
        with writing(folder / TRANSFORMER) as file:
            json.dump(asdict(self), file, indent=2, ensure_ascii=False)

    @property
    def alphabet(self) -> Alphabet:
        """The characters that the character encoder knows."""
        return Alphabet(self.characters)

    def featuriser(self, pieces: WordPieces) -> TransformerFeaturiser:
        """A featuriser that has met no token yet."""
        return TransformerFeaturiser(pieces, self.padding, self.alphabet)
