"""What the service does at each of its addresses."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

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
from biaffinity.serve.models import Models, ServedModel
from biaffinity.serve.problems import ServiceError, malformed, misused, too_many_characters
from biaffinity.serve.reading import Reader, Readers, Task
from biaffinity.serve.schemas import (
    GivenEntity,
    ManyTexts,
    ModelAnswer,
    ModelsAnswer,
    OneText,
    TextItem,
    read_request,
)
from biaffinity.serve.settings import LONGEST_GIVEN, MOST_TEXTS, Settings
from biaffinity.serve.streaming import answer_lines
from biaffinity.serve.trimming import Trimmer
from biaffinity.serve.turns import Turns
from biaffinity.version import __version__


class Service:
    """The endpoints, and what they share."""

    def __init__(
        self,
        settings: Settings,
        models: Models,
        metrics: Metrics,
        keeper: Keeper | None = None,
        facts: FactsService | None = None,
    ) -> None:
        self._settings = settings
        self._models = models
        self._metrics = metrics
        self._keeper = keeper
        self._facts = facts
        self._batcher: Batcher | None = None
        self._bodies, self._answers = Held(settings.max_held), Held(settings.max_held)
        self._turns, self._trimmer = Turns(), Trimmer()
        records = [model.record(default=model is models.default) for model in models]
        self._listing = ModelsAnswer(models=records).model_dump_json(exclude_none=True).encode()

    @asynccontextmanager
    async def running(self, app: FastAPI) -> AsyncIterator[None]:
        """Read texts as long as the application runs."""
        with warnings.catch_warnings():
            # A monstrous sentence is read in pieces; the answer shows them, and the log would say whose.
            warnings.simplefilter("ignore", BiaffinityWarning)
            self._turns, self._trimmer = Turns(), Trimmer()  # like the batcher, of one event loop
            self._batcher = batcher = Batcher(
                Readers({model.name: self._reader(model) for model in self._models}),
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

    def _reader(self, model: ServedModel) -> Reader:
        if self._keeper is None:
            return Reader(model.extractor, self._settings)
        return Reader(model.extractor, self._settings, partial(self._keeper.keep, model.version()))

    @property
    def batcher(self) -> Batcher:
        """The way to the extractors, while the service runs."""
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
        self._trimmer.soon()
        with self._bodies.some() as hold:
            body = await read_body(request, settings.max_bytes, settings.timeout, hold)
            wanted = await self._turns.take(_understood, body)
        model = self._models.named(wanted.model)
        tasks = [_as_task(wanted, model)] if isinstance(wanted, OneText) else _as_tasks(wanted, model)
        characters = sum(len(task.text) for task in tasks)
        if characters > settings.max_chars:
            raise too_many_characters(characters, settings.max_chars)
        documents = await self.batcher.read(tasks, listed=isinstance(wanted, ManyTexts))
        body = b'{"documents":[' + b",".join(documents) + b'],"model":' + to_json(model.name) + b"}"
        return JsonAnswer(body, settings.timeout, self._answers)

    async def stream(self, request: Request) -> Response:
        """Documents of many texts, a line of JSON each, as they come."""
        require_type(request, LINES)
        settings = self._settings
        batcher = self.batcher

        async def answers() -> AsyncIterator[bytes]:
            with self._bodies.some() as hold:
                lines = read_lines(request, settings.max_bytes, settings.timeout, hold)
                async for answer in answer_lines(lines, batcher, self._turns, self._line_task, settings):
                    yield answer

        return StreamAnswer(answers(), settings.timeout)

    async def model(self) -> Response:
        """The model that reads where none is named, and the service's bounds."""
        model = self._models.default
        answer = ModelAnswer(
            name=model.name,
            version=__version__,
            entity_types=list(model.extractor.entity_types),
            relation_types=list(model.extractor.relation_types),
            examples=model.examples,
            facts=self._facts is not None,
            max_chars=self._settings.max_chars,
            max_texts=MOST_TEXTS,
            max_entities=self._settings.max_entities,
            max_relations=self._settings.max_relations,
            max_arcs=self._settings.max_arcs,
        )
        return Response(answer.model_dump_json(), media_type="application/json")

    async def models(self) -> Response:
        """All models that a request can name."""
        return Response(self._listing, media_type="application/json")

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

    def _line_task(self, item: OneText) -> Task:
        self._trimmer.soon()
        return _as_task(item, self._models.named(item.model))


def _understood(body: bytes) -> OneText | ManyTexts:
    try:
        return read_request.validate_json(body)
    except ValidationError as error:
        raise malformed(error) from None


def _as_task(item: OneText, model: ServedModel) -> Task:
    _require_short(item.entities)
    return Task(
        item.text,
        "" if item.id is None else str(item.id),
        model.name,
        item.entities,
        _thresholds(item, model.extractor),
        None if item.drawing is None else item.drawing.width,
    )


def _as_tasks(wanted: ManyTexts, model: ServedModel) -> list[Task]:
    thresholds = _thresholds(wanted, model.extractor)
    width = None if wanted.drawing is None else wanted.drawing.width
    items = [TextItem.model_construct(text=t) if isinstance(t, str) else t for t in wanted.texts]
    for number, item in enumerate(items):
        _require_short(item.entities, f"texts[{number}].")
    return [
        Task(
            item.text,
            "" if item.id is None else str(item.id),
            model.name,
            item.entities,
            thresholds,
            width,
        )
        for item in items
    ]


def _thresholds(wanted: OneText | ManyTexts, extractor: Extractor) -> Thresholds | None:
    if wanted.min_score is None:
        return None
    try:
        return Thresholds.read(wanted.min_score, extractor.entity_types, extractor.relation_types)
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
