"""A document or sentence drawn as SVG."""

from __future__ import annotations

from collections.abc import Iterator

from biaffinity.annotation import Document, EntityMention, RelationMention, Sentence
from biaffinity.show.arcs import DENSE, Arc
from biaffinity.show.boxes import LABEL_SIZE
from biaffinity.show.colours import LIGHT, Tone
from biaffinity.show.layout import Layout, Line, lay_out
from biaffinity.show.marks import NO_MARKS, Mark, Marks, marked_class
from biaffinity.show.markup import escaped, on_one_line
from biaffinity.show.palette import Palette
from biaffinity.show.pieces import SIZE
from biaffinity.show.style import FONTS, STYLE
from biaffinity.show.widths import advance

_ARROW = 7.0
_CORNER = 8.0
_HALF_LABEL = 8.0


def svg(
    annotated: Document | Sentence,
    *,
    width: int = 800,
    style: bool = True,
    marks: Marks = NO_MARKS,
    palette: Palette | None = None,
) -> str:
    """Draw a text with its entities in boxes and its relations as labelled arcs, as one ``<svg>`` element.

    It is at most ``width`` wide, less if the text needs less. With ``style`` it stands alone; without, the
    page it is put into needs the stylesheet `STYLE`. Entities and relations are groups that carry their
    index, type and score as ``data-`` attributes; ``marks`` sets some of them apart. A ``palette``
    gives types the colours that they have in other drawings.
    """
    document = annotated if isinstance(annotated, Document) else Document([annotated.with_text()])
    layout = lay_out(document, width, marks)
    palette = palette or Palette.of((e.type for e in layout.entities), (r.type for r in layout.relations))
    return "".join(_elements(layout, marks, palette, style=style))


def _elements(layout: Layout, marks: Marks, palette: Palette, *, style: bool) -> Iterator[str]:
    size = f'width="{_n(layout.width)}" height="{_n(layout.height)}"'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="biaffinity" {size}'
        f' viewBox="0 0 {_n(layout.width)} {_n(layout.height)}" role="figure"'
        f' aria-label="{_summary(layout)}" font-family="{escaped(FONTS)}">'
    )
    yield f"<desc>{escaped('; '.join(map(_in_words, layout.relations)))}</desc>"
    if style:
        yield f"<style>{STYLE}</style>"
    yield f'<rect class="paper" {size} rx="8" fill="{LIGHT.paper}"/>'
    deepest_first = sorted(range(len(layout.entities)), key=lambda index: -layout.boxes[index].depth)
    for index in deepest_first:
        yield from _entity(
            layout, index, palette.entities[layout.entities[index].type], marks.entities.get(index)
        )
    covering = _covering(layout)
    for line in layout.lines:
        yield _words(layout, line, covering)
    parts: list[list[tuple[Line, Arc]]] = [[] for _ in layout.relations]
    for line in layout.lines:
        for arc in line.arcs:
            parts[arc.relation].append((line, arc))
    for index, arcs in enumerate(parts):
        kind = palette.relations[layout.relations[index].type]
        yield from _relation(layout, index, kind, arcs, marks.relations.get(index))
    yield "</svg>"


def _entity(layout: Layout, index: int, kind: int, mark: Mark | None) -> Iterator[str]:
    """The boxes of an entity, with its type in the first and wherever else it has room."""
    entity, box, tone = layout.entities[index], layout.boxes[index], LIGHT.tones[kind]
    yield (
        f'<g class="entity kind-{kind}{marked_class(mark)}" data-entity="{index}"{_data(entity)}>'
        f"<title>{escaped(_entity_in_words(entity))}</title>"
    )
    label_width = advance(box.label, LABEL_SIZE, bold=True)
    for number, span in enumerate(layout.frames[index]):
        line = layout.lines[span.row]
        top, bottom = line.top(box.depth), line.bottom(box.depth)
        yield (
            f'<rect x="{_n(span.left)}" y="{_n(top)}" width="{_n(span.right - span.left)}"'
            f' height="{_n(bottom - top)}" rx="5" fill="{tone.fill}" stroke="{tone.line}"/>'
        )
        if number == 0 or label_width <= span.right - span.left:
            yield _label(box.label, span.centre, bottom - 6, label_width, tone)
    yield "</g>"


def _covering(layout: Layout) -> dict[int, list[int]]:
    """For every piece that lies in boxes, the entities they stand for, the innermost first."""
    covering: dict[int, list[int]] = {}
    for index in sorted(range(len(layout.boxes)), key=lambda index: layout.boxes[index].depth):
        box = layout.boxes[index]
        for piece in range(box.first, box.last + 1):
            covering.setdefault(piece, []).append(index)
    return covering


def _words(layout: Layout, line: Line, covering: dict[int, list[int]]) -> str:
    """The text of a row; what lies in a box tells of its entity under the mouse."""
    told: list[str] = []
    against = False  # whether the word before runs against the row
    for index in range(line.row.first, line.row.end):
        piece = layout.pieces[index]
        turned = piece.level % 2  # it begins at its right side
        x = piece.x + piece.width * turned
        place = f'x="{_n(x)}" textLength="{_n(piece.width)}" lengthAdjust="spacingAndGlyphs"'
        if piece.gap and told:
            # Set on its own, a space cannot push the word that it follows aside.
            told.append(f'<tspan x="{_n(x)}"> </tspan>' if against else " ")
        against = turned != line.row.base
        if against:
            place += f' direction="{"rtl" if turned else "ltr"}" unicode-bidi="isolate"'
        title = ""
        if index in covering:
            inner = covering[index]
            place += f' data-mention="{" ".join(map(str, inner))}"'
            title = f"<title>{escaped(_entity_in_words(layout.entities[inner[0]]))}</title>"
        told.append(f"<tspan {place}>{title}{escaped(piece.text)}</tspan>")
    direction = ' direction="rtl"' if line.row.base else ""
    return (
        f'<text class="words" y="{_n(line.baseline)}" font-size="{_n(SIZE)}"{direction}'
        f' fill="{LIGHT.ink}">{"".join(told)}</text>'
    )


