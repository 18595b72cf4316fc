"""Tiny random transformers with tokenisers that cut words into pieces, saved as a user would have them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("transformers", reason="needs the extra transformers")

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertModel,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaModel,
)

from biaffinity.annotation import Sentence
from biaffinity.config.settings import Config, ModelConfig
from biaffinity.encoders.transformer.encoder import TransformerEncoder
from biaffinity.encoders.transformer.pieces import WordPieces
from biaffinity.encoders.transformer.settings import TransformerSettings
from biaffinity.model.joint import JointModel
from biaffinity.training.build import build_model
from model.tiny import SIZES

#: The width of a tiny transformer, and the pieces that it reads at one time.
WIDTH, LIMIT = 16, 64
#: In single precision, which every machine has.
ENCODER_SIZES: dict[str, Any] = {"character_size": 5, "character_hidden": 4, "bfloat16": False}
# A wide start, or what stands around a word would hardly change its vector.
_SHAPE: dict[str, Any] = {
    "initializer_range": 0.3,
    "hidden_size": WIDTH,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
}


def word_piece_tokenizer(sentences: Sequence[Sentence]) -> Tokenizer:
    """Uncased WordPiece: half of the words of some sentences are one piece, any other its letters."""
    words = sorted({token.lower() for sentence in sentences for token in sentence.tokens})
    characters = sorted({*"".join(words), *map(chr, range(33, 127))})
    known = [word for word in words[::2] if word.isalpha() and len(word) > 1]
    entries = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *known, *characters, *(f"##{c}" for c in characters)]
    numbers = {entry: number for number, entry in enumerate(dict.fromkeys(entries))}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def byte_level_tokenizer() -> Tokenizer:
    """Byte-level BPE that knows bytes, a space before some letters, and two merges: nothing is unknown."""
    symbols = ["<s>", "<pad>", "</s>", *sorted(pre_tokenizers.ByteLevel.alphabet()), "Ġi", "Ġin"]
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    tokenizer = Tokenizer(models.BPE(numbers, [("Ġ", "i"), ("Ġi", "n")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=True)
    return tokenizer


def bert(tokenizer: Tokenizer, **settings: Any) -> BertModel:
    """A random BERT of two layers."""
    torch.manual_seed(0)
    size = tokenizer.get_vocab_size()
    shape = {**_SHAPE, "max_position_embeddings": LIMIT, **settings}
    return BertModel(BertConfig(vocab_size=size, pad_token_id=0, **shape))


def roberta(tokenizer: Tokenizer, **settings: Any) -> RobertaModel:
    """A random RoBERTa, whose positions are counted from that of padding on."""
    torch.manual_seed(0)
    special = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    shape = {**_SHAPE, "max_position_embeddings": LIMIT + 2, **settings}
    return RobertaModel(RobertaConfig(vocab_size=tokenizer.get_vocab_size(), **special, **shape))


def save(folder: Path, transformer: PreTrainedModel, tokenizer: Tokenizer, **said: Any) -> Path:
    """A folder that `AutoModel` and `AutoTokenizer` open; ``said`` is what the tokeniser says of itself."""
    transformer.save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **said).save_pretrained(folder)
    return folder


def save_bert(folder: Path, sentences: Sequence[Sentence], **settings: Any) -> Path:
    """The folder of a random BERT whose tokeniser knows some sentences."""
    tokenizer = word_piece_tokenizer(sentences)
    return save(folder, bert(tokenizer, **settings), tokenizer, pad_token="[PAD]", model_max_length=LIMIT)


def settings(name: Path | str, **switches: Any) -> TransformerSettings:
    """The settings of a tiny encoder."""
    return TransformerSettings(name=str(name), **{**ENCODER_SIZES, **switches})


def encoder(name: Path, sentences: Sequence[Sentence], **switches: Any) -> TransformerEncoder:
    """An encoder for some sentences, ready to read."""
    torch.manual_seed(0)
    made, _ = TransformerEncoder.build(settings(name, **switches), sentences, (), None, dropout=0.1)
    return made.eval()


def model(
    name: Path | str, sentences: Sequence[Sentence], *, pooling: str = "mean", **switches: Any
) -> JointModel:
    """A model with fresh weights above a tiny transformer."""
    sizes = {**SIZES, "lstm_layers": 0, **switches}
    config = Config(encoder=settings(name, pooling=pooling, dropout=0.1), model=ModelConfig(**sizes))
    torch.manual_seed(0)
    return build_model(config, sentences, (), None)[0]


def word_pieces(sentences: Sequence[Sentence], limit: int = LIMIT) -> WordPieces:
    """The pieces of the WordPiece tokeniser."""
    return WordPieces(word_piece_tokenizer(sentences), limit)
