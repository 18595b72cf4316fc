"""What the service logs: JSON lines for machines, plain lines for a person at a terminal."""

from __future__ import annotations

import logging
import logging.config
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="needs the extra serve")

from biaffinity.serve import Settings, server
from biaffinity.serve.logs import JsonLines, PlainLines, config


def record(event: str, level: int = logging.INFO, **fields: Any) -> logging.LogRecord:
    made = logging.LogRecord("biaffinity.serve", level, __file__, 1, event, (), None)
    made.fields = fields
    return made


def test_a_request_is_read_at_a_glance() -> None:
    entry = {"method": "POST", "route": "/v1/extract", "status": 200, "seconds": 0.0123, "request": "7f"}
    line = PlainLines().format(record("request", **entry))
    assert line.split("  ")[1:] == ["POST /v1/extract 200 in 12 ms", "request 7f"]


def test_what_went_wrong_is_told_with_its_level() -> None:
    line = PlainLines().format(record("text failed", logging.ERROR, characters=7))
    assert line.split("  ")[1:] == ["text failed", "level error", "characters 7"]


@pytest.mark.parametrize(("terminal", "kind"), [(True, PlainLines), (False, JsonLines)])
def test_a_terminal_gets_plain_lines(
    terminal: bool, kind: type[logging.Formatter], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}
    monkeypatch.setattr(server.uvicorn, "run", lambda app, **options: asked.update(options))
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)
    server.run(Settings(port=0))
    assert asked["log_config"] == config(terminal=terminal)
    configurator = logging.config.DictConfigurator(asked["log_config"])
    formatter = configurator.configure_formatter(asked["log_config"]["formatters"]["lines"])
    assert isinstance(formatter, kind)
