"""Every kind of vector file is written here byte by byte and read back; then every way it can be wrong."""

from __future__ import annotations

import gzip
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from biaffinity.annotation import Sentence
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.encoders.recurrent.vectors import (
    Coverage,
    WordVectors,
    coverage,
    load_vectors,
    load_vectors_for,
)
from biaffinity.errors import DataError

Rows = list[tuple[str, list[float]]]

ROWS: Rows = [("the", [0.5, -1.25, 0.0]), ("Brünn", [1.0, 2.0, -3e-05]), ("'s", [0.125, 7.0, 1e10])]


def glove(rows: Rows) -> bytes:
    lines = (" ".join([word, *(repr(number) for number in vector)]) for word, vector in rows)
    return "".join(f"{line}\n" for line in lines).encode()


def word2vec_text(rows: Rows) -> bytes:
    return f"{len(rows)} {len(rows[0][1])}\n".encode() + glove(rows)


def word2vec_binary(rows: Rows, end: bytes = b"\n") -> bytes:
    header = f"{len(rows)} {len(rows[0][1])}\n".encode()
    return header + b"".join(
        word.encode() + b" " + np.array(vector, dtype="<f4").tobytes() + end for word, vector in rows
    )


def plain(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def gzipped(path: Path, content: bytes) -> Path:
    return plain(path, gzip.compress(content))


def zipped(path: Path, content: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/", b"")
        archive.writestr("folder/vectors", content)
    return path


def word_list(path: Path, rows: Rows) -> Path:
    np.save(path.with_name("list.f32.npy"), np.array([vector for _, vector in rows], dtype=np.float32))
    return plain(path.with_name("list.words.txt"), "".join(f"{word}\n" for word, _ in rows).encode())


KINDS = {
    f"{kind.__name__} {packing.__name__}": (kind, packing)
    for kind in (glove, word2vec_text, word2vec_binary)
    for packing in (plain, gzipped, zipped)
}


def written(name: str, path: Path, rows: Rows) -> Path:
    if name == "word list":
        return word_list(path, rows)
    kind, packing = KINDS[name]
    return packing(path, kind(rows))


def assert_holds(vectors: WordVectors, rows: Rows) -> None:
    assert list(vectors.words) == [word for word, _ in rows]
    expected = np.array([vector for _, vector in rows], dtype=np.float32)
    np.testing.assert_array_equal(vectors.matrix, expected.reshape(len(rows), vectors.dimension))


@pytest.mark.parametrize("kind", [*KINDS, "word list"])
def test_each_kind_is_read_as_written_whatever_its_name(kind: str, tmp_path: Path) -> None:
    path = written(kind, tmp_path / "vectors", ROWS)
    vectors = load_vectors(path)
    assert_holds(vectors, ROWS)
    assert (len(vectors), vectors.dimension, vectors.source) == (3, 3, path.name)


def test_a_word_is_found_exactly_or_not_at_all(tmp_path: Path) -> None:
    vectors = load_vectors(plain(tmp_path / "v.txt", glove(ROWS)))
    assert [vectors.row(word) for word in ("the", "Brünn", "'s", "The")] == [0, 1, 2, None]
    assert "the" in vectors
    assert "The" not in vectors


vector = st.lists(st.integers(-40, 40).map(lambda number: number / 8), min_size=3, max_size=3)
repeating_rows = st.lists(st.tuples(st.sampled_from("abcdefgh"), vector), min_size=1, max_size=12)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from([*KINDS, "word list"]),
    rows=repeating_rows,
    wanted=st.none() | st.sets(st.sampled_from("abcdefgh")),
    limit=st.none() | st.integers(0, 14),
)
def test_kept_are_first_vectors_of_wanted_words_and_of_the_first_rows(
    kind: str, rows: Rows, wanted: set[str] | None, limit: int | None, tmp_path: Path
) -> None:
    first_rows = {word: row for row, (word, _) in reversed(list(enumerate(rows)))}
    expected = [
        (word, vector)
        for row, (word, vector) in enumerate(rows)
        if first_rows[word] == row
        and (row < (limit or 0) or word in (wanted or ()) or (wanted is None and limit is None))
    ]
    vectors = load_vectors(written(kind, tmp_path / "vectors", rows), wanted, limit)
    assert_holds(vectors, expected)
    assert vectors.dimension == 3


def test_wanted_may_be_a_question(tmp_path: Path) -> None:
    path = plain(tmp_path / "v.txt", glove(ROWS))
    assert load_vectors(path, wanted=str.istitle).words == ["Brünn"]


def test_a_limit_alone_ends_the_reading(tmp_path: Path) -> None:
    path = plain(tmp_path / "v.txt", glove(ROWS) + b"broken line\n")
    assert load_vectors(path, limit=2).words == ["the", "Brünn"]


def test_numbers_of_rows_left_out_are_not_parsed(tmp_path: Path) -> None:
    path = plain(tmp_path / "v.txt", glove(ROWS) + b"bad x y z\n")
    assert load_vectors(path, wanted={"the"}).words == ["the"]


def printable(character: str) -> bool:
    return character >= " " and character != "\ufeff"


token = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" ").filter(printable), min_size=1
)
phrase = st.lists(token, min_size=1, max_size=3).map(lambda pieces: " ".join([*pieces, "x"])) | token


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.integers(2, 6))
def test_text_round_trip(tmp_path: Path, data: st.DataObject, dimension: int) -> None:
    floats = st.floats(width=32, allow_nan=False, allow_infinity=False)
    vectors = st.lists(floats, min_size=dimension, max_size=dimension)
    # The first row tells the dimension where no header does, so its word is a single token.
    first = data.draw(st.tuples(token, vectors))
    more = data.draw(st.lists(st.tuples(phrase, vectors), max_size=6, unique_by=lambda row: row[0]))
    rows = [first, *(row for row in more if row[0] != first[0])]
    for written in (glove(rows), word2vec_text(rows)):
        assert_holds(load_vectors(plain(tmp_path / "vectors.txt", written)), rows)


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfa 1 2\nb 3 4\n",
        b"a 1 2\r\nb 3 4\r\n",
        b"a 1 2 \nb 3 4 \n",
        b"a\t1\t2\nb\t3\t4\n",
        b"a  1 2\nb 3  4\n",
        b"\n a 1 2\n\n\nb 3 4\n\n",
        b"a 1 2\nb 3 4",
        b"2 2\na 1 2\nb 3 4",
        b"\n2 2\n\na 1 2\nb 3 4\n",
        b"a 1 2\nb 3 4\na 5 6\n",
    ],
    ids=["mark", "crlf", "space at end", "tabs", "two spaces", "blank", "no end", "header", "late", "double"],
)
def test_small_liberties_of_text_are_taken(content: bytes, tmp_path: Path) -> None:
    vectors = load_vectors(plain(tmp_path / "v.txt", content))
    assert_holds(vectors, [("a", [1, 2]), ("b", [3, 4])])


