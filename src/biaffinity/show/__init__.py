"""Annotated text as pictures: SVG drawings, HTML for notebooks, pages that work offline."""

from biaffinity.show.drawing import svg
from biaffinity.show.page import html, page
from biaffinity.show.style import STYLE

__all__ = ["STYLE", "html", "page", "svg"]
