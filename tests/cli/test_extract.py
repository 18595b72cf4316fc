"""``biaffinity extract`` as a user meets it; most tests let capitalised words be the names."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

import biaffinity
from biaffinity.extraction.identity import model_identity
from biaffinity.extraction.loading import model_folder
from paragraph import triples

SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
import biaffinity
import biaffinity.cli.extract
from biaffinity.cli import main
from bulk import capitals

if __name__ == "__main__":
    biaffinity.load = capitals.load
    from biaffinity.bulk import run as module
    module.CHUNK_DOCUMENTS, module._COMMIT_SECONDS = 5, 0.0
    {first}
    main(["extract", *sys.argv[1:]])
"""


def program(*arguments: str, first: str = "") -> list[str]:
    """The command line of the program with the stand-in for a model."""
    script = SCRIPT.format(tests=str(Path(__file__).parent.parent), first=first)
    return [sys.executable, "-c", script, *arguments]


def write(name: str, texts: list[object]) -> None:
    lines = [json.dumps({"id": str(number), "text": text}) + "\n" for number, text in enumerate(texts)]
    Path(name).write_text("".join(lines), encoding="utf-8")


def ids(lines: str) -> list[str]:
    return [json.loads(line)["id"] for line in lines.splitlines()]


def test_a_text_gives_a_line_of_json_where_there_is_no_terminal(extract) -> None:
    code, out, err = extract("Bo met Al.")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "id": "1",
        "text": "Bo met Al.",
        "entities": [
            {"text": "Bo", "type": "Name", "start_char": 0, "end_char": 2, "score": 0.5},
            {"text": "Al", "type": "Name", "start_char": 7, "end_char": 9, "score": 0.5},
        ],
        "relations": [{"type": "Next", "head": 0, "tail": 1, "score": 0.5}],
    }


def test_one_text_as_json_is_one_object_and_several_are_an_array(extract) -> None:
    assert json.loads(extract("Bo met Al.", "--format", "json")[1])["text"] == "Bo met Al."
    many = json.loads(extract("Bo met Al.", "It rained.", "--format", "json")[1])
    assert [document["id"] for document in many] == ["1", "2"]


def test_csv_is_a_row_per_relation(extract) -> None:
    out = extract("Bo met Al and Cy.", "It rained.", "--format", "csv")[1]
    rows = [(row["head"], row["type"], row["tail"]) for row in csv.DictReader(io.StringIO(out))]
    assert rows == [("Bo", "Next", "Al"), ("Al", "Next", "Cy")]


def test_a_table_shows_text_entities_and_relations_as_they_stand(extract) -> None:
    code, out, _ = extract("Bo met [bold]Al :cat:\x1b", "it rained", "--format", "table")
    assert code == 0
    assert [line.rstrip() for line in out.splitlines()] == [
        "Bo met [bold]Al :cat:\ufffd",
        "           type  characters  score  text",
        " entity    Name  0-2         0.50   Bo",
        " entity    Name  13-15       0.50   Al",
        " relation  Next  0-15        0.50   Bo -> Al",
        "",
        "it rained",
        "no entities",
    ]


def test_a_store_takes_more_and_more(extract) -> None:
    Path("a.txt").write_text("Bo met Al.")
    Path("b.txt").write_text("Cy met Boom.")
    code, out, err = extract("a.txt", "--out", "facts.db")
    assert (code, out) == (0, "")
    assert err.startswith("1 document written to facts.db (")
    code, _, err = extract("a.txt", "b.txt", "--out", "facts.db")
    assert code == 1
    assert "1 left out: see its table failures (facts.db); " in err
    assert "1 x document left as it was: it is there already (e.g. a.txt)" in err
    with closing(sqlite3.connect("facts.db")) as facts:
        model = f"news {model_identity(model_folder(None))[:8]} (biaffinity {biaffinity.__version__})"
        query = "SELECT document, head, tail, model, sentence FROM relation_rows"
        assert facts.execute(query).fetchall() == [("a.txt", "Bo", "Al", model, "Bo met Al.")]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["in.txt", "--address", "head:6379"], "--address is of a Ray cluster (say --engine ray)"),
        (["-", "--engine", "ray", "--out", "out/"], "a cluster cannot read stdin (name files or folders"),
        (["in.txt", "--engine", "ray"], "a cluster writes a folder of Parquet files, or PostgreSQL (--out"),
        (["in.txt", "--engine", "ray", "--out", "x.db"], "a cluster writes a folder of Parquet files, or Po"),
        (
            ["in.txt", "--engine", "ray", "--out", "x/", "--tokens", "--html", "page.html"],
            "--html does not go with --out",
        ),
        (["in.txt", "--engine", "ray", "--out", "x/", "--tokens"], "--tokens cannot be had from a cluster"),
    ],
)
def test_what_a_cluster_cannot_do_is_wrong_use(extract, arguments: list[str], problem: str) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra tables")
    Path("in.txt").write_text("Bo met Al.")
    code, _, err = extract(*arguments)
    assert code == 2
    assert problem in err


