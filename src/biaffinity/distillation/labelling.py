"""Text labelled by teachers: cut into sentences, read by one teacher after the other, voted on.

Each step goes on where a kill has left it. A process has one model in memory at a time.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from biaffinity import formats
from biaffinity.annotation import Sentence
from biaffinity.bulk.readers import Fault, Text
from biaffinity.bulk.run import InputDigest, Noted, Skipped
from biaffinity.bulk.sources import Inputs
from biaffinity.cluster.engine import Cluster, connected, each_on_ray, sent_along
from biaffinity.cluster.model import ModelLoader
from biaffinity.distillation.events import Labelled, LabellingEvent, TeacherStarted, TextRead, Voted, Voting
from biaffinity.distillation.labels import Labels
from biaffinity.distillation.teachers import Teacher
from biaffinity.distillation.vote import vote
from biaffinity.errors import BiaffinityWarning, DataError
from biaffinity.extraction import Extractor
from biaffinity.extraction.pieces import in_pieces
from biaffinity.files import writing
from biaffinity.formats.jsonl import NAME as JSONL
from biaffinity.formats.jsonl import as_line
from biaffinity.text import read_document
from biaffinity.training.provenance import provenance
from biaffinity.workers import Workers

#: The sentences of a part, what a kill may lose: enough for full batches of like length on a GPU.
PART = 4096
#: Sentences after which progress is told.
STEP = 64
#: A relation that a teacher does not decide for counts with its score, from this one on.
LEAST = 0.05


def label(
    labels: Labels,
    teachers: Sequence[Teacher],
    text: Inputs,
    threshold: float,
    *,
    device: str,
    threads: int,
    workers: int = 1,
    cluster: Cluster | None = None,
) -> Iterator[LabellingEvent]:
    """Do what is left to do of labels, in ``workers`` processes or on a ``cluster``; `Voted` comes last."""
    labels.remove_unfinished_files()
    if not labels.begun:
        yield from _read_text(labels, teachers, text, threshold)
    total = labels.record["text"]["sentences"]
    options = {"device": device, "threads": threads, "min_score": {"relations": LEAST}}
    tasks = [
        Task(
            TeacherStarted(teacher.name, number, len(teachers), total, labels.done(number)),
            ModelLoader(teacher.folder, options),
            labels.missing(number, PART),
        )
        for number, teacher in enumerate(teachers, start=1)
    ]
    if cluster is None and workers > 1:
        yield from _teach_side_by_side(labels, tasks, workers)
    else:
        for task in tasks:
            yield task.started
            if task.missing and cluster is not None:
                yield from _teach_on_cluster(labels, task, cluster)
            elif task.missing:
                yield from _teach(labels, task)
    yield from _vote(labels, workers)


def text_digest(text: Iterable[Text | Fault]) -> str:
    """What tells a text from others: its documents, whatever their ids and files are called."""
    digest = InputDigest()
    for item in text:
        _add(digest, item)
    return str(digest)


def _add(digest: InputDigest, item: Text | Fault) -> None:
    if isinstance(item, Text):
        digest.add(replace(item, id=""))


def _read_text(
    labels: Labels, teachers: Sequence[Teacher], text: Inputs, threshold: float
) -> Iterator[LabellingEvent]:
    """Cut the text into sentences, as extraction does, and write them down."""
    digest, size, count = InputDigest(), text.size(), 0
    with writing(labels.sentences) as file:
        for item in text:
            if isinstance(item, Fault):
                yield Skipped(item.problem)
                continue
            _add(digest, item)
            sentences, notes = _sentences(item)
            yield from map(Noted, notes)
            file.writelines(map(as_line, sentences))
            before, count = count, count + len(sentences)
            if before // PART < count // PART:
                yield TextRead(count, item.read, size)
        if not count:
            raise DataError(
                "holds no sentence to label",
                where=", ".join(text.names),
                remedy="name files of text with --text; one that is compressed is piped: "
                "zcat FILE | biaffinity distil ... --text - --from jsonl",
            )
    labels.begin(teachers, threshold, files=text.names, digest=str(digest), sentences=count)
    yield TextRead(count, size or 0, size)


def _sentences(item: Text) -> tuple[list[Sentence], list[str]]:
    """The sentences of a text, and what had to be done to it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", BiaffinityWarning)
        document = in_pieces(read_document(item.text, id=item.id))
    notes = [str(warning.message) for warning in caught]
    return [sentence for sentence in document.sentences if len(sentence)], notes


@dataclass(frozen=True, slots=True)
class Task:
    """What a teacher has to do: how it is told of, how it is loaded, the parts that it has not read."""

    started: TeacherStarted
    load: Callable[[], Any]
    missing: Sequence[int]


