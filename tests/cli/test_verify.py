"""``biaffinity verify``: file by file what is right or wrong, and an exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from biaffinity.config.seal import seal, unseal


@pytest.fixture
def spare(folder: Path, tmp_path: Path) -> Path:
    """A whole model for a test to spoil."""
    return shutil.copytree(folder, tmp_path / "model")


def test_a_sound_model_is_right(command, folder: Path) -> None:
    code, out, err = command("verify", str(folder))
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()[1:]] == [
        ["config.json", "right"],
        ["emissions.onnx", "right"],
        ["encoder.characters.onnx", "right"],
        ["model.safetensors", "right"],
        ["pairs.onnx", "right"],
        ["states.onnx", "right"],
        ["vocabulary.json", "right"],
        ["all", "of", "it", "right"],
    ]


def test_the_news_model_goes_by_its_name(command) -> None:
    code, out, _ = command("verify", "news", "--json")
    assert code == 0
    assert json.loads(out)["sound"]


def test_a_damaged_file_is_named(command, spare: Path) -> None:
    with (spare / "states.onnx").open("ab") as file:
        file.write(b"x")
    code, out, err = command("verify", str(spare))
    assert code == 1
    assert "states.onnx              is damaged or another" in out
    assert out.count("right") == 6
    assert err == f"{spare} is not sound\n"
    record = json.loads(command("verify", str(spare), "--json")[1])
    assert not record["sound"]
    assert record["files"]["pairs.onnx"] is None


def test_a_model_whose_checksums_are_right_must_open_too(command, spare: Path) -> None:
    (spare / "states.onnx").write_bytes(b"no graph")
    seal(spare)
    code, out, _ = command("verify", str(spare), "--json")
    assert code == 1
    assert "states.onnx" in json.loads(out)["files"]["all of it"]


def test_a_folder_of_an_earlier_version_is_sealed_when_it_is_asked_for(command, spare: Path) -> None:
    unseal(spare)
    code, out, _ = command("verify", str(spare))
    assert code == 1
    assert "has no checksums" in out
    assert command("verify", "--seal", str(spare))[0] == 0
    assert command("verify", str(spare))[0] == 0


def test_only_a_folder_can_be_sealed(command) -> None:
    code, _, err = command("verify", "news", "--seal")
    assert (code, "--seal takes a model folder" in err) == (2, True)


def test_what_is_no_model_is_an_error(command, tmp_path: Path) -> None:
    code, out, _ = command("verify", str(tmp_path / "none"))
    assert code == 1
    assert "no such model folder" in out
