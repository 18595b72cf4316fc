"""The page as a reader uses it, in a real browser, with the service and the embedded model behind it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import httpx
import pytest

from biaffinity import Extractor
from biaffinity.serve import Settings
from serve.visit import (
    CRIME,
    FARMER,
    FIRST,
    arcs,
    copied,
    extract,
    found,
    playwright,
    rows,
    serving,
    tells,
    visiting,
    with_scores,
)


def test_text_that_is_typed_is_drawn_and_tabled(page, extractor) -> None:
    extract(page, CRIME)
    document = extractor(CRIME)
    assert arcs(page) == [str(index) for index in range(len(document.relations))] != []
    assert rows(page, "entities") == [[e.text, e.type, f"{e.score:.2f}"] for e in document.entities]
    assert rows(page, "relations") == [
        [r.head.text, r.type, r.tail.text, f"{r.score:.2f}"] for r in document.relations
    ]


def test_an_example_is_read_at_a_click(page, extractor) -> None:
    page.get_by_role("button", name="a farmer").click()
    found(page, extractor(FARMER))
    assert page.locator("#text").input_value() == FARMER


def test_the_slider_hides_what_scores_less_without_asking_again(browser, address, extractor) -> None:
    count = len(extractor(FIRST).relations)
    rest = [str(index) for index in range(2, count)]  # those score 1
    with visiting(browser, address) as (page, asked):
        with_scores(page, [], [0.6, 0.746])
        extract(page, FIRST)
        before = len(asked)
        for least, left in ((60, ["0", "1"]), (61, ["1"]), (75, ["1"]), (76, [])):
            page.locator("#least").fill(str(least))  # 0.746 is read as 0.75
            assert arcs(page) == left + rest
            assert len(rows(page, "relations")) == len(left + rest)
        assert page.locator("#relations-count").inner_text() == f"{len(rest)} of {count}"
        page.locator("#least").fill("0")
        assert len(arcs(page)) == count
        assert not [url for url in asked[before:] if "/v1/" in url]


def test_a_hidden_entity_takes_its_relations_along(page, extractor) -> None:
    document = extractor(FIRST)
    hidden = document.entities[1]
    with_scores(page, [1, 0.3], [])
    extract(page, FIRST)
    page.locator("#least").fill("40")
    assert [row[0] for row in rows(page, "entities")] == [e.text for e in document.entities if e != hidden]
    assert page.locator('#drawing [data-entity="1"]').is_hidden()
    left = [r for r in document.relations if hidden not in (r.head, r.tail)]
    assert 0 < len(left) < len(document.relations)
    assert [row[1] for row in rows(page, "relations")] == [r.type for r in left]


def test_unlikely_relations_are_asked_for_and_a_link_brings_them_back(browser, page, extractor) -> None:
    crowd = "Tove Lind met Paul Okafor of the Harrow Institute, Ana Ruiz and Karl Voss of Denver in Boston."
    extract(page, crowd)
    page.get_by_label("Unlikely relations too").check()
    likely, all_of_them = extractor(crowd), extractor(crowd, min_score={"relations": 0.05})
    assert len(all_of_them.relations) > len(likely.relations)
    found(page, all_of_them)
    with visiting(browser, copied(page, "#copy-link")) as (other, _):
        found(other, all_of_them)
        other.get_by_label("Unlikely relations too").uncheck()
        found(other, likely)
        assert "unlikely" not in other.url


def test_a_link_brings_the_view_back_and_no_server_sees_the_text_in_it(browser, page) -> None:
    extract(page, CRIME)
    page.locator("#least").fill("95")
    link = copied(page, "#copy-link")
    assert link == page.url
    with visiting(browser, link) as (other, asked):
        tells(other, re.compile("entit"))
        assert other.locator("#text").input_value() == CRIME
        assert other.locator("#least-shown").inner_text() == "0.95"
        for table in ("entities", "relations"):
            assert rows(other, table) == rows(page, table)
        assert not [url for url in asked if "Karl" in url.partition("#")[0]]


def test_a_text_too_long_for_a_link_is_not_put_into_one(page, address) -> None:
    extract(page, "𐐀" * 1500)  # one word; twelve characters of an address each
    assert page.url == f"{address}/"
    page.locator("#copy-link").click()
    assert "too long for a link" in page.locator("#alert").inner_text()


def test_what_is_copied_is_what_the_service_answers_at_that_score(page, address, extractor) -> None:
    extract(page, CRIME)
    least = min(round(100 * relation.score) for relation in extractor(CRIME).relations) + 1
    page.locator("#least").fill(str(least))
    asked = {"text": CRIME, "min_score": least / 100 - 0.005}
    (document,) = httpx.post(f"{address}/v1/extract", json=asked).json()["documents"]
    assert json.loads(copied(page, "#copy-json")) == document
    assert len(document["relations"]) < len(extractor(CRIME).relations)


def test_without_https_there_is_another_way_to_copy(page, address) -> None:
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    extract(page, FIRST)
    page.locator("#copy-link").click()
    tells(page, "Copied.")
    page.locator("#text").press("Control+a")
    page.keyboard.press("Control+v")
    assert page.locator("#text").input_value() == page.url
    assert page.url.startswith(f"{address}/#text=Mayor+Tove+Lind")


def test_a_click_on_a_row_brings_its_arc_into_view(page) -> None:
    extract(page, f"{FARMER} " * 25)
    last = page.locator("#relations tbody tr").last
    arc = page.locator(f'g[data-relation="{last.get_attribute("data-relation")}"]')
    playwright.expect(arc).not_to_be_in_viewport()
    last.click()
    playwright.expect(arc).to_be_in_viewport()


def test_a_row_lights_its_arc_and_an_arc_its_row(page, extractor) -> None:
    row, arc = page.locator('#relations tr[data-relation="1"]'), page.locator('g[data-relation="1"]')
    row.hover()
    playwright.expect(arc).to_have_class(re.compile(r"\blit\b"))
    page.locator("#text").hover()
    playwright.expect(page.locator(".lit")).to_have_count(0)
    arc.locator("text").hover()
    playwright.expect(row).to_have_class("lit")
    near = page.locator("#entities .near")
    relation = extractor(FIRST).relations[1]
    arguments = [relation.head.text, relation.tail.text]
    assert [name.inner_text() for name in near.locator("td:first-child").all()] == arguments


def test_words_of_an_entity_light_its_row_and_its_relations(page, extractor) -> None:
    document = extractor(FIRST)
    of_first = [r for r in document.relations if document.entities[0] in (r.head, r.tail)]
    assert of_first
    page.locator("#drawing [data-mention]").first.hover()
    playwright.expect(page.locator('#entities [data-entity="0"]')).to_have_class("lit")
    assert page.locator("#relations .near").count() == len(of_first)


def test_all_of_it_works_by_keyboard(page, extractor) -> None:
    def focused(expression: str) -> str:
        return page.evaluate(f"document.activeElement.{expression}")

    page.locator("#text").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(CRIME)
    page.keyboard.press("Control+Enter")
    document = extractor(CRIME)
    last = str(len(document.relations) - 1)
    found(page, document)
    stops = []
    for _ in range(15):
        page.keyboard.press("Tab")
        stops.append(focused("id") or focused("outerHTML").partition(">")[0].split()[0])
        if stops[-1] == "<g":
            break
        assert focused("matches(':focus-visible')")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    controls = ["unlikely", "extract", "least", "copy-json", "copy-link", "<g"]
    assert stops == ["<summary", *["<button"] * 4, *controls]
    page.keyboard.press("End")
    assert focused("dataset.relation") == last
    assert page.locator("#relations .lit").get_attribute("data-relation") == last
    page.keyboard.press("Enter")
    assert focused("tagName") == "TR"
    assert page.locator("#drawing .lit").get_attribute("data-relation") == last
    page.keyboard.press("Home")
    assert focused("dataset.relation") == "0"
    page.keyboard.press("Tab")
    assert focused("dataset.entity") == "0"
    page.keyboard.press("Escape")
    assert page.locator(".lit").count() == 0


@pytest.mark.parametrize("text", [CRIME, "שלום לך, Ilka Roe מ-Ghent. " * 5, "x" * 1900])
def test_nothing_is_wider_than_a_phone(browser, address, text) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    with visiting(browser, address, **phone) as (page, _):
        extract(page, text)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        drawing = page.locator("#drawing svg").bounding_box()
        assert drawing["x"] >= 0
        assert drawing["x"] + drawing["width"] <= 360


def test_another_width_breaks_the_lines_anew_and_keeps_the_slider(page) -> None:
    with_scores(page, [], [0.5])
    extract(page, CRIME)
    page.locator("#least").fill("90")
    shown = arcs(page)
    before = int(page.locator("#drawing svg").get_attribute("height"))
    page.set_viewport_size({"width": 420, "height": 800})
    playwright.expect(page.locator("#drawing svg")).not_to_have_attribute("height", str(before))
    assert float(page.locator("#drawing svg").get_attribute("width")) <= 420
    assert int(page.locator("#drawing svg").get_attribute("height")) > before
    assert arcs(page) == shown
    assert len(rows(page, "relations")) == len(shown) > 0


def test_a_text_from_right_to_left_stands_on_the_right(page) -> None:
    extract(page, "שלום לך Ilka Roe")
    card, drawing = page.locator("#drawing").bounding_box(), page.locator("#drawing svg").bounding_box()
    assert drawing["x"] - card["x"] > card["x"] + card["width"] - drawing["x"] - drawing["width"]
    assert page.evaluate("getComputedStyle(document.getElementById('text')).direction") == "rtl"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_until_the_reader_chooses(browser, address, extractor, scheme) -> None:
    paper = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 31)"}
    other = {"light": "dark", "dark": "light"}[scheme]
    with visiting(browser, address, color_scheme=scheme) as (page, _):
        found(page, extractor(FIRST))
        for colours in (scheme, other):
            playwright.expect(page.locator("#ask")).to_have_css("background-color", paper[colours])
            playwright.expect(page.locator("#drawing .paper")).to_have_css("fill", paper[colours])
            page.locator("#theme").click()
        page.locator("#theme").click()
        page.reload()
        playwright.expect(page.locator("#ask")).to_have_css("background-color", paper[other])


@pytest.mark.parametrize("examples", [{}, {"a harbour": "Ana Ruiz works for Norvik Oil in Bergen, Norway."}])
def test_the_page_is_about_the_model_behind_it(browser, folder: Path, tmp_path: Path, examples) -> None:
    own = shutil.copytree(folder, tmp_path / "harbours")
    if examples:
        (own / "examples.json").write_text(json.dumps(examples), encoding="utf-8")
    extractor = Extractor.load(own)
    with (
        serving(Settings(models=(str(own),)), extractor) as address,
        visiting(browser, address) as (page, _),
    ):
        playwright.expect(page).to_have_title("harbours · Biaffinity")
        assert page.locator("#examples button").all_inner_texts() == list(examples)
        shown = page.locator("#knows").inner_text()
        assert all(name in shown for name in (*extractor.entity_types, *extractor.relation_types))
        text = next(iter(examples.values()), "")
        assert page.locator("#text").input_value() == text
        assert page.locator("#alert").is_hidden()
        if text:
            found(page, extractor(text))
        else:
            assert page.locator("#results").is_hidden()
