"""Drawings in HTML: a fragment for notebooks, and whole pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files

from biaffinity.annotation import Document, EntityMention, RelationMention, Sentence
from biaffinity.show.drawing import svg
from biaffinity.show.markup import escaped, on_one_line
from biaffinity.show.palette import Palette
from biaffinity.show.style import STYLE

#: The width of drawings for a telephone; page.css shows them where the window is narrow.
NARROW = 350


def html(annotated: Document | Sentence, *, width: int = 800) -> str:
    """A drawing as a ``<figure>`` that brings its own stylesheet, as notebooks show it."""
    return f"<figure>{svg(annotated, width=width)}</figure>"


def page(documents: Iterable[Document | Sentence], *, title: str, width: int = 800) -> Iterator[str]:
    """A whole page of drawings, piece by piece: however many there are, one is in memory at a time.

    A type has the same colour in all of them. It needs nothing but itself and loads nothing.
    """
    palette = Palette.growing()
    yield beginning(title)
    for document in documents:
        yield figure(document, palette, width=width)
    yield ending(palette)


def beginning(title: str) -> str:
    """A page up to its first drawing; `ending` comes after the last."""
    told = escaped(on_one_line(title))
    style = files("biaffinity.show").joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{told}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n<h1>{told}</h1>\n"
    )


def figure(annotated: Document | Sentence, palette: Palette, *, width: int = 800) -> str:
    """One text of a page: its drawing, for wide windows and for narrow ones, and below it every score."""
    document = annotated if isinstance(annotated, Document) else Document([annotated.with_text()])
    caption = f"<figcaption>{escaped(on_one_line(annotated.id))}</figcaption>" if annotated.id else ""
    drawings = (
        f'<div class="{name}">{svg(annotated, width=room, style=False, palette=palette)}</div>'
        for name, room in (("wide", width), ("narrow", min(NARROW, width)))
    )
    return f"<figure>{''.join(drawings)}{caption}{''.join(_scores(document, palette))}</figure>\n"


def ending(palette: Palette) -> str:
    """The legend, which the stylesheet puts first: all types are known only now; and the end of the page."""
    entries = (
        f'<li class="{of} kind-{kind}">{escaped(on_one_line(name))}</li>'
        for of, types in (("entity", palette.entities), ("relation", palette.relations))
        for name, kind in sorted(types.items())
    )
    return f'<ul class="legend biaffinity" aria-label="Colours">{"".join(entries)}</ul>\n</body>\n</html>\n'


def _scores(document: Document, palette: Palette) -> Iterator[str]:
    """Relations with their scores, and entities with theirs, folded."""
    if document.relations:
        yield '<table class="biaffinity">'
        for relation in document.relations:
            names = f"{_shown(relation.head.text)} → {_shown(relation.tail.text)}"
            yield _row("relation", relation, palette.relations[relation.type], names)
        yield "</table>"
    if document.entities:
        count = len(document.entities)
        yield f"<details><summary>{count} {'entity' if count == 1 else 'entities'}</summary>"
        yield '<table class="biaffinity">'
        for entity in document.entities:
            yield _row("entity", entity, palette.entities[entity.type], _shown(entity.text))
        yield "</table></details>"


def _row(of: str, found: EntityMention | RelationMention, kind: int, names: str) -> str:
    score = "" if found.score is None else f"{found.score:.2f}"
    label = f'<span class="{of} kind-{kind}">{escaped(on_one_line(found.type))}</span>'
    return f'<tr><td>{label}</td><td dir="auto">{names}</td><td class="score">{score}</td></tr>'


def _shown(text: str) -> str:
    return escaped(on_one_line(text))
