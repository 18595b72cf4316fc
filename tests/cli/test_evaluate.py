"""``biaffinity evaluate`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

import biaffinity
from biaffinity.cli import main
from biaffinity.formats import write
from training import tiny


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data and the models ``one`` and ``two`` of the two setups."""
    folder = tmp_path_factory.mktemp("trained")
    files = tiny.write_corpus(folder)
    for name, setup in (("one", 1), ("two", 2)):
        config = tiny.config(model={"setup": setup}, training={"epochs": 6})
        biaffinity.train(config, **files, out=folder / name)
    return folder


@pytest.fixture
def run(trained: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Run a command in the folder: its exit code, what it wrote to stdout and to stderr."""
    monkeypatch.chdir(trained)

    def command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        return left.value.code or 0, *capsys.readouterr()

    return command


@pytest.mark.parametrize("model", ["one", "two"])
@pytest.mark.parametrize("part", ["dev", "test"])
def test_the_scores_are_those_of_the_training_run(model: str, part: str, run, trained: Path) -> None:
    code, out, _ = run("evaluate", model, f"{part}.jsonl", "--json", f"{model}-{part}.json")
    assert code == 0
    assert "Entities, strict" in out
    scores = json.loads((trained / f"{model}-{part}.json").read_text())
    assert scores == json.loads((trained / model / "run.json").read_text())["scores"][part]
    assert scores["sentences"] == {"dev": 6, "test": 4}[part]


def test_json_to_stdout_sends_the_table_to_stderr(run) -> None:
    code, out, err = run("evaluate", "one", "dev.jsonl", "--json", "-")
    assert code == 0
    assert json.loads(out)["sentences"] == 6
    assert "Entities, strict" in err


def test_without_json_stdout_holds_the_table_and_stderr_nothing(run) -> None:
    _, out, err = run("evaluate", "one", "dev.jsonl")
    assert "The paper's numbers" in out
    assert err == ""


@pytest.mark.parametrize("model", ["one", "two"])
def test_the_report_is_a_page_with_every_sentence(model: str, run, trained: Path) -> None:
    code, out, err = run("evaluate", model, "dev.jsonl", "--report", f"pages/{model}.html")
    assert code == 0
    assert "Entities, strict" in out
    assert err == f"every mistake: pages/{model}.html\n"
    text = (trained / "pages" / f"{model}.html").read_text(encoding="utf-8")
    assert f"<h1>{model} on dev.jsonl</h1>" in text
    assert text.count("<article ") == 6
    assert text.endswith("</html>\n")


def test_the_report_names_no_folder(run, trained: Path) -> None:
    run("evaluate", str(trained / "one"), str(trained / "dev.jsonl"), "--report", "page.html")
    text = (trained / "page.html").read_text(encoding="utf-8")
    assert "<h1>one on dev.jsonl</h1>" in text
    assert str(trained) not in text


def test_the_report_tells_the_scores_of_the_table(run, trained: Path) -> None:
    run("evaluate", "one", "dev.jsonl", "--report", "page.html", "--json", "scores.json")
    micro = json.loads((trained / "scores.json").read_text())["re"]["strict"]["micro"]
    told = f"{micro['correct']:,} of {micro['gold']:,} found, {micro['predicted']:,} predicted"
    assert told in (trained / "page.html").read_text(encoding="utf-8")


def test_a_report_that_cannot_be_written_is_one_line_after_the_scores(run, trained: Path) -> None:
    code, out, err = run("evaluate", "one", "dev.jsonl", "--report", ".")
    assert code == 1
    assert "Entities, strict" in out
    assert err == "error: .: is a folder, a file is to be written here\n"


def test_any_known_format_can_be_scored(run, trained: Path) -> None:
    write(trained / "dev.conll", tiny.sentences(6, first=31), "conll")
    run("evaluate", "one", "dev.jsonl", "--json", "a.json")
    code, _, _ = run("evaluate", "one", "dev.conll", "--json", "b.json")
    assert code == 0
    first, second = (json.loads((trained / f"{name}.json").read_text()) for name in "ab")
    assert first["ner"] == second["ner"]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["none", "dev.jsonl"], 1, "error: none: no such model folder (check the path)\n"),
        (["one", "none.jsonl"], 1, "error: none.jsonl: no such file (check the path)\n"),
        (
            ["one", "dev.jsonl", "--device", "cuda:77"],
            2,
            "error: PyTorch sees no device 'cuda:77' here (it sees cpu",
        ),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], code: int, told: str, run) -> None:
    left, out, err = run("evaluate", *arguments)
    assert (left, out) == (code, "")
    assert err.startswith(told)
    assert err.count("\n") == 1


@pytest.mark.parametrize("missing", ["config.json", "vocabulary.json", "model.safetensors"])
def test_a_folder_that_lacks_a_file_is_told(missing: str, run, trained: Path, tmp_path: Path) -> None:
    for path in (trained / "one").iterdir():
        if path.name != missing:
            (tmp_path / path.name).write_bytes(path.read_bytes())
    code, _, err = run("evaluate", str(tmp_path), "dev.jsonl")
    assert code == 1
    assert f"{missing}: no such file" in err
