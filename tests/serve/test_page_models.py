"""The page of a service with several models, as a reader switches between them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from biaffinity import Extractor
from biaffinity.config.folder import read_examples
from biaffinity.extraction.loading import EMBEDDED
from biaffinity.serve import Settings
from serve.visit import FIRST, copied, extract, found, playwright, rows, serving, visiting

OWN = "Norvik Robotics was founded in 2009 by Ilka Roe."
EXAMPLES = read_examples(EMBEDDED / "general")


@pytest.fixture(scope="module")
def general() -> Extractor:
    return Extractor.load("general")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(Settings()) as at:
        yield at


def test_another_model_reads_the_reader_s_text_and_a_link_opens_the_same(
    browser, address, extractor, general
) -> None:
    with visiting(browser, address) as (page, _):
        found(page, extractor(FIRST))
        extract(page, OWN)
        found(page, extractor(OWN))
        page.get_by_label("Model").select_option("general")
        found(page, general(OWN))
        assert page.locator("#text").input_value() == OWN
        assert {row[1] for row in rows(page, "relations")} == {"inception", "founded by"}
        link = copied(page, "#copy-link")
        playwright.expect(page).to_have_url(link)
        assert link.startswith(f"{address}/?model=general#text=Norvik")
    with visiting(browser, link) as (other, _):
        found(other, general(OWN))
        playwright.expect(other.get_by_label("Model")).to_have_value("general")
        playwright.expect(other).to_have_title("general · Biaffinity")


def test_examples_types_and_meanings_are_those_of_the_model(browser, address, extractor, general) -> None:
    with visiting(browser, address) as (page, _):
        found(page, extractor(FIRST))
        page.get_by_label("Model").focus()
        page.keyboard.press("ArrowDown")
        first = next(iter(EXAMPLES.values()))
        found(page, general(first))
        assert page.locator("#text").input_value() == first
        assert page.locator("#examples button").all_inner_texts() == list(EXAMPLES)
        assert "25 relations" in page.locator("#knows").inner_text()
        page.get_by_text("What they mean").click()
        meanings = page.locator("#relation-meanings")
        assert meanings.locator("dt").all_inner_texts() == list(general.relation_types)
        assert "place of birth a person was born in a place P19" in " ".join(meanings.inner_text().split())


def test_on_a_phone_it_opens_with_the_model_of_the_address(browser, address, general) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    with visiting(browser, f"{address}/?model=general", **phone) as (page, _):
        found(page, general(next(iter(EXAMPLES.values()))))
        page.get_by_text("What they mean").tap()
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        select = page.get_by_label("Model").bounding_box()
        assert select["height"] >= 36
        assert select["x"] + select["width"] <= 360
        table, part = (page.locator(f"#relations{path}").bounding_box() for path in ("", " >> xpath=.."))
        assert table["width"] <= part["width"]  # names of several words do not push the scores out


def test_a_model_that_is_not_there_is_told_and_the_first_reads(browser, address, extractor) -> None:
    with visiting(browser, f"{address}/?model=%3Cb%3E#text={OWN}") as (page, _):
        words = "This service has no model “<b>”. You see what news finds."
        playwright.expect(page.locator("#alert p")).to_have_text(words)
        assert len(rows(page, "entities")) == len(extractor(OWN).entities)


def test_one_model_is_named_and_there_is_nothing_to_choose(browser, extractor) -> None:
    with serving(Settings(), extractor) as at, visiting(browser, f"{at}/?model=news") as (page, _):
        found(page, extractor(FIRST))
        assert page.locator("#models").inner_text() == "Model: news"
        assert page.locator("select").count() == 0
        extract(page, OWN)
        assert page.url.startswith(f"{at}/#text=Norvik")
