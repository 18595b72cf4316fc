"""All of a model's folder but its weights: config.json and vocabulary.json, read without PyTorch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from biaffinity.encoding.batches import Encoder
from biaffinity.encoding.vocabulary import Vocabulary
from biaffinity.errors import BiaffinityError, DataError
from biaffinity.files import read_json
from biaffinity.model.config import Config, validate

FORMAT = "biaffinity-model"
VERSION = 1
WEIGHTS = "model.safetensors"


@dataclass(frozen=True, slots=True)
class Description:
    """What a model is: its config, the names behind its numbers, the width of its word vectors."""

    config: Config
    vocabulary: Vocabulary
    word_size: int

    def new_encoder(self) -> Encoder:
        """An encoder of this vocabulary and these options that has met no token yet."""
        options = self.config.model
        return Encoder(
            self.vocabulary,
            scheme="bilou" if options.setup == 1 else "types",
            normalisation=self.config.encoding.normalisation,
            all_pairs=options.candidates == "all",
        )


def read_description(folder: Path) -> Description:
    """Read a model folder's description; one that is damaged, foreign or newer is an error."""
    if not folder.is_dir():
        raise DataError("no such model folder", where=str(folder), remedy="check the path")
    head = read_json(folder / "config.json")
    if head.get("format") != FORMAT:
        raise DataError("is not a Biaffinity model", where=str(folder / "config.json"))
    if head.get("version") != VERSION:
        raise DataError(
            f"is a model of version {head.get('version')}, this program reads version {VERSION}",
            where=str(folder / "config.json"),
            remedy="install a newer biaffinity",
        )
    config = validate(head.get("config", {}), where=str(folder / "config.json"))
    size = head.get("word_size")
    if type(size) is not int or size < 1:
        raise DataError("has no whole number word_size", where=str(folder / "config.json"))
    names = read_json(folder / "vocabulary.json")
    try:
        vocabulary = Vocabulary.from_dict(names)
    except BiaffinityError as error:
        raise error.at(str(folder / "vocabulary.json")) from None
    return Description(config, vocabulary, size)
