"""``biaffinity score`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.cli import main
from biaffinity.formats import write
from biaffinity.scoring import score

GOLD = [
    Sentence(
        ["Ida", "Moor", "left", "Port", "Vane"],
        [Entity(0, 2, "Peop"), Entity(3, 5, "Loc")],
        [Relation("Live_In", 0, 1)],
        id="a",
    ),
    Sentence(["June", "came"], [Entity(0, 1, "Other")], id="b"),
]
PREDICTED = [
    GOLD[0].annotated([Entity(0, 2, "Peop"), Entity(3, 5, "[Org]")], GOLD[0].relations),
    GOLD[1],
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, sentences in {"gold": GOLD, "predicted": PREDICTED, "empty": []}.items():
        write(tmp_path / f"{name}.jsonl", sentences)
    write(tmp_path / "rival.jsonl", [s.annotated([]) for s in GOLD])
    return tmp_path


@pytest.fixture
def run(files, capsys):
    """Run the command: its exit code, what it wrote to stdout and to stderr."""

    def command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["score", *arguments])
        return left.value.code or 0, *capsys.readouterr()

    return command


def row(table: str, heading: str, label: str) -> list[str]:
    """The numbers of one line of a table, under a heading."""
    lines = table[table.index(heading) :].splitlines()
    return next(line for line in lines if line.strip().startswith(label)).split()[len(label.split()) :]


def test_the_table_names_every_cell_in_percent_with_its_counts(run):
    code, out, _ = run("gold.jsonl", "predicted.jsonl")
    assert code == 0
    assert row(out, "Entities, strict", "micro") == ["66.7", "66.7", "66.7", "3", "3", "2"]
    assert row(out, "Entities, strict", "macro, all types") == ["50.0", "50.0", "50.0", "3", "3", "2"]
    assert row(out, "Entities, strict", "macro, without Other") == ["33.3", "33.3", "33.3", "2", "2", "1"]
    assert row(out, "Entities, strict", "Peop") == ["100.0", "100.0", "100.0", "1", "1", "1"]
    assert row(out, "Entities, boundaries only", "micro") == ["100.0", "100.0", "100.0", "3", "3", "3"]
    assert row(out, "Entity classification (EC)", "Loc") == ["0.0", "0.0", "0.0", "1", "0", "0"]
    assert row(out, "Relations, strict", "micro") == ["0.0", "0.0", "0.0", "1", "1", "0"]
    assert row(out, "Relations, boundaries only", "Live_In") == ["100.0", "100.0", "100.0", "1", "1", "1"]
    assert row(out, "The paper's numbers", "NER without Other") == ["33.3", "33.3", "33.3", "2", "2", "1"]
    assert row(out, "The paper's numbers", "EC without Other") == ["33.3", "33.3", "33.3", "2", "2", "1"]
    assert row(out, "The paper's numbers", "RC strict") == ["0.0", "0.0", "0.0", "1", "1", "0"]
    assert row(out, "The paper's numbers", "RC as released") == ["100.0", "100.0", "100.0", "1", "1", "1"]


def test_a_type_in_brackets_is_printed_as_it_is(run):
    assert row(run("gold.jsonl", "predicted.jsonl")[1], "Entities, strict", "[Org]")[-2] == "1"


def test_the_table_fits_100_columns_with_everything_asked_for(run):
    out = run("gold.jsonl", "predicted.jsonl", "--bootstrap", "10", "--compare", "rival.jsonl")[1]
    assert max(len(line) for line in out.splitlines()) <= 100


def test_json_is_the_sheet_of_the_function_in_place_of_the_table(run):
    code, out, err = run("gold.jsonl", "predicted.jsonl", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == score(GOLD, PREDICTED).to_dict()


def test_other_types_are_an_option_that_repeats(run):
    out = run("gold.jsonl", "predicted.jsonl", "--other", "Loc", "--other", "[Org]")[1]
    assert row(out, "The paper's numbers", "NER without Loc, [Org]")[:3] == ["100.0"] * 3


@pytest.mark.parametrize("text", ['["a", "zz"]', "a\nzz\n", "\ufeffa\r\n\r\nzz"])
def test_excluded_ids_come_as_a_list_or_as_lines_and_unknown_ones_are_told(run, files, text):
    (files / "ids").write_text(text, "utf-8", newline="")
    code, out, err = run("gold.jsonl", "predicted.jsonl", "--exclude-ids", "ids")
    assert code == 0
    assert row(out, "Entities, strict", "micro")[3:] == ["1", "1", "1"]
    assert "1 sentence left out, 1 scored" in err
    assert "ids: 1 id not in gold.jsonl: zz" in err


@pytest.mark.parametrize(
    ("text", "place"), [('["a",\n}', "ids:2"), ("[" * 100_000, "ids"), ('["a", {}]', "ids: [1]")]
)
def test_a_broken_list_of_ids_is_an_error_with_its_place(run, files, text, place):
    (files / "ids").write_text(text)
    code, _, err = run("gold.jsonl", "predicted.jsonl", "--exclude-ids", "ids")
    assert code == 1
    assert f"error: {place}" in err


def test_bootstrap_adds_an_interval_to_the_table_and_to_every_leaf(run):
    assert "95% interval" in run("gold.jsonl", "predicted.jsonl", "--bootstrap", "50")[1]
    record = json.loads(run("gold.jsonl", "predicted.jsonl", "--bootstrap", "50", "--json")[1])
    assert record["paper"]["rc_released"]["f1_interval"] == [0.0, 1.0]
    assert len(record["re"]["strict"]["per_type"]["Live_In"]["f1_interval"]) == 2


def test_compare_gives_differences_and_both_p_values(run):
    table = run("gold.jsonl", "predicted.jsonl", "--compare", "rival.jsonl")[1]
    assert row(table, "p (randomisation)", "micro")[:3] == ["66.7", "0.0", "+66.7"]
    _, out, _ = run("gold.jsonl", "predicted.jsonl", "--compare", "rival.jsonl", "--json")
    cell = json.loads(out)["compare"]["ner"]["micro"]
    assert cell["difference"] == pytest.approx(2 / 3)
    assert 0 < cell["p_bootstrap"] <= 1
    assert 0 < cell["p_randomisation"] <= 1


def test_the_seed_decides_the_resamples(run):
    first, again, third = (
        run("gold.jsonl", "predicted.jsonl", "--compare", "rival.jsonl", "--json", "--seed", seed)[1]
        for seed in "112"
    )
    assert first == again
    assert first != third


def test_files_that_do_not_match_are_named_with_the_first_difference(run):
    code, out, err = run("gold.jsonl", "empty.jsonl")
    assert (code, out) == (1, "")
    assert "gold.jsonl and empty.jsonl: sentence 1: is in gold (id 'a')" in err
    assert len(err.splitlines()) == 1


def test_a_rival_that_does_not_match_is_the_one_named(run):
    err = run("gold.jsonl", "predicted.jsonl", "--compare", "empty.jsonl")[2]
    assert "gold.jsonl and empty.jsonl: sentence 1" in err


def test_a_missing_file_is_an_error_without_a_traceback(run):
    code, _, err = run("gold.jsonl", "nowhere.jsonl")
    assert code == 1
    assert err.startswith("error: nowhere.jsonl: no such file")


def test_what_a_reader_could_not_carry_over_is_told(run, files):
    lines = [json.dumps({**s.to_dict(), "mood": "glad"}) for s in GOLD]
    (files / "odd.jsonl").write_text("\n".join(lines))
    err = run("odd.jsonl", "predicted.jsonl", "--compare", "odd.jsonl")[2]
    assert err.startswith("odd.jsonl: 2 x field 'mood'")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments", [["gold.jsonl"], ["gold.jsonl", "predicted.jsonl", "--bootstrap", "-1"]]
)
def test_wrong_use_leaves_with_2(run, arguments):
    assert run(*arguments)[0] == 2


def test_help_teaches_by_example(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "biaffinity score test.jsonl predicted.jsonl" in out


def test_nothing_to_score_is_an_error(run):
    code, out, err = run("empty.jsonl", "empty.jsonl")
    assert (code, out) == (1, "")
    assert err == "error: empty.jsonl: there is no sentence to score (is it the right file?)\n"
