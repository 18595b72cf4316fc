"""The seal of a model folder: what is damaged is found, and who changes a file breaks the seal first."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from biaffinity import Extractor
from biaffinity.checksums import is_sound
from biaffinity.config import seal as sealing
from biaffinity.config.folder import model_files, read_description, read_head
from biaffinity.config.seal import Finding, check_seal, seal, sealed_config, unseal, verify
from biaffinity.errors import BiaffinityError, BiaffinityWarning, DataError, UsageError
from biaffinity.extraction.loading import EMBEDDED, load_network
from biaffinity.files import writing


@pytest.fixture
def spare(folder: Path, tmp_path: Path) -> Path:
    """A whole model for a test to spoil."""
    return shutil.copytree(folder, tmp_path / "model")


def flipped(path: Path, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def test_the_embedded_models_are_sealed() -> None:
    for folder in EMBEDDED.iterdir():
        assert {finding.fault for finding in verify(folder)} == {None}


def test_a_model_that_was_saved_and_exported_is_sealed(folder: Path) -> None:
    names = {path.name for path in model_files(folder)}
    assert [finding.fault for finding in verify(folder)] == [None] * len(names)
    assert {finding.file for finding in verify(folder)} == names
    assert is_sound(read_head(folder))


@pytest.mark.parametrize("runtime", ["onnx", "torch"])
def test_a_flipped_bit_anywhere_is_found_when_a_model_is_opened(spare: Path, runtime: str) -> None:
    read = [path for path in model_files(spare) if runtime == "onnx" or path.suffix != ".onnx"]
    for path in read:
        whole = path.read_bytes()
        for bit in (0, 4 * len(whole), 8 * len(whole) - 1):
            flipped(path, bit)
            with pytest.raises(BiaffinityError) as caught:
                load_network(spare, runtime)
            assert str(path) in str(caught.value)
            path.write_bytes(whole)
    load_network(spare, runtime)


def test_every_bit_of_config_json_counts(spare: Path) -> None:
    path = spare / "config.json"
    whole = path.read_bytes()
    for bit in range(0, 8 * len(whole), 7):  # seven and eight have nothing in common
        flipped(path, bit)
        if path.read_bytes() != whole.replace(b"4e-05", b"4E-05"):  # the same number
            with pytest.raises(BiaffinityError):
                read_description(spare)
        path.write_bytes(whole)


def test_texts_for_people_may_be_changed_and_verify_tells(spare: Path) -> None:
    (spare / "README.md").write_text("# mine\n")
    seal(spare)
    (spare / "README.md").write_text("# ours\n")
    (spare / "examples.json").write_text("{}")
    check_seal(spare, graphs=True)
    wrong = {finding.file: finding.fault for finding in verify(spare) if finding.fault}
    assert "checksum" in str(wrong["README.md"])
    assert "not among the files" in str(wrong["examples.json"])
    assert len(wrong) == 2


def test_a_file_that_is_gone_or_new_is_named(spare: Path) -> None:
    (spare / "pairs.onnx").rename(spare / "more.onnx")
    wrong = [finding for finding in verify(spare) if finding.fault]
    assert wrong == [
        Finding("more.onnx", "is not among the files that config.json names"),
        Finding("pairs.onnx", "is missing"),
    ]
    with pytest.raises(DataError, match=r"more\.onnx: is not among"):
        check_seal(spare, graphs=True)


def test_a_folder_without_a_seal_is_opened_with_a_warning(spare: Path) -> None:
    unseal(spare)
    assert set(read_head(spare)) == {"format", "version", "schema", "config"}
    with pytest.warns(BiaffinityWarning, match="has no checksums.*verify --seal"):
        Extractor.load(spare)
    assert verify(spare) == [
        Finding("config.json", "has no checksums: nothing can be told of the other files")
    ]


def test_what_was_changed_on_purpose_can_be_sealed_again(spare: Path) -> None:
    head = read_head(spare)
    head["config"]["model"]["entity_confidence_weight"] = 0.5
    (spare / "config.json").write_text(json.dumps(head))
    with pytest.raises(DataError, match=r"its checksum is another.*verify --seal"):
        Extractor.load(spare)
    seal(spare)
    Extractor.load(spare)


@pytest.mark.parametrize("key", ["files", "sha256"])
def test_half_a_seal_is_none(spare: Path, key: str) -> None:
    head = read_head(spare)
    del head[key]
    (spare / "config.json").write_text(json.dumps(head))
    with pytest.raises(DataError, match="checksums are not whole"):
        read_description(spare)


@pytest.mark.parametrize("files", [[], {"model.safetensors": 3}, None])
def test_a_seal_of_another_kind_is_damage(spare: Path, files: object) -> None:
    from biaffinity.checksums import sealed

    head = {key: value for key, value in read_head(spare).items() if key != "sha256"}
    (spare / "config.json").write_text(json.dumps(sealed({**head, "files": files})))
    with pytest.raises(BiaffinityError):
        load_network(spare)


def test_checksums_of_files_yet_to_be_written_can_be_sealed(spare: Path) -> None:
    record = json.loads(sealed_config(spare, {"README.md": "0" * 64}))
    assert is_sound(record)
    assert record["files"]["README.md"] == "0" * 64
    assert record["files"]["pairs.onnx"] == read_head(spare)["files"]["pairs.onnx"]


def test_an_export_that_is_cut_short_leaves_no_seal(spare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from biaffinity.model import export

    def die(folder: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(export, "seal", die)
    with pytest.raises(KeyboardInterrupt):
        export.write_graphs(spare, {"pairs": b"half"})
    assert "files" not in read_head(spare)


def test_a_seal_that_cannot_be_written_leaves_the_old_one(
    spare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (spare / "config.json").read_bytes()

    def full(path: Path) -> object:
        raise DataError("cannot be written: No space left on device", where=str(path))

    monkeypatch.setattr(sealing, "writing", full)
    with pytest.raises(DataError, match="No space"):
        seal(spare)
    monkeypatch.setattr(sealing, "writing", writing)
    assert (spare / "config.json").read_bytes() == before


def test_only_a_model_on_the_hub_has_revisions(folder: Path) -> None:
    for model in (folder, str(folder), "news", None):
        with pytest.raises(UsageError, match="only a model on the hub has revisions"):
            Extractor.load(model, revision="v2")
