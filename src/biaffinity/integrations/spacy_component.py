"""The spaCy component: ``nlp.add_pipe("biaffinity")``. Needs the extra ``spacy``."""

# spaCy checks a config against the types of the factory's arguments, so they must not be strings here.

import json
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span
from spacy.util import from_bytes, from_disk, to_bytes, to_disk

from biaffinity.annotation import Document
from biaffinity.config.folder import model_files
from biaffinity.errors import DataError, UsageError
from biaffinity.extraction import Extractor
from biaffinity.extraction.given import ANY
from biaffinity.extraction.loading import model_folder
from biaffinity.files import read_json, replacing, writing
from biaffinity.integrations.spacy_documents import (
    SpanRelation,
    characters_of,
    register_extensions,
    require_extensions,
    to_document,
    write,
)

register_extensions()


@Language.factory(
    "biaffinity",
    default_config={"model": None, "entities": "replace", "min_score": None, "types": {}},
    assigns=["doc.ents", "doc._.relations", "span._.entity_score"],
)
def make_relation_extractor(
    nlp: Language,
    name: str,
    model: str | None,
    entities: Literal["replace", "keep", "given"],
    min_score: float | dict[str, float] | None,
    types: dict[str, str | None],
) -> "RelationExtractor":
    """The component of a config; see `RelationExtractor`."""
    return RelationExtractor(name, model, entities=entities, min_score=min_score, types=types)


