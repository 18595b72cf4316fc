from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from biaffinity.errors import DataError
from biaffinity.files import (
    existing_file,
    read_json,
    read_json_lines,
    read_lines,
    read_text,
    replacing,
    writing,
)


def test_lines_come_with_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("eins\n\nłódź".encode())
    assert list(read_lines(path)) == [(1, "eins"), (2, ""), (3, "łódź")]


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.touch()
    assert list(read_lines(path)) == []


def test_both_line_ends_are_taken_off_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\r\nb\nc\r\r\n")
    assert list(read_lines(path)) == [(1, "a"), (2, "b"), (3, "c\r")]


def test_other_line_breaks_of_unicode_do_not_end_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a\u2028b\x0bc\x85d\re\n", encoding="utf-8", newline="")
    assert list(read_lines(path)) == [(1, "a\u2028b\x0bc\x85d\re")]


def test_a_byte_order_mark_is_skipped_at_the_start_only(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n")
    assert list(read_lines(path)) == [(1, "a"), (2, "\ufeffb")]


def test_lines_before_a_fault_are_given(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\nbad \xe9\n")
    lines = read_lines(path)
    assert next(lines) == (1, "good")
    with pytest.raises(DataError) as caught:
        next(lines)
    assert str(caught.value) == (
        f"{path}:2: byte 0xe9 is not UTF-8 (convert the file first, e.g. iconv -f latin1 -t utf-8)"
    )


def test_a_whole_text_keeps_its_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\r\nb\r")
    assert read_text(path) == "a\r\nb\r"


def test_a_whole_text_names_the_line_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\nb\n\xff\n")
    with pytest.raises(DataError, match=r":3: byte 0xff is not UTF-8 \("):
        read_text(path)


@pytest.mark.parametrize("read", [read_text, lambda path: list(read_lines(path)), existing_file])
def test_a_missing_file_is_named(read: object, tmp_path: Path) -> None:
    path = tmp_path / "none.txt"
    with pytest.raises(DataError) as caught:
        read(path)  # type: ignore[operator]
    assert str(caught.value) == f"{path}: no such file (check the path)"


@pytest.mark.parametrize("read", [read_text, lambda path: list(read_lines(path)), existing_file])
def test_a_folder_is_not_read_as_a_file(read: object, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read(tmp_path)  # type: ignore[operator]
    assert str(caught.value) == f"{tmp_path}: is a folder, a file is needed here (name a file inside it)"


def test_a_name_that_no_file_can_have_is_an_error_like_any_other(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot be read: File name too long$"):
        existing_file(tmp_path / ("x" * 300))


def test_a_file_that_cannot_be_opened_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.touch()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(DataError, match=r"cannot be read: Permission denied \(check its permissions\)$"):
        list(read_lines(path))
    with pytest.raises(DataError, match=r"cannot be read: Permission denied \(check its permissions\)$"):
        read_text(path)


def test_what_is_written_is_utf8_with_plain_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with writing(path) as file:
        file.write("łódź\n\r\n")
    assert path.read_bytes() == "łódź\n\r\n".encode()


def test_the_folder_is_made_where_it_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "er" / "a.txt"
    with writing(path) as file:
        file.write("x")
    assert path.read_text() == "x"


def test_nothing_stands_at_the_path_before_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with writing(path) as file:
        file.write("x")
        file.flush()
        assert not path.exists()
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_the_old_file_is_there_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with writing(path) as file:
        file.write("new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"


def test_an_error_in_the_block_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), writing(path) as file:
        file.write(f"new {1 / 0}")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def _interrupted() -> Iterator[str]:
    yield "new"
    raise KeyboardInterrupt


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "a.txt") as file:
        file.writelines(_interrupted())
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError) as caught, writing(path) as file:
        file.write("new")
    assert (
        str(caught.value)
        == f"{path}: cannot be written: No space left on device (make room and run it again)"
    )
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_the_text_is_on_the_disk_before_it_takes_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    synced = []

    def watch(descriptor: int) -> None:
        synced.append((os.pread(descriptor, 10, 0), path.exists()))

    monkeypatch.setattr(os, "fsync", watch)
    with writing(path) as file:
        file.write("new")
    assert synced == [(b"new", False)]


def test_a_folder_is_not_written_over(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught, writing(tmp_path):
        pass
    assert str(caught.value) == f"{tmp_path}: is a folder, a file is to be written here"


def test_a_file_cannot_be_a_folder_on_the_way(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    path = tmp_path / "a" / "b.txt"
    with (
        pytest.raises(DataError, match=r"b\.txt: cannot be written: .*a folder on its path is a file"),
        writing(path),
    ):
        pass


def test_half_a_character_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with (
        pytest.raises(DataError, match=r"cannot be written: '\\ud800' is half a character"),
        writing(path) as file,
    ):
        file.write("\ud800")
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_written_through(tmp_path: Path) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to("target.txt")
    with writing(link) as file:
        file.write("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_pipe_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(DataError, match="is no ordinary file and cannot be replaced"), writing(path):
        pass
    assert path.is_fifo()


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_usual_permissions(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        with writing(tmp_path / "a.txt") as file:
            file.write("x")
    finally:
        os.umask(before)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_file_that_another_writer_fills_is_replaced_whole_too(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with replacing(path) as neighbour:
        neighbour.write_bytes(b"\x00\xff")
        assert not path.exists()
    assert path.read_bytes() == b"\x00\xff"
    assert list(tmp_path.iterdir()) == [path]


def test_a_whole_text_keeps_its_byte_order_mark_which_offsets_count(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfa")
    assert read_text(path) == "\ufeffa"


def test_json_may_start_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert read_json(path) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,\n7}', ":2: is not JSON: "),
        ("[1]", ": must hold a JSON object"),
        ('{"a": ' + "[" * 100_000, ": is not JSON to be read here: "),
        ('{"a": ' + "1" * 5000 + "}", ": is not JSON to be read here: "),
    ],
)
def test_what_is_not_a_json_object_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        read_json(path)
    assert str(caught.value).startswith(f"{path}{message}")
    assert "\n" not in str(caught.value)


def test_json_lines_come_with_their_places(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n\n{"a": 2}\n')
    assert list(read_json_lines(path)) == [(f"{path}:1", {"a": 1}), (f"{path}:3", {"a": 2})]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1', "is not JSON: "),
        ("[1]", "must hold a JSON object"),
        ('{"a": ' + "1" * 5000 + "}", "is not JSON to be read here: "),
    ],
)
def test_a_line_that_is_no_json_object_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f"{{}}\n{text}\n")
    with pytest.raises(DataError) as caught:
        list(read_json_lines(path))
    assert str(caught.value).startswith(f"{path}:2: {message}")
