"""The mixture that a student reads a second time."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.recipes.test_general_data import script

from biaffinity import formats
from biaffinity.annotation import Sentence

second = script("second_reading")


def write(folder: Path, name: str, words: list[str]) -> Path:
    path = folder / f"{name}.jsonl"
    formats.write(path, [Sentence(tokens=[word, "sleeps", "."], id=word) for word in words], "jsonl")
    return path


def test_all_that_is_near_and_some_of_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second, "REST", 3)
    others = [f"other{number}" for number in range(20)]
    second.prepare(
        write(tmp_path, "gold", ["Ada"]),
        write(tmp_path, "near", ["Bo", "Ada", "Cy"]),
        tmp_path / "out.jsonl",
        rest=[write(tmp_path, "rest", others[:10]), write(tmp_path, "more", others[10:])],
        also=[write(tmp_path, "phrases", ["Di"])],
        held_out=[write(tmp_path, "dev", ["Cy"])],
    )
    read = [sentence.tokens[0] for sentence in formats.read(tmp_path / "out.jsonl")]
    assert read.count("Ada") == second.GOLD_TIMES
    assert "Cy" not in read
    assert {"Bo", "Di"} < set(read)
    assert len(set(read) & set(others)) == 3
