"""The settings of the recurrent encoder."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from biaffinity.encoders.normalisation import Normalisation
from biaffinity.encoders.section import Section


class RecurrentSettings(Section):
    """Token vectors from words and their characters. The defaults are the paper's but for unseen words."""

    #: What the encoder keeps in a model folder besides weights.
    files: ClassVar[tuple[str, ...]] = ("vocabulary.json",)

    #: Padded tokens that suit the matrix products of one core and its cache.
    batch_tokens: ClassVar[int] = 2048

    #: Which encoder.
    type: Literal["recurrent"] = "recurrent"
    #: What a word is looked up as: in lower case; or, as in the paper, numbers and addresses as one symbol
    #: each besides.
    normalisation: Normalisation = "lower"
    #: Whose words get rows of their own. The released program takes dev's words too.
    vocabulary: Literal["train", "train+dev"] = "train"
    #: How often training must show a word, or a character, for it to get a row; rarer ones are read as
    #: those that it never met. Large texts hold very many, each a row to carry and to learn from little.
    min_count: int = Field(default=1, gt=0)
    #: What a word is that training never met but the vectors know: its vector, or the unknown word.
    unseen_words: Literal["pretrained", "unk"] = "pretrained"
    #: How many of the most frequent such words the model carries along.
    keep_unseen: int = Field(default=200_000, ge=0)
    #: The width of word vectors where none are given.
    word_size: int = Field(default=100, gt=0)
    #: α of word dropout: a word is hidden with probability α / (α + count).
    word_dropout: float = Field(default=0.25, ge=0)
    #: A word's vector is made of its characters too.
    characters: bool = True
    #: Width of a character's vector.
    character_size: int = Field(default=25, gt=0)
    #: Width of each direction of the LSTM over characters.
    character_hidden: int = Field(default=25, gt=0)
    #: One character LSTM for both directions, as in the released program.
    character_shared: bool = True