def test_tokens_are_there_if_asked_for(extract) -> None:
    out = extract("Bo met Al.", "--tokens")[1]
    assert biaffinity.Document.from_json(out).sentences[0].tokens == ("Bo", "met", "Al", ".")


@pytest.mark.parametrize("options", [[], ["--tokens"], ["--format", "json"]])
def test_a_relation_of_a_later_sentence_has_its_own_arguments(extract, options: list[str]) -> None:
    out = extract("Ana met Bo. Then it rained in Oslo. Ivo shot Dario.", *options)[1]
    assert triples(json.loads(out)) == [
        ("Ana", "Next", "Bo"),
        ("Then", "Next", "Oslo"),
        ("Ivo", "Next", "Dario"),
    ]


@pytest.mark.parametrize("tokens", [[], ["--tokens"]])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("name", ["facts.jsonl", "facts.json"])
def test_what_is_written_can_be_converted(extract, command, name: str, count: int, tokens: list[str]) -> None:
    texts = ["Ana met Bo. Ivo shot Dario.", "It rained."][:count]
    assert extract(*texts, "--out", name, *tokens)[0] == 0
    code, _, err = command("convert", name, "facts.brat")
    assert code == 0
    assert "(jsonl to brat)" in err
    assert (Path("facts.brat") / "1.txt").read_text() == texts[0]
    assert (Path("facts.brat") / "1.ann").read_text().splitlines() == [
        "T1\tName 0 3\tAna",
        "T2\tName 8 10\tBo",
        "T3\tName 12 15\tIvo",
        "T4\tName 21 26\tDario",
        "R1\tNext Arg1:T1 Arg2:T2\t",
        "R2\tNext Arg1:T3 Arg2:T4\t",
    ]


def test_stdin_is_read(extract, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"Bo.\nAl.\n")))
    assert ids(extract("-", "--from", "lines")[1]) == ["stdin:1", "stdin:2"]


def test_what_looks_like_a_path_can_be_a_text(extract) -> None:
    assert json.loads(extract("Bo/Al", "--text")[1])["text"] == "Bo/Al"


def test_fields_are_named(extract) -> None:
    Path("a.csv").write_text("key,body\nk,Bo met Al.\n")
    assert ids(extract("a.csv", "--text-field", "body", "--id-field", "key")[1]) == ["k"]


def test_a_least_score_is_handed_on(extract) -> None:
    out = extract("Bo met Albert.", "--min-score", "0.3")[1]
    assert [entity["text"] for entity in json.loads(out)["entities"]] == ["Bo"]


def test_a_low_least_score_finds_relations_that_the_model_does_not_decide_for(command) -> None:
    text = (
        "Siemens of Munich thanked the lawyer Otto Kramer, a guest in Berlin. "
        "Ida Brandt of Nokia, 61, spoke to Lena Voss of Bavaria Radio in Munich."
    )
    decided, more, work = (
        set(triples(json.loads(command("extract", text, *options)[1])))
        for options in ((), ("--min-score", "0.03"), ("--min-score", "Work_For=0.03"))
    )
    assert decided < work < more
    assert {type_ for _, type_, _ in work - decided} == {"Work_For"}


def test_a_bad_document_is_told_and_left_out_and_the_exit_code_says_so(extract) -> None:
    write("a.jsonl", ["Bo.", 3, "Boom", "Al."])
    code, out, err = extract("a.jsonl")
    assert (code, ids(out)) == (1, ["0", "3"])
    assert err.splitlines() == [
        "left out: a.jsonl:2: text: must be a string, not int",
        "left out: a.jsonl:3: ZeroDivisionError: boom",
        "2 of 4 documents left out",
    ]


def test_a_warning_is_a_line(extract) -> None:
    assert extract("Warn Bo.")[2] == "note: document 1: beware\n"


