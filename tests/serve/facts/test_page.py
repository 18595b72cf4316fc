"""The page of facts as a reader uses it, in a real browser: mouse, keyboard, phone; with a key, merging."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from biaffinity import Extractor, facts
from biaffinity.serve import Settings
from facts.invented import document, write
from facts.told import NEWS, told
from serve.facts.conftest import KEY
from serve.visit import playwright, serving, tells, visiting

expect = playwright.expect
#: The nodes of the graph, which is a canvas: cytoscape tells where they are.
NODES = """() => {
    const place = document.getElementById("graph");
    const { x, y } = place.getBoundingClientRect();
    return (place._cyreg?.cy?.nodes() ?? []).map((node) => ({
        name: node.data("entity").name, x: x + node.renderedPosition().x, y: y + node.renderedPosition().y,
        selected: node.selected(),
    }));
}"""


@pytest.fixture(scope="module")
def address(news_store: str, extractor: Extractor) -> Iterator[str]:
    with serving(Settings(store=news_store), extractor) as at:
        yield f"{at}/facts"


def nodes(page: Any, *names: str) -> dict[str, Any]:
    """The nodes by name, once those are among them and stand still."""
    before = None
    for _ in range(200):
        found = page.evaluate(NODES)
        if found == before and {*names} <= {node["name"] for node in found}:
            return {node["name"]: node for node in found}
        before = found
        page.wait_for_timeout(60)
    raise AssertionError(f"{names} are not among {before}")


def shows(page: Any, name: str) -> None:
    expect(page.locator("#entity-name")).to_have_text(name)
    expect(page.locator("#entity")).to_be_visible()


def groups(page: Any) -> list[str]:
    return [" ".join(heading.split()) for heading in page.locator(".group h3").all_inner_texts()]


def test_a_name_with_a_typing_error_leads_to_its_facts_sentences_and_documents(browser, address) -> None:
    with visiting(browser, address) as (page, _):
        tells(page, re.compile(r"facts about \d+ entities in 4 documents"))
        page.keyboard.press("/")
        page.keyboard.type("norvk oil")
        expect(page.locator(".offers li").first).to_contain_text("Norvik Oil")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        shows(page, "Norvik Oil ASA")
        assert groups(page) == [
            "… employer → Norvik Oil ASA 2",
            "Norvik Oil ASA headquarters location → … 1",
        ]
        employer = page.locator(".group", has_text="employer").locator(".fact", has_text="Ana Ruiz")
        expect(employer.locator("mark.head")).to_have_text("Ana Ruiz")
        employer.get_by_role("button", name="1 more sentence").click()
        sentence = employer.locator("blockquote").nth(1)
        expect(sentence).to_contain_text("𐐀𐐀 Ana Ruiz leads Norvik Oil")  # offsets count characters
        assert [mark.inner_text() for mark in sentence.locator("mark").all()] == ["Ana Ruiz", "Norvik Oil"]
        sentence.get_by_role("link", name="wind.txt").click()
        text = page.locator("#document-text")
        expect(text).to_have_text(NEWS[2].text)
        assert text.locator("a").all_inner_texts() == ["Ana Ruiz", "Norvik Oil", "Bergen"]
        assert "".join(text.locator(".stated").all_inner_texts()) == text.inner_text()
        text.get_by_role("link", name="Bergen").click()
        shows(page, "Bergen")
        page.go_back()
        expect(text).to_be_visible()


def test_filters_and_the_walk_stand_in_the_link(browser, address) -> None:
    with visiting(browser, f"{address}#entity=Norvik+Oil") as (page, _):
        nodes(page, "Ana Ruiz", "Ingrid Sørbø", "Bergen")
        page.locator("#relation").select_option("employer")
        tells(page, "2 facts.")
        page.locator("#least").fill("75")
        tells(page, "1 fact.")
        assert page.locator(".fact .entity-link").all_inner_texts() == ["Ana Ruiz"]
        page.locator("#since").fill("2999-01-01")
        expect(page.locator("#groups")).to_have_text("No fact passes the filters.")
        page.locator("#unfiltered").click()
        expect(page.locator(".group")).to_have_count(2)
        node = nodes(page, "Ana Ruiz", "Bergen")["Ana Ruiz"]
        page.mouse.click(node["x"], node["y"])
        nodes(page, "Almora")
        expect(page.locator("#chosen")).to_contain_text("Ana Ruiz")
        page.locator("#relation").select_option("employer")
        with visiting(browser, page.url) as (other, _):
            assert nodes(other, "Almora").keys() == {node["name"] for node in page.evaluate(NODES)}
            assert groups(other) == groups(page)
            other.get_by_role("button", name="Begin again").click()
            assert "Almora" not in nodes(other, "Ana Ruiz")


def test_the_graph_is_walked_with_the_keyboard(browser, address) -> None:
    with visiting(browser, f"{address}#entity=Bergen") as (page, _):
        nodes(page, "Norway")
        page.locator("#graph").focus()
        page.keyboard.press("ArrowRight")  # the first key chooses where to begin
        expect(page.locator("#chosen .entity-link")).to_have_text("Bergen")
        for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
            chosen = page.locator("#chosen .entity-link").inner_text()
            if "Norvik" in chosen:
                break
            page.keyboard.press(key)
        expect(page.locator("#chosen")).to_contain_text("Norvik")
        page.keyboard.press("Enter")
        assert "Ana Ruiz" in nodes(page, "Ana Ruiz", "Ingrid Sørbø")
        page.locator("#chosen a").focus()
        page.keyboard.press("Enter")
        shows(page, "Norvik Oil ASA")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_the_screen(browser, address, scheme) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    with visiting(browser, address, color_scheme=scheme, **phone) as (page, _):
        for view in ("", "#search=norvik", "#entity=Norvik+Oil", "#document=cup.txt"):
            page.goto(f"{address}{view}")
            page.reload()
            expect(page.locator(".view:visible")).to_have_count(1)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, view
        paper = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 31)"}[scheme]
        expect(page.locator("#document")).to_have_css("background-color", paper)
        page.goto(f"{address}#entity=Norvik+Oil")
        node = nodes(page, "Bergen")["Bergen"]
        page.locator("#graph").scroll_into_view_if_needed()
        node = nodes(page, "Bergen")["Bergen"]
        page.touchscreen.tap(node["x"], node["y"])
        nodes(page, "Norway")


def test_names_that_are_markup_are_shown_as_they_are(browser, address) -> None:
    markup, statement = "<img src=x onerror=alert(1)>", "Robert'); DROP TABLE entities;--"
    with visiting(browser, f"{address}#search=onerror") as (page, _):
        page.get_by_role("link", name=markup).click()
        shows(page, markup)
        nodes(page, markup, statement)
        page.get_by_role("link", name=statement).first.click()
        shows(page, statement)
        page.goto(f"{address}#document=cup.txt")
        expect(page.locator("#document-text")).to_contain_text(f"{markup} and {statement}")
        page.goto(f"{address}#search=%3Cb%3Enobody")
        expect(page.locator("#found h2")).to_have_text("Nothing is called “<b>nobody”")
        page.goto(f"{address}#entity=%27%20OR%201=1")
        expect(page.locator("#alert")).to_be_visible()
        assert page.locator(".view:visible").count() == 0


def test_who_has_a_key_splits_and_merges(browser, tmp_path: Path, keys: Path, extractor: Extractor) -> None:
    store = told(str(tmp_path / "facts.db"))
    settings = Settings(store=store, api_key_file=keys)
    with serving(settings, extractor) as at, visiting(browser, f"{at}/facts#entity=Norvik+Oil") as (page, _):
        page.locator("#key").fill(KEY)
        page.keyboard.press("Enter")
        shows(page, "Norvik Oil ASA")
        page.locator("#naming summary").click()
        expect(page.locator("#reasons")).to_contain_text("NOA is introduced as Norvik Oil ASA in 1 document")
        page.get_by_role("button", name="Split off NOA").click()
        tells(page, "NOA is an entity of its own now, with 2 mentions.")
        expect(page.locator("#entity-counts")).to_contain_text("3 mentions")
        page.locator("#naming summary").click()
        expect(page.locator("#reasons")).to_contain_text("a person said that Norvik Oil ASA is not NOA")
        page.get_by_label("The same as").fill("NOA")
        page.locator("#merging .offers li").first.click()
        page.get_by_role("button", name="Merge").click()
        tells(page, re.compile("are one now"))
        expect(page.locator("#entity-names")).to_have_text("Also NOA")
    with facts.open(store) as opened:
        assert {"NOA", "Norvik Oil ASA"} <= set(opened.about("NOA").names)


def test_a_reader_without_a_key_is_offered_no_changes(browser, address) -> None:
    with visiting(browser, address.removesuffix("facts")) as (page, _):
        page.get_by_role("link", name="Facts").click()
        page.get_by_role("link", name="Norvik Oil ASA").first.click()
        shows(page, "Norvik Oil ASA")
        page.locator("#naming summary").click()
        expect(page.locator("#names li")).not_to_have_count(0)
        assert page.get_by_role("button", name=re.compile("Split")).count() == 0
        expect(page.locator("#merging")).to_be_hidden()


def test_of_very_many_facts_the_best_are_shown_and_the_rest_at_a_click(browser, tmp_path, extractor) -> None:
    store = str(tmp_path / "many.db")
    people = [f"{first}{second} Lund" for first in ("An", "Bo", "Ka", "Li", "Ma") for second in "abcdefg"]
    write(
        store,
        *(
            document(name, f"[{name}/Person] works for [Norvik Oil/Organization].", ("employer", 0, 1, 0.5))
            for name in people
        ),
    )
    with facts.open(store) as opened:
        opened.update()
    with (
        serving(Settings(store=store), extractor) as at,
        visiting(browser, f"{at}/facts#entity=Norvik+Oil") as (page, _),
    ):
        tells(page, "35 facts.")
        expect(page.locator(".fact")).to_have_count(10)
        for shown, left in ((20, 15), (30, 5)):
            page.locator("button.more").click()
            expect(page.locator(".fact")).to_have_count(shown)
            expect(page.locator("button.more")).to_have_text(f"{left} more")
        page.locator("button.more").click()
        expect(page.locator("button.more")).to_have_count(0)
        assert sorted(page.locator(".fact .entity-link").all_inner_texts()) == sorted(people)
        expect(page.locator("#around-count")).to_have_text("the best 10 of 35 facts")
