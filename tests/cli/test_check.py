from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.cli import main
from biaffinity.formats import write

Write = Callable[..., Path]


def person(name: str, town: str) -> Sentence:
    entities = [Entity(0, 1, "Peop"), Entity(2, 3, "Loc")]
    return Sentence([name, "of", town], entities, [Relation("Live_In", 0, 1)], id=f"{name}-{town}")


TRAIN = [person("Anna", "Oslo"), person("Bo", "Rome")]
TEST = [person("Cy", "Bonn"), person("ANNA", "OSLO")]


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["check", *map(str, arguments)])
    return ended.value.code or 0  # type: ignore[return-value]


@pytest.fixture
def written(tmp_path: Path) -> Write:
    def save(name: str, sentences: Sequence[Sentence]) -> Path:
        path = tmp_path / name
        write(path, sentences)
        return path

    return save


def test_sound_data_gives_a_report_and_zero(written: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(written("train.jsonl", TRAIN), written("test.jsonl", TEST)) == 0
    captured = capsys.readouterr()
    assert "sentences that repeat one of an earlier split" in captured.out
    assert captured.out.splitlines()[-1].startswith("The data can be trained on")
    assert captured.err == ""


def test_the_report_is_plain_and_100_columns_wide_where_there_is_no_terminal(
    written: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    run(written("train.jsonl", TRAIN), written("test.jsonl", TEST))
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert 80 < max(map(len, out.splitlines())) <= 100


def test_json_is_all_that_stdout_holds(written: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--json", written("train.jsonl", TRAIN), written("test.jsonl", TEST)) == 0
    captured = capsys.readouterr()
    record = json.loads(captured.out)
    assert record["trainable"] is True
    assert record["splits"]["train"]["sentences"] == 2
    assert [r["id"] for r in record["repeats"]["splits"]["test"]["across"]] == ["ANNA-OSLO"]
    assert captured.err == ""


def test_data_that_cannot_be_trained_on_gives_one(written: Write, capsys: pytest.CaptureFixture[str]) -> None:
    bare = written("train.jsonl", [s.annotated([]) for s in TRAIN])
    assert run(bare) == 1
    assert "entities in the training data: there is nothing to learn" in capsys.readouterr().out
    assert run("--json", bare) == 1
    assert json.loads(capsys.readouterr().out)["trainable"] is False


def problems(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return {problem["code"]: problem for problem in json.loads(capsys.readouterr().out)["problems"]}


def test_a_relation_to_an_entity_that_does_not_exist_is_told_with_its_line(
    written: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    train, test = written("train.jsonl", TRAIN), written("test.jsonl", TEST)
    record = TRAIN[0].to_dict()
    record["relations"][0]["tail"] = 7
    with train.open("a") as file:
        file.write(json.dumps(record) + "\n")
    assert run("--json", train, test) == 1
    found = problems(capsys)
    (message,) = found["unreadable"]["splits"]["train"]["examples"]
    assert message.startswith(f"{train}:3: relations[0]: relation Live_In names entity 7, but there are 2")
    assert "repeated-across-splits" in found


def test_a_missing_file_is_told_at_once(
    written: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(written("train.jsonl", TRAIN), tmp_path / "dev.jsonl") == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"error: {tmp_path / 'dev.jsonl'}: no such file or folder (check the path)\n")


def test_a_file_that_is_not_utf8_is_told_with_its_line(
    written: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    train = written("train.jsonl", TRAIN)
    train.write_bytes(train.read_bytes() + '{"tokens": ["Café"]}\n'.encode("latin-1"))
    assert run("--json", "--from", "jsonl", train) == 1
    (message,) = problems(capsys)["unreadable"]["splits"]["train"]["examples"]
    assert message.startswith(f"{train}:3: byte 0xe9 is not UTF-8")


def test_an_empty_file_cannot_be_trained_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.jsonl"
    path.touch()
    assert run("--json", path) == 1
    assert "no-sentences" in problems(capsys)


def test_the_format_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.data"
    write(path, TRAIN, format="conll")
    assert run("--json", "--from", "conll", path) == 0
    assert json.loads(capsys.readouterr().out)["splits"]["train"]["entities"] == 4


def test_an_unknown_format_is_wrong_use(written: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--from", "jsnol", written("train.jsonl", TRAIN)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "did you mean jsonl?" in captured.err


def test_what_a_reader_changed_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text("".join(json.dumps({**s.to_dict(), "colour": "red"}) + "\n" for s in TRAIN))
    assert run("--json", path) == 0
    assert problems(capsys)["changed-in-reading"]["count"] == 2


def test_no_path_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 2
    assert "missing argument" in capsys.readouterr().err.lower()


def test_help_gives_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    assert "biaffinity check train.jsonl dev.jsonl test.jsonl" in capsys.readouterr().out


def test_every_wrong_line_is_told_and_all_others_are_read(
    written: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    train = written("train.jsonl", TRAIN)
    train.write_text('{"tokens": [""]}\n{"tok\n' + train.read_text() + '{"tokens": 7}\n')
    assert run("--json", train) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["splits"]["train"]["sentences"] == 2
    (unreadable,) = (problem for problem in record["problems"] if problem["code"] == "unreadable")
    places = [example.split(": ")[0] for example in unreadable["splits"]["train"]["examples"]]
    assert places == [f"{train}:1", f"{train}:2", f"{train}:5"]


def test_documents_can_be_kept_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps({"text": "Ana left. Tove stayed."}))
    run("--json", path)
    assert json.loads(capsys.readouterr().out)["splits"]["train"]["sentences"] == 2
    run("--json", "--whole", path)
    assert json.loads(capsys.readouterr().out)["splits"]["train"]["sentences"] == 1
