from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from biaffinity import formats
from biaffinity.annotation import Document
from biaffinity.bulk.sinks import format_named
from bulk.sinks.example import DOCUMENT


def finished(name: str, tmp_path: Path, *documents: Document) -> tuple[Path, str]:
    """What a format of annotated text makes of documents, and what it reports."""
    form = format_named(name, tmp_path / "out", by=formats.Machine("news 1a"))
    assert form.finish is not None
    (tmp_path / "records").write_text("".join(map(form.render, documents)), encoding="utf-8")
    form.finish(tmp_path / "records", tmp_path / "out", False)
    return tmp_path / "out", str(form.report)


def named(name: str) -> Document:
    return replace(DOCUMENT, id=name)


@pytest.mark.parametrize("name", ["brat", "doccano", "labelstudio", "spert"])
def test_annotated_text_is_written_in_its_formats(name: str, tmp_path: Path) -> None:
    out, report = finished(name, tmp_path, named("a"), named("b"), Document([], id="c"))
    assert "1 x empty document left out (e.g. c)" in report
    assert ("scores not carried over" in report) == (name == "spert")
    again = list(formats.read(out, name))
    assert [s.tokens for s in again] == [s.tokens for s in DOCUMENT.sentences] * 2
    if name == "labelstudio":  # a machine's labels are not read as annotation
        assert not any(s.entities for s in again)
    else:
        assert [len(s.relations) for s in again] == [0, 1] * 2


@pytest.mark.parametrize(
    ("ids", "texts"),
    [
        (["notes/a.txt", "notes/sub/b.txt"], ["a.txt", "sub/b.txt"]),
        (["/data/notes/a.txt"], ["a.txt"]),
        (["a.txt", "notes/b.txt"], ["a.txt", "notes/b.txt"]),
        (["1", "2"], ["1.txt", "2.txt"]),
        (["x", "x", "x"], ["x-2.txt", "x-3.txt", "x.txt"]),
        (["x", "x-2", "x", "x"], ["x-2.txt", "x-3.txt", "x-4.txt", "x.txt"]),
        (["notes/a.txt", "/data/b.txt"], ["data/b.txt", "notes/a.txt"]),
    ],
)
def test_a_text_file_keeps_its_name_in_brat(ids: list[str], texts: list[str], tmp_path: Path) -> None:
    out, report = finished("brat", tmp_path, *map(named, ids))
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*.txt")) == texts
    assert ("id changed" in report) == ("/data/b.txt" in ids)


@pytest.mark.parametrize("name", ["doccano", "labelstudio"])
def test_other_tools_are_told_the_whole_id(name: str, tmp_path: Path) -> None:
    out, _ = finished(name, tmp_path, named("notes/a.txt"))
    assert {s.document for s in formats.read(out, name)} == {"notes/a.txt"}
