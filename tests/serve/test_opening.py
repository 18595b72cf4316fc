"""The page is opened in a browser once the service answers."""

from __future__ import annotations

import webbrowser

import pytest

from biaffinity import Extractor
from biaffinity.serve import Settings, opening
from serve.live import live


@pytest.mark.parametrize(("host", "store", "page"), [("127.0.0.1", None, ""), ("0.0.0.0", "x.db", "facts")])
def test_the_page_that_opens_is_the_one_of_the_service(
    extractor: Extractor, monkeypatch: pytest.MonkeyPatch, host: str, store: str | None, page: str
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with live(Settings(), extractor) as port:
        opening._open(Settings(host=host, port=port, store=store))
    assert opened == [f"http://127.0.0.1:{port}/{page}"]


def test_a_service_that_never_answers_opens_nothing(monkeypatch: pytest.MonkeyPatch, free_port: int) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(opening, "_PATIENCE", 0.2)
    opening._open(Settings(port=free_port))
    assert opened == []
