"""Text in, entities and relations out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, overload

from biaffinity.annotation import Document, Sentence
from biaffinity.errors import AnnotationError, DataError, UsageError
from biaffinity.extraction.given import (
    ANY,
    GivenEntity,
    annotate_given,
    lay_over,
    read_given,
    require_flat,
)
from biaffinity.extraction.hub import download, is_hub_name, push_to_hub
from biaffinity.extraction.pieces import in_pieces
from biaffinity.extraction.thresholds import MinScore, Thresholds
from biaffinity.extraction.windows import read_texts, windows
from biaffinity.model.network import Network
from biaffinity.model.prediction import BATCH_TOKENS, Annotator
from biaffinity.text import read_document

EMBEDDED = Path(__file__).parent.parent / "models" / "news"
#: Batches whose texts a stream reads ahead, to find sentences of like length.
READ_AHEAD = 16

Id = TypeVar("Id")
T = TypeVar("T")
Runtime = Literal["onnx", "torch"]
#: What becomes of the entities that a document has: the model finds its own instead; or others around
#: them; or none, and only the relations between them.
Entities = Literal["replace", "keep", "given"]


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

        A string such as ``"owner/name"`` or ``"owner/name@revision"`` that is no folder here is a model
        on the hub, and needs the extra ``hub``; nothing else ever asks the network.
        ``runtime="torch"`` needs the extra ``train`` and knows other devices than ``"cpu"``. One thread
        is the default: processes side by side beat threads.
        """
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise UsageError(f"threads must be a whole number from 1 on, not {threads!r:.40}")
        folder = model_folder(model)
        extractor = cls(_load_network(folder, runtime, device, threads), min_score=min_score)
        frozen = tuple(min_score.items()) if isinstance(min_score, Mapping) else min_score
        here = str(folder.absolute())  # another process may stand elsewhere
        extractor._origin = _Origin(cls, here, runtime, device, threads, frozen, os.urandom(16).hex())
        return extractor

    def push_to_hub(self, name: str, *, private: bool = False, token: str | None = None) -> str:
        """Send the model to the hub as ``owner/name``; the address of its page (see `hub.push_to_hub`)."""
        if self._origin is None:
            raise UsageError(
                "only an extractor that was loaded from a folder can be sent to the hub",
                remedy="make it with biaffinity.load(folder)",
            )
        return push_to_hub(self._origin.folder, name, private=private, token=token)

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
        found = annotate_given(self._annotator, document.sentences)
        return _finished(found, document.id, thresholds.for_relations())

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
        _require_batch_tokens(batch_tokens)
        annotated = self._annotate(
            read_texts(texts), "replace", batch_tokens, self._read_thresholds(min_score)
        )
        return (found if isinstance(item, str) else (found, item[1]) for found, item in annotated)

    def annotate(
        self,
        documents: Iterable[Document],
        *,
        entities: Entities = "replace",
        batch_tokens: int = BATCH_TOKENS,
        min_score: MinScore | None = None,
    ) -> Iterator[Document]:
        """Documents whose sentences and tokens are someone else's, annotated in order like a `stream`.

        ``entities`` tells what becomes of those they have: with ``"replace"`` the model finds its own;
        with ``"keep"`` they stay and it finds others around them; with ``"given"`` it looks for
        relations between just these. They must not overlap; a type ``"*"`` is predicted. With
        ``"keep"`` those that were there have no score; ``min_score`` is for what the model finds.
        """
        if entities not in get_args(Entities):
            raise UsageError(f"entities must be one of {', '.join(get_args(Entities))}, not {entities!r:.40}")
        _require_batch_tokens(batch_tokens)
        thresholds = self._read_thresholds(min_score)
        items: Iterable[tuple[Document, None]] = ((document, None) for document in documents)
        if entities == "given":
            thresholds = thresholds.for_relations()
        else:
            self._require_tagger('ask for entities="given"')
        if entities != "replace":
            types = (*self.entity_types, ANY)
            items = ((require_flat(document, types), None) for document in documents)
        return (found for found, _ in self._annotate(items, entities, batch_tokens, thresholds))

    def _annotate(
        self,
        items: Iterable[tuple[Document, T]],
        entities: Entities,
        batch_tokens: int,
        thresholds: Thresholds,
    ) -> Iterator[tuple[Document, T]]:
        """The documents annotated, each with what came with it."""
        annotator = self._annotator
        for window in windows(items, READ_AHEAD * batch_tokens):
            sentences = [sentence for document, _ in window for sentence in document.sentences]
            found = (
                annotator.annotate(sentences, batch_tokens=batch_tokens)
                if entities == "replace"
                else annotate_given(
                    annotator, sentences, others=entities == "keep", batch_tokens=batch_tokens
                )
            )
            annotated = iter(found)
            for document, item in window:
                own = islice(annotated, len(document.sentences))
                yield _finished(own, document.id, thresholds), item

    def _read_thresholds(self, min_score: MinScore | None) -> Thresholds:
        if min_score is None:
            return self._thresholds
        return Thresholds.read(min_score, self.entity_types, self.relation_types)

    def _require_tagger(self, way_out: str = "pass entities=[...]") -> None:
        if self._setup == 2:
            raise UsageError(
                "this model does not find entities, it reads the relations between those it is given",
                remedy=f"{way_out}, or train a model with setup 1",
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


def model_folder(model: str | Path | None) -> Path:
    """Where the files of a model are: a folder here, one in the hub's cache, or the embedded model's."""
    if not isinstance(model, str | Path | None):
        raise UsageError(f"model must be the path of a folder, not {type(model).__name__}")
    if model is None:
        if not EMBEDDED.is_dir():
            raise DataError(
                "the embedded model is not in this installation",
                remedy="make it with: make model; or name a model folder",
            )
        return EMBEDDED
    if isinstance(model, str) and is_hub_name(model) and not Path(model).exists():
        return download(model)
    return Path(model)


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


def _require_batch_tokens(value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"batch_tokens must be a whole number from 1 on, not {value!r:.40}")
