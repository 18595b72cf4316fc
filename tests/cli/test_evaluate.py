"""``biaffinity evaluate`` as a user meets it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from biaffinity.formats import read, write
from training import tiny


@pytest.mark.parametrize("model", ["one", "two"])
@pytest.mark.parametrize("part", ["dev", "test"])
def test_the_scores_are_those_of_the_training_run(
    model: str, part: str, beside_models, two_setups: Path
) -> None:
    code, out, _ = beside_models("evaluate", "--model", model, f"{part}.jsonl", "--json")
    assert code == 0
    scores = json.loads(out)
    assert scores == json.loads((two_setups / model / "run.json").read_text())["scores"][part]
    assert scores["sentences"] == {"dev": 6, "test": 4}[part]


def test_without_json_stdout_holds_the_table_and_stderr_nothing(beside_models) -> None:
    _, out, err = beside_models("evaluate", "--model", "one", "dev.jsonl")
    assert "Relations, strict" in out
    assert err == ""


def test_the_sheet_is_short_and_ends_with_what_is_confused(beside_models, two_setups: Path) -> None:
    beside_models("predict", "--model", "one", "dev.jsonl", "-o", "predicted.jsonl")
    predicted = (two_setups / "predicted.jsonl").read_text()
    (two_setups / "mislabelled.jsonl").write_text(predicted.replace('"Loc"', '"Org"'))
    _, out, _ = beside_models("evaluate", "--model", "one", "mislabelled.jsonl")
    headings = [line.split("  ")[0] for line in out.splitlines() if line and line[0].isalpha()]
    assert headings == ["Entities, strict", "Relations, strict", "Most often confused"]
    confused = out.partition("Most often confused")[2].splitlines()[1:]
    assert [line.split() for line in confused] == [["entities", "Org", "Loc", str(predicted.count('"Loc"'))]]


def test_types_that_the_model_does_not_know_are_named(beside_models, two_setups: Path) -> None:
    text = (two_setups / "dev.jsonl").read_text()
    text = text.replace('"Live_In"', '"Plays_For"').replace('"Peop"', '"Star"')
    (two_setups / "football.jsonl").write_text(text)
    code, _, err = beside_models("evaluate", "--model", "one", "football.jsonl")
    entities, relations = err.splitlines()
    assert code == 0
    assert entities.startswith("the model does not know the entity type Star, so it misses 6 of the data's")
    assert entities.endswith("it knows Loc, Org, Peop")
    assert "does not know the relation type Plays_For" in relations


def test_all_shows_every_cell(beside_models) -> None:
    _, out, _ = beside_models("evaluate", "--model", "one", "dev.jsonl", "--all")
    for heading in ("Entities, boundaries only", "Relations, boundaries only", "The paper's numbers (macro)"):
        assert heading in out


@pytest.mark.parametrize("model", ["one", "two"])
def test_the_report_is_a_page_with_every_sentence(model: str, beside_models, two_setups: Path) -> None:
    code, out, err = beside_models(
        "evaluate", "--model", model, "dev.jsonl", "--report", f"pages/{model}.html"
    )
    assert code == 0
    assert "Entities, strict" in out
    assert err == f"every mistake: pages/{model}.html\n"
    text = (two_setups / "pages" / f"{model}.html").read_text(encoding="utf-8")
    assert f"<h1>{model} on dev.jsonl</h1>" in text
    assert text.count("<article ") == 6
    assert text.endswith("</html>\n")


def test_the_report_names_no_folder(beside_models, two_setups: Path) -> None:
    beside_models(
        "evaluate", "--model", str(two_setups / "one"), str(two_setups / "dev.jsonl"), "--report", "page.html"
    )
    text = (two_setups / "page.html").read_text(encoding="utf-8")
    assert "<h1>one on dev.jsonl</h1>" in text
    assert str(two_setups) not in text


def test_the_report_tells_the_scores_of_the_table(beside_models, two_setups: Path) -> None:
    _, out, _ = beside_models("evaluate", "--model", "one", "dev.jsonl", "--report", "page.html", "--json")
    micro = json.loads(out)["re"]["strict"]["micro"]
    told = f"{micro['correct']:,} of {micro['gold']:,} found, {micro['predicted']:,} predicted"
    assert told in (two_setups / "page.html").read_text(encoding="utf-8")


def test_a_report_that_cannot_be_written_is_one_line_after_the_scores(
    beside_models, two_setups: Path
) -> None:
    code, out, err = beside_models("evaluate", "--model", "one", "dev.jsonl", "--report", ".")
    assert code == 1
    assert "Entities, strict" in out
    assert err == "error: .: is a folder, a file is to be written here\n"


def test_any_known_format_can_be_scored(beside_models, two_setups: Path) -> None:
    write(two_setups / "dev.conll", tiny.sentences(6, first=31), "conll")
    first = beside_models("evaluate", "--model", "one", "dev.jsonl", "--json")[1]
    code, second, _ = beside_models("evaluate", "--model", "one", "dev.conll", "--json")
    assert code == 0
    assert json.loads(first)["ner"] == json.loads(second)["ner"]


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
def test_mistakes_are_one_line(arguments: list[str], code: int, told: str, beside_models) -> None:
    left, out, err = beside_models("evaluate", "--model", *arguments)
    assert (left, out) == (code, "")
    assert err.startswith(told)
    assert err.count("\n") == 1


@pytest.mark.parametrize("missing", ["config.json", "vocabulary.json", "model.safetensors", "states.onnx"])
def test_a_folder_that_lacks_a_file_is_told(
    missing: str, beside_models, two_setups: Path, tmp_path: Path
) -> None:
    for path in (two_setups / "one").iterdir():
        if path.name != missing:
            (tmp_path / path.name).write_bytes(path.read_bytes())
    code, _, err = beside_models("evaluate", "--model", str(tmp_path), "dev.jsonl")
    assert code == 1
    assert f"{missing}: no such file" in err


def test_a_model_that_was_not_exported_is_scored_with_pytorch(
    beside_models, two_setups: Path, tmp_path: Path
) -> None:
    bare = shutil.copytree(two_setups / "one", tmp_path / "bare", ignore=shutil.ignore_patterns("*.onnx"))
    found = []
    for model in ("one", str(bare)):
        code, out, _ = beside_models("evaluate", "--model", model, "dev.jsonl", "--json")
        assert code == 0
        found.append(out)
    assert found[0] == found[1]


def test_without_pytorch_a_model_that_was_not_exported_names_the_extra(
    beside_models, two_setups: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = shutil.copytree(two_setups / "one", tmp_path / "bare", ignore=shutil.ignore_patterns("*.onnx"))
    monkeypatch.setitem(sys.modules, "torch", None)
    code, _, err = beside_models("evaluate", "--model", str(bare), "dev.jsonl")
    assert code == 1
    assert err.endswith("-m pip install 'biaffinity[train]')\n")


@pytest.mark.parametrize("model", ["one", "two"])
def test_pytorch_is_not_needed(model: str, without_pytorch, two_setups: Path) -> None:
    done = without_pytorch("evaluate", "--model", two_setups / model, two_setups / "dev.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    scores = json.loads((two_setups / model / "run.json").read_text())["scores"]["dev"]
    assert json.loads(done.stdout) == scores


def test_an_embedded_model_is_scored_by_its_name_without_pytorch(without_pytorch, samples: Path) -> None:
    done = without_pytorch("evaluate", "--model", "news", samples / "news.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout)
    assert scores["sentences"] == len(list(read(samples / "news.jsonl")))
    assert scores["ner"]["micro"]["f1"] > 0.5
