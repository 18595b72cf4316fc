"""``biaffinity distil`` as a user meets it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

import biaffinity.distillation
from biaffinity.annotation import Sentence
from biaffinity.distillation import labelling
from training import tiny


@pytest.fixture
def distil(
    command, folder: Path, samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Run ``distil`` in an empty folder with gold data and a tiny recipe; others may be named after it."""
    monkeypatch.chdir(tmp_path)
    tiny.write_recipe(Path("tiny.toml"), training={"epochs": 2})
    gold = str(samples / "news.jsonl")
    usual = ("--train", gold, "--dev", gold, "--out", "s", "--recipe", "tiny.toml", "--no-export")
    return lambda *arguments: command("distil", *usual, *arguments)


@pytest.fixture
def text(news: list[Sentence], tmp_path: Path) -> str:
    """A file of texts, in a column of its own name."""
    path = tmp_path / "text.csv"
    path.write_text(
        "name,body\n" + "".join(f'{s.id},"Once more: {" ".join(s.tokens)}"\n' for s in news), encoding="utf-8"
    )
    return str(path)


def test_a_student_is_made_and_told_of(distil, folder: Path, text: str) -> None:
    code, out, err = distil(
        str(folder), "--text", text, "--text-field", "body", "--id-field", "name", "--gold-times", "2"
    )
    assert code == 0, err
    assert "Entities, strict" in out
    said = err.splitlines()
    assert said[0] == f"teacher 1 of 1, {folder}: 5 sentences"
    assert said[1].startswith("labelled: ")
    assert said[1].endswith(" in 5 sentences")
    assert said[2] == "the student learns from 5 gold sentences, 2 times over, and from 5 labelled ones"
    assert "epoch   2" in err
    assert err.endswith("is in s\n")
    assert json.loads(Path("s/labels/labels.json").read_text())["vote"] == 0.4
    code, _, err = distil("--labels", "s/labels", "--out", "t")
    assert code == 0, err
    assert err.startswith("the student learns from 5 gold sentences, 10 times over, and from 5 labelled ones")
    code, _, err = distil("--labels", "s/labels")
    assert (code, err) == (
        2,
        "error: s: already holds a training run (add --resume, or choose another folder)\n",
    )


def test_data_of_other_makers_is_read_once(distil, folder: Path, text: str) -> None:
    Path("made.jsonl").write_text(
        '{"tokens": ["Bo", "runs", "Zelkona"], "entities": [{"start": 0, "end": 1, "type": "Peop"}]}\n'
    )
    given = (str(folder), "--text", text, "--text-field", "body", "--gold-times", "2")
    code, _, err = distil(*given, "--also", "made.jsonl", "--also", "made.jsonl")
    assert code == 0, err
    assert "from 5 gold sentences, 2 times over, and from 7 labelled ones" in err
    assert Path("s/train.jsonl").read_text().count('"Zelkona"') == 2
    code, _, err = distil(*given, "--out", "t", "--also", "gone.jsonl")
    assert (code, err) == (1, "error: gone.jsonl: no such file (check the path)\n")
    assert not Path("t").exists()


def test_labels_can_be_made_first(distil, folder: Path, text: str) -> None:
    given = (str(folder), "--text", text, "--text-field", "body", "--labels", "kept")
    code, out, err = distil(*given, "--only-labels")
    assert (code, out) == (0, ""), err
    assert err.endswith("the labels are in kept\n")
    assert len(Path("kept/labelled.jsonl").read_text().splitlines()) == 5
    assert not Path("s").exists()
    code, _, err = distil(*given, "--only-labels")
    assert code == 2
    assert err.startswith("error: kept: already holds labels (add --resume")
    code, _, err = distil(*given)
    assert code == 0, err
    assert err.startswith("the student learns from 5 gold sentences, 10 times over, and from 5 labelled ones")


def test_ctrl_c_says_how_to_go_on(distil, folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(labelling, "_vote", interrupt)
        code, out, err = distil(str(folder), "--text", text, "--text-field", "body")
    assert (code, out) == (130, "")
    assert err.endswith("interrupted: --resume goes on with it\n")
    code, _, err = distil(str(folder), "--text", text, "--text-field", "body", "--resume")
    assert code == 0, err
    assert "5 sentences, going on after 5" in err


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--text", "a.txt"], 2, "no teacher is named (name models"),
        (["news"], 2, "no text is named for the teachers to read (name files or folders with --text)"),
        (["news", "--text", "b.txt"], 1, "b.txt: no such file or folder"),
        (["nowhere", "--text", "a.txt"], 1, "nowhere: no such model folder"),
        (["news", "--text", "a.txt", "--vote", "2"], 2, "vote must be more than 0 and at most 1, not 2.0"),
        (["--labels", "a.txt"], 2, "a.txt: is a file, a folder of labels is to be here"),
    ],
)
def test_each_mistake_is_told_in_a_line(distil, arguments: list[str], code: int, told: str) -> None:
    Path("a.txt").write_text("Bo met Al.")
    given, out, err = distil(*arguments)
    assert (given, out) == (code, "")
    assert err.startswith(f"error: {told}")
    assert err.count("\n") == 1
    assert not Path("s").exists()


def test_without_pytorch_the_extra_is_named(without_pytorch) -> None:
    done = without_pytorch("distil", "news", "--train", "a", "--dev", "b", "--out", "c")
    assert done.returncode == 1
    assert done.stderr.startswith("error: training needs an extra that is not installed")


def test_the_function_s_defaults_are_the_command_s(command) -> None:
    session = biaffinity.distillation.session
    _, shown, _ = command("distil", "--help")
    words = " ".join(shown.split())
    for value in (session.VOTE, session.GOLD_TIMES, session.RECIPE):
        assert str(value) in words
