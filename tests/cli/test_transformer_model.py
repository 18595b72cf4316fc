"""The commands with a model that reads with a transformer: nothing about them is different."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")
pytest.importorskip("uvicorn", reason="needs the extra serve")

import biaffinity
from biaffinity.annotation import Sentence
from biaffinity.formats import read
from extraction.texts import ANA, TOVE
from model.tiny import bare


def test_evaluate_scores_it_and_shows_its_mistakes(
    command, transformer_folder: Path, samples: Path, tmp_path: Path
) -> None:
    news, page = str(samples / "news.jsonl"), tmp_path / "page.html"
    code, out, err = command(
        "evaluate", news, "--model", str(transformer_folder), "--json", "--report", str(page)
    )
    assert code == 0, err
    scores = json.loads(out)
    assert scores["ner"]["micro"]["f1"] == scores["re"]["strict"]["micro"]["f1"] == 1.0
    assert page.read_text(encoding="utf-8").count("<article ") == scores["sentences"] == 5


def test_predict_finds_what_it_was_taught(
    command, transformer_folder: Path, samples: Path, news: list[Sentence], tmp_path: Path
) -> None:
    out = tmp_path / "p.jsonl"
    code, _, err = command(
        "predict", str(samples / "news.jsonl"), "--model", str(transformer_folder), "-o", str(out)
    )
    assert (code, err) == (0, f"5 sentences written to {out}\n")
    assert [bare(s).entities for s in read(out)] == [bare(s).entities for s in news]
    assert {r.score is not None and 0 <= r.score <= 1 for s in read(out) for r in s.relations} == {True}


def test_extract_reads_text_also_in_several_processes(
    command, transformer_folder: Path, tmp_path: Path
) -> None:
    texts = tmp_path / "texts.jsonl"
    texts.write_text(
        "".join(json.dumps({"id": str(n), "text": ANA if n % 2 else TOVE}) + "\n" for n in range(6))
    )
    expected = biaffinity.load(transformer_folder)
    options = ["--model", str(transformer_folder), "--format", "jsonl"]
    code, out, err = command("extract", str(texts), *options, "--workers", "2")
    assert code == 0, err
    found = [json.loads(line) for line in out.splitlines()]
    assert [document["id"] for document in found] == [str(n) for n in range(6)]
    for document in found:
        entities = [(e["text"], e["type"]) for e in document["entities"]]
        assert entities == [(e.text, e.type) for e in expected(document["text"]).entities]
        assert entities


@pytest.mark.parametrize("name", ["extract", "serve"])
def test_the_device_is_an_option(name: str, command) -> None:
    code, out, _ = command(name, "--help")
    assert code == 0
    assert "--device" in out
    assert "cuda" in out


@pytest.mark.parametrize("name", ["extract", "evaluate", "predict", "serve"])
def test_a_device_that_is_not_there_is_one_line(
    name: str, command, transformer_folder: Path, samples: Path
) -> None:
    model = str(transformer_folder)
    news = str(samples / "news.jsonl")
    arguments = {
        "extract": [ANA, "--model", model],
        "evaluate": [news, "--model", model],
        "predict": [news, "--model", model, "-o", "-"],
        "serve": ["--model", model, "--port", "0"],
    }
    code, out, err = command(name, *arguments[name], "--device", "cuda:77")
    assert (code, out) == (2, "")
    assert err.startswith("error: PyTorch sees no device 'cuda:77' here (it sees cpu")
    assert err.count("\n") == 1
