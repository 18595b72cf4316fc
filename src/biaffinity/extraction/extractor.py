"""Text in, entities and relations out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, get_args, overload

from biaffinity.annotation import Document, Sentence
from biaffinity.decoding.decode import Check
from biaffinity.decoding.network import Network
from biaffinity.decoding.prediction import Predictor
from biaffinity.errors import AnnotationError, UsageError
from biaffinity.extraction.given import (
    ANY,
    Entities,
    GivenEntity,
    annotate,
    lay_over,
    read_given,
    require_flat,
)
from biaffinity.extraction.inputs import TextInput, as_pairs, read_item, require_texts, with_entities
from biaffinity.extraction.loading import Runtime, device_named, load_network, model_folder
from biaffinity.extraction.origin import Origin, reload
from biaffinity.extraction.pieces import in_pieces, joined
from biaffinity.extraction.thresholds import MinScore, Thresholds
from biaffinity.extraction.windows import Work, windows
from biaffinity.hub import push_to_hub
from biaffinity.text import read_document

#: Batches whose texts a stream reads ahead, to find sentences of like length.
READ_AHEAD = 16

#: Texts that a process of `Extractor.pipe` reads at one time unless it is told.
BATCH_SIZE = 128

Id = TypeVar("Id")
T = TypeVar("T")
A = TypeVar("A", Document, Sentence)


class Extractor:
    """A model that reads text.

    Every entity and relation it finds has a score in [0, 1]: an entity's is the probability of its
    span and type under the CRF, a relation's that of its type for these two entities (softmax) times their
    scores. With ``min_score`` just those are found that score as much, relations that the model does not
    decide for among them; see `Thresholds` for what it may be.

    Threads may share an extractor. One that was loaded from a folder can be sent to other processes.
    """

    def __init__(self, network: Network, *, min_score: MinScore | None = None) -> None:
        self._predictor = Predictor(network)
        self._thresholds = self._read_thresholds({} if min_score is None else min_score)
        self._origin: Origin | None = None

    @classmethod
    def load(
        cls,
        model: str | Path | None = None,
        *,
        revision: str | None = None,
        runtime: Runtime = "auto",
        device: str = "cpu",
        threads: int = 1,
        min_score: MinScore | None = None,
    ) -> Extractor:
        """An extractor of a model folder, or of the embedded news model where none is named.

        A string such as ``"owner/name"`` that is no folder here is a model on the hub, and needs the extra
        ``hub``; nothing else ever asks the network. ``revision``, a branch, a tag or a commit, names one of
        its versions, as ``"owner/name@revision"`` does; a commit is always the same files.
        A file whose checksum is not that of the model's config.json is an error.
        On a CPU the exported graphs are run without PyTorch (``runtime="onnx"``); on another device, such
        as ``"cuda"``, the model runs in PyTorch (``"torch"``, the extra ``train``); ``"auto"`` is a GPU where
        PyTorch sees one, else the CPU. One thread is the default: processes side by side beat threads.
        """
        _require_number(threads, "threads")
        folder, device = model_folder(model, revision), device_named(device, runtime)
        extractor = cls(load_network(folder, runtime, device=device, threads=threads), min_score=min_score)
        frozen = tuple(min_score.items()) if isinstance(min_score, Mapping) else min_score
        here = str(folder.absolute())  # another process may stand elsewhere
        extractor._origin = Origin(cls, here, runtime, device, threads, frozen, os.urandom(16).hex())
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
    def device(self) -> str:
        """What the model runs on."""
        return self._origin.device if self._origin is not None else "cpu"

    @property
    def entity_types(self) -> tuple[str, ...]:
        """The types of entity that the model knows."""
        return tuple(self._predictor.description.schema.entity_types)

    @property
    def relation_types(self) -> tuple[str, ...]:
        """The types of relation that the model knows."""
        return tuple(self._predictor.description.schema.relation_types)

    def __repr__(self) -> str:
        name = f"{Path(self._origin.folder).name!r}, " if self._origin else ""
        entities, relations = ", ".join(self.entity_types), ", ".join(self.relation_types)
        return f"Extractor({name}entities: {entities}; relations: {relations})"

    @overload
    def __call__(
        self,
        text: str,
        *,
        entities: Iterable[GivenEntity] | None = ...,
        min_score: MinScore | None = ...,
    ) -> Document: ...

    @overload
    def __call__(
        self,
        text: list[str] | tuple[str, ...],
        *,
        entities: Sequence[Iterable[GivenEntity] | None] | None = ...,
        min_score: MinScore | None = ...,
    ) -> list[Document]: ...

    def __call__(
        self, text: Any, *, entities: Iterable[Any] | None = None, min_score: MinScore | None = None
    ) -> Document | list[Document]:
        """The entities and relations of a text, which is read whole, sentence by sentence.

        With ``entities`` only relations are looked for, between just these: (start, end) or
        (start, end, type) in characters, or objects with ``start_char``, ``end_char`` and, if known,
        ``type``. They come back as given; a type that is not given is predicted. ``min_score`` then
        holds for relations alone.

        A list of texts gives a list of documents; ``entities`` is then a list too, as for `stream`.
        """
        if isinstance(text, list | tuple):
            return list(self.stream(text, entities=entities, min_score=min_score))
        document: Document
        [(document, _)] = self._annotate([self._read(TextInput(text, "", entities, min_score), None)])
        return document

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
        work = Work(in_pieces(Document([sentence])), "replace", self._read_thresholds(min_score), None)
        [(document, _)] = self._annotate([work])
        return document

    @overload
    def stream(
        self,
        texts: Iterable[str | TextInput],
        *,
        entities: Iterable[Iterable[GivenEntity] | None] | None = ...,
        batch_tokens: int | None = ...,
        min_score: MinScore | None = ...,
        check: Check | None = ...,
    ) -> Iterator[Document]: ...

    @overload
    def stream(
        self,
        texts: Iterable[tuple[str | TextInput, Id]],
        *,
        entities: Iterable[Iterable[GivenEntity] | None] | None = ...,
        batch_tokens: int | None = ...,
        min_score: MinScore | None = ...,
        check: Check | None = ...,
    ) -> Iterator[tuple[Document, Id]]: ...

    def stream(
        self,
        texts: Iterable[Any],
        *,
        entities: Iterable[Iterable[GivenEntity] | None] | None = None,
        batch_tokens: int | None = None,
        min_score: MinScore | None = None,
        check: Check | None = None,
    ) -> Iterator[Any]:
        """The documents of many texts, in order, in memory that does not grow with their number.

        A text may come with something of the caller's, as (text, id): then so does its document, as
        (document, id), and an id that is a string or a whole number becomes the document's own. In place
        of a text a `TextInput` asks for entities and a least score of its own; ``entities`` gives them for
        all, a list (or None) for every text. Texts are taken from an iterator only as they are needed, some
        `READ_AHEAD` batches ahead. ``batch_tokens`` are the tokens that the network reads at one time, if not
        as many as suit it; for every such batch ``check`` is told how many ``"entities"`` each of its
        sentences has, then how many ``"relations"``, and may raise to stop.
        """
        require_texts(texts)
        if batch_tokens is not None:
            _require_number(batch_tokens, "batch_tokens")
        items = texts if entities is None else with_entities(texts, entities)
        return (
            (found, item[1]) if isinstance(item, tuple | list) else found
            for found, item in self._documents(
                items, self._read_thresholds(min_score), batch_tokens, check=check
            )
        )

    def pipe(
        self,
        texts: Iterable[Any],
        *,
        as_tuples: bool = False,
        batch_size: int | None = None,
        n_process: int = 1,
        entities: Iterable[Iterable[GivenEntity] | None] | None = None,
        min_score: MinScore | None = None,
    ) -> Iterator[Any]:
        """A `stream` as users of spaCy know it: documents in order, or, ``as_tuples``, (document, context).

        ``batch_size`` texts are read at one time; left out, as many as make good batches. ``n_process`` reads
        with so many processes (-1: one per core), each of which loads the model: the extractor must come from
        a folder, and a script that calls this must be guarded by ``if __name__ == "__main__":``.
        """
        require_texts(texts)
        if batch_size is not None:
            _require_number(batch_size, "batch_size")
        n_process = (os.cpu_count() or 1) if n_process == -1 else n_process
        _require_number(n_process, "n_process")
        pairs: Iterable[Any] = as_pairs(texts, as_tuples)
        if entities is not None:
            pairs = with_entities(pairs, entities)
        thresholds = self._read_thresholds(min_score)
        if n_process == 1:
            found: Iterator[Any] = (
                (doc, pair[1]) for doc, pair in self._documents(pairs, thresholds, batch_size=batch_size)
            )
        else:
            from biaffinity.extraction.side_by_side import read_side_by_side  # processes take time to import

            self.__reduce__()  # one that cannot be sent is told of now
            found = read_side_by_side(self, pairs, thresholds, n_process, batch_size or BATCH_SIZE)
        return found if as_tuples else (document for document, _ in found)

    def annotate(
        self,
        documents: Iterable[A],
        *,
        entities: Entities = "replace",
        batch_tokens: int | None = None,
        min_score: MinScore | None = None,
    ) -> Iterator[A]:
        """Documents, or sentences, whose tokens are someone else's, annotated in order like a `stream`.

        ``entities`` tells what becomes of those they have: with ``"replace"`` the model finds its own;
        with ``"keep"`` they stay and it finds others around them; with ``"given"`` it looks for
        relations between just these. They must not overlap; a type ``"*"`` is predicted. With
        ``"keep"`` those that were there have no score; ``min_score`` is for what the model finds.
        """
        if entities not in get_args(Entities):
            raise UsageError(f"entities must be one of {', '.join(get_args(Entities))}, not {entities!r:.40}")
        if isinstance(documents, Document | Sentence):
            raise UsageError(
                f"documents must be an iterable, not one {type(documents).__name__}",
                remedy="put it into a list",
            )
        if batch_tokens is not None:
            _require_number(batch_tokens, "batch_tokens")
        thresholds = self._read_thresholds(min_score)
        if entities == "given":
            thresholds = thresholds.for_relations()
        else:
            self._require_tagger('ask for entities="given"')
        types = (*self.entity_types, ANY)

        def work() -> Iterator[Work[A]]:
            for item in documents:
                document = Document([item.with_text()]) if isinstance(item, Sentence) else item
                if entities != "replace":
                    require_flat(document, types)
                yield Work(in_pieces(document), entities, thresholds, item)

        return (
            joined(item, found.sentences) if isinstance(item, Sentence) else found
            for found, item in self._annotate(work(), batch_tokens)
        )

    def _documents(
        self,
        items: Iterable[T],
        thresholds: Thresholds,
        batch_tokens: int | None = None,
        *,
        batch_size: int | None = None,
        first: int = 0,
        check: Check | None = None,
    ) -> Iterator[tuple[Document, T]]:
        """The items of a stream, the ``first`` of which has this number, each with its document."""
        work = (self._read_at(i, item, thresholds) for i, item in enumerate(items, first))
        return self._annotate(work, batch_tokens, batch_size, check)

    def _read_at(self, number: int, item: T, thresholds: Thresholds) -> Work[T]:
        """An item of a stream made ready for the network; what is wrong with it is told with its place."""
        try:
            return self._read(read_item(item), item, thresholds)
        except UsageError as error:
            raise error.at(f"texts[{number}]") from None

    def _read(self, own: TextInput, item: T, thresholds: Thresholds | None = None) -> Work[T]:
        """A text made ready for the network, with the entities that are given for it."""
        if own.min_score is not None or thresholds is None:
            thresholds = self._read_thresholds(own.min_score)
        document = read_document(own.text, id=own.id)
        if own.entities is None:
            self._require_tagger()
            return Work(in_pieces(document, 3), "replace", thresholds, item)
        given = read_given(own.entities, own.text, self.entity_types)
        return Work(in_pieces(lay_over(document, given), 3), "given", thresholds.for_relations(), item)

    def _annotate(
        self,
        items: Iterable[Work[T]],
        batch_tokens: int | None = None,
        batch_size: int | None = None,
        check: Check | None = None,
    ) -> Iterator[tuple[Document, T]]:
        """The documents annotated, each with what came with it."""
        at_once = batch_tokens or self._predictor.network.batch_tokens
        for window in windows(items, READ_AHEAD * at_once, batch_size):
            sentences = [sentence for work in window for sentence in work.document.sentences]
            given = [work.entities for work in window for _ in work.document.sentences]
            floors = [work.thresholds.floors for work in window for _ in work.document.sentences]
            annotated = iter(
                annotate(self._predictor, sentences, given, floors, batch_tokens=batch_tokens, check=check)
            )
            for work in window:
                own = islice(annotated, len(work.document.sentences))
                kept = [work.thresholds.kept(sentence) for sentence in own]
                yield Document(kept, id=work.document.id), work.item

    def _read_thresholds(self, min_score: MinScore | Thresholds | None) -> Thresholds:
        if min_score is None:
            return self._thresholds
        if isinstance(min_score, Thresholds):
            return min_score
        return Thresholds.read(min_score, self.entity_types, self.relation_types)

    def _require_tagger(self, way_out: str = "pass entities=[...]") -> None:
        if self._predictor.description.boundaries == "given":
            raise UsageError(
                "this model does not find entities, it reads the relations between those it is given",
                remedy=f"{way_out}, or train a model with model.boundaries=predicted",
            )

    def __reduce__(self) -> tuple[Any, ...]:
        if self._origin is None:
            raise UsageError(
                "only an extractor that was loaded from a folder can be copied or sent to a process",
                remedy="make it with biaffinity.load(folder)",
            )
        return reload, (self._origin,)


def _require_number(value: object, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"{name} must be a whole number from 1 on, not {value!r:.40}")
