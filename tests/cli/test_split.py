"""``biaffinity split`` as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from biaffinity.corpus import check
from biaffinity.formats import read


@pytest.fixture
def split(command, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: command("split", str(samples / "demo" / "train.jsonl"), *arguments)


def test_the_files_hold_all_sentences_and_pass_the_check(split, samples: Path, tmp_path: Path) -> None:
    code, out, err = split("--dev", "0.2", "--test", "0.1", "--out", "data")
    assert (code, err) == (0, "\nwritten to data\n")
    parts = {name: list(read(tmp_path / "data" / f"{name}.jsonl")) for name in ("train", "dev", "test")}
    everything = {own.id for own in read(samples / "demo" / "train.jsonl")}
    assert {own.id for part in parts.values() for own in part} == everything
    assert "repeated-across-splits" not in {problem.code for problem in check(parts).problems}
    rows = {line.split("  ")[0].strip(): line.split()[-3:] for line in out.splitlines()}
    assert rows["sentences"] == [str(len(part)) for part in parts.values()]
    assert [int(count) for count in rows["Work_For"]] == pytest.approx([0.7 * 65, 0.2 * 65, 0.1 * 65], abs=1)


def test_without_a_share_of_test_there_is_none(split, tmp_path: Path) -> None:
    assert split("--test", "0", "--out", "data")[0] == 0
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["dev.jsonl", "train.jsonl"]


def test_files_that_exist_are_not_overwritten(split, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "dev.jsonl").write_text("mine")
    code, _, err = split("--out", "data")
    assert code == 2
    assert err == "error: data/dev.jsonl: already exists (choose another folder for --out)\n"
    assert not (tmp_path / "data" / "train.jsonl").exists()
