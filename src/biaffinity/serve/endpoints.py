"""What the service does at each of its addresses."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from pydantic import ValidationError
from pydantic_core import to_json
from starlette.responses import Response

from biaffinity.errors import BiaffinityError
from biaffinity.extraction import BiaffinityWarning, Extractor
from biaffinity.extraction.thresholds import Thresholds
from biaffinity.serve.answers import JsonAnswer, StreamAnswer
from biaffinity.serve.batching import Batcher
from biaffinity.serve.bodies import JSON, LINES, read_body, read_lines, require_type
from biaffinity.serve.facts.endpoints import FactsService
from biaffinity.serve.held import Held
from biaffinity.serve.keeping import Keeper
from biaffinity.serve.metrics import Metrics
from biaffinity.serve.problems import ServiceError, malformed, misused, too_many_characters
from biaffinity.serve.reading import Reader, Task
from biaffinity.serve.schemas import GivenEntity, ManyTexts, ModelAnswer, OneText, TextItem, read_request
from biaffinity.serve.settings import LONGEST_GIVEN, MOST_TEXTS, Settings
from biaffinity.serve.streaming import answer_lines
from biaffinity.version import __version__


class Service:
    """The endpoints, and what they share."""

    def __init__(
        self,
        settings: Settings,
        extractor: Extractor,
        metrics: Metrics,
        examples: dict[str, str],
        keeper: Keeper | None = None,
        facts: FactsService | None = None,
    ) -> None:
        self._settings = settings
        self._extractor = extractor
        self._metrics = metrics
        self._examples = examples
        self._keeper = keeper
        self._facts = facts
        self._batcher: Batcher | None = None
        self._bodies, self._answers = Held(settings.max_held), Held(settings.max_held)
        self._tail = b'],"model":' + to_json(settings.model_name) + b"}"

    @asynccontextmanager
    async def running(self, app: FastAPI) -> AsyncIterator[None]:
        """Read texts as long as the application runs."""
        with warnings.catch_warnings():
            # A monstrous sentence is read in pieces; the answer shows them, and the log would say whose.
            warnings.simplefilter("ignore", BiaffinityWarning)
            self._batcher = batcher = Batcher(
                Reader(self._extractor, self._settings, *([self._keeper.keep] if self._keeper else [])),
                self._metrics,
                max_waiting=self._settings.max_waiting,
                timeout=self._settings.timeout,
            )
            if self._facts is not None:
                self._facts.start()
            try:
                yield
            finally:
                self._batcher = None
                await batcher.close()
                if self._facts is not None:
                    await self._facts.close()
                if self._keeper is not None:
                    await asyncio.to_thread(self._keeper.close)

    @property
    def batcher(self) -> Batcher:
        """The way to the extractor, while the service runs."""
        if self._batcher is None:
            raise ServiceError(503, "the service is starting or stopping", remedy="send it again")
        return self._batcher

    def seconds_to_wait(self) -> int:
        """When to send again what was turned away."""
        return 1 if self._batcher is None else self._batcher.seconds_to_wait()

    async def extract(self, request: Request) -> Response:
        """Entities and relations of one text or of several."""
        require_type(request, JSON)
        settings = self._settings
        body = await read_body(request, settings.max_bytes, settings.timeout, self._bodies)
        try:
            wanted = read_request.validate_json(body)
        except ValidationError as error:
            raise malformed(error) from None
        tasks = [self._as_task(wanted)] if isinstance(wanted, OneText) else self._as_tasks(wanted)
        characters = sum(len(task.text) for task in tasks)
        if characters > settings.max_chars:
            raise too_many_characters(characters, settings.max_chars)
        documents = await self.batcher.read(tasks, listed=isinstance(wanted, ManyTexts))
        body = b'{"documents":[' + b",".join(documents) + self._tail
        return JsonAnswer(body, settings.timeout, self._answers)

    async def stream(self, request: Request) -> Response:
        """Documents of many texts, a line of JSON each, as they come."""
        require_type(request, LINES)
        settings = self._settings
        lines = read_lines(request, settings.max_bytes, settings.timeout)
        return StreamAnswer(answer_lines(lines, self.batcher, self._as_task, settings), settings.timeout)

    async def model(self) -> Response:
        """The model behind the service, and the service's bounds."""
        answer = ModelAnswer(
            name=self._settings.model_name,
            version=__version__,
            entity_types=list(self._extractor.entity_types),
            relation_types=list(self._extractor.relation_types),
            examples=self._examples,
            facts=self._facts is not None,
            max_chars=self._settings.max_chars,
            max_texts=MOST_TEXTS,
            max_entities=self._settings.max_entities,
            max_relations=self._settings.max_relations,
            max_arcs=self._settings.max_arcs,
        )
        return Response(answer.model_dump_json(), media_type="application/json")

    async def live(self) -> Response:
        """Whether the process answers."""
        return Response(b'{"status":"live"}', media_type="application/json")

    async def ready(self) -> Response:
        """Whether texts are read: 503 until then, and while no answer comes of one."""
        if self.batcher.stuck():
            raise ServiceError(
                503,
                f"a batch of texts has been read for more than {self._settings.timeout:g} s",
                remedy="send requests elsewhere meanwhile",
            )
        return Response(b'{"status":"ready"}', media_type="application/json")

    async def metrics(self) -> Response:
        """Counters in Prometheus' text format."""
        exposition = await asyncio.to_thread(self._metrics.exposition)
        return Response(exposition, media_type="text/plain; version=0.0.4; charset=utf-8")

    def _as_task(self, item: OneText) -> Task:
        _require_short(item.entities)
        return Task(
            item.text,
            "" if item.id is None else str(item.id),
            item.entities,
            self._thresholds(item),
            None if item.drawing is None else item.drawing.width,
        )

    def _as_tasks(self, wanted: ManyTexts) -> Sequence[Task]:
        thresholds = self._thresholds(wanted)
        width = None if wanted.drawing is None else wanted.drawing.width
        items = [TextItem.model_construct(text=t) if isinstance(t, str) else t for t in wanted.texts]
        for number, item in enumerate(items):
            _require_short(item.entities, f"texts[{number}].")
        return [
            Task(item.text, "" if item.id is None else str(item.id), item.entities, thresholds, width)
            for item in items
        ]

    def _thresholds(self, wanted: OneText | ManyTexts) -> Thresholds | None:
        if wanted.min_score is None:
            return None
        try:
            return Thresholds.read(
                wanted.min_score, self._extractor.entity_types, self._extractor.relation_types
            )
        except BiaffinityError as error:
            raise misused(error) from None


def _require_short(entities: Sequence[GivenEntity] | None, place: str = "") -> None:
    """Refuse a given entity that would make one sentence of a long text."""
    for number, entity in enumerate(entities or ()):
        if entity.end_char - entity.start_char > LONGEST_GIVEN:
            raise ServiceError(
                413,
                f"an entity of {entity.end_char - entity.start_char:,} characters, at most {LONGEST_GIVEN:,}",
                where=f"{place}entities[{number}]",
                remedy="leave it out",
            )