def test_a_file_is_written_and_its_sum_told(extract) -> None:
    write("a.jsonl", ["Bo.", 3, "Al."])
    code, out, err = extract("a.jsonl", "--out", "b.jsonl")
    assert (code, out) == (1, "")
    first, last = err.splitlines()
    assert first == "left out: a.jsonl:2: text: must be a string, not int"
    assert last.startswith("2 documents written to b.jsonl (1 left out: see b.jsonl.failed.jsonl; ")
    assert last.endswith(" tokens/s)")
    assert ids(Path("b.jsonl").read_text()) == ["0", "2"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_format_of_a_file_is_told_by_its_name(extract, workers: str) -> None:
    write("a.jsonl", ["Bo met Al.", "Cy."])
    assert extract("a.jsonl", "-o", "b.json", "--workers", workers)[0] == 0
    assert [document["id"] for document in json.loads(Path("b.json").read_text())] == ["0", "1"]


def test_a_folder_is_brats_with_the_types_and_the_models_signature(extract) -> None:
    Path("notes").mkdir()
    Path("notes/a.txt").write_text("Bo met Al.")
    code, _, err = extract("notes", "--out", "labelled/")
    assert code == 0, err
    assert sorted(path.name for path in Path("labelled").iterdir()) == ["a.ann", "a.txt", "annotation.conf"]
    *_, note = Path("labelled/a.ann").read_text().splitlines()
    assert note.startswith("#3\tAnnotatorNotes R1\tby news ")
    assert note.endswith(f" (biaffinity {biaffinity.__version__}), score 0.50")
    assert extract("notes", "--out", "labelled/")[0] == 2
    assert extract("notes", "--out", "labelled/", "--resume")[2].endswith("nothing is left to do\n")


def test_an_empty_folder_is_filled(extract) -> None:
    Path("labelled").mkdir()
    assert extract("Bo met Al.", "--out", "labelled")[0] == 0
    assert Path("labelled/1.ann").is_file()
    assert sorted(path.name for path in Path().iterdir()) == ["labelled", "labelled.run.json"]


def test_label_studio_gets_predictions(extract) -> None:
    assert extract("Bo met Al.", "--out", "x.labelstudio.json")[0] == 0
    [task] = json.loads(Path("x.labelstudio.json").read_text())
    assert task["predictions"][0]["model_version"].startswith("news ")
    assert "annotations" not in task


def test_a_finished_file_has_nothing_left_to_do(extract) -> None:
    extract("Bo.", "--out", "b.jsonl")
    assert extract("Bo.", "--out", "b.jsonl", "--resume") == (
        0,
        "",
        "b.jsonl is complete: nothing is left to do\n",
    )


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["none.txt"], 1, "error: none.txt: no such file or folder (check the path; if it is a text"),
        (["notes/"], 1, "error: notes/: no such file or folder (check the path; if it is a text to be read,"),
        (["Bo.", "--model", "none"], 1, "error: none: no such model folder (check the path)\n"),
        (["Bo.", "--out", "old.jsonl"], 2, "error: old.jsonl: is there already (name another --out, or"),
        (["Bo.", "--resume"], 2, "error: --resume needs the --out to go on with\n"),
        (
            ["Bo.", "--format", "xml"],
            2,
            "error: unknown format 'xml' (one of table, json, jsonl, csv,",
        ),
        (
            ["Bo.", "--out", "facts"],
            2,
            "error: facts: does not tell its format by its name (say which: --f",
        ),
        (["Bo.", "--format", "brat"], 2, "error: brat cannot go to stdout (name a file with --out)\n"),
        (
            ["Bo.", "--out", "old.jsonl", "--format", "brat"],
            1,
            "error: old.jsonl: is a file, a folder is to be",
        ),
        (["Bo.", "--format", "parquet"], 2, "error: Parquet cannot go to stdout (name a file with --out)\n"),
        (["Bo.", "--format", "table", "-o", "new"], 2, "error: a table is for the terminal"),
        (["Bo.", "--format", "table", "--tokens"], 2, "error: a table has no place for tokens"),
        (
            ["Bo.", "--min-score", "high"],
            2,
            "error: --min-score 'high' is no number (such as 0.5, or Kill=0.9",
        ),
        (["Bo.", "--from", "xml"], 2, "error: unknown kind of input 'xml'"),
    ],
)
def test_mistakes_are_one_line_and_write_nothing(extract, arguments: list[str], code: int, told: str) -> None:
    Path("old.jsonl").write_text("old")
    left, out, err = extract(*arguments)
    assert (left, out) == (code, "")
    assert err.startswith(told)
    assert err.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == ["old.jsonl"]


@pytest.mark.parametrize("workers", [0, "many"])
def test_workers_are_a_number_from_one_on(extract, workers: object) -> None:
    assert extract("Bo.", "--workers", str(workers))[0] == 2


