"""A model's folder: bit for bit there and back, and one clear error for each way it can be broken."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from biaffinity.annotation import Sentence
from biaffinity.decoding.prediction import predict
from biaffinity.errors import BiaffinityError, DataError
from biaffinity.model.folder import load_model, load_weights, owned_tensors, save_model, save_weights
from biaffinity.model.joint import JointModel
from biaffinity.model.network import TorchNetwork
from model.tiny import SWITCHES, UNSEEN, assert_alike, stir, tiny_model

WEIGHTS, CONFIG, VOCABULARY = "model.safetensors", "config.json", "vocabulary.json"


@pytest.fixture
def folder(trained: JointModel, tmp_path: Path) -> Path:
    """A whole model."""
    save_model(trained, tmp_path / "model")
    return tmp_path / "model"


def complaint(folder: Path, name: str = "") -> str:
    """What loading says: one line that names the file once."""
    with pytest.raises(BiaffinityError) as caught:
        load_model(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(folder / name))
    assert message.count(str(folder)) == 1
    return message


def rewrite(path: Path, **values: Any) -> None:
    """Change values of a JSON object; an ellipsis takes one out. Whoever does so to a config has no seal."""
    values |= {"files": ..., "sha256": ...}
    record = {**json.loads(path.read_text(encoding="utf-8")), **values}
    record = {key: value for key, value in record.items() if value is not ...}
    path.write_text(json.dumps(record), encoding="utf-8")


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def assert_same(one: JointModel, other: JointModel) -> None:
    ours, theirs = one.state_dict(), other.state_dict()
    assert ours.keys() == theirs.keys()
    for name, tensor in ours.items():
        assert tensor.dtype == theirs[name].dtype, name
        assert tensor.equal(theirs[name]), name


@pytest.mark.parametrize("boundaries", ["predicted", "given"])
@pytest.mark.parametrize("switches", SWITCHES.values(), ids=SWITCHES)
def test_a_model_comes_back_bit_for_bit(
    boundaries: str, switches: dict[str, Any], news: list[Sentence], tmp_path: Path
) -> None:
    model = tiny_model(news, boundaries=boundaries, entity_confidence_weight=0.5, **switches)
    stir(model)
    model.relations.scorer.temperature.fill_(1.7)
    save_model(model, tmp_path)
    again = load_model(tmp_path)
    assert_same(again, model)
    assert (again.config, again.schema) == (model.config, model.schema)
    assert again.encoder.vocabulary == model.encoder.vocabulary
    parts = [*news, Sentence([*UNSEEN, "xyzzy", "Ana"])]
    assert list(predict(TorchNetwork(again), parts)) == list(predict(TorchNetwork(model), parts))


def test_a_loaded_model_is_not_in_training(folder: Path) -> None:
    assert not load_model(folder).training


def test_a_shared_character_lstm_is_kept_once_and_stays_shared(folder: Path, trained: JointModel) -> None:
    names = load_file(folder / WEIGHTS).keys()
    assert not any("characters.back" in name or "relation_encoder" in name for name in names)
    characters = load_model(folder).encoder.characters
    assert characters is not None
    assert characters.back is characters.ahead


@pytest.mark.parametrize("architecture", ["joint", "pipeline"])
def test_unseen_vectors_are_kept_once_in_half_precision(
    architecture: str, news: list[Sentence], tmp_path: Path
) -> None:
    model = tiny_model(news, architecture=architecture)
    save_model(model, tmp_path)
    kept = [tensor for name, tensor in load_file(tmp_path / WEIGHTS).items() if name.endswith("unseen")]
    assert len(kept) == 1
    assert kept[0].dtype == torch.float16
    assert kept[0].equal(model.encoder.words.unseen)


@pytest.mark.parametrize("architecture", ["joint", "pipeline"])
def test_rows_of_words_in_whole_numbers_come_back_near_to_what_they_were(
    architecture: str, news: list[Sentence], tmp_path: Path
) -> None:
    model = tiny_model(news, architecture=architecture)
    save_model(model, tmp_path)
    save_weights(owned_tensors(model), tmp_path, precision="int8")
    kept = load_file(tmp_path / WEIGHTS)
    assert {tensor.dtype for tensor in kept.values()} == {torch.int8, torch.float16}
    again = load_model(tmp_path)
    for name, tensor in owned_tensors(model).items():
        coarse = name.endswith((".words.trained", ".words.unseen"))
        assert (kept[name].dtype == torch.int8) is coarse
        near = 0.005 * tensor.abs().max().item() if coarse else 1e-3
        assert torch.allclose(owned_tensors(again)[name].float(), tensor.float(), atol=near), name


def test_whole_numbers_without_their_scales_are_no_weights(news: list[Sentence], tmp_path: Path) -> None:
    model = tiny_model(news)
    save_model(model, tmp_path)
    save_weights(owned_tensors(model), tmp_path, precision="int8")
    for damaged in ({"encoder.words.trained.scales": None}, {"encoder.words.trained.scales": torch.ones(1)}):
        kept = {n: t for n, t in (load_file(tmp_path / WEIGHTS) | damaged).items() if t is not None}
        save_file(kept, tmp_path / WEIGHTS)
        with pytest.raises(DataError, match=r"encoder.words.trained holds torch.int8"):
            load_weights(model, tmp_path)


@pytest.mark.parametrize("architecture", ["joint", "pipeline"])
def test_a_model_that_was_moved_can_be_loaded(
    architecture: str, news: list[Sentence], tmp_path: Path
) -> None:
    """A move to another device or type makes tensors anew, which must not change what is kept."""
    model = tiny_model(news, architecture=architecture)
    names = owned_tensors(model).keys()
    model.double()
    assert owned_tensors(model).keys() == names
    save_model(model, tmp_path)
    load_model(tmp_path)


def test_no_more_is_written_than_a_model_needs(folder: Path, trained: JointModel) -> None:
    assert listing(folder) == [CONFIG, WEIGHTS, VOCABULARY]
    numbers = sum(p.numel() * 4 for p in trained.parameters()) + 2 * len(UNSEEN) * 11
    assert (folder / WEIGHTS).stat().st_size < numbers + 10_000


def test_weights_keep_the_notes_that_come_with_them(folder: Path, trained: JointModel) -> None:
    save_weights(owned_tensors(trained), folder, {"epoch": "31", "calibration": "{}"})
    notes = load_weights(load_model(folder), folder)
    assert notes == {"format": "biaffinity-model", "epoch": "31", "calibration": "{}"}


def test_weights_in_half_precision_are_half_as_large_and_rounded(folder: Path, trained: JointModel) -> None:
    single = (folder / WEIGHTS).stat().st_size
    save_weights(owned_tensors(trained), folder, precision="half")
    assert {tensor.dtype for tensor in load_file(folder / WEIGHTS).values()} == {torch.float16}
    assert (folder / WEIGHTS).stat().st_size < single / 2 + 5_000
    again = load_model(folder)
    assert again.tagger.output.weight.dtype == torch.float32
    for name, tensor in owned_tensors(again).items():
        assert tensor.equal(owned_tensors(trained)[name].half().to(tensor.dtype)), name


def test_in_single_precision_weights_are_kept_as_they_are(folder: Path, trained: JointModel) -> None:
    kept = load_file(folder / WEIGHTS)
    assert all(tensor.equal(kept[name]) for name, tensor in owned_tensors(trained).items())


def test_weights_in_half_precision_find_the_same(
    folder: Path, trained: JointModel, news: list[Sentence]
) -> None:
    save_weights(owned_tensors(trained), folder, precision="half")
    pairs = zip(
        predict(TorchNetwork(load_model(folder)), news), predict(TorchNetwork(trained), news), strict=True
    )
    for half, single in pairs:
        assert_alike(half, single, tolerance=0.01)


def test_saving_over_a_model_replaces_it(folder: Path, news: list[Sentence]) -> None:
    other = tiny_model(news, seed=9, boundaries="given")
    save_model(other, folder)
    assert_same(load_model(folder), other)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert "no such model folder" in complaint(tmp_path / "none")


def test_a_file_is_no_folder(folder: Path) -> None:
    assert "no such model folder" in complaint(folder / CONFIG)


@pytest.mark.parametrize("name", [CONFIG, VOCABULARY, WEIGHTS])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert "no such file" in complaint(folder, name)


@pytest.mark.parametrize("name", [CONFIG, VOCABULARY])
@pytest.mark.parametrize("content", [b"", b"{", b"{'a': 1}", b"[]", b"3", b"null"])
def test_a_file_that_is_not_a_json_object_is_named(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    assert "JSON" in complaint(folder, name)


@pytest.mark.parametrize("name", [CONFIG, VOCABULARY])
def test_a_file_in_another_encoding_is_named(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"\xff\xfe")
    assert "is not UTF-8" in complaint(folder, name)


def test_another_program_s_config_is_not_ours(folder: Path) -> None:
    (folder / CONFIG).write_text('{"architectures": ["BertModel"], "hidden_size": 768}', encoding="utf-8")
    assert "is not a Biaffinity model" in complaint(folder, CONFIG)


def test_a_newer_model_asks_for_a_newer_program(folder: Path) -> None:
    rewrite(folder / CONFIG, version=99)
    message = complaint(folder, CONFIG)
    assert "version 99" in message
    assert "install a newer biaffinity" in message


@pytest.mark.parametrize("size", [..., None, "x", [], {}, 0, -1, 1.5, True])
def test_a_word_size_that_cannot_be_is_an_error(folder: Path, size: Any) -> None:
    rewrite(folder / VOCABULARY, word_size=size)
    assert "word_size" in complaint(folder, VOCABULARY)


def test_a_word_size_of_other_weights_is_an_error(folder: Path) -> None:
    rewrite(folder / VOCABULARY, word_size=12)
    assert "the config wants" in complaint(folder, WEIGHTS)


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ([], ": config: "),
        (3, ": config: "),
        ({"model": {"lstm_hiden": 5}}, ": unknown key model.lstm_hiden"),
        ({"model": {"boundaries": 7}}, ": model.boundaries: "),
    ],
)
def test_a_config_that_cannot_be_is_an_error(folder: Path, config: Any, told: str) -> None:
    rewrite(folder / CONFIG, config=config)
    assert complaint(folder, CONFIG).startswith(f"{folder / CONFIG}{told}")


@pytest.mark.parametrize(
    "damage",
    [{"words": ...}, {"counts": []}, {"characters": None}, {"unseen": ["a", "a"]}, {"extra": 1}],
    ids=str,
)
def test_a_vocabulary_that_cannot_be_is_an_error(folder: Path, damage: dict[str, Any]) -> None:
    rewrite(folder / VOCABULARY, **damage)
    assert next(iter(damage)) in complaint(folder, VOCABULARY)


@pytest.mark.parametrize(
    "damage", [{"entity_types": None}, {"pairs": [["Ship", "Loc"]]}, {"extra": 1}], ids=str
)
def test_a_schema_that_cannot_be_is_an_error(folder: Path, damage: dict[str, Any]) -> None:
    schema = json.loads((folder / CONFIG).read_text(encoding="utf-8"))["schema"]
    rewrite(folder / CONFIG, schema={**schema, **damage})
    assert next(iter(damage)) in complaint(folder, CONFIG)


def test_a_schema_of_other_weights_is_an_error(folder: Path) -> None:
    schema = json.loads((folder / CONFIG).read_text(encoding="utf-8"))["schema"]
    rewrite(folder / CONFIG, schema={**schema, "entity_types": [*schema["entity_types"], "Ship"]})
    assert "the config wants" in complaint(folder, WEIGHTS)


def test_weights_of_another_size_are_an_error(folder: Path) -> None:
    record = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    record["config"]["model"]["projection"] += 1
    rewrite(folder / CONFIG, **record)
    message = complaint(folder, WEIGHTS)
    assert "tensor relations." in message
    assert "the config wants" in message


def test_weights_of_another_network_are_an_error(folder: Path) -> None:
    record = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    record["config"]["model"]["bilinear"] = False
    rewrite(folder / CONFIG, **record)
    assert "has a tensor too many: relations.scorer.terms.bilinear.weight" in complaint(folder, WEIGHTS)


def test_a_lacking_tensor_is_an_error(folder: Path) -> None:
    tensors = load_file(folder / WEIGHTS)
    del tensors["tagger.hidden.bias"]
    save_file(tensors, folder / WEIGHTS)
    assert "lacks the tensor tagger.hidden.bias" in complaint(folder, WEIGHTS)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "a few bytes": lambda whole: whole[:5],
    "half a header": lambda whole: whole[:200],
    "a header alone": lambda whole: whole[: 8 + int.from_bytes(whole[:8], "little")],
    "one byte less": lambda whole: whole[:-1],
    "one byte more": lambda whole: whole + b"\0",
    "a huge header": lambda whole: b"\xff" * 8 + whole[8:],
    "zeros": lambda whole: bytes(len(whole)),
    "text": lambda whole: b"version https://git-lfs.example/spec/v1\nsize 12\n" * 5,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_weights_are_named(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    path = folder / WEIGHTS
    path.write_bytes(damage(path.read_bytes()))
    assert "is damaged" in complaint(folder, WEIGHTS)


def test_flipped_bytes_in_the_header_never_give_another_kind_of_error(folder: Path) -> None:
    path = folder / WEIGHTS
    whole = path.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    chance, read = random.Random(0), 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[chance.randrange(header)] = chance.randrange(256)
        path.write_bytes(damaged)
        with contextlib.suppress(DataError):
            load_model(folder)
            read += 1
    assert read < 60  # most such damage is seen


def test_whole_numbers_are_no_weights(folder: Path) -> None:
    path = folder / WEIGHTS
    path.write_bytes(path.read_bytes().replace(b'"F32"', b'"I32"'))
    assert "not floating-point numbers" in complaint(folder, WEIGHTS)


class Trap:
    """Unpickling it would leave a mark."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("dump", [pickle.dump, torch.save], ids=["pickle", "torch"])