def test_a_word_with_spaces_is_split_from_the_right(tmp_path: Path) -> None:
    path = plain(tmp_path / "v.txt", b"a 1 2\n. . . 3 4\nWindows 95 5 6\n")
    assert load_vectors(path).words == ["a", ". . .", "Windows 95"]


def test_binary_rows_need_no_line_end(tmp_path: Path) -> None:
    assert_holds(load_vectors(plain(tmp_path / "v.bin", word2vec_binary(ROWS, end=b""))), ROWS)


def test_binary_rows_larger_together_than_a_block_are_all_read(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    rows: Rows = [(f"w{i}", generator.random(40_000, dtype=np.float32).tolist()) for i in range(16)]
    assert_holds(load_vectors(plain(tmp_path / "v.bin", word2vec_binary(rows))), rows)


def test_a_character_cut_in_a_binary_word_does_not_stop_the_reading(tmp_path: Path) -> None:
    content = word2vec_binary([("aé", [1, 2]), ("b", [3, 4])]).replace("é".encode(), "é".encode()[:1])
    vectors = load_vectors(plain(tmp_path / "v.bin", content))
    assert_holds(vectors, [("a\N{REPLACEMENT CHARACTER}", [1, 2]), ("b", [3, 4])])


def test_a_whole_word_list_is_mapped_in_its_own_type(tmp_path: Path) -> None:
    matrix = np.arange(6, dtype=np.float16).reshape(2, 3)
    np.save(tmp_path / "glove.f16.npy", matrix)
    vectors = load_vectors(plain(tmp_path / "glove.words.txt", b"a\r\nb c\r\n"))
    assert isinstance(vectors.matrix, np.memmap)
    assert vectors.matrix.dtype == np.float16
    assert vectors.words == ["a", "b c"]
    np.testing.assert_array_equal(vectors.matrix, matrix)


def test_a_blank_line_of_a_word_list_has_its_row(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.eye(3))
    vectors = load_vectors(plain(tmp_path / "v.words.txt", b"a\n\nc\n"))
    assert vectors.row("c") == 2


@pytest.mark.parametrize(
    ("content", "where", "what"),
    [
        (b"", "v", "is empty"),
        (b" \n\n", "v", "is empty"),
        (b"0 3\n", "v", "holds 0 words"),
        (b"3 2\na 1 2\nb 1 2\n", "v", "holds 2 words, its first line promises 3"),
        (b"a 1 2\nb 1\n", "v:2", "has 2 columns, expected 3"),
        (b"a 1 2\nb 1.5 2 3\n", "v:2", "has 4 columns, expected 3"),
        (b"a 1 2\n\nb\n", "v:3", "has 1 columns, expected 3"),
        (b"1 3\na 1 2\n", "v:2", "has 3 columns, expected 4"),
        (b"a 1 2\nb 1 x\n", "v:2", "'x' is not a number"),
        (b"a 1 two\nb 1 2\n", "v:1", "'two' is not a number"),
        (b"a 1 2\nb 1 \xe9\n", "v:2", "is not a number"),
        (b"a 1 2\nb 1 1_0\n", "v:2", "is not a number"),
        (b"a 1 2\n\nb 1 nan\n", "v:3", "NaN or infinity"),
        (b"a 1 2\nb -inf 1\n", "v:2", "NaN or infinity"),
        (b"a 1 2\nb 1e99 1\n", "v:2", "NaN or infinity"),
        (b"a 1 2\nBr\xfcnn 1 2\n", "v:2", "byte 0xfc is not UTF-8"),
        (b"a\nb\nc\n", "v", "holds words without numbers"),
        (b"\x93NUMPY\x01\x00v\x00{}", "v", "is not a file of word vectors"),
        (b"3 9999999999\na \x00\x00\x00\x00", "v", "is not a file of word vectors"),
        (word2vec_binary(ROWS)[:-5], "v", "ends in row 3 of 3"),
        (word2vec_binary(ROWS)[:12], "v", "ends in row 1 of 3"),
        (word2vec_binary([("a", [0, 1]), ("b", [float("nan"), 1])]), "v: row 2", "NaN or infinity"),
        (gzip.compress(glove(ROWS * 99), mtime=0)[:-20], "v", "is damaged or cut short"),
        (b"\x1f\x8bnot gzip after all", "v", "is damaged or cut short"),
        (b"PK\x03\x04not zip after all", "v", "is damaged or cut short"),
    ],
)
def test_a_fault_is_named_with_its_place(content: bytes, where: str, what: str, tmp_path: Path) -> None:
    path = plain(tmp_path / "v", content)
    with pytest.raises(DataError) as caught:
        load_vectors(path)
    assert caught.value.where == str(path) + where.removeprefix("v")
    assert what in caught.value.what
    assert caught.value.remedy
    assert "\n" not in str(caught.value)


def test_an_archive_of_several_files_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "v.zip", glove(ROWS))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("other", b"")
    with pytest.raises(DataError, match="is an archive of 2 files") as caught:
        load_vectors(path)
    assert "unpack it" in (caught.value.remedy or "")


