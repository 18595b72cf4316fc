"""What a real browser makes of a drawing: the width model must hold whatever font it has."""

from __future__ import annotations

from itertools import pairwise

import pytest

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.show import html
from biaffinity.show import page as whole_page

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

SENTENCES = {
    "latin": Sentence(
        [
            "Ida",
            "Moor",
            ",",
            "Will",
            "Ilk",
            "and",
            "WWW",
            "left",
            "Łódź",
            "for",
            "naïve",
            "x̂",
            "😀",
            "reasons",
        ],
        [Entity(0, 2, "Peop"), Entity(3, 5, "Peop"), Entity(8, 9, "Loc")],
        [Relation("Knows", 0, 1), Relation("Live_In", 0, 2)],
    ),
    "arabic": Sentence(
        ["قال", "أحمد", "علي", "إن", "Norvik", "Oil", "في", "2019", "،", "مصر"],
        [Entity(1, 3, "Peop"), Entity(4, 6, "Org"), Entity(9, 10, "Loc")],
        [Relation("Work_For", 0, 1)],
    ),
    "hebrew in english": Sentence(["say", "שלום", "עולם", "to", "Bo", "."], [Entity(1, 2, "Other")]),
}
LONG = Sentence(["Ida", "left", "for", "reasons"] * 12, [Entity(0, 1, "Peop"), Entity(44, 45, "Peop")])
PLACES = """() => [...document.querySelectorAll('.words tspan[textLength]')].map(word => {
    const box = [...Array(word.getNumberOfChars()).keys()].map(i => word.getExtentOfChar(i));
    const left = Math.min(...box.map(b => b.x)), right = Math.max(...box.map(b => b.x + b.width));
    return [word.dataset.mention ?? "", left, right];
})"""


@pytest.fixture(scope="module")
def page(browser: playwright.Browser) -> playwright.Page:
    return browser.new_page()


@pytest.mark.parametrize("name", SENTENCES)
@pytest.mark.parametrize("font", ["", "monospace", "serif"])
def test_no_font_makes_words_meet_or_leave_their_box(page: playwright.Page, name: str, font: str) -> None:
    shown = html(SENTENCES[name])
    page.set_content(shown + (f"<style>.biaffinity{{font-family:{font}!important}}</style>" if font else ""))
    words = page.evaluate(PLACES)
    assert all(b[1] - a[2] > -0.5 for a, b in pairwise(sorted(words, key=lambda word: word[1])))
    for mention, left, right in words:
        if mention:
            box = page.locator(f'[data-entity="{mention}"] rect')
            x, width = float(box.get_attribute("x")), float(box.get_attribute("width"))
            assert x + 1 <= left
            assert right <= x + width - 1


def test_text_is_copied_as_it_is_read(page: playwright.Page) -> None:
    page.set_content(html(SENTENCES["latin"]))
    copied = page.evaluate(
        "() => { const row = document.querySelector('.words'); getSelection().selectAllChildren(row);"
        " return getSelection().toString(); }"
    )
    assert copied.strip() == " ".join(SENTENCES["latin"].tokens)


@pytest.mark.parametrize(
    ("scheme", "theme", "paper"),
    [
        ("light", None, "rgb(255, 255, 255)"),
        ("dark", None, "rgb(20, 24, 31)"),
        ("dark", "light", "rgb(255, 255, 255)"),
        ("light", "dark", "rgb(20, 24, 31)"),
    ],
)
def test_a_page_can_overrule_the_colour_scheme(
    page: playwright.Page, scheme: str, theme: str | None, paper: str
) -> None:
    page.emulate_media(color_scheme=scheme)
    about = f' data-theme="{theme}"' if theme else ""
    page.set_content(f"<div{about}>{html(SENTENCES['latin'])}</div>")
    assert page.eval_on_selector(".paper", "paper => getComputedStyle(paper).fill") == paper


@pytest.mark.parametrize(("window", "drawing"), [(1200, 800), (390, 350)])
def test_a_page_of_drawings_can_be_read_at_any_width(
    page: playwright.Page, window: int, drawing: int
) -> None:
    page.set_viewport_size({"width": window, "height": 800})
    page.set_content("".join(whole_page([LONG, *SENTENCES.values()], title="Drawings")))
    shown = [svg for svg in page.query_selector_all("svg") if svg.is_visible()]
    assert len(shown) == 1 + len(SENTENCES)
    widest = max(svg.bounding_box()["width"] for svg in shown)
    assert widest == pytest.approx(drawing, rel=0.1)
    for svg in shown:  # none is scaled down
        assert svg.bounding_box()["width"] == pytest.approx(float(svg.get_attribute("width")), abs=0.5)
    assert page.evaluate("document.documentElement.scrollWidth") <= window
    legend, first = (page.locator(each).first.bounding_box()["y"] for each in (".legend", "figure"))
    assert legend < first
