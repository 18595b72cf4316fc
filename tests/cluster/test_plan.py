from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.bulk.readers import Fault, Fields, Text
from biaffinity.bulk.sources import Inputs
from biaffinity.cluster.plan import Part, make_plan
from biaffinity.cluster.reading import read_part
from biaffinity.errors import DataError, UsageError

pyarrow = pytest.importorskip("pyarrow", reason="needs the extra tables")
lines = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), max_size=12), max_size=12)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(parts: list[Part]) -> list[tuple[str, ...]]:
    return [what(item) for part in parts for item in read_part(part, Fields())]


def what(item: Text | Fault) -> tuple[str, ...]:
    return (item.id, item.text) if isinstance(item, Text) else (item.problem,)


def on_one_machine(name: str, kind: str | None = None) -> list[tuple[str, ...]]:
    return [what(item) for item in Inputs([name], kind=kind)]


def as_csv(texts: list[str], rng: int) -> bytes:
    """Every third cell has a line end in it."""
    rows = io.StringIO()
    writer = csv.writer(rows)
    writer.writerow(["text", "other"])
    writer.writerows([f"{text}\nmore" if n % 3 == rng % 3 else text, n] for n, text in enumerate(texts))
    return rows.getvalue().encode()


@pytest.mark.parametrize("kind", ["jsonl", "lines", "csv", "parquet"])
@given(texts=lines, size=st.integers(1, 200), seed=st.integers(0, 2))
def test_in_parts_of_any_size_the_same_documents_are_read_as_on_one_machine(
    kind: str, texts: list[str], size: int, seed: int
) -> None:
    path = Path(f"in.{kind}")
    if kind == "jsonl":
        broken = [json.dumps({"text": text}) if n % 5 != seed else text for n, text in enumerate(texts)]
        path.write_bytes("".join(f"{line}\n" for line in broken).encode())
    elif kind == "lines":
        path.write_bytes("\n".join(texts).encode())
    elif kind == "csv":
        path.write_bytes(as_csv(texts, seed))
    else:
        from pyarrow import parquet

        parquet.write_table(
            pyarrow.table({"text": pyarrow.array(texts, pyarrow.string())}), path, row_group_size=3
        )
    parts = make_plan([str(path)], kind, part_bytes=size)
    assert read(parts) == on_one_machine(str(path), kind)


def test_parts_are_about_as_large_as_asked_for() -> None:
    Path("in.jsonl").write_text("".join(json.dumps({"text": "x" * 80}) + "\n" for _ in range(1000)))
    parts = make_plan(["in.jsonl"], None, part_bytes=10_000)
    assert 8 <= len(parts) <= 10
    assert sum(part.size for part in parts) == Path("in.jsonl").stat().st_size


def test_a_small_input_is_parts_enough_for_several_and_a_tiny_one_is_not_cut_up() -> None:
    Path("in.lines").write_text("x" * 99 + "\n")
    assert len(make_plan(["in.lines"], "lines")) == 1
    Path("in.lines").write_text(("x" * 99 + "\n") * 20_000)
    assert 20 < len(make_plan(["in.lines"], "lines")) <= 64


def test_a_folder_gives_all_files_whose_kind_is_known_and_small_texts_share_a_part() -> None:
    for name in ("a.txt", "b.md", "c.jsonl", ".hidden.txt", "d.pdf", "_temporary/e.txt", "below/f.txt"):
        path = Path("notes") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"text": "x"}\n')
    parts = make_plan(["notes"], None)
    assert [[file.name for file in part.files] for part in parts] == [
        ["notes/a.txt", "notes/b.md", "notes/below/f.txt"],
        ["notes/c.jsonl"],
    ] or [[file.name for file in part.files] for part in parts] == [
        ["notes/a.txt", "notes/b.md"],
        ["notes/below/f.txt"],
        ["notes/c.jsonl"],
    ]


def test_many_texts_are_several_parts() -> None:
    Path("notes").mkdir()
    for number in range(10):
        (Path("notes") / f"{number}.txt").write_text("x" * 100)
    parts = make_plan(["notes"], None, part_bytes=250)
    assert [len(part.files) for part in parts] == [2] * 5
    assert [name for name, _ in read(parts)] == [f"notes/{number}.txt" for number in range(10)]


def test_a_place_is_found_from_any_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("in.txt").write_text("Bo met Al.")
    parts = make_plan(["in.txt"], None)
    monkeypatch.chdir("/")
    assert read(parts) == [("in.txt", "Bo met Al.")]


def test_a_uri_is_a_name_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "in.lines").write_text("Bo met Al.\nIt rained.\n")
    name = (tmp_path / "in.lines").as_uri()
    assert read(make_plan([name], "lines", part_bytes=5)) == [
        (f"{name}:1", "Bo met Al."),
        (f"{name}:2", "It rained."),
    ]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("none.jsonl", "none.jsonl: no such file or folder"),
        ("empty", "empty: holds no file whose name ends in one of"),
        ("nonsense://x", "nonsense://x: cannot be reached"),
    ],
)
def test_what_cannot_be_read_is_told(name: str, problem: str) -> None:
    Path("empty").mkdir()
    with pytest.raises(DataError, match=problem):
        make_plan([name], None)


def test_a_text_that_is_gone_is_a_document_that_failed() -> None:
    Path("a.txt").write_text("Bo.")
    parts = make_plan(["a.txt"], None)
    Path("a.txt").unlink()
    ((problem,),) = read(parts)
    assert problem.startswith("a.txt: cannot be read: ")


def test_json_is_told_how_to_be_read() -> None:
    Path("a.json").write_text("[]")
    with pytest.raises(UsageError, match="read only as JSON lines"):
        make_plan(["a.json"], None)


def test_a_file_that_is_no_parquet_is_told() -> None:
    Path("a.parquet").write_text("x")
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        make_plan(["a.parquet"], None)


def test_a_column_that_is_not_there_is_told() -> None:
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"body": ["x"]}), "a.parquet")
    with pytest.raises(DataError, match="has no column 'text'"):
        read(make_plan(["a.parquet"], None))
