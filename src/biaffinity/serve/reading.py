"""A batch of texts through the extractor to JSON; a text that fails fails alone. Runs in a thread."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic_core import to_json

from biaffinity.annotation import Document
from biaffinity.errors import BiaffinityError
from biaffinity.extraction import Extractor, TextInput
from biaffinity.extraction.thresholds import Thresholds
from biaffinity.serve.logs import trace
from biaffinity.serve.problems import ServiceError, misused
from biaffinity.serve.schemas import GivenEntity
from biaffinity.show import svg
from biaffinity.show.palette import Palette

#: Padded tokens that the network reads at one time on a CPU: with tens of sentences at hand, fewer than a
#: long stream has, so that short sentences are not padded to the length of the longest.
BATCH_TOKENS = 512

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Task:
    """A text and what is asked of it; ``width`` is that of a drawing, if one is wanted."""

    text: str
    id: str = ""
    entities: Sequence[GivenEntity] | None = None
    thresholds: Thresholds | None = None
    width: int | None = None


class Reader:
    """An extractor that answers in JSON."""

    def __init__(self, extractor: Extractor) -> None:
        self.extractor = extractor
        self._batch_tokens = BATCH_TOKENS if extractor.device == "cpu" else None
        #: So that a type has one colour in all drawings.
        self.palette = Palette.of(extractor.entity_types, extractor.relation_types)

    def read(self, tasks: Sequence[Task]) -> list[bytes | Exception]:
        """For each text its document as JSON, or the error to answer with."""
        try:
            found = self.extractor.stream(map(_as_input, tasks), batch_tokens=self._batch_tokens)
            return [self._rendered(document, task) for document, task in zip(found, tasks, strict=True)]
        except Exception:  # one of them is to blame: find it
            return [self._read_alone(task) for task in tasks]

    def _read_alone(self, task: Task) -> bytes | Exception:
        try:
            [document] = self.extractor.stream([_as_input(task)])
            return self._rendered(document, task)
        except BiaffinityError as error:
            return misused(error)
        except Exception as error:
            _log.error("text failed", extra={"fields": {"characters": len(task.text), **trace(error)}})
            return ServiceError(
                500, "this text could not be read, which is a fault of the service", remedy="leave it out"
            )

    def _rendered(self, document: Document, task: Task) -> bytes:
        record = document.to_dict()
        if task.width is not None:
            record["svg"] = svg(document, width=task.width, style=False, palette=self.palette)
        return to_json(record)


def _as_input(task: Task) -> TextInput:
    return TextInput(task.text, task.id, task.entities, task.thresholds)
