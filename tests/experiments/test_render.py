"""Tables as Markdown, LaTeX and HTML: nothing in a cell can break out of it."""

from __future__ import annotations

import html.parser
import re

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from biaffinity.experiments.page import html_page
from biaffinity.experiments.pictures import Picture
from biaffinity.experiments.render import latex, markdown
from biaffinity.experiments.tables import Table

NASTY = "a_b & 50% of {c} | <d> #1 $x^2 \\ ~"
TABLE = Table(
    "Dev, NER&RC",
    [("", "variant"), ("", "seeds"), ("NER", "ours"), ("NER", "difference")],
    [["(a) full", "10", "86.2 (0.5)**", "+0.3 ✓"], [NASTY, "–", "-1.0", ""]],
    ["* p < 0.05"],
)
PICTURE = Picture("seeds", "every <seed>", "<svg/>", "<svg id='dark'/>", b"")


def test_markdown_rows_have_as_many_cells_as_the_header() -> None:
    lines = [line for line in markdown([TABLE], ["a fact"]).splitlines() if line.startswith("|")]
    assert len(lines) == 4
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {5}
    assert lines[0] == "| variant | seeds | NER ours | NER difference |"
    assert lines[2] == r"| (a) full | 10 | 86.2 (0.5)\*\* | +0.3 ✓ |"


def test_latex_rows_have_as_many_cells_as_the_tabular() -> None:
    text = latex([TABLE])
    assert r"\begin{tabular}{lrrr}" in text
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")].splitlines()[1:]
    assert [len(re.findall(r"(?<!\\)&", line)) for line in body] == [3, 3]
    assert body[0] == r"(a) full & 10 & 86.2 (0.5)\textsuperscript{**} & $+$0.3 $\checkmark$ \\"
    assert r"\multicolumn{2}{c}{} & \multicolumn{2}{c}{NER} \\" in text
    assert r"\cmidrule(lr){3-4}" in text


def test_latex_is_balanced_and_plain_ascii() -> None:
    text = latex([TABLE, TABLE])
    assert text.isascii()
    bare = re.sub(r"\\[\\{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert re.sub(r"\\\$", "", text).count("$") % 2 == 0
    assert re.findall(r"\\begin\{(\w+)\}", text) == ["document", *["table", "tabular"] * 2]
    for name in ("document", "table", "tabular"):
        assert text.count(f"\\begin{{{name}}}") == text.count(f"\\end{{{name}}}")


def test_latex_escapes_what_is_special_to_it() -> None:
    text = latex([TABLE])
    assert r"a\_b \& 50\% of \{c\} | $<$d$>$ \#1 \$x\^{}2 \textbackslash{} \textasciitilde{}" in text


class Balanced(html.parser.HTMLParser):
    """Follows tags; void ones need no end."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "img", "source"):
            self.open.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "srcset", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_is_whole_escapes_text_and_fetches_nothing() -> None:
    page = Balanced()
    text = html_page([TABLE], [PICTURE], ["a fact"])
    page.feed(text)
    assert page.open == []
    assert NASTY in page.texts
    assert "every <seed>" in page.texts
    assert page.links
    assert all(link.startswith("data:image/svg+xml;base64,") for link in page.links)
    assert "86.2 (0.5)<sup>**</sup>" in text


def test_the_page_has_a_picture_for_dark_ground() -> None:
    text = html_page([], [PICTURE], [])
    assert text.count("prefers-color-scheme: dark") == 2
    assert '<source media="(prefers-color-scheme: dark)"' in text
