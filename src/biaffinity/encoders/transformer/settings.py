"""The settings of the transformer encoder."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from biaffinity.encoders.section import Section
from biaffinity.encoders.spelling import Spelling


class TransformerSettings(Section):
    """Token vectors from a pretrained transformer, and from characters, whose case it may not see."""

    #: What the encoder keeps in a model folder besides weights: how words become pieces, and what it is.
    files: ClassVar[tuple[str, ...]] = ("tokenizer.json", "transformer.json")

    #: Padded tokens that suit the matrix products of one core and its cache.
    batch_tokens: ClassVar[int] = 256

    #: Which encoder.
    type: Literal["transformer"] = "transformer"
    #: The pretrained encoder that training starts from: a folder, or a name on the hub.
    name: str = Field(min_length=1)
    #: What stands for a word of several pieces: its first piece, or the mean of them all.
    pooling: Literal["first", "mean"] = "first"
    #: Add a vector for the case of a word to each of its pieces before the transformer reads them.
    case: bool = False
    #: Dropout on what the transformer gives; inside it its own config counts.
    dropout: float = Field(default=0.2, ge=0, lt=1)
    #: Compute it in bfloat16 on a GPU, and on a CPU that has instructions for it (AVX512-BF16, AMX); its
    #: weights stay in single precision, and graphs compute in it.
    bfloat16: bool = True
    #: Read the characters of words too; an encoder of lower-cased text sees no case otherwise.
    characters: bool = True
    #: What is read of a character: itself; or its shape alone, a capital, a small letter, a digit, which is
    #: all that an encoder of lower-cased text has not seen.
    spelling: Spelling = "letters"
    #: Width of the embedding of a character.
    character_size: int = Field(default=25, gt=0)
    #: Width of each direction of the LSTM over characters.
    character_hidden: int = Field(default=25, gt=0)
