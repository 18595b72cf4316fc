"""A reader at the page: a service in a thread, a browser that is listened to, and what it shows."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
import uvicorn

from biaffinity import Document, Extractor
from biaffinity.serve import Settings, create_app

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

FIRST = "Mayor Tove Lind of Solund, Norway, met Paul Okafor of the Harrow Institute in Boston."
CRIME = "Detective Karl Voss of the Denver Police Department said Ivo Marek shot and killed Dario Venn."
FARMER = '"It rained all week," said Jonas Thorne, a farmer in Ames, Iowa.'


@contextmanager
def serving(settings: Settings, extractor: Extractor | None = None) -> Iterator[str]:
    """The address of a service in a thread of this process."""
    config = uvicorn.Config(create_app(settings, extractor), port=0, ws="none", log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    host, port = server.servers[0].sockets[0].getsockname()
    yield f"http://{host}:{port}"
    server.should_exit = True
    thread.join()


@contextmanager
def visiting(
    browser: playwright.Browser, address: str, *, complaints: tuple[str, ...] = (), **options: object
) -> Iterator[tuple[playwright.Page, list[str]]]:
    """A page, and the addresses it has asked for: none elsewhere; no dialog, no other complaint."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"], **options)
    page = context.new_page()
    page.set_default_timeout(10_000)
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: wrong.append(message.text))  # the content policy complains here too
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message) or dialog.dismiss())
    page.goto(address)
    yield page, asked
    here = urlsplit(address).netloc
    assert {urlsplit(url).netloc for url in asked} == {here}
    # Chromium itself reports every answer that is an error.
    assert [words for words in wrong if not words.startswith(("Failed to load resource", *complaints))] == []
    context.close()


def tells(page: playwright.Page, words: str | re.Pattern[str]) -> None:
    playwright.expect(page.locator("#status")).to_have_text(words)


def found(page: playwright.Page, document: Document) -> None:
    """Wait for the page to show so many entities and relations."""
    entities, relations = len(document.entities), len(document.relations)
    first = f"{entities} {'entity' if entities == 1 else 'entities'}"
    tells(page, f"{first} and {relations} {'relation' if relations == 1 else 'relations'}.")


def with_scores(page: playwright.Page, entities: list[float], relations: list[float]) -> None:
    """Let answers give the first entities and relations these scores, and all others 1."""

    def change(route: playwright.Route) -> None:
        answer = route.fetch().json()
        for name, scores in (("entities", entities), ("relations", relations)):
            for index, record in enumerate(answer["documents"][0][name]):
                record["score"] = scores[index] if index < len(scores) else 1.0
        route.fulfill(json=answer)

    page.route("**/v1/extract", change)


def extract(page: playwright.Page, text: str) -> None:
    page.locator("#text").fill(text)
    page.locator("#extract").click()
    playwright.expect(page.locator("#extract")).to_have_text("Extract")
    page.locator("body:not(.busy)").wait_for()


def rows(page: playwright.Page, table: str) -> list[list[str]]:
    shown = page.locator(f"#{table} tbody tr:visible").all()
    return [row.locator("td").all_inner_texts() for row in shown]


def arcs(page: playwright.Page) -> list[str | None]:
    return [arc.get_attribute("data-relation") for arc in page.locator("#drawing .relation:visible").all()]


def copied(page: playwright.Page, button: str) -> str:
    page.locator(button).click()
    tells(page, "Copied.")
    return page.evaluate("navigator.clipboard.readText()")
