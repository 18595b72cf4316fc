from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("rapidfuzz", reason="needs the extra facts")

from facts.invented import NEWS, document, write

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run ``biaffinity facts`` in a folder whose facts.db has the invented news."""
    monkeypatch.chdir(tmp_path)
    write("facts.db", *NEWS)
    code, out, err = command("facts", "update")
    assert (code, out) == (0, "")
    assert err.endswith("4 documents read, 14 mentions\n")
    return lambda *arguments: command("facts", *arguments)


@pytest.mark.parametrize(
    "question",
    [
        ["search", "norvik"],
        ["about", "Paul Okafor"],
        ["find", "--relation", "Work_For", "--tail", "Norvik Oil", "--min-score", "0.5"],
        ["path", "Salima Murad", "Harrow"],
        ["top"],
        ["why", "Salima Murad"],
        ["update"],
    ],
)
def test_every_answer_is_json_too(ask: Command, question: list[str]) -> None:
    code, out, err = ask(*question, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)


def test_search_shows_who_is_meant(ask: Command) -> None:
    code, out, _ = ask("search", "okafr")
    assert code == 0
    header, row = (line.split() for line in out.splitlines())
    assert header == ["id", "entity", "type", "documents", "facts", "found", "as"]
    assert row[1:] == ["Paul", "Okafor", "Peop", "2", "3", "Okafor"]
    assert ask("search", "xyzzy") == (0, "", "nothing found\n")


def test_about_shows_facts_with_their_sentences(ask: Command) -> None:
    code, out, _ = ask("about", "Norvik Oil")
    assert code == 0
    assert out.splitlines() == [
        "Norvik Oil Company (Org, #2)  1 fact, 3 mentions in 2 documents",
        "also NOC",
        "Work_For, as tail: 1 fact",
        "  Paul Okafor Work_For Norvik Oil Company  0.90, 2 documents, 3 times",
        "      Paul Okafor runs the Norvik Oil Company (NOC). Okafor lives in Solund.  [a]",
    ]
    assert ask("about", "Harrow", "--min-score", "0.99")[2] == "no facts\n"


def test_find_and_path_show_facts_or_that_there_are_none(ask: Command) -> None:
    assert ask("find", "--head", "Tove Lind")[1].splitlines() == [
        "Tove Lind Work_For Solund  no score, 1 document",
        "    Tove Lind works for Solund.  [d]",
    ]
    assert ask("find", "--relation", "Kill") == (0, "", "no such fact\n")
    assert ask("path", "Salima Murad", "Harrow", "--sentences", "0")[1].splitlines() == [
        "Salima Mourad Live_In Solund  0.70, 1 document",
        "Harrow OrgBased_In Solund  0.40, 1 document",
    ]
    code, out, err = ask("path", "Tove Lind", "Harrow")
    assert (code, out) == (0, "")
    assert err == "no way of at most 4 facts from Tove Lind (Peop, #9) to Harrow (Org, #6)\n"
    assert ask("path", "NOC", "Norvik Oil")[2] == "both are Norvik Oil Company (Org, #2)\n"


def test_why_split_and_merge(ask: Command) -> None:
    assert ask("why", "Salima Murad")[1].splitlines() == [
        "Salima Mourad (Peop, #7)  1 fact, 2 mentions in 1 document",
        '  Salima Mourad (#7)  1 mention, written "Salima Mourad"',
        '  Salima Murad (#8)  1 mention, written "Salima Murad"',
        "  Salima Mourad = Salima Murad  similar, 0.923",
    ]
    assert [line.split("  ")[0] for line in ask("split", "#7", "#8")[1].splitlines()] == [
        "Salima Mourad (Peop, #7)",
        "Salima Murad (Peop, #8)",
    ]
    assert ask("why", "Salima Murad")[1].splitlines()[2:] == [
        "  Salima Mourad is not Salima Murad  split",
        "  Salima Mourad is not Salima Murad  similar, 0.923",
    ]
    assert ask("merge", "Salima Murad", "Salima Mourad")[1].startswith("Salima Mourad (Peop, #7)  1 fact")
    assert "short name in 1 document, such as a" in ask("why", "Okafor")[1]


def test_top_tells_how_much_there_is_and_what_waits(ask: Command) -> None:
    write("facts.db", document("e", "[Bo/Peop] sang."))
    code, out, err = ask("top", "--limit", "1", "--sentences", "0")
    assert code == 0
    assert [line.split()[1:4] for line in out.splitlines()[:2]] == [
        ["entity", "type", "documents"],
        ["Solund", "Loc", "3"],
    ]
    assert err.splitlines() == [
        "7 entities and 6 facts in all, of 5 documents",
        "1 document changed since: biaffinity facts update reads them",
    ]


def test_a_store_is_named_by_an_option_or_the_environment(
    ask: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("facts.db").rename("other.db")
    code, _, err = ask("search", "norvik")
    assert (code, err) == (1, "error: facts.db: no such file (check the path)\n")
    assert ask("search", "norvik", "--store", "other.db")[0] == 0
    monkeypatch.setenv("BIAFFINITY_STORE", "other.db")
    assert ask("search", "norvik")[0] == 0


def test_wrong_use_is_told(ask: Command) -> None:
    assert ask("about", "okafr")[::2] == (
        2,
        "error: no entity is called 'okafr' (the nearest are #1 Paul Okafor (Peop))\n",
    )
    assert ask("find", "--since", "soon")[0] == 2
    Path("names.txt").write_text("Norvik\n")
    assert ask("update", "--aliases", "names.txt")[::2] == (
        1,
        "error: names.txt:1: names of one entity are to stand here, parted by = "
        "(write it so: Org: Norvik Oil Company = Norvik = NOC)\n",
    )


def test_what_a_terminal_would_obey_is_not_printed(ask: Command) -> None:
    write("facts.db", document("\x1b", "[\x9bBo/Peop] met [Al\x07/Peop]", ("\x1b", 0, 1, 0.5)))
    ask("update")
    for question in (["about", "Al\x07"], ["search", "al"], ["find"], ["why", "Al"], ["top"]):
        _, out, _ = ask(*question)
        assert out
        assert not {*"\x1b\x9b\x07"} & {*out}
