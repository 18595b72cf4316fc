"""Many documents: annotated in chunks, by one process or several, into a sink that survives a kill.

`annotate_all` yields what became of the documents, in their order; `extract_into` writes them and yields
an `Event` for all that happens. Both hold a few chunks at a time, whatever the size of the input.
"""

from __future__ import annotations

import hashlib
import time
import warnings
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

from biaffinity.annotation import Document
from biaffinity.bulk.readers import Fault, Text
from biaffinity.bulk.sinks import Mark, Sink
from biaffinity.bulk.sources import Inputs
from biaffinity.errors import BiaffinityError, BiaffinityWarning, UsageError

T = TypeVar("T")

# A chunk is enough for full batches and little enough for results to come about twice a second.
CHUNK_CHARACTERS = 1 << 16
CHUNK_DOCUMENTS = 2048
_COMMIT_SECONDS = 1.0
# A sink may gather what it is given until it commits: this bounds its memory, however fast chunks come.
_COMMIT_CHUNKS = 8


class TextExtractor(Protocol):
    """What is asked of an extractor here."""

    def stream(self, texts: Iterable[tuple[str, str]]) -> Iterator[tuple[Document, str]]:
        """The documents of many texts, in order, each with the id that came with its text."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some documents of the input in a row, and the digest of the whole input up to their end."""

    items: list[Text | Fault]
    digest: str


@dataclass(frozen=True, slots=True)
class Batch(Generic[T]):
    """What became of a chunk: for every document, in order, its record or what is wrong with it.

    ``notes`` are the warnings that the extractor gave meanwhile.
    """

    results: list[T | Fault]
    notes: list[str]
    tokens: int
    documents: int
    read: int
    digest: str

    @property
    def records(self) -> list[T]:
        """Those of the documents that were annotated."""
        return [result for result in self.results if not isinstance(result, Fault)]

    @property
    def faults(self) -> list[Fault]:
        """What is wrong with the others."""
        return [result for result in self.results if isinstance(result, Fault)]


@dataclass(frozen=True, slots=True)
class Started:
    """The bytes of the input, if known, and how many documents an earlier run has dealt with."""

    size: int | None
    earlier: int


@dataclass(frozen=True, slots=True)
class Advanced:
    """More documents are done: how many, their tokens, and the bytes of the input read so far."""

    documents: int
    tokens: int
    read: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document was left out."""

    problem: str


@dataclass(frozen=True, slots=True)
class Noted:
    """The extractor warned of something."""

    note: str


@dataclass(frozen=True, slots=True)
class Finished:
    """All documents written and left out, by this run and those it went on with.

    ``complete_before``: all was written already; what had been left out was tried again.
    """

    documents: int = 0
    skipped: int = 0
    complete_before: bool = False


Event = Started | Advanced | Skipped | Noted | Finished


def annotate_all(
    items: Iterable[Text | Fault],
    load: Callable[[], TextExtractor],
    render: Callable[[Document], T],
    workers: int = 1,
    *,
    digest: InputDigest | None = None,
) -> Generator[Batch[T], None, None]:
    """Annotate documents and ``render`` each, in order; close the iterator to end its processes.

    With several workers, ``load`` and ``render`` are sent to processes: they must be functions of a
    module, or partials of such.
    """
    chunks = cut(items, digest or InputDigest())
    prepare = partial(_prepare, load, render)
    if workers == 1:
        yield from map(prepare(), chunks)
        return
    from biaffinity.workers import Workers

    with Workers[Chunk, Batch[T]](workers, prepare) as processes:
        yield from processes.map(chunks)


def extract_into(
    sink: Sink[T],
    inputs: Inputs,
    load: Callable[[], TextExtractor],
    settings: Mapping[str, Any],
    *,
    workers: int = 1,
    resume: bool = False,
    force: bool = False,
) -> Generator[Event, None, None]:
    """Extract from all documents into ``sink``, and tell what happens.

    What is there already is written over only by ``force``. Killed at any moment and started again
    with ``resume``, it ends with every document once. For that, ``settings`` must hold all that decides the
    result (the model, the least score); it is compared with what the earlier run had, and so are the
    documents that it dealt with.
    """
    source = {"input": inputs.names, "kind": inputs.kind, "--text": inputs.literal}
    source |= {"text field": inputs.fields.text, "id field": inputs.fields.id}
    with ExitStack() as stack:
        stack.enter_context(sink.open(settings, source, resume=resume, force=force))
        mark = sink.mark
        yield from map(Noted, sink.notes)
        if sink.complete:
            yield from _try_again(inputs, sink, load, workers)
            return
        digest, items = InputDigest(), iter(inputs)
        yield Started(inputs.size(), mark.position)
        _pass_over(items, mark, digest, sink.title)
        batches = annotate_all(items, load, sink.render, workers, digest=digest)
        stack.callback(batches.close)
        committed, gathered = time.monotonic(), 0
        for batch in batches:
            skipped = 0
            for number, result in enumerate(batch.results, start=mark.position):
                if isinstance(result, Fault):
                    sink.fail(number, result.problem)
                    skipped += 1
                else:
                    sink.append(result)
            mark = replace(
                mark,
                position=mark.position + batch.documents,
                digest=batch.digest,
                skipped=mark.skipped + skipped,
            )
            yield from map(Noted, batch.notes)
            yield from (Skipped(fault.problem) for fault in batch.faults)
            yield Advanced(batch.documents, batch.tokens, batch.read)
            gathered += 1
            if gathered == _COMMIT_CHUNKS or time.monotonic() - committed >= _COMMIT_SECONDS:
                sink.commit(mark)
                committed, gathered = time.monotonic(), 0
        mark = replace(mark, digest=str(digest))  # of no documents too
        sink.finish(mark)
        yield Finished(mark.position - mark.skipped, mark.skipped)


def _try_again(
    inputs: Inputs, sink: Sink[T], load: Callable[[], TextExtractor], workers: int
) -> Generator[Event, None, None]:
    """See that a complete sink was filled from this input, and try once more what had failed.

    What can be done now is put in its place. Nothing changes before all of it is there.
    """
    mark, failures = sink.mark, sink.failures()
    digest = InputDigest()
    wanted = _chosen(inputs, {failure.document for failure in failures}, digest)
    left = 0
    with ExitStack() as stack:
        if failures:
            yield Started(inputs.size(), mark.position - mark.skipped)
            batches = annotate_all(wanted, load, sink.render, workers)
            stack.callback(batches.close)
            waiting = iter(failures)
            for batch in batches:
                yield from map(Noted, batch.notes)
                for result in batch.results:
                    failure = next(waiting)
                    sink.go_to(failure)
                    if isinstance(result, Fault):
                        left += 1
                        sink.fail(failure.document, result.problem)
                        yield Skipped(result.problem)
                    else:
                        sink.append(result)
                yield Advanced(batch.documents, batch.tokens, batch.read)
        for _ in wanted:
            pass
        if str(digest) != mark.digest:
            raise UsageError(
                "was made from other documents than these",
                where=sink.title,
                remedy="give it the same input, or name another --out",
            )
        if left < len(failures):
            sink.finish(replace(mark, skipped=left))
    yield Finished(mark.position - left, left, complete_before=True)


def _chosen(
    items: Iterable[Text | Fault], numbers: Container[int], digest: InputDigest
) -> Iterator[Text | Fault]:
    """The documents of these numbers; ``digest`` takes in all of them."""
    for number, item in enumerate(items):
        digest.add(item)
        if number in numbers:
            yield item


class InputDigest:
    """What a run has read so far, in a few bytes: another run that reads the same has the same."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)

    def add(self, item: Text | Fault) -> None:
        """Read one more document."""
        parts = (item.id, item.text) if isinstance(item, Text) else (item.problem,)
        for part in parts:
            raw = part.encode(errors="surrogatepass")
            self._hash.update(b"%d:" % len(raw))
            self._hash.update(raw)

    def __str__(self) -> str:
        return self._hash.hexdigest()


