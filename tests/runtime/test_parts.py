"""Tensors as numpy arrays, graphs as functions: what is asked for is there, or one line says why not."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from biaffinity.config.folder import weights_fingerprint
from biaffinity.decoding.arrays import Array
from biaffinity.encoders.character_vectors import characters_graph
from biaffinity.errors import DataError
from biaffinity.runtime.parts import FolderParts

TENSORS = {
    "encoder.words.trained": np.arange(6, dtype=np.float32).reshape(3, 2),
    "encoder.words.unseen": np.ones((2, 2), dtype=np.float16),
    "tagger.output.bias": np.array([1.5, -2], dtype=np.float32),
}


@pytest.fixture
def tensors(tmp_path: Path) -> Path:
    """A folder of weights alone."""
    save_file(TENSORS, tmp_path / "model.safetensors")
    return tmp_path


def read(folder: Path) -> None:
    """Read all tensors of a folder."""
    parts = FolderParts(folder)
    for name, tensor in TENSORS.items():
        parts.tensor(name, *tensor.shape)


def test_a_tensor_comes_in_single_precision_or_as_it_is_stored(tensors: Path) -> None:
    parts = FolderParts(tensors)
    np.testing.assert_array_equal(
        parts.tensor("encoder.words.trained", 3, 2), TENSORS["encoder.words.trained"]
    )
    assert parts.tensor("encoder.words.unseen", 2, 2).dtype == np.float32
    assert parts.rows("encoder.words.unseen", 2, 2).numbers.dtype == np.float16


def whole(folder: Path, scales: Array | None) -> FolderParts:
    """A folder whose words are rows of whole numbers."""
    tensors: dict[str, Array] = {"words": np.array([[1, -2], [3, 4]], dtype=np.int8)}
    save_file(tensors if scales is None else tensors | {"words.scales": scales}, folder / "model.safetensors")
    return FolderParts(folder)


def test_rows_of_whole_numbers_are_multiplied_by_their_scales(tmp_path: Path) -> None:
    rows = whole(tmp_path, np.array([0.5, 2], dtype=np.float16)).rows("words", 2, 2)
    assert rows[np.array([1, 0])].tolist() == [[6, 8], [0.5, -1]]


@pytest.mark.parametrize(
    ("scales", "complaint"),
    [
        (None, "lacks the tensor words.scales"),
        (np.ones(3, dtype=np.float16), r"words.scales is \[3\], the config wants \[2\]"),
        (np.array([1, np.nan], dtype=np.float16), "words.scales holds what is no number"),
        (np.array([1, 2], dtype=np.int8), "not floating-point numbers"),
    ],
)
def test_whole_numbers_without_their_scales_are_refused(
    scales: Array | None, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=complaint):
        whole(tmp_path, scales).rows("words", 2, 2)


def test_whole_numbers_are_rows_alone(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not floating-point numbers"):
        whole(tmp_path, np.ones(2, dtype=np.float16)).tensor("words", 2, 2)


def test_a_lacking_tensor_is_named(tensors: Path) -> None:
    with pytest.raises(DataError, match=r"model.safetensors: lacks the tensor tagger.none"):
        FolderParts(tensors).tensor("tagger.none", 2)


def test_a_tensor_of_another_shape_is_named(tensors: Path) -> None:
    with pytest.raises(DataError, match=r"tensor tagger.output.bias is \[2\], the config wants \[3\]"):
        FolderParts(tensors).tensor("tagger.output.bias", 3)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"model.safetensors: no such file"):
        FolderParts(tmp_path)


def test_the_same_file_elsewhere_has_the_same_fingerprint(tensors: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    again.mkdir()
    (again / "model.safetensors").write_bytes((tensors / "model.safetensors").read_bytes())
    assert weights_fingerprint(again) == weights_fingerprint(tensors)


@pytest.mark.parametrize("name", TENSORS)
def test_another_value_of_any_tensor_gives_another_fingerprint(tensors: Path, name: str) -> None:
    before = weights_fingerprint(tensors)
    changed = TENSORS[name].copy()
    changed.flat[-1] *= 1.001
    save_file({**TENSORS, name: changed}, tensors / "model.safetensors")
    assert weights_fingerprint(tensors) != before


def test_a_fingerprint_of_no_weights_is_an_error_that_names_them(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"model.safetensors"):
        weights_fingerprint(tmp_path)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "half a header": lambda whole: whole[:40],
    "one byte less": lambda whole: whole[:-1],
    "a huge header": lambda whole: b"\xff" * 8 + whole[8:],
    "text": lambda whole: b"version https://git-lfs.example/spec/v1\n",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_named(tensors: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tensors / "model.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=r"model.safetensors: is damaged") as caught:
        read(tensors)
    assert "\n" not in str(caught.value)


def test_flipped_bytes_in_the_header_never_give_another_kind_of_error(tensors: Path) -> None:
    path = tensors / "model.safetensors"
    whole = path.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    chance, sound = random.Random(0), 0
    for _ in range(300):
        damaged = bytearray(whole)
        damaged[chance.randrange(header)] = chance.randrange(256)
        path.write_bytes(damaged)
        with contextlib.suppress(DataError):
            read(tensors)
            sound += 1
    assert sound < 300  # most such damage is seen


@pytest.mark.parametrize("kind", ["I32", "U32", "I64"])
def test_whole_numbers_are_no_weights(tensors: Path, kind: str) -> None:
    path = tensors / "model.safetensors"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"F32"', f'"{kind}"'.encode()))
    assert path.read_bytes() != whole
    with pytest.raises(DataError):
        read(tensors)


def test_a_graph_is_a_function_of_its_inputs_by_name(folder: Path) -> None:
    graph = characters_graph(FolderParts(folder), "encoder", 5, 4)
    vectors = graph({"characters": np.array([[2, 5, 3]]), "lengths": np.array([3])})
    assert (vectors.shape, vectors.dtype) == ((1, 8), np.float32)
