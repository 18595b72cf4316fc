"""A model's folder without PyTorch: what its config.json says, which files it has, which weights they are."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from biaffinity.config.folder import (
    VERSION,
    ModelDescription,
    model_files,
    read_description,
    read_examples,
    read_head,
    weights_fingerprint,
    write_description,
)
from biaffinity.config.settings import Config, ModelConfig
from biaffinity.decoding.schema import Schema
from biaffinity.encoders.recurrent.settings import RecurrentSettings
from biaffinity.errors import BiaffinityError, DataError

CONFIG = Config(encoder=RecurrentSettings(characters=False), model=ModelConfig(boundaries="given"))
SCHEMA = Schema(["Loc", "Peop", "Größe"], ["Live_In"], [("Peop", "Loc")])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The description of a model."""
    write_description(tmp_path / "m", CONFIG, SCHEMA)
    return tmp_path / "m"


def rewrite(folder: Path, **values: Any) -> None:
    """Change values of config.json; an ellipsis takes one out."""
    record = {**json.loads((folder / "config.json").read_text(encoding="utf-8")), **values}
    kept = {key: value for key, value in record.items() if value is not ...}
    (folder / "config.json").write_text(json.dumps(kept), encoding="utf-8")


def complaint(folder: Path, name: str = "config.json") -> str:
    """What reading says: one line that names the file once."""
    with pytest.raises(BiaffinityError) as caught:
        read_description(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(folder / name))
    return message


def test_a_description_comes_back(folder: Path) -> None:
    assert read_description(folder) == ModelDescription(CONFIG, SCHEMA)


def test_what_decoding_must_know_is_the_config_s_and_the_schema_s(folder: Path) -> None:
    assert read_description(folder).decoding == CONFIG.describe(SCHEMA)


def test_the_file_names_format_version_schema_and_config(folder: Path) -> None:
    record = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert record == {
        "format": "biaffinity-model",
        "version": VERSION,
        "schema": {
            "entity_types": ["Loc", "Peop", "Größe"],
            "relation_types": ["Live_In"],
            "pairs": [["Peop", "Loc"]],
        },
        "config": CONFIG.model_dump(),
    }


def test_pytorch_is_not_needed(folder: Path) -> None:
    program = "import sys; sys.modules['torch'] = None\nfrom pathlib import Path\n"
    program += "from biaffinity.config.folder import read_description\n"
    program += f"print(read_description(Path({str(folder)!r})).config.model.boundaries)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "given\n"), done.stderr


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert "no such model folder" in complaint(tmp_path / "none", "")


def test_a_file_is_no_folder(folder: Path) -> None:
    assert "no such model folder" in complaint(folder / "config.json", "")


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "config.json").unlink()
    assert "no such file" in complaint(folder)


@pytest.mark.parametrize(
    "head",
    [
        {"architectures": ["BertModel"], "hidden_size": 768},
        {"format": "biaffinity-model"},
        {"format": "biaffinity-model", "version": "2"},
        {"format": "biaffinity-model", "version": None},
        {"format": "biaffinity-model", "version": True},
        {"format": "biaffinity-model", "version": 2.0},
        {"format": "other", "version": 2},
    ],
    ids=str,
)
def test_what_has_no_format_and_version_of_ours_is_not_ours(folder: Path, head: dict[str, Any]) -> None:
    (folder / "config.json").write_text(json.dumps(head), encoding="utf-8")
    assert "is not a Biaffinity model" in complaint(folder)


def test_a_newer_model_asks_for_a_newer_program(folder: Path) -> None:
    rewrite(folder, version=99)
    message = complaint(folder)
    assert "is a model of version 99, this program reads version 2" in message
    assert "install a newer biaffinity" in message


def test_an_older_model_asks_for_an_export(folder: Path) -> None:
    rewrite(folder, version=1)
    message = complaint(folder)
    assert "is a model of version 1, this program reads version 2" in message
    assert f"run: biaffinity export --model {folder}" in message


