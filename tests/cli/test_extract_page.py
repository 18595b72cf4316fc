"""``biaffinity extract --html``; capitalised words are the names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biaffinity.config.folder import read_description
from biaffinity.extraction.loading import model_folder
from biaffinity.show.page import beginning, ending, figure
from biaffinity.show.palette import Palette
from bulk import capitals


def page_of(*texts: str) -> str:
    """The page as `biaffinity.show` makes it."""
    found = capitals.load().stream([(text, str(number)) for number, text in enumerate(texts, start=1)])
    news = read_description(model_folder(None)).decoding.schema
    palette = Palette.of(news.entity_types, news.relation_types)
    drawings = [figure(document, palette) for document, _ in found]
    return "".join([beginning("Entities and relations"), *drawings, ending(palette)])


def test_a_text_is_drawn_and_the_page_told(extract) -> None:
    assert extract("Bo met Al.", "--html", "a.html") == (0, "", "1 document drawn in a.html\n")
    assert Path("a.html").read_text(encoding="utf-8") == page_of("Bo met Al.")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_all_documents_of_a_run_are_on_the_page_in_order(extract, workers: str) -> None:
    texts = [f"Bo{number} met Al." for number in range(30)]
    Path("a.txt").write_text("\n".join(texts), encoding="utf-8")
    code, out, err = extract("a.txt", "--from", "lines", "--html", "deep/a.html", "--workers", workers)
    assert (code, out, err) == (0, "", "30 documents drawn in deep/a.html\n")
    drawn = Path("deep/a.html").read_text(encoding="utf-8")
    assert [drawn.index(f">Bo{number}<") for number in range(30)] == sorted(
        drawn.index(f">Bo{number}<") for number in range(30)
    )
    assert drawn.count("<figure>") == 30


def test_an_earlier_page_is_replaced(extract) -> None:
    Path("a.html").write_text("old")
    extract("Bo met Al.", "--html", "a.html")
    assert Path("a.html").read_text(encoding="utf-8") == page_of("Bo met Al.")


def test_with_a_format_the_answer_is_printed_as_well(extract) -> None:
    code, out, err = extract("Bo met Al.", "It rained.", "--html", "a.html", "--format", "jsonl")
    assert (code, err) == (0, "")
    assert [json.loads(line)["text"] for line in out.splitlines()] == ["Bo met Al.", "It rained."]
    assert Path("a.html").read_text(encoding="utf-8") == page_of("Bo met Al.", "It rained.")


def test_with_a_table_the_page_is_written_as_well(extract) -> None:
    _, out, _ = extract("Bo met Al.", "--html", "a.html", "--format", "table")
    assert "Bo -> Al" in out
    assert Path("a.html").read_text(encoding="utf-8") == page_of("Bo met Al.")


def test_what_is_left_out_is_told_and_the_exit_code_says_so(extract) -> None:
    Path("a.txt").write_text("Bo.\nBoom\nWarn Al.\n")
    code, out, err = extract("a.txt", "--from", "lines", "--html", "a.html")
    assert (code, out) == (1, "")
    assert err.splitlines() == [
        "note: document a.txt:3: beware",
        "left out: a.txt:2: ZeroDivisionError: boom",
        "2 documents drawn in a.html (1 left out)",
    ]
    assert Path("a.html").read_text(encoding="utf-8").count("<figure>") == 2


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (
            ["Bo.", "--html", "a.html", "--out", "b.jsonl"],
            2,
            "error: --html does not go with --out (print the",
        ),
        (["none.txt", "--html", "a.html"], 1, "error: none.txt: no such file or folder (check the path; "),
        (["Bo.", "--html", "old.html/a.html"], 1, "error: old.html/a.html: cannot be written: "),
    ],
)
def test_mistakes_are_one_line_and_leave_what_was_there(
    extract, arguments: list[str], code: int, told: str
) -> None:
    Path("old.html").write_text("old")
    left, out, err = extract(*arguments)
    assert (left, out) == (code, "")
    assert err.startswith(told)
    assert err.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == ["old.html"]


def test_half_a_character_is_drawn_as_a_sign(extract) -> None:
    Path("a.jsonl").write_text('{"id": "1", "text": "Bo \\ud800 met Al."}\n')
    code, _, err = extract("a.jsonl", "--html", "a.html")
    assert (code, err) == (0, "1 document drawn in a.html\n")
    assert ">\ufffd<" in Path("a.html").read_text(encoding="utf-8")
