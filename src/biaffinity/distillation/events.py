"""What happens in a distillation before its training begins, for whoever watches."""

from __future__ import annotations

from dataclasses import dataclass

from biaffinity import training
from biaffinity.bulk.run import Noted, Skipped


@dataclass(frozen=True, slots=True)
class TextRead:
    """Text was cut into so many sentences so far; ``read`` bytes of ``size``, where that is known."""

    sentences: int
    read: int
    size: int | None


@dataclass(frozen=True, slots=True)
class TeacherStarted:
    """A teacher reads, the ``number``-th of all; it has read ``earlier`` of the sentences before."""

    name: str
    number: int
    teachers: int
    sentences: int
    earlier: int


@dataclass(frozen=True, slots=True)
class Labelled:
    """The teacher has read so many more sentences."""

    sentences: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Voting:
    """All teachers are done; so many sentences of ``total`` have been voted on."""

    sentences: int
    total: int


@dataclass(frozen=True, slots=True)
class Voted:
    """The labels are whole: what the teachers agree on."""

    sentences: int
    entities: int
    relations: int


@dataclass(frozen=True, slots=True)
class Mixed:
    """The student's training data is written: gold sentences so many times over, and the labelled ones.

    ``left_out`` labelled sentences stand in train, dev or test already.
    """

    gold: int
    times: int
    labelled: int
    left_out: int


LabellingEvent = Skipped | Noted | TextRead | TeacherStarted | Labelled | Voting | Voted
Event = LabellingEvent | Mixed | training.Event
