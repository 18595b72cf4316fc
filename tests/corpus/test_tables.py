from __future__ import annotations

import io
from collections.abc import Iterable, Mapping

from hypothesis import given
from rich.console import Console

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.corpus import check
from biaffinity.corpus.tables import tables, visible
from biaffinity.errors import DataError
from biaffinity.formats.piecewise import Piecewise
from strategies import corpora


def shown(splits: Mapping[str, Iterable[Sentence]], width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width)
    for table in tables(check(splits)):
        console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def line(text: str, start: str) -> list[str]:
    """The words of the first line that starts with this."""
    return next(line for line in text.splitlines() if line.strip().startswith(start)).split()


def person(name: str, town: str, id: str = "") -> Sentence:
    entities = [Entity(0, 1, "Peop"), Entity(2, 3, "Loc")]
    return Sentence([name, "of", town], entities, [Relation("Live_In", 0, 1)], id=id)


TRAIN = [person("Anna", "Oslo"), person("Bo", "Rome")]
TEST = [person("Cy", "Bonn")]


def test_counts_stand_side_by_side_with_their_sum() -> None:
    text = shown({"train": TRAIN, "test": TEST})
    assert line(text, "train") == ["train", "test", "all"]
    assert line(text, "sentences") == ["sentences", "2", "1", "3"]
    assert line(text, "Peop") == ["Peop", "2", "1", "3"]
    assert line(text, "median") == ["median", "3", "3", "3"]


def test_one_split_has_no_sum() -> None:
    assert line(shown({"train": TRAIN}), "sentences") == ["sentences", "2"]


def test_training_data_that_does_not_say_so_is_marked() -> None:
    assert line(shown({"news": TRAIN}), "news") == ["news", "(training)"]


def test_every_relation_shows_what_it_joins() -> None:
    text = shown({"train": TRAIN, "test": TEST})
    assert "Peop→Loc 2" in text


def test_the_many_pairs_of_a_relation_are_cut_with_a_count() -> None:
    many = [
        Sentence(["a", "b"], [Entity(0, 1, "A"), Entity(1, 2, f"T{i}")], [Relation("R", 0, 1)])
        for i in range(9)
    ]
    assert "3 other pairs 3" in shown({"train": many})


def test_the_longest_sentences_are_named() -> None:
    assert "x7 (9)" in shown({"train": [Sentence(["w"] * 9, id="x7")]})


def test_a_finding_shows_its_count_its_splits_and_examples_from_each() -> None:
    text = shown({"train": [*TRAIN, Sentence(["a b"], id="1")], "test": [Sentence(["c d"], id="2")]})
    assert "2  tokens that have white space inside (train 1, test 1)" in text
    assert "e.g. train 1: a b; test 2: c d" in text


def test_every_error_has_its_own_line() -> None:
    def broken() -> object:
        raise DataError("is odd", where="a.jsonl:2", remedy="mend it")
        yield

    text = shown({"train": TRAIN, "dev": broken()})  # type: ignore[dict-item]
    assert line(text, "a.jsonl:2") == ["a.jsonl:2:", "is", "odd", "(mend", "it)"]


def test_the_verdict_comes_last() -> None:
    assert shown({"train": TRAIN}).splitlines()[-1].startswith("The data can be trained on: 0 errors, ")
    assert shown({"train": []}).splitlines()[-1].startswith("The data cannot be trained on: 2 errors, ")


def test_nothing_in_the_data_is_taken_for_markup() -> None:
    odd = Sentence(["a b"], [Entity(0, 1, "[bold]X[/bold]")], id="[red]:cat:")
    text = shown({"train": [odd]})
    assert "[bold]X[/bold]" in text
    assert "[red]:cat:" in text


def test_no_terminal_code_in_the_data_reaches_the_terminal() -> None:
    text = shown({"train": [Sentence(["\x1b[2J"], [Entity(0, 1, "L\x1b[1m")], id="\x07")]})
    assert "\x1b" not in text
    assert "\x07" not in text
    assert visible("\x1b[2J") in text


def test_what_can_be_seen_stays() -> None:
    assert visible("Łódź 日本 😀 a b") == "Łódź 日本 😀 a b"
    assert visible("\ud800\u200b\n") == "\\ud800\\u200b\\n"


@given(corpora(), corpora())
def test_no_line_is_wider_than_the_page(train: list[Sentence], dev: list[Sentence]) -> None:
    assert all(len(line) <= 80 for line in shown({"train": train, "dev": dev}, width=80).splitlines())


def test_errors_beyond_those_kept_are_counted() -> None:
    def errors(count: int) -> Piecewise[int, Sentence]:
        def fail(line: int) -> list[Sentence]:
            raise DataError("is odd", where=f"a:{line}")

        return Piecewise(range(1, count + 1), fail)

    assert " more" not in shown({"train": errors(100)})
    text = shown({"train": errors(1203)})
    assert [f"a:{n}: is odd" in text for n in (1, 100, 101)] == [True, True, False]
    assert "and 1,103 more" in text