def test_the_head_of_any_version_can_be_read(folder: Path) -> None:
    rewrite(folder, version=99, news="yes")
    assert (read_head(folder)["version"], read_head(folder)["news"]) == (99, "yes")


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ([], ": config: "),
        (3, ": config: "),
        ({"model": {"lstm_hiden": 5}}, ": unknown key model.lstm_hiden"),
        ({"model": {"boundaries": 7}}, ": model.boundaries: "),
        ({"encoder": {"type": "unknown"}}, ": encoder.type: "),
    ],
)
def test_a_config_that_cannot_be_is_an_error(folder: Path, config: Any, told: str) -> None:
    rewrite(folder, config=config)
    assert complaint(folder).startswith(f"{folder / 'config.json'}{told}")


@pytest.mark.parametrize("schema", [..., None, [], 3, "x"])
def test_a_schema_that_is_no_object_is_an_error(folder: Path, schema: Any) -> None:
    rewrite(folder, schema=schema)
    assert "schema: must be a JSON object" in complaint(folder)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ({"entity_types": ...}, "schema: entity_types is missing"),
        ({"extra": 1}, "schema: extra is unknown"),
        ({"entity_types": None}, "schema.entity_types: must be a list of strings"),
        ({"entity_types": ["Loc", 3]}, "schema.entity_types: must be a list of strings"),
        ({"relation_types": "Live_In"}, "schema.relation_types: must be a list of strings"),
        ({"entity_types": ["Loc", "Peop", "Loc"]}, "schema.entity_types: names a type twice"),
        ({"pairs": [["Ship", "Loc"]]}, "schema.pairs: must be a list of pairs of entity_types"),
        ({"pairs": [["Loc"]]}, "schema.pairs: must be a list of pairs of entity_types"),
        ({"pairs": {"Peop": "Loc"}}, "schema.pairs: must be a list of pairs of entity_types"),
    ],
    ids=str,
)
def test_a_schema_that_cannot_be_is_an_error(folder: Path, damage: dict[str, Any], told: str) -> None:
    schema = {**SCHEMA.to_dict(), **damage}
    rewrite(folder, schema={key: value for key, value in schema.items() if value is not ...})
    assert told in complaint(folder)


def test_a_model_s_files_are_its_own_and_not_what_lies_beside_them(folder: Path) -> None:
    ours = {"vocabulary.json", "model.safetensors", "emissions.onnx", "pairs.onnx", "README.md"}
    others = {"run.json", "history.jsonl", "curves.png", "checkpoint.safetensors", "notes.txt"}
    for name in ours | others:
        (folder / name).touch()
    (folder / "more.onnx").mkdir()
    assert {path.name for path in model_files(folder)} == {"config.json", *ours}


def test_a_file_that_is_not_there_is_not_listed(folder: Path) -> None:
    assert model_files(folder) == [folder / "config.json"]


def test_the_fingerprint_is_that_of_all_of_the_weights_file(folder: Path) -> None:
    content = bytes(range(256)) * 20_000  # more than is read at a time
    (folder / "model.safetensors").write_bytes(content)
    assert weights_fingerprint(folder) == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("place", [0, 2_500_000, -1])
def test_any_byte_of_the_weights_changes_the_fingerprint(folder: Path, place: int) -> None:
    content = bytearray(3_000_000)
    (folder / "model.safetensors").write_bytes(content)
    before = weights_fingerprint(folder)
    content[place] = 1
    (folder / "model.safetensors").write_bytes(content)
    assert weights_fingerprint(folder) != before


def test_weights_that_are_not_there_have_no_fingerprint(folder: Path) -> None:
    with pytest.raises(DataError, match=r"model\.safetensors: cannot be read: No such file"):
        weights_fingerprint(folder)


def test_examples_are_texts_by_name_where_there_are_some(tmp_path: Path) -> None:
    assert read_examples(tmp_path) == {}
    (tmp_path / "examples.json").write_text('{"one": "A text."}')
    assert read_examples(tmp_path) == {"one": "A text."}
    (tmp_path / "examples.json").write_text('{"one": ["A text."]}')
    with pytest.raises(DataError, match=r"examples.json: 'one' is no text"):
        read_examples(tmp_path)