def test_a_pickle_is_refused_and_not_run(folder: Path, dump: Callable[..., None]) -> None:
    mark = folder.parent / "mark"
    with (folder / WEIGHTS).open("wb") as file:
        dump(Trap(mark), file)
    assert "is damaged" in complaint(folder, WEIGHTS)
    assert not mark.exists()


@contextlib.contextmanager
def small_files_only() -> Iterator[None]:
    """The system refuses to let any file grow beyond 5,000 bytes, as a full disk would.

    Only around the one call: the file that pytest reports to may be larger than that.
    """
    resource = pytest.importorskip("resource", reason="needs a limit on file sizes")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_leaves_nothing_half_written(trained: JointModel, tmp_path: Path) -> None:
    with small_files_only(), pytest.raises(DataError) as caught:
        save_model(trained, tmp_path / "new")
    assert str(tmp_path / "new" / WEIGHTS) in str(caught.value)
    assert listing(tmp_path / "new") == [CONFIG, VOCABULARY]


def test_a_full_disk_leaves_the_weights_before_untouched(folder: Path, news: list[Sentence]) -> None:
    before = (folder / WEIGHTS).read_bytes()
    other = tiny_model(news, seed=3)
    with small_files_only(), pytest.raises(DataError):
        save_weights(owned_tensors(other), folder)
    assert (folder / WEIGHTS).read_bytes() == before
    assert listing(folder) == [CONFIG, WEIGHTS, VOCABULARY]