def cut(items: Iterable[Text | Fault], digest: InputDigest) -> Iterator[Chunk]:
    """The documents in chunks, none larger than it must be; ``digest`` takes in every document."""
    chunk: list[Text | Fault] = []
    characters = 0
    for item in items:
        digest.add(item)
        chunk.append(item)
        characters += len(item.text) if isinstance(item, Text) else 0
        if characters >= CHUNK_CHARACTERS or len(chunk) == CHUNK_DOCUMENTS:
            yield Chunk(chunk, str(digest))
            chunk, characters = [], 0
    if chunk:
        yield Chunk(chunk, str(digest))


def annotate(extractor: TextExtractor, render: Callable[[Document], T], chunk: Chunk) -> Batch[T]:
    """Annotate a chunk; a document on which the extractor fails becomes a fault."""
    texts = [item for item in chunk.items if isinstance(item, Text)]
    annotated: list[Document | Fault]
    documents = extractor.stream((item.text, item.id) for item in texts)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", BiaffinityWarning)
        try:
            annotated = [document for document, _ in documents]
        except Exception:
            # One of them is to blame: find it.
            annotated = [_annotate_alone(extractor, item) for item in texts]
    for warning in caught:
        if not issubclass(warning.category, BiaffinityWarning):  # none of ours: let it be shown as ever
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    done = iter(annotated)
    results = [item if isinstance(item, Fault) else next(done) for item in chunk.items]
    return Batch(
        results=[result if isinstance(result, Fault) else render(result) for result in results],
        notes=list(
            dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, BiaffinityWarning))
        ),
        tokens=sum(
            len(sentence)
            for document in annotated
            if isinstance(document, Document)
            for sentence in document.sentences
        ),
        documents=len(chunk.items),
        read=chunk.items[-1].read,
        digest=chunk.digest,
    )


def _annotate_alone(extractor: TextExtractor, item: Text) -> Document | Fault:
    try:
        return next(document for document, _ in extractor.stream([(item.text, item.id)]))
    except Exception as error:
        what = error if isinstance(error, BiaffinityError) else f"{type(error).__name__}: {error}"
        return Fault(f"{item.where}: {what}", item.read)


def _prepare(
    load: Callable[[], TextExtractor], render: Callable[[Document], T]
) -> Callable[[Chunk], Batch[T]]:
    return partial(annotate, load(), render)


def _pass_over(items: Iterator[Text | Fault], mark: Mark, digest: InputDigest, title: str) -> None:
    """Read again what an earlier run has dealt with, and see that it is the same."""
    count = 0
    for item in islice(items, mark.position):
        digest.add(item)
        count += 1
    if mark.position and (count, str(digest)) != (mark.position, mark.digest):
        raise UsageError(
            f"the first {mark.position:,} documents are not those that the unfinished run has read",
            where=title,
            remedy="give it the same input, or name another --out",
        )
