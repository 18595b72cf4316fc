"""The page when something is amiss: hostile text, refusals, a service that is busy, gone or locked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biaffinity.serve import Settings
from serve.visit import CRIME, FIRST, extract, found, playwright, rows, serving, tells, visiting

HOSTILE = "<script>alert(1)</script> <img src=x onerror=alert(2)> Ilka Roe lives in Ghent."
KEY = "an-invented-key-of-a-test"


def test_markup_in_a_text_is_shown_as_text(page) -> None:
    extract(page, HOSTILE)
    words = page.locator("#drawing tspan").evaluate_all("all => all.map(word => word.lastChild.nodeValue)")
    assert "".join(words).replace(" ", "") == HOSTILE.replace(" ", "")
    assert page.locator("main :is(script, img)").count() == 0


def test_markup_in_an_answer_is_shown_as_text(page) -> None:
    def change(route: playwright.Route) -> None:
        answer = route.fetch().json()
        for entity in answer["documents"][0]["entities"]:
            entity["text"] = entity["type"] = HOSTILE
        route.fulfill(json=answer)

    page.route("**/v1/extract", change)
    extract(page, CRIME)
    assert rows(page, "entities")[0][:2] == [HOSTILE, HOSTILE]
    assert page.locator("main :is(script, img)").count() == 0


def test_a_hostile_link_does_nothing_but_show_its_text(browser, address) -> None:
    with visiting(browser, f"{address}/#text=%3Cimg src=x onerror=alert(1)%3E&score=%3Cscript%3E") as (
        page,
        _,
    ):
        tells(page, "0 entities and 0 relations.")
        assert page.locator("#text").input_value() == "<img src=x onerror=alert(1)>"
        assert page.locator("#least").input_value() == "0"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" \n", "There is no text yet. Write or paste one."),
        ("é😀" * 1001, "The text has 2,002 characters; 2,000 are read at once. Send it in parts."),
    ],
)
def test_a_text_that_cannot_be_read_is_an_error_in_words(page, text, words) -> None:
    extract(page, text)
    assert page.locator("#alert").inner_text() == words
    assert page.locator("#results").is_hidden()
    extract(page, CRIME)
    assert page.locator("#alert").is_hidden()


@pytest.mark.parametrize(
    ("status", "problem", "words"),
    [
        (413, {"message": "more than 9 bytes"}, "More than 9 bytes. Send it in parts."),
        (422, {"message": "a text is missing", "where": "text"}, "A text is missing. (text)"),
        (
            500,
            {"message": "the service failed"},
            "The service failed. Its operator finds the reason in the log, at 0a1b.",
        ),
        (502, None, "The service answered with status 502."),
        (504, {"message": "no"}, "The service did not finish in time. A shorter text may do."),
    ],
)
def test_a_refusal_is_told_in_words(page, status, problem, words) -> None:
    body = "<h1>proxy</h1>" if problem is None else json.dumps({"error": problem})
    page.route(
        "**/v1/extract",
        lambda route: route.fulfill(status=status, body=body, headers={"X-Request-Id": "0a1b"}),
    )
    extract(page, CRIME)
    assert page.locator("#alert p").inner_text() == words
    assert page.locator("#again").is_visible() == (status >= 500)


def test_a_busy_service_is_asked_again_when_it_says(page, extractor) -> None:
    busy = {"error": {"code": "too_busy", "message": "busy"}}
    page.route(
        "**/v1/extract",
        lambda route: route.fulfill(status=429, json=busy, headers={"Retry-After": "1"}),
        times=1,
    )
    page.locator("#text").fill(CRIME)
    page.locator("#extract").click()
    tells(page, "The service is busy. Trying again in 1 s…")
    found(page, extractor(CRIME))
    assert page.locator("#alert").is_hidden()


def test_a_service_that_is_gone_can_be_tried_again(page, extractor) -> None:
    page.route("**/v1/extract", lambda route: route.abort(), times=1)
    extract(page, CRIME)
    assert page.locator("#alert p").inner_text().startswith("The service cannot be reached.")
    page.locator("#again").click()
    found(page, extractor(CRIME))


def test_the_last_text_wins(page, extractor) -> None:
    held: list[playwright.Route] = []
    page.route("**/v1/extract", lambda route: held.append(route), times=1)
    page.locator("#text").fill("Ilka Roe lives in Ghent.")
    page.locator("#extract").click()
    tells(page, "Reading…")
    page.locator("#text").fill(CRIME)
    page.locator("#extract").click()
    found(page, extractor(CRIME))
    held[0].abort()
    assert rows(page, "entities")[0][0] == "Karl Voss"
    assert page.locator("#alert").is_hidden()


def test_an_answer_that_cannot_be_shown_is_told(browser, address) -> None:
    with visiting(browser, address, complaints=("Unexpected token",)) as (page, _):
        page.route("**/v1/extract", lambda route: route.fulfill(body="<h1>Welcome to the proxy</h1>"))
        extract(page, CRIME)
        words = "The answer could not be shown. Reload the page and try again."
        playwright.expect(page.locator("#alert p")).to_have_text(words)


def test_a_key_is_asked_for_and_kept(browser, extractor, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.write_text(f"{KEY}\n")
    with (
        serving(Settings(api_key_file=keys), extractor) as address,
        visiting(browser, address) as (page, asked),
    ):
        page.get_by_label("This service asks for a key").fill("not-the-key-of-this-test")
        page.keyboard.press("Enter")
        playwright.expect(page.locator("#alert p")).to_have_text("The service does not know this key.")
        page.locator("#key").fill("clé")
        page.keyboard.press("Enter")
        playwright.expect(page.locator("#alert p")).to_contain_text("letters without accents")
        page.locator("#key").fill(KEY)
        page.keyboard.press("Enter")
        found(page, extractor(FIRST))
        assert page.locator("#keys").is_hidden()
        assert page.locator("#alert").is_hidden()
        page.reload()
        found(page, extractor(FIRST))
        assert not [url for url in asked if KEY in url]
