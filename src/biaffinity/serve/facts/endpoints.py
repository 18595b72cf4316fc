"""What the service does at the addresses of a store of facts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError
from pydantic_core import to_json
from starlette.responses import Response

from biaffinity import facts
from biaffinity.errors import BiaffinityError, UsageError
from biaffinity.facts import Facts
from biaffinity.serve.answers import JsonAnswer
from biaffinity.serve.bodies import JSON, read_body, require_type
from biaffinity.serve.facts.asking import Asking
from biaffinity.serve.facts.questions import Question
from biaffinity.serve.facts.schemas import MergeRequest, SplitRequest
from biaffinity.serve.hands import Hand
from biaffinity.serve.held import Held
from biaffinity.serve.problems import ServiceError, malformed
from biaffinity.serve.settings import Settings

_LARGEST_BODY = 1 << 14  # bytes: two names

_log = logging.getLogger(__name__)
B = TypeVar("B", bound=BaseModel)


class FactsService:
    """The endpoints over one store. Without keys nobody is known, so nobody may change anything."""

    def __init__(self, store: str, settings: Settings, *, with_keys: bool) -> None:
        self._store = store
        self._settings = settings
        self._with_keys = with_keys
        self._bodies, self._answers = Held(settings.max_held), Held(settings.max_held)
        self._asking: Asking | None = None
        self._hand: Hand[Any] | None = None

    def start(self) -> None:
        """Take questions."""
        self._asking = Asking(self._store, self._settings.timeout)
        self._hand = Hand("facts-change")

    async def close(self) -> None:
        """Take no more of them."""
        asking, hand, self._asking, self._hand = self._asking, self._hand, None, None
        if asking is not None and hand is not None:
            await asking.close()
            await hand.end(self._settings.timeout)

    def answering(self, question: Question) -> Callable[[Request], Awaitable[Response]]:
        """The endpoint of a question."""

        async def answer(request: Request) -> Response:
            asked = _read(question.asked, request)
            if self._asking is None:
                raise _between()
            try:
                body = await self._asking.ask(lambda store: to_json(question.put(store, asked)))
            except BiaffinityError as error:
                raise _told(error, question.asked) from None
            return self._json(body)

        return answer

    async def merge(self, request: Request) -> Response:
        """Make two entities one."""
        wanted = await self._read_change(request, MergeRequest)
        return await self._change(
            wanted, lambda store: {"entity": store.merge(wanted.one, wanted.other, type=wanted.type)}
        )

    async def split(self, request: Request) -> Response:
        """Take a name out of an entity."""
        wanted = await self._read_change(request, SplitRequest)

        def split(store: Facts) -> dict[str, Any]:
            left, taken = store.split(wanted.entity, wanted.name, type=wanted.type)
            return {"entity": left, "split": taken}

        return await self._change(wanted, split)

    async def _read_change(self, request: Request, kind: type[B]) -> B:
        if not self._with_keys:
            raise ServiceError(
                403,
                "nobody may change this store, for the service knows nobody",
                remedy="let the operator start it with --api-key-file, or use biaffinity facts",
            )
        require_type(request, JSON)
        with self._bodies.some() as hold:
            body = await read_body(request, _LARGEST_BODY, self._settings.timeout, hold)
        try:
            return kind.model_validate_json(body)
        except ValidationError as error:
            raise malformed(error) from None

    async def _change(self, wanted: BaseModel, change: Callable[[Facts], Any]) -> Response:
        """What a change gives; changes are made one after the other, each with a connection of its own."""
        if self._hand is None:
            raise _between()

        def work() -> bytes:
            with facts.open(self._store) as store:
                return to_json(change(store))

        try:
            return self._json(await asyncio.wait_for(self._hand.do(work), self._settings.timeout))
        except BiaffinityError as error:
            raise _told(error, type(wanted)) from None
        except (TimeoutError, asyncio.TimeoutError):  # two until Python 3.11
            raise ServiceError(
                504,
                f"the store was not changed within {self._settings.timeout:g} s",
                remedy="look in a while whether it has been, then send it again",
            ) from None

    def _json(self, body: bytes) -> Response:
        if len(body) > self._settings.max_held:
            raise ServiceError(
                413,
                f"the answer has {len(body):,} bytes, at most {self._settings.max_held:,} are sent",
                remedy="ask for fewer facts (limit) or sentences",
            )
        return JsonAnswer(body, self._settings.timeout, self._answers)


def _read(kind: type[B], request: Request) -> B:
    """The query of an address as what is asked; a field that is there twice counts as it stands last."""
    try:
        return kind.model_validate(dict(request.query_params))
    except ValidationError as error:
        raise malformed(error) from None


def _told(error: BiaffinityError, asked: type[BaseModel]) -> ServiceError:
    """What the store says of a question; what it says of itself is for the log, since it names the store."""
    if isinstance(error, UsageError) and (error.where is None or error.where in asked.model_fields):
        return ServiceError(422, error.what, where=error.where, remedy=error.remedy)
    _log.error("store cannot be used", extra={"fields": {"problem": str(error)}})
    return ServiceError(503, "the store cannot be used now", remedy="send it again in a while")


def _between() -> ServiceError:
    return ServiceError(503, "the service is starting or stopping", remedy="send it again")