class RelationExtractor(Pipe):
    """Sets ``doc.ents`` and ``doc._.relations``, sentence by sentence on spaCy's own tokens.

    ``model`` is a folder, a name on the hub, or None for the embedded model; it is read when it is
    first used. ``entities`` tells what becomes of the entities that a document has already:

    - ``"replace"``: the model's own take their place.
    - ``"keep"``: they stay as they are, and the model finds others around them and relations among all.
    - ``"given"``: they stay as they are, and the model finds only the relations between them.

    The model is told a kept entity's type if it knows the label, or if ``types`` translates it, as
    ``{"PERSON": "Peop"}``; otherwise it makes up its own mind, and the label stays. A label translated
    to None is no entity for the model. ``min_score`` is as for `Extractor`.
    """

    def __init__(
        self,
        name: str = "biaffinity",
        model: str | Path | None = None,
        *,
        entities: Literal["replace", "keep", "given"] = "replace",
        min_score: float | dict[str, float] | None = None,
        types: dict[str, str | None] | None = None,
    ) -> None:
        require_extensions()
        self.name = name
        self.model = model
        self.entities = entities
        self.min_score = min_score
        self.types = dict(types or {})
        self._loaded: tuple[Path, Extractor] | None = None
        self._temporary = False

    @property
    def extractor(self) -> Extractor:
        """What reads the documents."""
        return self._load()[1]

    @property
    def labels(self) -> tuple[str, ...]:
        """The types of entity and relation that the model knows; none before it is read.

        spaCy asks for them while it loads a pipeline, before it says where the model is.
        """
        return () if self._loaded is None else self.extractor.entity_types + self.extractor.relation_types

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one document in place."""
        self._annotate([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotate documents in place, ``batch_size`` of them at a time."""
        waiting = iter(stream)
        while docs := list(islice(waiting, batch_size)):
            try:
                self._annotate(docs)
            except Exception:  # noqa: PERF203
                # One by one, so that only the document at fault goes to the pipeline's error handler.
                yield from super().pipe(docs)
            else:
                yield from docs

    def _annotate(self, docs: Sequence[Doc]) -> None:
        given = [{} if self.entities == "replace" else self._given(doc) for doc in docs]
        documents = (to_document(doc, types) for doc, types in zip(docs, given, strict=True))
        found = list(self.extractor.annotate(documents, entities=self.entities))
        for doc, types, document in zip(docs, given, found, strict=True):
            self._set(doc, types, document)

    def _given(self, doc: Doc) -> dict[Span, str]:
        """The entities that the model is to know of, with the types it is told."""
        known = self.extractor.entity_types
        types = {
            entity: self.types.get(entity.label_, entity.label_ if entity.label_ in known else ANY)
            for entity in doc.ents
            if entity.text.strip()
        }
        return {entity: type_ for entity, type_ in types.items() if type_ is not None}

    def _set(self, doc: Doc, given: Iterable[Span], document: Document) -> None:
        """Write what was found into a document."""
        there = () if self.entities == "replace" else doc.ents
        taken = {place for entity in there for place in range(entity.start, entity.end)}
        spans = {characters_of(entity): entity for entity in given}
        new: list[Span] = []
        scores: dict[Span, float] = {}
        for mention in document.entities:
            place = (mention.start_char, mention.end_char)
            if place in spans:
                continue
            span = doc.char_span(*place, label=mention.type)
            # An entity that is none for the model may be in the way of one that it found.
            if span is not None and taken.isdisjoint(range(span.start, span.end)):
                spans[place] = span
                new.append(span)
                scores[span] = mention.score or 0.0
        if self.entities != "given":
            doc.set_ents([*there, *new])
        relations = []
        for relation in document.relations:
            head = spans.get((relation.head.start_char, relation.head.end_char))
            tail = spans.get((relation.tail.start_char, relation.tail.end_char))
            if head is not None and tail is not None:
                relations.append(SpanRelation(relation.type, head, tail, relation.score or 0.0))
        write(doc, relations, scores, anew=self.entities == "replace")

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the settings and the model into a folder."""
        to_disk(path, {"cfg": self._write_settings, "model": self._write_model}, exclude)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "RelationExtractor":
        """Take on the settings and the model of a folder, which stays where it is."""
        from_disk(path, {"cfg": lambda file: self._set_up(read_json(file)), "model": self._move_to}, exclude)
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The settings and the model."""
        getters: dict[str, Callable[[], Any]] = {"cfg": self._settings, "model": self._model_files}
        return to_bytes(getters, exclude)

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "RelationExtractor":
        """Take on settings and a model; its files live in a temporary folder as long as this does."""
        setters: dict[str, Callable[[Any], None]] = {"cfg": self._set_up, "model": self._unpack_model}
        from_bytes(data, setters, exclude)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: value for name, value in vars(self).items() if name == "error_handler"}
        if self._temporary:  # the folder may be gone by the time that this is read
            return _unpickle, (self.name, self.to_bytes()), state
        return _remake, (self.name, self.model, self._settings()), state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def _load(self) -> tuple[Path, Extractor]:
        """The model's folder and its extractor, read when first asked for."""
        if self._loaded is None:
            folder = model_folder(self.model)
            extractor = Extractor.load(folder, min_score=self.min_score)
            for label, type_ in self.types.items():
                if type_ is not None and type_ not in extractor.entity_types:
                    raise UsageError(
                        f"types translates {label!r:.40} to {type_!r:.40}, which the model does not know",
                        remedy=f"it knows {', '.join(extractor.entity_types)}",
                    )
            self._loaded = folder, extractor
        return self._loaded

    def _settings(self) -> dict[str, Any]:
        return {"entities": self.entities, "min_score": self.min_score, "types": self.types}

    def _write_settings(self, file: Path) -> None:
        with writing(file) as out:
            json.dump(self._settings(), out, ensure_ascii=False, indent=2)

    def _set_up(self, settings: dict[str, Any]) -> None:
        self.entities, self.min_score = settings["entities"], settings["min_score"]
        self.types, self._loaded = settings["types"], None

    def _model_files(self) -> dict[str, bytes]:
        folder, _ = self._load()
        return {path.name: path.read_bytes() for path in model_files(folder)}

    def _write_model(self, target: Path) -> None:
        for name, content in self._model_files().items():
            with replacing(target / name) as neighbour:
                neighbour.write_bytes(content)

    def _unpack_model(self, files: dict[str, bytes]) -> None:
        folder = Path(tempfile.mkdtemp(prefix="biaffinity-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        for name, content in files.items():
            if Path(name).name != name:
                raise DataError(f"a model's file is called {name!r:.40}", remedy="do not trust these bytes")
            (folder / name).write_bytes(content)
        self._move_to(folder)
        self._temporary = True

    def _move_to(self, folder: Path) -> None:
        """Read the model of another folder, now: a fault in it is the reader's to know."""
        self.model, self._loaded, self._temporary = folder.absolute(), None, False
        self._load()


def _remake(name: str, model: str | Path | None, settings: dict[str, Any]) -> RelationExtractor:
    return RelationExtractor(name, model, **settings)


def _unpickle(name: str, data: bytes) -> RelationExtractor:
    return RelationExtractor(name).from_bytes(data)
