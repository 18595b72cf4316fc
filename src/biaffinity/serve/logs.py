"""Logs: a JSON object per line for machines, plain lines on a terminal, and never a word of a user's text."""

from __future__ import annotations

import logging
import time
import traceback
from collections import Counter
from datetime import datetime, timezone
from typing import Any

from pydantic_core import to_json

_log = logging.getLogger(__name__)


class JsonLines(logging.Formatter):
    """Time, level, event, and what the record carries as ``fields``."""

    def format(self, record: logging.LogRecord) -> str:
        """One line; of an exception its class and place, for its message may quote a text."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "process": record.process,
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1]:
            line |= trace(record.exc_info[1])
        return to_json(line).decode()


def trace(error: BaseException) -> dict[str, Any]:
    """The class of an error and the places it came through, without its message."""
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "error": type(error).__name__,
        "trace": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-8:]],
    }


class Refusals:
    """Refusals of one process; of a kind no more than a line a second, so that none can flood the log."""

    def __init__(self) -> None:
        self._untold: Counter[str] = Counter()
        self._told: dict[str, float] = {}

    def note(self, reason: str) -> None:
        """Log one, with how many of its kind there were since the last line."""
        self._untold[reason] += 1
        now = time.monotonic()
        if now - self._told.get(reason, float("-inf")) >= 1.0:
            self._told[reason] = now
            fields = {"reason": reason, "count": self._untold.pop(reason)}
            _log.warning("refused", extra={"fields": fields})


class PlainLines(logging.Formatter):
    """The same for a person who watches a terminal: the time, the event, and what it carries."""

    def format(self, record: logging.LogRecord) -> str:
        """One line; a request as its method, address, status and milliseconds."""
        fields, event = {**getattr(record, "fields", {})}, record.getMessage()
        if {"method", "route", "status", "seconds"} <= fields.keys():
            method, route, status, seconds = map(fields.pop, ("method", "route", "status", "seconds"))
            event = f"{method} {route} {status} in {1000 * seconds:.0f} ms"
        if record.exc_info and record.exc_info[1]:
            fields |= trace(record.exc_info[1])
        if record.levelno >= logging.WARNING:
            fields = {"level": record.levelname.lower(), **fields}
        told = "  ".join(f"{name} {value}" for name, value in fields.items())
        moment = datetime.fromtimestamp(record.created).astimezone()
        return f"{moment:%H:%M:%S}  {event}  {told}".rstrip()


def config(*, terminal: bool) -> dict[str, Any]:
    """For `logging.config.dictConfig`: our lines and the server's, to stderr, as who reads them likes it.

    The server's own access log would print addresses with their queries; ours does not.
    """
    kind = PlainLines if terminal else JsonLines
    logger = {"handlers": ["stderr"], "level": "INFO", "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": f"{kind.__module__}.{kind.__name__}"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "loggers": {"biaffinity.serve": logger, "uvicorn": logger},
    }