def _teach(labels: Labels, task: Task) -> Iterator[LabellingEvent]:
    """Let a teacher read the parts that it has not read."""
    extractor, waiting = task.load(), formats.read(labels.sentences, JSONL)
    # Part by part, so that batches, and with them the last digits, are the same whatever was killed.
    for number in range(1, task.missing[-1] + 1):
        part = list(islice(waiting, PART))
        if number not in task.missing:
            continue
        read: list[Sentence] = []
        for sentence in extractor.annotate(part):
            read.append(replace(sentence, text=None, token_spans=None))
            if len(read) % STEP == 0:
                yield _progress(read[-STEP:])
        labels.write_part(task.started.number, number, read)
        yield _progress(read[len(read) // STEP * STEP :])


def _teach_side_by_side(labels: Labels, tasks: Sequence[Task], workers: int) -> Iterator[LabellingEvent]:
    """Let all teachers read, one after the other, in several processes.

    The processes stay from teacher to teacher: to start one that can use a GPU takes longer than to load
    another model. One that finds nothing left of a teacher goes on with the next.
    """
    pieces = [(task.started.number, part) for task in tasks for part in task.missing]
    with Workers(min(workers, len(pieces)), Teaching.of(labels, tasks).prepare) as processes:
        told = processes.map(pieces)
        for task in tasks:
            yield task.started
            for counts in islice(told, len(task.missing)):
                yield Labelled(**counts)


def _teach_on_cluster(labels: Labels, task: Task, cluster: Cluster) -> Iterator[LabellingEvent]:
    """Let a teacher read on a cluster, whose machines see the folder of labels."""
    with connected(cluster) as ray:
        teaching = Teaching.of(labels, [replace(task, load=sent_along(ray, task.load))])
        prepare = partial(teaching.prepare_one, task.started.number)
        for counts in each_on_ray(ray, prepare, task.missing, cluster):
            yield Labelled(**counts)


@dataclass(frozen=True, slots=True)
class Teaching:
    """All that a process needs to let teachers read parts; ``places`` are the bytes where these begin."""

    folder: Path
    places: Sequence[int]
    loads: Mapping[int, Callable[[], Any]]

    @classmethod
    def of(cls, labels: Labels, tasks: Sequence[Task]) -> Teaching:
        """For the sentences of a folder of labels, and teachers by their numbers."""
        loads = {task.started.number: task.load for task in tasks}
        return cls(labels.folder.absolute(), labels.places(PART), loads)

    def prepare(self) -> Callable[[tuple[int, int]], dict[str, Any]]:
        """What is given lets a teacher read a part, both by their numbers."""
        return Desk(self).read

    def prepare_one(self, teacher: int) -> Callable[[int], dict[str, Any]]:
        """What is given lets this teacher read a part."""
        read = self.prepare()
        return lambda part: read((teacher, part))


class Desk:
    """A place for one teacher at a time."""

    def __init__(self, teaching: Teaching) -> None:
        self._teaching, self._labels = teaching, Labels(teaching.folder)
        self._teacher: int | None = None
        self._extractor: Extractor | None = None

    def read(self, piece: tuple[int, int]) -> dict[str, Any]:
        """Let a teacher read a part; how much it was."""
        teacher, number = piece
        part = self._labels.read_part(number, self._teaching.places)
        read = [replace(each, text=None, token_spans=None) for each in self._seat(teacher).annotate(part)]
        self._labels.write_part(teacher, number, read)
        return {"sentences": len(read), "tokens": sum(map(len, read))}

    def _seat(self, teacher: int) -> Extractor:
        if self._extractor is None or teacher != self._teacher:
            self._extractor = None  # its memory is free before the next one comes
            self._teacher, self._extractor = teacher, self._teaching.loads[teacher]()
        return self._extractor


def _progress(sentences: list[Sentence]) -> Labelled:
    return Labelled(len(sentences), sum(map(len, sentences)))


def _vote(labels: Labels, workers: int) -> Iterator[LabellingEvent]:
    """Write what the teachers agree on."""
    counts, total = {"sentences": 0, "entities": 0, "relations": 0}, labels.record["text"]["sentences"]
    places = labels.places(PART)
    numbers, election = range(1, len(places)), Election(labels.folder.absolute(), places)
    with ExitStack() as stack:
        file = stack.enter_context(writing(labels.labelled))
        parts: Iterable[Agreed]
        if workers > 1 and len(numbers) > 1:
            processes = stack.enter_context(Workers(min(workers, len(numbers)), election.prepare))
            parts = processes.map(numbers)
        else:
            parts = map(election.prepare(), numbers)
        yield Voting(0, total)
        for agreed in parts:
            file.write(agreed.lines)
            for name in counts:
                counts[name] += getattr(agreed, name)
            yield Voting(counts["sentences"], total)
    labels.note(labelled=counts, **provenance())
    yield Voted(**counts)


@dataclass(frozen=True, slots=True)
class Agreed:
    """What the teachers agree on in a part: its lines, and how much they hold."""

    lines: str
    sentences: int
    entities: int
    relations: int


@dataclass(frozen=True, slots=True)
class Election:
    """All that a process needs to vote on parts."""

    folder: Path
    places: Sequence[int]

    def prepare(self) -> Callable[[int], Agreed]:
        """What is given votes on a part by its number."""
        return partial(self._vote, Labels(self.folder))

    def _vote(self, labels: Labels, number: int) -> Agreed:
        threshold = labels.record["vote"]
        agreed = [vote(*each, threshold) for each in labels.read_together(number, self.places)]
        return Agreed(
            lines="".join(map(as_line, agreed)),
            sentences=len(agreed),
            entities=sum(len(sentence.entities) for sentence in agreed),
            relations=sum(len(sentence.relations) for sentence in agreed),
        )
