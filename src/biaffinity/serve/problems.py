"""The errors of the service: each is one status, one code, and one shape of body."""

from __future__ import annotations

from difflib import get_close_matches
from http import HTTPStatus

from pydantic import ValidationError
from pydantic_core import ErrorDetails, to_json
from starlette.responses import Response

from biaffinity.errors import BiaffinityError
from biaffinity.serve.schemas import ALTERNATIVES

#: For every status its code, and what it means in the OpenAPI document.
MEANINGS = {
    400: ("bad_request", "The request cannot be read at all."),
    401: ("unauthorised", "The key is missing or wrong."),
    403: ("forbidden", "The service lets nobody do this; `remedy` says why."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "The address does not take this method; `Allow` says which it takes."),
    408: ("slow_body", "The body did not arrive in time."),
    413: ("too_large", "The body, its texts or what is found in them exceed a limit of the service."),
    415: ("not_json", "The body is not declared as JSON."),
    422: ("malformed", "The body is not what it should be; `where` names the field."),
    421: ("wrong_host", "The service does not go by the name in `Host`."),
    429: ("too_busy", "Too much is waiting already; `Retry-After` says in how many seconds to try again."),
    431: ("large_headers", "The headers are too many or too long; the connection is closed."),
    500: ("failed", "The text could not be read, by a fault of the service."),
    503: ("not_ready", "The service is starting or stopping, is full, or has been stuck for a while."),
    504: ("timeout", "The answer was not ready in time."),
}


_UNKNOWN = "extra_forbidden"  # pydantic's word for it
_LOOKED_AT = 32  # faults of a body, to find the one to name


class ServiceError(Exception):
    """An answer other than the one that was asked for."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        where: str | None = None,
        remedy: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.where = where
        self.remedy = remedy
        self.headers = headers

    @property
    def problem(self) -> dict[str, str]:
        """The error as data; what is not known is left out."""
        code = MEANINGS[self.status][0] if self.status in MEANINGS else HTTPStatus(self.status).name.lower()
        parts = {"code": code, "message": self.message, "where": self.where, "remedy": self.remedy}
        return {name: value for name, value in parts.items() if value is not None}

    def response(self) -> Response:
        """The error as an answer."""
        return Response(
            to_json({"error": self.problem}), self.status, self.headers, media_type="application/json"
        )

    def bare(self) -> ServiceError:
        """The same error without the way it came: that would keep all that was in hand there, and itself."""
        self.__context__ = None
        return self.with_traceback(None)

    def at(self, place: str) -> ServiceError:
        """The same error with its place in front."""
        where = self.where
        if place:
            where = f"{place}.{where}" if where else place
        return ServiceError(self.status, self.message, where=where, remedy=self.remedy, headers=self.headers)


def too_many_characters(characters: int, bound: int) -> ServiceError:
    """The texts are longer than a request may be."""
    return ServiceError(
        413,
        f"the texts have {characters:,} characters, at most {bound:,} are read at once",
        remedy="send them in several requests, or one by one to /v1/extract/stream",
    )


def too_many_bytes(bound: int) -> ServiceError:
    """The body, or a line of a stream, is larger than any that could be accepted."""
    return ServiceError(
        413,
        f"more than {bound:,} bytes",
        remedy="send the texts in several requests, or one by one to /v1/extract/stream",
    )


def too_many(what: str, number: int, limit: str, bound: int) -> ServiceError:
    """A text with more of something than is worked on; ``limit`` is the setting that says how many."""
    option = limit.replace("_", "-")
    return ServiceError(
        413,
        f"{number:,} {what}, at most {bound:,} ({limit})",
        remedy=f"send less text, ask for higher scores (min_score), or let the operator raise --{option}",
    )


def fault() -> ServiceError:
    """Something broke that is no fault of the client."""
    return ServiceError(500, "the service failed", remedy="tell its operator the answer's X-Request-Id")


def misused(error: BiaffinityError) -> ServiceError:
    """What the extractor says of a request that makes no sense to it.

    It reads texts as a stream, each alone when one fails: its place in the request is not the extractor's
    to tell.
    """
    where = (error.where or "").removeprefix("texts[0]").removeprefix(": ") or None
    where = where or ("min_score" if error.what.startswith("min_score") else None)
    return ServiceError(422, error.what, where=where, remedy=error.remedy)


def malformed(error: ValidationError) -> ServiceError:
    """The first thing that is wrong with a body, its field named as the client would write it."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)[:_LOOKED_AT]
    # A field that is unknown is the cause, and one that is missing for its sake the effect.
    faults.sort(key=lambda fault: fault["type"] != _UNKNOWN)
    first, name, count = faults[0], _field(faults[0]), error.error_count()
    more = f"; and {count - 1:,} more" if count > 1 else ""
    if first["type"] != _UNKNOWN or name is None:
        return ServiceError(422, f"{first['msg']}{more}", where=name, remedy="see /docs for what is expected")
    missing = [_field(fault) or "" for fault in faults if fault["type"] == "missing"]
    meant = get_close_matches(name, missing, n=1)
    remedy = f"did you mean {meant[0]}?" if meant else "see /docs for what is expected"
    return ServiceError(422, f"there is no such field{more}", where=name, remedy=remedy)


def _field(details: ErrorDetails) -> str | None:
    """A place in the body: ``texts[2].entities[0].end_char``; None is the body itself."""
    name = ""
    for part in details["loc"]:
        if isinstance(part, int):
            name += f"[{part}]"
        elif part not in ALTERNATIVES:
            name += f".{part}" if name else part
    return name or None
