from __future__ import annotations

import html as markup
from html.parser import HTMLParser

from hypothesis import given

from biaffinity.annotation import Document, Sentence
from biaffinity.show import STYLE, html, page
from show.drawn import ANYTHING

ONE = Sentence(["Ida", "left", "."], id="one & only")


class Elements(HTMLParser):
    """All elements of a page with their attributes."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    handle_startendtag = handle_starttag


def test_a_fragment_is_a_figure_with_its_own_stylesheet() -> None:
    shown = html(ONE)
    assert shown.startswith("<figure><svg ")
    assert shown.endswith("</svg></figure>")
    assert shown.count(STYLE) == 1


def test_a_page_has_every_drawing_and_the_stylesheet_once() -> None:
    whole = "".join(page([ONE, Document([ONE.with_text()]), Sentence(["x"])], title="Three"))
    tags = [tag for tag, _ in Elements(whole).found]
    assert tags.count("svg") == tags.count("figure") == 3
    assert tags.count("style") == 1
    assert whole.startswith('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">')
    assert "<figcaption>one &amp; only</figcaption>" in whole
    assert tags.count("figcaption") == 1


def test_a_page_loads_nothing() -> None:
    whole = "".join(page([ONE], title="t"))
    assert {tag for tag, _ in Elements(whole).found}.isdisjoint({"script", "link", "img", "iframe"})
    assert not any({"src", "href"} & attributes.keys() for _, attributes in Elements(whole).found)
    assert "url(" not in whole
    assert "@import" not in whole


def test_drawings_are_made_one_at_a_time() -> None:
    asked = []

    def documents():
        for number in range(3):
            asked.append(number)
            yield ONE

    pieces = page(documents(), title="t")
    next(pieces)
    assert asked == []
    next(pieces)
    assert asked == [0]


@given(ANYTHING)
def test_a_title_and_an_id_of_any_characters_are_text(text: str) -> None:
    whole = "".join(page([Sentence(["x"], id=text)], title=text))
    plain = "".join(page([Sentence(["x"], id="i")], title="t"))
    assert [tag for tag, _ in Elements(whole).found] == [tag for tag, _ in Elements(plain).found]
    whole.encode()
    assert markup.escape(text.strip()) in whole or not text.isprintable()
