"""A batch of texts through the extractor to JSON; a text that fails fails alone. Runs in a thread."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic_core import to_json

from biaffinity.annotation import Document
from biaffinity.decoding.arrays import Ints
from biaffinity.errors import BiaffinityError
from biaffinity.extraction import Extractor, TextInput
from biaffinity.extraction.thresholds import Thresholds
from biaffinity.serve.logs import trace
from biaffinity.serve.problems import ServiceError, misused, too_many
from biaffinity.serve.schemas import GivenEntity
from biaffinity.serve.settings import Settings
from biaffinity.show import svg
from biaffinity.show.palette import Palette

#: Padded tokens that the network reads at one time on a CPU: with tens of sentences at hand, fewer than a
#: long stream has, so that short sentences are not padded to the length of the longest.
BATCH_TOKENS = 512

#: What a given entity costs, a pair of them, and a relation that is drawn, in characters to be read.
_ENTITY, _PAIR, _ARC = 10, 0.25, 8
#: Entities that one may have a relation with, and pairs that are drawn, as far as costs are foreseen.
_PARTNERS, _DRAWN = 150, 1_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Task:
    """A text, the name of the model that is to read it, and what is asked of it.

    ``width`` is that of a drawing, if one is wanted.
    """

    text: str
    id: str = ""
    model: str = ""
    entities: Sequence[GivenEntity] | None = None
    thresholds: Thresholds | None = None
    width: int | None = None

    @property
    def weight(self) -> int:
        """What reading it may cost, in characters: given entities, their pairs and arcs are work, however
        short the text is.
        """
        given = len(self.entities or ())
        pairs = given * min(given, _PARTNERS)
        weight = len(self.text) + given * _ENTITY + int(pairs * _PAIR)
        return weight if self.width is None else weight + len(self.text) + min(pairs, _DRAWN) * _ARC


class AbandonedError(Exception):
    """Nobody waits for the answer any more."""


class CrowdedError(Exception):
    """There are more pairs of entities than may be looked at where a text is read."""


class Reader:
    """An extractor that answers in JSON, and does not begin what would be too much."""

    def __init__(
        self,
        extractor: Extractor,
        settings: Settings,
        keep: Callable[[Document, Task], None] = lambda document, task: None,
    ) -> None:
        self.extractor = extractor
        self._keep = keep
        self._settings = settings
        self._batch_tokens = BATCH_TOKENS if extractor.device == "cpu" else None
        #: So that a type has one colour in all drawings.
        self.palette = Palette.of(extractor.entity_types, extractor.relation_types)

    def read(
        self,
        tasks: Sequence[Task],
        wanted: Callable[[], bool] = lambda: True,
        most_pairs: int | None = None,
    ) -> list[bytes | Exception]:
        """For each text its document as JSON, or the error to answer with; stops when none is ``wanted``.

        If they have more than ``most_pairs`` pairs of entities together, the weightier half of them is left,
        and so on: their error is a `CrowdedError`.
        """
        try:
            return self._read_together(tasks, wanted, most_pairs)
        except AbandonedError:
            return [AbandonedError()] * len(tasks)
        except CrowdedError:
            answers: list[bytes | Exception] = [CrowdedError()] * len(tasks)
            lighter = sorted(range(len(tasks)), key=lambda place: tasks[place].weight)[: len(tasks) // 2]
            found = self.read([tasks[place] for place in lighter], wanted, most_pairs)
            for place, answer in zip(lighter, found, strict=True):
                answers[place] = answer
            return answers
        except Exception as error:
            if len(tasks) == 1:
                return [_answer_to(error, tasks[0]).bare()]
            half = len(tasks) // 2  # one of them is to blame: find it
            return [
                *self.read(tasks[:half], wanted, most_pairs),
                *self.read(tasks[half:], wanted, most_pairs),
            ]

    def _read_together(
        self, tasks: Sequence[Task], wanted: Callable[[], bool], most_pairs: int | None
    ) -> list[bytes | Exception]:
        pairs = 0

        def check(kind: Literal["entities", "relations"], counts: Ints) -> None:
            nonlocal pairs
            if not wanted():
                raise AbandonedError
            option = f"max_{kind}"
            bound = getattr(self._settings, option)
            if counts.max(initial=0) > bound:
                raise too_many(f"{kind} in one sentence", int(counts.max()), option, bound)
            if kind == "entities" and most_pairs is not None:
                pairs += int(counts @ counts)
                if pairs > most_pairs:
                    raise CrowdedError

        found = self.extractor.stream(map(_as_input, tasks), batch_tokens=self._batch_tokens, check=check)
        return [self._rendered(document, task) for document, task in zip(found, tasks, strict=True)]

    def _rendered(self, document: Document, task: Task) -> bytes | Exception:
        relations = sum(len(sentence.relations) for sentence in document.sentences)
        if relations > self._settings.max_relations:
            return too_many("relations", relations, "max_relations", self._settings.max_relations)
        if task.width is None:
            self._keep(document, task)
            return to_json(document.to_dict())
        if relations > self._settings.max_arcs:
            return too_many("relations to draw", relations, "max_arcs", self._settings.max_arcs)
        drawing = svg(document, width=task.width, style=False, palette=self.palette)
        self._keep(document, task)
        return to_json({**document.to_dict(), "svg": drawing})


class Readers:
    """A reader for each model; of a batch each reads its own texts, together."""

    def __init__(self, readers: Mapping[str, Reader]) -> None:
        self._readers = readers

    def read(
        self, tasks: Sequence[Task], wanted: Callable[[], bool], most_pairs: int | None = None
    ) -> list[bytes | Exception]:
        """For each text what its model's reader answers; see there."""
        places: dict[str, list[int]] = {}
        for place, task in enumerate(tasks):
            places.setdefault(task.model, []).append(place)
        answers: dict[int, bytes | Exception] = {}
        for model, own in places.items():
            found = self._readers[model].read([tasks[place] for place in own], wanted, most_pairs)
            answers.update(zip(own, found, strict=True))
        return [answers[place] for place in range(len(tasks))]


def _answer_to(error: Exception, task: Task) -> ServiceError:
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, BiaffinityError):
        return misused(error)
    _log.error("text failed", extra={"fields": {"characters": len(task.text), **trace(error)}})
    return ServiceError(
        500, "this text could not be read, which is a fault of the service", remedy="leave it out"
    )


def _as_input(task: Task) -> TextInput:
    return TextInput(task.text, task.id, task.entities, task.thresholds)
