"""Weights as numpy arrays: what is asked for is there in its shape, or one line says why not."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from biaffinity.errors import DataError
from biaffinity.extraction.weights import Weights

TENSORS = {
    "tokens.words.trained": np.arange(6, dtype=np.float32).reshape(3, 2),
    "tokens.words.unseen": np.ones((2, 2), dtype=np.float16),
    "tagger.output.bias": np.array([1.5, -2], dtype=np.float32),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_file(TENSORS, tmp_path / "model.safetensors")
    return tmp_path


def test_a_tensor_comes_in_single_precision_or_as_it_is_stored(folder: Path) -> None:
    weights = Weights.read(folder)
    np.testing.assert_array_equal(
        weights.tensor("tokens.words.trained", 3, 2), TENSORS["tokens.words.trained"]
    )
    assert weights.tensor("tokens.words.unseen", 2, 2).dtype == np.float32
    assert weights.stored("tokens.words.unseen", 2, 2).dtype == np.float16


def test_a_lacking_tensor_is_named(folder: Path) -> None:
    with pytest.raises(DataError, match=r"model.safetensors: lacks the tensor tagger.none"):
        Weights.read(folder).tensor("tagger.none", 2)


def test_a_tensor_of_another_shape_is_named(folder: Path) -> None:
    with pytest.raises(DataError, match=r"tensor tagger.output.bias is \[2\], the config wants \[3\]"):
        Weights.read(folder).tensor("tagger.output.bias", 3)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"model.safetensors: no such file"):
        Weights.read(tmp_path)


def test_the_fingerprint_is_that_of_the_weights_alone(folder: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    again.mkdir()
    save_file(dict(reversed(TENSORS.items())), again / "model.safetensors", {"epoch": "3"})
    assert Weights.read(again).fingerprint() == Weights.read(folder).fingerprint()


def test_another_value_gives_another_fingerprint(folder: Path) -> None:
    before = Weights.read(folder).fingerprint()
    save_file(
        {**TENSORS, "tagger.output.bias": np.array([1.5, -2.0001], np.float32)}, folder / "model.safetensors"
    )
    assert Weights.read(folder).fingerprint() != before


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "half a header": lambda whole: whole[:40],
    "one byte less": lambda whole: whole[:-1],
    "a huge header": lambda whole: b"\xff" * 8 + whole[8:],
    "text": lambda whole: b"version https://git-lfs.example/spec/v1\n",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_named(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match="is damaged") as caught:
        Weights.read(folder)
    assert "\n" not in str(caught.value)


def test_flipped_bytes_in_the_header_never_give_another_kind_of_error(folder: Path) -> None:
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    chance, read = random.Random(0), 0
    for _ in range(300):
        damaged = bytearray(whole)
        damaged[chance.randrange(header)] = chance.randrange(256)
        path.write_bytes(damaged)
        with contextlib.suppress(DataError):
            Weights.read(folder)
            read += 1
    assert read < 300  # most such damage is seen


@pytest.mark.parametrize("kind", ["I32", "U32", "I64"])
def test_whole_numbers_are_no_weights(folder: Path, kind: str) -> None:
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"F32"', f'"{kind}"'.encode()))
    assert path.read_bytes() != whole
    with pytest.raises(DataError):
        Weights.read(folder)