def test_a_locked_archive_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "v.zip", glove(ROWS))
    content = bytearray(path.read_bytes())
    # Bit 0 of a member's flags says that it is encrypted; they stand in the member and in the directory.
    content[content.rindex(b"PK\x03\x04") + 6] |= 1
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be unpacked"):
        load_vectors(path)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder"):
        load_vectors(tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        load_vectors(tmp_path / "v.txt")


@pytest.mark.parametrize(
    ("matrices", "where", "what"),
    [
        ({}, "v.words.txt", "no matrix v.*.npy beside it"),
        ({"v2.npy": np.eye(2)}, "v.words.txt", "no matrix v.*.npy beside it"),
        (
            {"v.a.npy": np.eye(2), "v.b.npy": np.eye(2)},
            "v.words.txt",
            "several matrices beside it: v.a.npy, v.b",
        ),
        ({"v.npy": np.eye(3)}, "v.npy", "has 3 rows for the 2 lines of v.words.txt"),
        ({"v.npy": np.ones(2)}, "v.npy", "with 1 dimensions, a matrix of floats is needed"),
        ({"v.npy": np.eye(2, dtype=int)}, "v.npy", "is an array of int64"),
        (
            {"v.npy": np.array([["a"], [1.5]], dtype=object)},
            "v.npy",
            "is not a numpy array that can be mapped",
        ),
    ],
)
def test_a_matrix_that_does_not_fit_its_words_is_refused(
    matrices: dict[str, np.ndarray], where: str, what: str, tmp_path: Path
) -> None:
    path = plain(tmp_path / "v.words.txt", b"a\nb\n")
    for name, matrix in matrices.items():
        np.save(tmp_path / name, matrix)
    with pytest.raises(DataError) as caught:
        load_vectors(path)
    assert caught.value.where == str(tmp_path / where)
    assert what in caught.value.what
    assert caught.value.remedy


@pytest.mark.parametrize("size", [0, 20, 130])
def test_a_matrix_cut_short_is_refused(size: int, tmp_path: Path) -> None:
    path = word_list(tmp_path / "v", ROWS)
    matrix = tmp_path / "list.f32.npy"
    matrix.write_bytes(matrix.read_bytes()[:size])
    with pytest.raises(DataError, match=r"list\.f32\.npy: is not a numpy array that can be mapped"):
        load_vectors(path)


def test_a_row_chosen_from_a_matrix_is_checked(tmp_path: Path) -> None:
    path = word_list(tmp_path / "v", [*ROWS, ("bad", [0.0, float("inf"), 0.0])])
    assert load_vectors(path, wanted={"the"}).words == ["the"]
    with pytest.raises(DataError, match=r"list\.words\.txt:4: the vector holds NaN or infinity"):
        load_vectors(path, wanted={"the", "bad"})


def test_coverage_counts_words_and_tokens() -> None:
    vectors = WordVectors(["a", "b"], np.eye(2), source="v")
    assert coverage(Counter("aaabxyy"), vectors) == Coverage(words=4, known_words=2, tokens=7, known_tokens=4)


def test_coverage_of_a_stream_of_words_counts_it() -> None:
    vectors = WordVectors(["a", "b"], np.eye(2), source="v")
    assert coverage(iter("aaabxyy"), vectors) == coverage(Counter("aaabxyy"), vectors)


def test_coverage_of_nothing_can_be_printed() -> None:
    assert str(coverage([], WordVectors(["a"], np.eye(1), source="v"))) == "0.0% of 0 words, 0.0% of 0 tokens"


FREQUENT: Rows = [(word, [1.0]) for word in ("the", "of", "in", "ida", "and", "met", "solund", "per")]
SENTENCES = [Sentence(["Ida", "MET", "Per"]), Sentence(["ida", "1994"])]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        # As many rows more as there are words, since any of those may be among the first.
        ({"keep_unseen": 2}, ["the", "of", "in", "ida", "and", "met", "per"]),
        ({"keep_unseen": 0}, ["ida", "met", "per"]),
        ({"unseen_words": "unk"}, ["ida", "met", "per"]),
    ],
    ids=["some others", "no others", "others unknown"],
)
def test_of_a_large_file_only_what_an_encoder_can_use_is_kept(
    settings: dict[str, Any], words: list[str], tmp_path: Path
) -> None:
    path = plain(tmp_path / "vectors", glove(FREQUENT))
    assert load_vectors_for(RecurrentSettings(**settings), path, SENTENCES).words == words


def test_words_are_looked_for_in_the_form_that_the_encoder_reads(tmp_path: Path) -> None:
    path = plain(tmp_path / "vectors", glove([("NUM", [1.0]), ("Ida", [2.0]), ("ida", [3.0])]))
    settings = RecurrentSettings(normalisation="paper", unseen_words="unk")
    assert load_vectors_for(settings, path, SENTENCES).words == ["NUM", "ida"]