def _relation(
    layout: Layout, index: int, kind: int, parts: list[tuple[Line, Arc]], mark: Mark | None
) -> Iterator[str]:
    """The arc of a relation, or both its parts, with labels and the arrow head at the tail."""
    relation, (head, tail), tone = layout.relations[index], layout.links[index], LIGHT.tones[kind]
    yield (
        f'<g class="relation kind-{kind}{marked_class(mark)}" data-relation="{index}"'
        f' data-head="{head}" data-tail="{tail}"'
        f"{_data(relation)}><title>{escaped(_in_words(relation))}</title>"
    )
    for line, arc in parts:
        y = line.height_of(arc.level)
        path = _path(layout, line, arc, y)
        yield f'<path class="arc" d="{path}" fill="none" stroke="{tone.line}" stroke-width="1.5"/>'
        if arc.arrow:
            entity, x = (arc.left_entity, arc.left) if arc.arrow < 0 else (arc.right_entity, arc.right)
            assert entity is not None  # an arrow points to one
            yield _arrow(x, line.top(layout.boxes[entity].depth), tone)
        yield (
            f'<rect x="{_n(arc.label_centre - arc.label_width / 2)}" y="{_n(y - _HALF_LABEL)}"'
            f' width="{_n(arc.label_width)}" height="{_n(2 * _HALF_LABEL)}" rx="{_n(_HALF_LABEL)}"'
            f' fill="{LIGHT.paper}" stroke="{tone.line}"/>'
        )
        yield _label(arc.label, arc.label_centre, y + 4, advance(arc.label, LABEL_SIZE, bold=True), tone)
    yield "</g>"


def _path(layout: Layout, line: Line, arc: Arc, y: float) -> str:
    """Up from one entity, along the level, down to the other; an open end runs to the edge."""
    corner = min(_CORNER, (arc.right - arc.left) / 2)
    if arc.left_entity is None:
        path = f"M{_n(arc.left)} {_n(y)}"
    else:
        foot = line.top(layout.boxes[arc.left_entity].depth) - (_ARROW - 1 if arc.arrow < 0 else 0)
        path = _leg(line, arc, arc.left, foot, y + _CORNER)
        path += f"Q{_n(arc.left)} {_n(y)} {_n(arc.left + corner)} {_n(y)}"
    if arc.right_entity is None:
        return f"{path}H{_n(arc.right)}"
    foot = line.top(layout.boxes[arc.right_entity].depth) - (_ARROW - 1 if arc.arrow > 0 else 0)
    path += f"H{_n(arc.right - corner)}Q{_n(arc.right)} {_n(y)} {_n(arc.right)} {_n(y + _CORNER)}"
    return path + _leg(line, arc, arc.right, foot, y + _CORNER)


def _leg(line: Line, arc: Arc, x: float, foot: float, top: float) -> str:
    """From an entity up to the arc, broken off where it would run through the label of a lower one.

    In a dense row it is not: there are too many of both.
    """
    lower = line.arcs if len(line.arcs) <= DENSE else ()
    levels = sorted(other.level for other in lower if other.level < arc.level and other.label_covers(x))
    stops = [foot]
    for level in levels:
        y = line.height_of(level)
        stops += [y + _HALF_LABEL, y - _HALF_LABEL]
    return "".join(f"M{_n(x)} {_n(a)}V{_n(b)}" for a, b in zip(stops[::2], [*stops[1::2], top], strict=True))


def _arrow(x: float, y: float, tone: Tone) -> str:
    points = f"M{_n(x)} {_n(y)}l-4 -{_n(_ARROW)}h8z"
    return f'<path class="arrow" d="{points}" fill="{tone.line}"/>'


def _label(text: str, x: float, y: float, width: float, tone: Tone) -> str:
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" font-size="{_n(LABEL_SIZE)}" font-weight="600" text-anchor="middle"'
        f' textLength="{_n(width)}" lengthAdjust="spacingAndGlyphs" fill="{tone.name}">{escaped(text)}</text>'
    )


def _data(annotation: EntityMention | RelationMention) -> str:
    score = "" if annotation.score is None else f' data-score="{round(annotation.score, 4)}"'
    return f' data-type="{escaped(on_one_line(annotation.type))}"{score}'


def _entity_in_words(entity: EntityMention) -> str:
    return f"{on_one_line(entity.type)}: {on_one_line(entity.text)}{_scored(entity.score)}"


def _in_words(relation: RelationMention) -> str:
    head, tail = on_one_line(relation.head.text), on_one_line(relation.tail.text)
    return f"{on_one_line(relation.type)}: {head} → {tail}{_scored(relation.score)}"


def _scored(score: float | None) -> str:
    return "" if score is None else f" ({score:.2f})"


def _summary(layout: Layout) -> str:
    counts = ((len(layout.entities), "entity", "entities"), (len(layout.relations), "relation", "relations"))
    told = " and ".join(f"{count:,} {one if count == 1 else many}" for count, one, many in counts)
    return f"Text with {told}"


def _n(value: float) -> str:
    """A number as short as it can be written, to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")
