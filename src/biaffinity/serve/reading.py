"""A batch of texts through the extractor to JSON; a text that fails fails alone. Runs in a thread."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic_core import to_json

from biaffinity.annotation import Document
from biaffinity.errors import BiaffinityError
from biaffinity.extraction import Extractor
from biaffinity.extraction.pieces import numbered
from biaffinity.extraction.thresholds import Thresholds
from biaffinity.serve.logs import trace
from biaffinity.serve.problems import ServiceError, misused
from biaffinity.serve.schemas import GivenEntity

#: Padded tokens that the network reads at one time: with tens of sentences at hand, fewer than a long
#: stream has, so that short sentences are not padded to the length of the longest.
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

    def read(self, tasks: Sequence[Task]) -> list[bytes | Exception]:
        """For each text its document as JSON, or the error to answer with."""
        results: list[bytes | Exception] = [b""] * len(tasks)
        plain = [index for index, task in enumerate(tasks) if task.entities is None]
        alone = [index for index, task in enumerate(tasks) if task.entities is not None]
        texts = ((tasks[index].text, tasks[index].id) for index in plain)
        try:
            found = self.extractor.stream(texts, batch_tokens=BATCH_TOKENS)
            for index, (document, _) in zip(plain, found, strict=True):
                results[index] = _rendered(document, tasks[index])
        except Exception:  # one of them is to blame: it will be found below
            alone = list(range(len(tasks)))
        for index in alone:
            results[index] = self._read_alone(tasks[index])
        return results

    def _read_alone(self, task: Task) -> bytes | Exception:
        try:
            if task.entities is None:
                [(document, _)] = self.extractor.stream([(task.text, task.id)])
            else:
                document = self.extractor(task.text, entities=task.entities)
                document = numbered(document.sentences, task.id)
                if task.thresholds is not None:
                    task = replace(task, thresholds=task.thresholds.for_relations())
            return _rendered(document, task)
        except BiaffinityError as error:
            return misused(error)
        except Exception as error:
            _log.error("text failed", extra={"fields": {"characters": len(task.text), **trace(error)}})
            return ServiceError(
                500, "this text could not be read, which is a fault of the service", remedy="leave it out"
            )


def _rendered(document: Document, task: Task) -> bytes:
    if task.thresholds is not None:
        kept = [task.thresholds.kept(sentence) for sentence in document.sentences]
        document = Document(kept, id=document.id)
    record = document.to_dict()
    if task.width is not None:
        from biaffinity.show import svg

        record["svg"] = svg(document, width=task.width, style=False)
    return to_json(record)
