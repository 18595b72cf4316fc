"""Text in, entities and relations out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from biaffinity.annotation import Document, Sentence
from biaffinity.errors import AnnotationError, DataError, UsageError
from biaffinity.extraction.given import GivenEntity, annotate_given, lay_over, read_given
from biaffinity.extraction.pieces import in_pieces
from biaffinity.extraction.thresholds import MinScore, Thresholds
from biaffinity.model.network import Network
from biaffinity.model.prediction import BATCH_TOKENS, Annotator
from biaffinity.text import read_document

EMBEDDED = Path(__file__).parent.parent / "models" / "news"
#: Batches whose texts a stream reads ahead, to find sentences of like length.
READ_AHEAD = 16

Id = TypeVar("Id")
Runtime = Literal["onnx", "torch"]


class Extractor:
    """A model that reads text.

    Every entity and relation it finds has a score in [0, 1]: an entity's is the probability of its
    span and type under the CRF, a relation's that of its type for these two entities (softmax).
    ``min_score`` leaves out what scores less; see `Thresholds` for what it may be.

    Threads may share an extractor. One that was loaded from a folder can be sent to other processes.
    """

    def __init__(self, network: Network, *, min_score: MinScore = 0.0) -> None:
        self._annotator = Annotator(network)
        self._setup = network.config.model.setup
        self._thresholds = self._read_thresholds(min_score)
        self._origin: _Origin | None = None

    @classmethod
    def load(
        cls,
        model: str | Path | None = None,
        *,
        runtime: Runtime = "onnx",
        device: str = "cpu",
        threads: int = 1,
        min_score: MinScore = 0.0,
    ) -> Extractor:
        """An extractor of a model folder, or of the embedded news model where none is named.

        ``runtime="torch"`` needs the extra ``train`` and knows other devices than ``"cpu"``. One thread
        is the default: processes side by side beat threads.
        """
        if not isinstance(model, str | Path | None):
            raise UsageError(f"model must be the path of a folder, not {type(model).__name__}")
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise UsageError(f"threads must be a whole number from 1 on, not {threads!r:.40}")
        folder = EMBEDDED if model is None else Path(model).absolute()
        if model is None and not folder.is_dir():
            raise DataError(
                "the embedded model is not in this installation",
                remedy="make it with: make model; or name a model folder",
            )
        extractor = cls(_load_network(folder, runtime, device, threads), min_score=min_score)
        frozen = tuple(min_score.items()) if isinstance(min_score, Mapping) else min_score
        extractor._origin = _Origin(cls, str(folder), runtime, device, threads, frozen, os.urandom(16).hex())
        return extractor

    @property
    def entity_types(self) -> tuple[str, ...]:
        """The types of entity that the model knows."""
        return tuple(self._annotator.network.vocabulary.entity_types)

    @property
    def relation_types(self) -> tuple[str, ...]:
        """The types of relation that the model knows."""
        return tuple(self._annotator.network.vocabulary.relation_types)

    def __call__(
        self,
        text: str,
        *,
        entities: Iterable[GivenEntity] | None = None,
        min_score: MinScore | None = None,
    ) -> Document:
        """The entities and relations of a text, which is read whole, sentence by sentence.

        With ``entities`` only relations are looked for, between just these: (start, end) or
        (start, end, type) in characters, or objects with ``start_char``, ``end_char`` and, if known,
        ``type``. They come back as given; a type that is not given is predicted. ``min_score`` then
        holds for relations alone.
        """
        thresholds = self._read_thresholds(min_score)
        if entities is None:
            self._require_tagger()
            document = in_pieces(read_document(text))
            return _finished(self._annotator.annotate(document.sentences), document.id, thresholds)
        document = read_document(text)
        given = read_given(entities, text, self.entity_types)
        document = in_pieces(lay_over(document, given))
        thresholds = replace(thresholds, entities=dict.fromkeys(self.entity_types, 0.0))
        return _finished(annotate_given(self._annotator, document), document.id, thresholds)

    def tokens(self, tokens: Sequence[str], *, min_score: MinScore | None = None) -> Document:
        """The entities and relations of one sentence in tokens; its text is they, joined by spaces."""
        self._require_tagger()
        if isinstance(tokens, str) or not isinstance(tokens, Sequence):
            raise UsageError(f"tokens must be a list of strings, not {type(tokens).__name__}")
        try:
            sentence = Sentence(tokens, id="0").with_text()
        except AnnotationError as error:
            raise UsageError(error.what, where=error.where) from None
        sentence = replace(sentence, text=(sentence.text or "").removesuffix("\n"))
        document = in_pieces(Document([sentence]))
        thresholds = self._read_thresholds(min_score)
        return _finished(self._annotator.annotate(document.sentences), "", thresholds)

    @overload
    def stream(
        self, texts: Iterable[str], *, batch_tokens: int = ..., min_score: MinScore | None = ...
    ) -> Iterator[Document]: ...

    @overload
    def stream(
        self, texts: Iterable[tuple[str, Id]], *, batch_tokens: int = ..., min_score: MinScore | None = ...
    ) -> Iterator[tuple[Document, Id]]: ...

    def stream(
        self,
        texts: Iterable[Any],
        *,
        batch_tokens: int = BATCH_TOKENS,
        min_score: MinScore | None = None,
    ) -> Iterator[Any]:
        """The documents of many texts, in order, in memory that does not grow with their number.

        A text may come with something of the caller's, as (text, id): then so does its document, as
        (document, id), and an id that is a string or a whole number becomes the document's own. Texts
        are taken from an iterator only as they are needed, some `READ_AHEAD` batches ahead.
        ``batch_tokens`` are the tokens that the network reads at one time.
        """
        self._require_tagger()
        if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
            raise UsageError(
                f"texts must be an iterable of strings, not {type(texts).__name__}",
                remedy="for one text call the extractor itself",
            )
        if isinstance(batch_tokens, bool) or not isinstance(batch_tokens, int) or batch_tokens < 1:
            raise UsageError(f"batch_tokens must be a whole number from 1 on, not {batch_tokens!r:.40}")
        return self._stream(texts, batch_tokens, self._read_thresholds(min_score))

    def _stream(self, texts: Iterable[Any], batch_tokens: int, thresholds: Thresholds) -> Iterator[Any]:
        for window in self._windows(texts, READ_AHEAD * batch_tokens):
            sentences = [sentence for document, _ in window for sentence in document.sentences]
            annotated = self._annotator.annotate(sentences, batch_tokens=batch_tokens)
            for document, item in window:
                own = islice(annotated, len(document.sentences))
                found = _finished(own, document.id, thresholds)
                yield found if isinstance(item, str) else (found, item[1])

    def _windows(self, texts: Iterable[Any], tokens: int) -> Iterator[list[tuple[Document, Any]]]:
        """Documents yet to be annotated with the items they came from, some ``tokens`` at a time."""
        window: list[tuple[Document, Any]] = []
        size = 0
        for number, item in enumerate(texts):
            text, name = _text_and_id(item, number)
            document = in_pieces(read_document(text, id=name))
            window.append((document, item))
            size += 1 + sum(len(sentence) for sentence in document.sentences)
            if size >= tokens:
                yield window
                window, size = [], 0
        if window:
            yield window

    def _read_thresholds(self, min_score: MinScore | None) -> Thresholds:
        if min_score is None:
            return self._thresholds
        return Thresholds.read(min_score, self.entity_types, self.relation_types)

    def _require_tagger(self) -> None:
        if self._setup == 2:
            raise UsageError(
                "this model does not find entities, it reads the relations between those it is given",
                remedy="pass entities=[...], or train a model with setup 1",
            )

    def __reduce__(self) -> tuple[Any, ...]:
        if self._origin is None:
            raise UsageError(
                "only an extractor that was loaded from a folder can be copied or sent to a process",
                remedy="make it with biaffinity.load(folder)",
            )
        return _reload, (self._origin,)


@dataclass(frozen=True, slots=True)
class _Origin:
    """What an extractor was loaded with, and a name that no other load has."""

    kind: type[Extractor]
    folder: str
    runtime: Runtime
    device: str
    threads: int
    min_score: float | tuple[tuple[str, float], ...]
    name: str


@lru_cache(maxsize=4)
def _reload(origin: _Origin) -> Extractor:
    """The same extractor in another process: read once there, however often it is sent."""
    min_score = dict(origin.min_score) if isinstance(origin.min_score, tuple) else origin.min_score
    extractor = origin.kind.load(
        origin.folder,
        runtime=origin.runtime,
        device=origin.device,
        threads=origin.threads,
        min_score=min_score,
    )
    extractor._origin = origin
    return extractor


def _load_network(folder: Path, runtime: str, device: str, threads: int) -> Network:
    if runtime == "torch":
        from biaffinity.extraction.torch_runtime import load_torch_network

        return load_torch_network(folder, device, threads)
    if runtime != "onnx":
        raise UsageError(f"no runtime {runtime!r:.40}", remedy='runtimes are "onnx" and "torch"')
    if device != "cpu":
        raise UsageError(
            f'the runtime "onnx" runs on the cpu, not on {device!r:.40}', remedy='ask for runtime="torch"'
        )
    from biaffinity.extraction.onnx_network import OnnxNetwork

    return OnnxNetwork.load(folder, threads)


def _finished(sentences: Iterable[Sentence], id: str, thresholds: Thresholds) -> Document:
    return Document([thresholds.kept(sentence) for sentence in sentences], id=id)


def _text_and_id(item: object, number: int) -> tuple[str, str]:
    """The text of a stream's item, and the id that its document gets."""
    text, id_ = item if isinstance(item, tuple | list) and len(item) == 2 else (item, "")
    if not isinstance(text, str):
        raise UsageError(
            f"must be a string or a pair (string, id), not {type(item).__name__}", where=f"texts[{number}]"
        )
    return text, str(id_) if isinstance(id_, str | int) else ""
