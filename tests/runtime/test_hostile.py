"""Models made to do harm, their checksums right: refused in one line, by every way that leads to them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from safetensors.numpy import load_file, save_file

from biaffinity import Extractor
from biaffinity.config.folder import WEIGHTS_KEY, weights_fingerprint
from biaffinity.config.seal import seal
from biaffinity.errors import DataError
from graphs.hostile import REFUSED, RUN, Change

TEXT = "Ana Ruiz works for Norvik Oil in Bergen."


@pytest.fixture
def spare(folder: Path, tmp_path: Path) -> Path:
    """A whole model for a test to spoil."""
    return shutil.copytree(folder, tmp_path / "model")


def refusal(folder: Path, **options: Any) -> str:
    """What opening a model says, or reading a text with it."""
    seal(folder)
    with pytest.raises(DataError) as caught:
        Extractor.load(folder, **options)(TEXT)
    message = str(caught.value)
    assert "\n" not in message
    return message


def change_graph(path: Path, change: Change) -> None:
    model = onnx.load(path)
    change(model)
    path.write_bytes(model.SerializeToString())


@pytest.mark.parametrize("name", ["constant of shape", "loop", "external data", "nested"])
def test_a_hostile_graph_is_refused_before_a_session_is_made(
    spare: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_graph(spare / "pairs.onnx", REFUSED[name])
    made: list[Path] = []
    session = onnxruntime.InferenceSession

    def noted(path: Path, *rest: Any, **more: Any) -> Any:
        made.append(path)
        return session(path, *rest, **more)

    monkeypatch.setattr(onnxruntime, "InferenceSession", noted)
    assert "pairs.onnx: is damaged or not safe to run: " in refusal(spare)
    assert spare / "pairs.onnx" not in made


def test_scores_that_are_no_numbers_decide_nothing(spare: Path) -> None:
    change_graph(spare / "emissions.onnx", RUN["no numbers"])
    assert "its scores are no numbers" in refusal(spare)


def test_a_run_that_fails_is_told_in_one_line(spare: Path) -> None:
    change_graph(spare / "emissions.onnx", RUN["beyond the table"])
    assert "emissions.onnx: cannot be run: " in refusal(spare)


Section = dict[str, Any]
SIZES: dict[str, Callable[[Section], None]] = {
    "projection": lambda config: config["model"].update(projection=20_000),
    "tagger": lambda config: config["model"].update(tagger_hidden=10**9),
    "labels": lambda config: config["model"].update(label_size=10**9),
    "hidden": lambda config: config["model"].update(lstm_hidden=10**9),
    "layers": lambda config: config["model"].update(lstm_layers=10**9),
    "characters": lambda config: config["encoder"].update(character_size=10**9),
    "character hidden": lambda config: config["encoder"].update(character_hidden=10**9),
}


@pytest.mark.parametrize("runtime", ["onnx", "torch"])
@pytest.mark.parametrize("change", SIZES.values(), ids=SIZES)
def test_sizes_are_those_of_the_weights(spare: Path, change: Callable[[Section], None], runtime: str) -> None:
    path = spare / "config.json"
    head = json.loads(path.read_text())
    change(head["config"])
    path.write_text(json.dumps(head))
    message = refusal(spare, runtime=runtime)
    assert "the config wants" in message or "lacks the tensor" in message or "larger network" in message


def test_a_tensor_of_another_size_is_not_read(spare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tensors = load_file(spare / "model.safetensors")
    tensors["tagger.crf.start"] = np.zeros(100_000, dtype=np.float32)
    save_file(tensors, spare / "model.safetensors")
    assert "tensor tagger.crf.start is [100000], the config wants" in refusal(spare)


def test_transitions_that_are_no_numbers_are_refused(spare: Path) -> None:
    tensors = load_file(spare / "model.safetensors")
    tensors["tagger.crf.end"] = tensors["tagger.crf.end"] * np.float32("nan")
    save_file(tensors, spare / "model.safetensors")
    for path in spare.glob("*.onnx"):
        notes = {WEIGHTS_KEY: weights_fingerprint(spare)}
        change_graph(path, lambda model, notes=notes: onnx.helper.set_model_props(model, notes))
    assert "tensor tagger.crf.end holds what is no number" in refusal(spare)


@pytest.mark.parametrize("runtime", ["onnx", "torch"])
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"num_hidden_layers": 10**9}, "layers"),
        ({"auto_map": {"AutoModel": "evil.Model"}}, "may name code"),
        ({"_attn_implementation": "evil/kernels"}, "may name code"),
    ],
)
def test_the_config_of_a_transformer_is_not_trusted(
    transformer_folder: Path, tmp_path: Path, change: dict[str, Any], told: str, runtime: str
) -> None:
    spare = shutil.copytree(transformer_folder, tmp_path / "model")
    path = spare / "transformer.json"
    record = json.loads(path.read_text())
    record["config"] |= change
    path.write_text(json.dumps(record))
    message = refusal(spare, runtime=runtime)
    assert told in message or "larger network" in message
