"""A drawing read back: its parts as rectangles and words, for tests to measure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

from hypothesis import strategies as st

from biaffinity.annotation import Document, Entity, Relation, Sentence
from biaffinity.show import svg
from biaffinity.show.markup import visible
from strategies import ENTITY_TYPES, RELATION_TYPES

NAMESPACE = "{http://www.w3.org/2000/svg}"
# Every character there is, those that XML forbids and halves of characters included.
ANYTHING = st.text(st.characters(categories=None), min_size=1, max_size=8)


@dataclass(frozen=True)
class Rectangle:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Rectangle) -> bool:
        """Whether they share more than rounding to a tenth explains."""
        return (
            min(self.right, other.right) - max(self.left, other.left) > 0.2
            and min(self.bottom, other.bottom) - max(self.top, other.top) > 0.2
        )

    def holds(self, other: Rectangle) -> bool:
        return (
            self.left <= other.left + 0.2
            and other.right <= self.right + 0.2
            and self.top <= other.top + 0.2
            and other.bottom <= self.bottom + 0.2
        )


class Drawn:
    """The parts of a drawing."""

    def __init__(self, annotated: Document | Sentence, width: int = 800) -> None:
        self.source = svg(annotated, width=width)
        self.root = ElementTree.fromstring(self.source)
        self.paper = rectangle(self.root.find(f"{NAMESPACE}rect"))

    def groups(self, kind: str) -> list[ElementTree.Element]:
        return [g for g in self.root.findall(f"{NAMESPACE}g") if g.get("class", "").split()[0] == kind]

    def rectangles(self, kind: str) -> list[list[Rectangle]]:
        """The rectangles of every group of a kind."""
        return [[rectangle(r) for r in group.findall(f"{NAMESPACE}rect")] for group in self.groups(kind)]

    def rows(self) -> list[list[tuple[Rectangle, str, str]]]:
        """For every row its words: where each is, what it says, and the entities it lies in."""
        rows = []
        for row in self.root.findall(f"{NAMESPACE}text"):
            y = float(row.get("y", ""))
            base = row.get("direction", "ltr")
            words = []
            for span in row.findall(f"{NAMESPACE}tspan"):
                if span.get("textLength") is None:
                    continue  # white space
                x, width = float(span.get("x", "")), float(span.get("textLength", ""))
                left = x - width if span.get("direction", base) == "rtl" else x
                said = said_by(span)
                words.append((Rectangle(left, y - 8, left + width, y), said, span.get("data-mention", "")))
            rows.append(words)
        return rows

    def legs(self) -> list[Rectangle]:
        """The upright lines of all arcs."""
        found = []
        for group in self.groups("relation"):
            for path in group.findall(f"{NAMESPACE}path[@class='arc']"):
                for x, start, end in re.findall(r"M(\S+) (\S+?)V([-\d.]+)", path.get("d", "")):
                    low, high = sorted((float(start), float(end)))
                    found.append(Rectangle(float(x) - 0.5, low, float(x) + 0.5, high))
        return found


def said_by(element: ElementTree.Element) -> str:
    """The text of an element without its tooltip."""
    return (element.text or "") + "".join(
        (said_by(child) if child.tag != f"{NAMESPACE}title" else "") + (child.tail or "") for child in element
    )


def rectangle(element: ElementTree.Element | None) -> Rectangle:
    assert element is not None
    x, y = float(element.get("x", 0)), float(element.get("y", 0))
    return Rectangle(x, y, x + float(element.get("width", "")), y + float(element.get("height", "")))


def words(text: str) -> str:
    """What of a text is to be seen."""
    return "".join(
        re.sub(r"[\t\n\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]", "", visible(text))
    )


@st.composite
def odd_sentences(draw: st.DrawFn) -> Sentence:
    """Tokens and types of any characters at all."""
    tokens = draw(st.lists(ANYTHING, min_size=1, max_size=6))
    types = draw(st.lists(ANYTHING, min_size=1, max_size=3))
    entities = []
    for start in draw(st.sets(st.integers(0, len(tokens) - 1))):
        end = draw(st.integers(start + 1, len(tokens)))
        entities.append(Entity(start, end, draw(st.sampled_from(types))))
    relations = [
        Relation(draw(ANYTHING), head, head + 1, draw(st.none() | st.floats(0, 1)))
        for head in range(len(entities) - 1)
    ]
    return Sentence(tokens, entities, relations, id=draw(ANYTHING))


@st.composite
def dense_sentences(draw: st.DrawFn) -> Sentence:
    """Entities side by side and within each other, with many relations among them."""
    length = draw(st.integers(4, 30))
    tokens = draw(
        st.lists(st.sampled_from(["a", "Osk", "Norvik", "reporter", "محمد", "日本", ","]), min_size=length)
    )
    entities = [
        Entity(start, start + draw(st.integers(1, 2)), draw(st.sampled_from(ENTITY_TYPES)))
        for start in range(0, len(tokens) - 1, 2)
    ]
    if draw(st.booleans()):
        entities.append(Entity(0, min(len(tokens), 7), "Other"))
    pairs = [(head, tail) for head in range(len(entities)) for tail in range(len(entities)) if head != tail]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=14, unique=True)) if pairs else []
    relations = [Relation(draw(st.sampled_from(RELATION_TYPES)), head, tail) for head, tail in chosen]
    return Sentence(tokens, entities, relations)
