"""``biaffinity predict`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

import biaffinity
from biaffinity.annotation import Entity, Sentence
from biaffinity.formats import read, write
from model.tiny import bare
from training import tiny


def test_every_sentence_comes_back_in_order_under_its_id(beside_models, two_setups: Path) -> None:
    code, out, err = beside_models("predict", "--model", "one", "dev.jsonl", "-o", "p.jsonl")
    assert (code, out, err) == (0, "", "6 sentences written to p.jsonl\n")
    gold, predicted = list(read(two_setups / "dev.jsonl")), list(read(two_setups / "p.jsonl"))
    assert [(s.id, s.tokens) for s in predicted] == [(s.id, s.tokens) for s in gold]


def test_every_entity_and_relation_has_a_score_between_0_and_1(beside_models, two_setups: Path) -> None:
    beside_models("predict", "--model", "one", "train.jsonl", "-o", "p.jsonl")
    sentences = list(read(two_setups / "p.jsonl"))
    entities = [entity for sentence in sentences for entity in sentence.entities]
    relations = [relation for sentence in sentences for relation in sentence.relations]
    assert entities
    assert relations
    for found in (*entities, *relations):
        assert found.score is not None
        assert 0 <= found.score <= 1
    assert len({found.score for found in entities}) > 1


@pytest.mark.parametrize("model", ["one", "two"])
def test_predictions_scored_are_the_evaluation(model: str, beside_models) -> None:
    evaluated = beside_models("evaluate", "--model", model, "dev.jsonl", "--json")[1]
    beside_models("predict", "--model", model, "dev.jsonl", "-o", "p.jsonl")
    code, scored, _ = beside_models("score", "dev.jsonl", "p.jsonl", "--json")
    assert code == 0
    assert json.loads(evaluated) == json.loads(scored)


def test_annotation_that_is_there_is_not_looked_at(beside_models, two_setups: Path) -> None:
    write(two_setups / "bare.jsonl", [s.annotated([]) for s in tiny.sentences(6, first=31)])
    beside_models("predict", "--model", "one", "dev.jsonl", "-o", "a.jsonl")
    beside_models("predict", "--model", "one", "bare.jsonl", "-o", "b.jsonl")
    assert (two_setups / "a.jsonl").read_bytes() == (two_setups / "b.jsonl").read_bytes()


def test_given_boundaries_are_kept_and_their_types_not_looked_at(beside_models, two_setups: Path) -> None:
    gold = tiny.sentences(6, first=31)
    hidden = [s.annotated([Entity(e.start, e.end, "Whatever") for e in s.entities]) for s in gold]
    write(two_setups / "hidden.jsonl", hidden)
    beside_models("predict", "--model", "two", "dev.jsonl", "-o", "a.jsonl")
    assert beside_models("predict", "--model", "two", "hidden.jsonl", "-o", "b.jsonl")[0] == 0
    for sentence, predicted in zip(gold, read(two_setups / "a.jsonl"), strict=True):
        given = {token for entity in sentence.entities for token in range(entity.start, entity.end)}
        assert all(set(range(e.start, e.end)) <= given for e in predicted.entities)
    assert (two_setups / "a.jsonl").read_bytes() == (two_setups / "b.jsonl").read_bytes()


def test_words_and_characters_never_met_and_empty_sentences_are_no_trouble(
    beside_models, two_setups: Path
) -> None:
    odd = [Sentence(["日本", "😀", "\u0301", "x" * 500], id="odd"), Sentence([], id="empty")]
    write(two_setups / "odd.jsonl", odd)
    assert beside_models("predict", "--model", "one", "odd.jsonl", "-o", "p.jsonl")[0] == 0
    assert [s.tokens for s in read(two_setups / "p.jsonl")] == [s.tokens for s in odd]


def test_another_format_says_what_it_cannot_carry(beside_models, two_setups: Path) -> None:
    code, _, err = beside_models("predict", "--model", "one", "train.jsonl", "-o", "p.conll", "--to", "conll")
    assert code == 0
    assert "18 sentences written to p.conll" in err
    assert "scores" in err
    assert sum(1 for _ in read(two_setups / "p.conll")) == 18


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["none", "dev.jsonl"], 1, "error: none: no such model folder (check the path)\n"),
        (["one", "none.jsonl"], 1, "error: none.jsonl: no such file (check the path)\n"),
        (["one", "dev.jsonl", "--to", "jsonx"], 2, "error: "),
        (["one", "dev.jsonl", "--device", "gpu"], 2, "error: PyTorch sees no device 'gpu' here (it sees cpu"),
    ],
)
def test_mistakes_are_one_line_and_leave_no_file(
    arguments: list[str], code: int, told: str, beside_models, two_setups: Path
) -> None:
    left, out, err = beside_models("predict", "--model", *arguments, "-o", "wrong.jsonl")
    assert (left, out) == (code, "")
    assert err.startswith(told)
    assert err.count("\n") == 1
    assert not (two_setups / "wrong.jsonl").exists()


def test_an_output_is_required(beside_models) -> None:
    assert beside_models("predict", "--model", "one", "dev.jsonl")[0] == 2


@pytest.mark.parametrize("model", ["one", "two"])
def test_pytorch_is_not_needed(model: str, beside_models, without_pytorch, two_setups: Path) -> None:
    beside_models("predict", "--model", model, "dev.jsonl", "-o", "a.jsonl")
    data, out = two_setups / "dev.jsonl", two_setups / "b.jsonl"
    done = without_pytorch("predict", "--model", two_setups / model, data, "-o", out)
    assert done.returncode == 0, done.stderr
    assert (two_setups / "a.jsonl").read_bytes() == out.read_bytes()


def test_an_embedded_model_predicts_by_its_name_without_pytorch(
    without_pytorch, samples: Path, tmp_path: Path
) -> None:
    done = without_pytorch("predict", "--model", "news", samples / "news.jsonl", "-o", tmp_path / "p.jsonl")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    extractor = biaffinity.load("news")
    predicted = list(read(tmp_path / "p.jsonl"))
    assert any(sentence.relations for sentence in predicted)
    for sentence in predicted:
        (expected,) = extractor.tokens(sentence.tokens).sentences
        assert bare(sentence).entities == bare(expected).entities
        assert bare(sentence).relations == bare(expected).relations


def test_stdout_is_json_lines(beside_models, two_setups: Path) -> None:
    beside_models("predict", "--model", "one", "dev.jsonl", "-o", "p.jsonl")
    code, out, err = beside_models("predict", "--model", "one", "dev.jsonl", "-o", "-")
    assert (code, err) == (0, "6 sentences written to stdout\n")
    assert out == (two_setups / "p.jsonl").read_text()


def test_the_format_is_told_by_the_name_and_a_tool_is_told_who_labelled(
    beside_models, two_setups: Path
) -> None:
    assert beside_models("predict", "--model", "one", "dev.jsonl", "-o", "p.labelstudio.json")[0] == 0
    tasks = json.loads((two_setups / "p.labelstudio.json").read_text())
    assert all(task["predictions"][0]["model_version"].startswith("one ") for task in tasks)
    code, _, err = beside_models("predict", "--model", "one", "dev.jsonl", "-o", "p.out")
    assert code == 2
    assert err.startswith("error: p.out: does not tell its format by its name (say which: --to FORMAT")