def test_a_terminal_gets_a_table_in_colour(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {key: os.environ[key] for key in os.environ.keys() - {"NO_COLOR"}} | {"TERM": "xterm"}
    done = subprocess.run(
        program("Bo met Al."),
        stdout=theirs,
        stderr=subprocess.PIPE,
        check=False,
        env=environment,
        cwd=tmp_path,
    )
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Bo -> Al" in shown
    assert "\x1b[32m" in shown


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_reader_that_leaves_is_not_complained_about(tmp_path: Path, workers: str) -> None:
    (tmp_path / "a.txt").write_text("Bo met Al.\n" * 20_000)
    child = subprocess.Popen(
        program("a.txt", "--from", "lines", "--workers", workers),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert child.stdout is not None
    child.stdout.read(1)
    child.stdout.close()
    assert child.stderr is not None
    complaints = child.stderr.read()
    child.stderr.close()
    child.wait()
    assert complaints == b""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_stopped_can_be_gone_on_with(extract, how: signal.Signals) -> None:
    write("a.jsonl", [f"Slow Bo{number}." for number in range(60)])
    child = subprocess.Popen(
        program("a.jsonl", "--out", "b.jsonl", "--workers", "2"),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not (Path("b.jsonl.part").exists() and Path("b.jsonl.part").stat().st_size):
        assert child.poll() is None
        time.sleep(0.01)
    os.killpg(child.pid, how)  # Ctrl-C goes to the workers too
    assert child.stderr is not None
    told = child.stderr.read()
    child.stderr.close()
    if how == signal.SIGINT:
        assert (child.wait(), told) == (130, "interrupted: --resume goes on with it\n")
    else:
        assert (child.wait(), told) == (-signal.SIGKILL, "")
    code, _, err = extract("a.jsonl", "--out", "b.jsonl", "--resume")
    assert code == 0
    assert err.splitlines()[-1].startswith("60 documents written to b.jsonl (")
    assert ids(Path("b.jsonl").read_text()) == [str(number) for number in range(60)]
    assert sorted(path.name for path in Path().iterdir()) == ["a.jsonl", "b.jsonl", "b.jsonl.run.json"]


def test_one_text_needs_nothing_that_only_large_work_does(tmp_path: Path) -> None:
    heavy = {"torch", "pyarrow", "pandas", "multiprocessing.connection", "concurrent.futures.process"}
    show = f"import atexit; atexit.register(lambda: print({heavy!r} & sys.modules.keys(), file=sys.stderr))"
    done = subprocess.run(program("Bo met Al.", first=show), capture_output=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"set()\n")


def test_help_teaches_by_examples(extract) -> None:
    code, out, _ = extract("--help")
    assert code == 0
    assert 'biaffinity extract "' in out
    assert "--resume" in out


@pytest.fixture
def really(extract, monkeypatch: pytest.MonkeyPatch):
    """Run ``extract`` in an empty folder with a real model."""
    monkeypatch.setattr(biaffinity, "load", biaffinity.Extractor.load, raising=False)
    return extract


def test_a_real_model_says_the_same_by_any_road(
    really, folder: Path, extractor: biaffinity.Extractor, news: list[biaffinity.Sentence]
) -> None:
    texts = [" ".join(sentence.tokens) for sentence in news]
    write("a.jsonl", list(texts))
    expected = [[e.text for e in document.entities] for document in extractor.stream(texts)]
    assert any(expected)
    for road in (["--format", "jsonl"], ["--out", "one.jsonl"], ["--out", "two.jsonl", "--workers", "2"]):
        code, out, _ = really("a.jsonl", "--model", str(folder), *road)
        lines = out or Path(road[1]).read_text(encoding="utf-8")
        assert code == 0
        assert [[e["text"] for e in json.loads(line)["entities"]] for line in lines.splitlines()] == expected


@pytest.mark.parametrize("road", [[], ["--out", "b.jsonl"], ["--workers", "2"], ["--html", "b.html"]])
def test_a_model_of_version_1_is_one_line_that_tells_how_to_bring_it_up_to_date(
    really, folder: Path, road: list[str]
) -> None:
    old = shutil.copytree(folder, Path("old"))
    head = json.loads((old / "config.json").read_text())
    (old / "config.json").write_text(json.dumps({**head, "version": 1}))
    code, out, err = really("Bo.", "--model", str(old), *road)
    assert (code, out) == (1, "")
    assert err == (
        f"error: {old / 'config.json'}: is a model of version 1, this program reads version 2"
        f" (run: biaffinity export --model {old})\n"
    )
    assert list(Path().iterdir()) == [old]


@pytest.mark.parametrize("road", [[], ["--out", "b.jsonl"], ["--workers", "2"], ["--html", "b.html"]])
def test_a_model_that_is_given_entities_is_one_line_and_not_one_for_each_document(
    really, two_setups: Path, road: list[str]
) -> None:
    code, out, err = really("Bo.", "Al.", "--model", str(two_setups / "two"), *road)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {two_setups / 'two'}: this model does not find entities")
    assert err.count("\n") == 1
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    "name", ["config.json", "vocabulary.json", "model.safetensors", "states.onnx", "encoder.characters.onnx"]
)
def test_a_run_goes_on_only_with_the_very_same_model(folder: Path, tmp_path: Path, name: str) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    assert model_identity(copy) == model_identity(folder)
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content + b"\n")
    assert model_identity(copy) != model_identity(folder)


def test_a_run_goes_on_with_a_model_whose_card_was_edited(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / "README.md").write_text("# harbour")
    assert model_identity(copy) == model_identity(folder)
