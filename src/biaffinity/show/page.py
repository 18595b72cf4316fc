"""Drawings in HTML: a fragment for notebooks, and whole pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from biaffinity.annotation import Document, Sentence
from biaffinity.show.drawing import svg
from biaffinity.show.markup import escaped, on_one_line
from biaffinity.show.style import STYLE

_PAGE_STYLE = f"""\
:root{{color-scheme:light dark}}
[data-theme="light"]{{color-scheme:light}}
[data-theme="dark"]{{color-scheme:dark}}
body{{margin:2rem auto;max-width:800px;padding:0 1rem;font:1rem/1.5 Helvetica,Arial,sans-serif;\
background:Canvas;color:CanvasText}}
h1{{font-size:1.5rem}}
figure{{margin:1.5rem 0;content-visibility:auto;contain-intrinsic-size:auto 12rem}}
figcaption{{font-size:.85rem;opacity:.8;overflow-wrap:anywhere}}
{STYLE}"""
END = "</body>\n</html>\n"


def html(annotated: Document | Sentence, *, width: int = 800) -> str:
    """A drawing as a ``<figure>`` that brings its own stylesheet, as notebooks show it."""
    return f"<figure>{svg(annotated, width=width)}</figure>"


def page(documents: Iterable[Document | Sentence], *, title: str, width: int = 800) -> Iterator[str]:
    """A whole page of drawings, piece by piece: however many there are, one is in memory at a time.

    It needs nothing but itself and loads nothing.
    """
    yield beginning(title)
    for document in documents:
        yield figure(document, width=width)
    yield END


def beginning(title: str) -> str:
    """A page up to its first drawing; `END` comes after the last."""
    told = escaped(on_one_line(title))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{told}</title>\n<style>\n{_PAGE_STYLE}</style>\n</head>\n<body>\n<h1>{told}</h1>\n"
    )


def figure(annotated: Document | Sentence, *, width: int = 800) -> str:
    """One drawing of a page, with its id under it."""
    caption = f"<figcaption>{escaped(on_one_line(annotated.id))}</figcaption>" if annotated.id else ""
    return f"<figure>{svg(annotated, width=width, style=False)}{caption}</figure>\n"
