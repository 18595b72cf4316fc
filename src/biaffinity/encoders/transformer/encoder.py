"""Token vectors of a pretrained transformer ∘ character vectors."""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from biaffinity.annotation import Sentence
from biaffinity.encoders.character_vectors import CHARACTERS
from biaffinity.encoders.encoder import Encoder, ExportedGraph
from biaffinity.encoders.normalisation import character_form
from biaffinity.encoders.spelling import UNKNOWN, spelt
from biaffinity.encoders.transformer.featuriser import CASES, TransformerFeaturiser
from biaffinity.encoders.transformer.identity import TOKENIZER, TRANSFORMER, Identity
from biaffinity.encoders.transformer.pieces import WordPieces
from biaffinity.encoders.transformer.replay import Reading, Replay
from biaffinity.encoders.transformer.runtime import WORDS, word_inputs
from biaffinity.encoders.transformer.settings import TransformerSettings
from biaffinity.errors import BiaffinityError, DataError, MissingExtraError, UsageError
from biaffinity.files import replacing
from biaffinity.layers.characters import CharacterEncoder
from biaffinity.layers.dropout import Dropout

#: The pieces that a transformer reads at one time where neither it nor its tokeniser says.
USUAL_LIMIT = 512


class CasedPieces(nn.Module):
    """A transformer's table of pieces, with a vector for the case of their words added to theirs.

    The number of a piece tells both (see `TransformerFeaturiser`). At first no case makes a difference.
    """

    def __init__(self, pieces: nn.Embedding) -> None:
        super().__init__()
        self.pieces = pieces
        self.cases = nn.Embedding(len(CASES), pieces.embedding_dim)
        nn.init.zeros_(self.cases.weight)

    @property
    def weight(self) -> Tensor:
        """The vectors of pieces, as any table has them."""
        return self.pieces.weight

    def forward(self, numbers: Tensor) -> Tensor:
        """[windows, longest] -> [windows, longest, width]."""
        size = self.pieces.num_embeddings
        read: Tensor = self.pieces(numbers % size) + self.cases(numbers // size)
        return read


class WordVectors(nn.Module):
    """Pieces to a vector for each word."""

    def __init__(self, transformer: Any, *, mean: bool, bfloat16: bool, limit: int) -> None:
        super().__init__()
        self.transformer = transformer
        self.mean = mean
        # In a tuple, so that the transformer's weights are not listed a second time.
        self._reading = (Reading(transformer, bfloat16=bfloat16),)
        self._replay = Replay(self._reading[0], limit)

    def forward(
        self, pieces: Tensor, piece_lengths: Tensor, first: Tensor, last: Tensor | None = None
    ) -> Tensor:
        """[windows, longest], [windows], [batch, size] (, [batch, size]) -> [batch, size, width]."""
        mask = torch.arange(pieces.size(1), device=pieces.device) < piece_lengths.unsqueeze(1)
        learning = self.training and torch.is_grad_enabled()
        read = self._replay if learning and pieces.is_cuda else self._reading[0]
        states = read(pieces, mask.long())
        if not self.mean or last is None:
            return nn.functional.embedding(first, states.flatten(0, 1))
        # The pieces of a word stand in one window: their sum is a difference of sums from its beginning.
        sums = nn.functional.pad(states.cumsum(1), (0, 0, 1, 0)).flatten(0, 1)
        row = first // pieces.size(1)  # each window has one sum more than pieces
        total = nn.functional.embedding(last + row + 1, sums) - nn.functional.embedding(first + row, sums)
        return total / (last - first + 1).unsqueeze(2)


class TransformerEncoder(Encoder):
    """The token vectors, dropped out once (the same dropped vector feeds whatever reads it)."""

    def __init__(
        self,
        settings: TransformerSettings,
        transformer: Any,
        tokenizer: Tokenizer,
        identity: Identity,
        *,
        dropout: float,
    ) -> None:
        super().__init__()
        self.settings = settings
        self.identity = identity
        self.pieces = WordPieces(tokenizer, identity.limit)
        mean = settings.pooling == "mean"
        if settings.case and not isinstance(transformer.get_input_embeddings(), CasedPieces):
            transformer.set_input_embeddings(CasedPieces(transformer.get_input_embeddings()))
        self.words = WordVectors(transformer, mean=mean, bfloat16=settings.bfloat16, limit=identity.limit)
        self.word_dropout = Dropout(settings.dropout)
        self.output_size: int = transformer.config.hidden_size
        self.characters = None
        if settings.characters:
            self.characters = CharacterEncoder(
                identity.alphabet.symbols, settings.character_size, settings.character_hidden, shared=False
            )
            self.output_size += self.characters.output_size
        self.rate = dropout
        self.dropout = Dropout(dropout)

    @classmethod
    def build(
        cls,
        settings: TransformerSettings,
        train: Sequence[Sentence],
        dev: Sequence[Sentence],
        vectors: object,
        *,
        dropout: float,
    ) -> tuple[TransformerEncoder, None]:
        """An encoder that starts from a pretrained one, for some training data."""
        library = _library()
        _quiet(library)
        try:
            transformer = _reader(library.AutoModel.from_pretrained(settings.name, dtype=torch.float32))
            # Words come one by one and stand after a space, which some tokenisers must be told.
            fast = library.AutoTokenizer.from_pretrained(settings.name, add_prefix_space=True)
            tokenizer = Tokenizer.from_str(fast.backend_tokenizer.to_str())
        except Exception as error:  # each kind of file fails in its own way
            raise UsageError(
                f"{settings.name!r} cannot be opened: {_reason(error)}",
                where="encoder.name",
                remedy="give the folder of a pretrained encoder with a fast tokeniser, or a name on the hub",
            ) from error
        forms = {character_form(token, "lower") for sentence in train for token in sentence.tokens}
        characters = {c for form in forms for c in spelt(form, settings.spelling)}
        identity = Identity(
            config=_plain(transformer.config),
            limit=_limit(transformer.config, fast.model_max_length),
            padding=transformer.config.pad_token_id or 0,
            characters=sorted(characters),
        )
        return cls(settings, transformer, tokenizer, identity, dropout=dropout), None

    @classmethod
    def load(cls, folder: Path, settings: TransformerSettings, *, dropout: float) -> TransformerEncoder:
        """The encoder of a model folder; its weights are filled in with the model's."""
        library = _library()
        identity = Identity.read(folder)
        try:
            config = library.AutoConfig.for_model(**identity.config)
            transformer = _reader(library.AutoModel.from_config(config))
        except BiaffinityError:
            raise
        except Exception as error:  # each kind of transformer fails in its own way
            raise DataError(
                f"is no transformer that this installation knows: {_reason(error)}",
                where=str(folder / TRANSFORMER),
                remedy="copy or train it again, or install a newer transformers",
            ) from error
        tokenizer = WordPieces.read(folder / TOKENIZER, identity.limit).tokenizer
        return cls(settings, transformer, tokenizer, identity, dropout=dropout)

    def save(self, folder: Path) -> None:
        """Write all of the encoder but its weights."""
        self.identity.write(folder)
        with replacing(folder / TOKENIZER) as neighbour:
            self.pieces.tokenizer.save(str(neighbour))

    def twin(self) -> TransformerEncoder:
        """Another encoder that starts from the same transformer: the second network of a pipeline."""
        transformer = copy.deepcopy(self.words.transformer)
        return TransformerEncoder(
            self.settings, transformer, self.pieces.tokenizer, self.identity, dropout=self.rate
        )

    def table(self) -> nn.Parameter:
        """The vectors of pieces."""
        transformer: Any = self.words.transformer
        table: nn.Parameter = transformer.get_input_embeddings().weight
        return table

    def pretrained(self) -> Iterable[nn.Parameter]:
        """The transformer's weights, but for the vectors of cases."""
        table = self.words.transformer.get_input_embeddings()
        new = {id(weight) for weight in table.cases.parameters()} if isinstance(table, CasedPieces) else set()
        return (weight for weight in self.words.transformer.parameters() if id(weight) not in new)

    def new_featuriser(self) -> TransformerFeaturiser:
        """A featuriser for this encoder that has met no token yet."""
        return self.identity.featuriser(self.pieces, self.settings)

    def forward(self, features: Mapping[str, Tensor]) -> Tensor:
        """The arrays of `TransformerFeaturiser.collate` -> [batch, size, output_size]."""
        parts = []
        if self.characters is not None:  # first, since it waits for the device
            forms = self.characters(features["characters"], features["character_lengths"])
            parts.append(self.dropout(nn.functional.embedding(features["form_index"], forms)))
        words = self.words(*(features[name] for name in word_inputs(self.settings)))
        return torch.cat([self.word_dropout(words), *parts], dim=2)

    def graphs(self) -> dict[str, ExportedGraph]:
        """What `TransformerRuntime` runs: pieces to words, and characters."""
        pieces = torch.full((3, 9), self.identity.padding)
        inputs = {"pieces": pieces, "piece_lengths": torch.tensor([9, 7, 5])}
        inputs["first"] = torch.tensor([[1, 2, 3, 4], [10, 11, 12, 0]])
        inputs["last"] = torch.tensor([[1, 2, 3, 4], [10, 11, 12, 0]])
        axes = {"pieces": ("windows", "longest"), "piece_lengths": ("windows",)}
        axes |= {"first": ("batch", "size"), "last": ("batch", "size")}
        read = word_inputs(self.settings)
        chosen = {name: inputs[name] for name in read}
        graphs: dict[str, ExportedGraph] = {WORDS: (self.words, chosen, {name: axes[name] for name in read})}
        if self.characters is not None:
            example = {"characters": torch.full((3, 7), UNKNOWN), "lengths": torch.tensor([7, 5, 4])}
            graphs[CHARACTERS] = (
                self.characters,
                example,
                {"characters": ("forms", "size"), "lengths": ("forms",)},
            )
        return graphs


def _library() -> Any:
    try:
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtraError("a transformer encoder", "transformers") from error
    return transformers


def _reason(error: Exception) -> str:
    """What an error of the library says, on one line."""
    return f"{(str(error) or repr(error)).splitlines()[0]:.300}"


def _quiet(library: Any) -> None:
    """No bars and no remarks on weights that are left out: ours is the only progress that is shown."""
    library.logging.set_verbosity_error()
    library.logging.disable_progress_bar()
    logging.getLogger("transformers").setLevel(logging.ERROR)


def _reader(transformer: Any) -> Any:
    """A transformer without the layer that makes one vector of a whole text."""
    if getattr(transformer, "pooler", None) is not None:
        transformer.pooler = None
    if transformer.config.is_encoder_decoder:
        raise ValueError("it is an encoder with a decoder, only encoders are read")
    return transformer


def _limit(config: Any, said: int) -> int:
    """How many pieces fit into one window."""
    positions = getattr(config, "max_position_embeddings", None) or USUAL_LIMIT
    # Some count positions from that of padding on, and have so many fewer.
    return int(min(said, positions) if said <= positions else max(8, positions - 2))


def _plain(config: Any) -> dict[str, Any]:
    """A transformer's config without what says where it came from."""
    left_out = ("_name_or_path", "transformers_version", "architectures", "dtype", "torch_dtype")
    return {key: value for key, value in config.to_dict().items() if key not in left_out}
