from __future__ import annotations

import html as markup
from html.parser import HTMLParser

from hypothesis import given

from biaffinity.annotation import Document, Entity, Relation, Sentence
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
    assert tags.count("figure") == 3
    assert tags.count("svg") == 6  # for wide windows and for narrow ones
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


def named(*types: str) -> Sentence:
    """A word of each entity type, and a relation between the first two."""
    entities = [Entity(place, place + 1, type_, score=0.25) for place, type_ in enumerate(types)]
    relations = [Relation("Next", 0, 1, score=0.75)] if len(types) > 1 else []
    return Sentence([f"w{place}" for place in range(len(types))], entities, relations)


def test_a_type_has_one_colour_on_the_whole_page_and_stands_in_the_legend() -> None:
    types = [f"T{number}" for number in range(9)]  # more than there are colours: alone, some would clash
    sentences = [named(*types[start : start + 3]) for start in range(0, 9, 3)] + [
        named(name) for name in types
    ]
    whole = "".join(page(sentences, title="t"))
    kinds = {name: set[str]() for name in types}
    for tag, attributes in Elements(whole).found:
        if tag == "g" and attributes.get("data-type") in kinds:
            kinds[attributes["data-type"]].add(str(attributes["class"]).split()[1])
    assert all(len(own) == 1 for own in kinds.values()), kinds
    assert len(set().union(*kinds.values())) == 8
    legend = whole.partition('<ul class="legend biaffinity"')[2]
    for name, (kind,) in kinds.items():
        assert f'<li class="entity {kind}">{name}</li>' in legend
    assert ">Next</li>" in legend


def test_scores_stand_below_a_drawing() -> None:
    whole = "".join(page([named("A", "B")], title="t"))
    assert '<td dir="auto">w0 → w1</td><td class="score">0.75</td>' in whole
    assert '<td dir="auto">w1</td><td class="score">0.25</td>' in whole
    assert "<summary>2 entities</summary>" in whole


@given(ANYTHING)
def test_a_title_and_an_id_of_any_characters_are_text(text: str) -> None:
    whole = "".join(page([Sentence(["x"], id=text)], title=text))
    plain = "".join(page([Sentence(["x"], id="i")], title="t"))
    assert [tag for tag, _ in Elements(whole).found] == [tag for tag, _ in Elements(plain).found]
    whole.encode()
    assert markup.escape(text.strip()) in whole or not text.isprintable()
