"""The error page as a file: all of it inside, everything escaped, every item of gold and prediction there."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings

from biaffinity.annotation import Entity, Sentence
from biaffinity.scoring import MismatchError, score
from biaffinity.scoring.mistakes import Kind, judge
from biaffinity.show.error_page import error_page, write_error_page
from biaffinity.show.error_sentence import MEANINGS, SYMBOLS
from scoring.predictions import predicted_corpora
from show.reviewed import GOLD, PREDICTED

VOID = {"meta", "input", "wbr", "br", "link", "img", "hr"}


class Elements(HTMLParser):
    """Every element of a page with its attributes and the elements it stands in; tags must match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None], tuple[str, ...]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), tuple(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), tuple(self.open)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def page(gold: list[Sentence], predicted: list[Sentence], title: str = "a model on data") -> str:
    return "".join(error_page(gold, predicted, sheet=score(gold, predicted), title=title))


def parsed(text: str) -> Elements:
    elements = Elements()
    elements.feed(text)
    elements.close()
    assert elements.open == []
    return elements


@pytest.fixture(scope="module")
def elements() -> Elements:
    return parsed(page(GOLD, PREDICTED, title="<b>news</b> on dev"))


def test_nothing_is_loaded_from_elsewhere(elements: Elements) -> None:
    assert {tag for tag, _, _ in elements.found} & {
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "image",
    } == set()
    for _, attributes, _ in elements.found:
        assert not {"src", "srcset", "action"} & set(attributes)
        assert (attributes.get("href") or "#").startswith("#")


def test_no_address_stands_in_style_or_script() -> None:
    text = page(GOLD, PREDICTED)
    assert re.findall(r"@import|url\(|https?://(?!www\.w3\.org/)", text) == []


def test_one_script_and_no_handler_in_attributes(elements: Elements) -> None:
    assert [tag for tag, _, _ in elements.found].count("script") == 1
    assert not [name for _, attributes, _ in elements.found for name in attributes if name.startswith("on")]


def test_title_and_tokens_stay_text(elements: Elements) -> None:
    assert "<b>news</b> on dev" in elements.text
    assert "<script>window.hurt=1</script>" in elements.text
    assert "&amp;" in elements.text


def test_each_article_has_its_number_and_id(elements: Elements) -> None:
    articles = [attributes for tag, attributes, _ in elements.found if tag == "article"]
    assert [(a["id"], a["data-id"]) for a in articles] == [
        ("s1", "17"),
        ("s2", "18"),
        ("s3", '"><img src=x onerror=window.hurt=1>'),
    ]


def test_gold_and_prediction_are_drawn_and_once_where_they_agree(elements: Elements) -> None:
    sides = [a["data-side"] for tag, a, _ in elements.found if tag == "figure" and "data-side" in a]
    assert sides == ["gold", "predicted", "predicted", "gold", "predicted"]


def test_mistakes_carry_a_symbol_in_the_drawing_and_words_beside_it(elements: Elements) -> None:
    for drawn in ("≠ Org", "≠ Loc", "− Loc", "⇥ Peop", "+ Other", "◐ Work_For", "⇄ Kill"):
        assert drawn in elements.text
    for told in ("wrong type", "missing", "wrong boundary", "spurious", "wrong argument", "wrong direction"):
        assert f"{told}gold" in elements.text or f"{told}predicted" in elements.text


def test_a_type_has_one_colour_on_the_whole_page() -> None:
    names = ["Material", "Method", "Metric", "Task", "Generic", "Other", "Term"]
    gold = [Sentence(["word"], [Entity(0, 1, name)]) for name in names]
    predicted = [Sentence(["word"], [Entity(0, 1, name)]) for name in reversed(names)]
    kinds = set(re.findall(r'<g class="entity kind-(\d).*?data-type="(\w+)"', page(gold, predicted)))
    assert len(kinds) == len({kind for kind, _ in kinds}) == len(names)


def test_the_page_of_no_sentence_is_a_page() -> None:
    assert "0 of 0" in parsed(page([], [])).text


def test_gold_and_prediction_must_be_the_same_sentences() -> None:
    with pytest.raises(MismatchError):
        "".join(error_page(GOLD, PREDICTED[:2], sheet=score(GOLD, PREDICTED), title=""))


def test_every_kind_has_its_own_symbol_and_words() -> None:
    assert set(SYMBOLS) == set(MEANINGS) == set(Kind)
    assert len(set(SYMBOLS.values())) == len(set(MEANINGS.values())) == len(Kind)


def test_half_a_character_can_be_written(tmp_path: Path) -> None:
    gold = [Sentence(["a\ud800b"], [Entity(0, 1, "L\udc00c")], id="\ud801")]
    write_error_page(tmp_path / "page.html", gold, gold, sheet=score(gold, gold), title="\udfff")
    assert "</html>" in (tmp_path / "page.html").read_text(encoding="utf-8")


@settings(max_examples=20)
@given(predicted_corpora(max_sentences=3))
def test_every_verdict_stands_there_once(
    corpora: tuple[list[Sentence], ...],
) -> None:
    gold, predicted = corpora
    found = parsed(page(gold, predicted)).found
    lines = [a for tag, a, _ in found if tag == "li" and "data-kind" in a]
    judged = [judge(g, p) for g, p in zip(gold, predicted, strict=True)]
    assert Counter(
        (a["data-task"], a["data-kind"], a["data-gold"], a["data-predicted"]) for a in lines
    ) == Counter(
        (task, v.kind.value, v.types[0] or "", v.types[1] or "")
        for each in judged
        for task, verdicts in (("entity", each.entities), ("relation", each.relations))
        for v in verdicts
    )


@settings(max_examples=20)
@given(predicted_corpora(max_sentences=3))
def test_every_item_is_drawn_and_every_mistake_marked(corpora: tuple[list[Sentence], ...]) -> None:
    gold, predicted = corpora
    articles = page(gold, predicted).split("<article")[1:]
    for wanted, given_, article in zip(gold, predicted, articles, strict=True):
        verdicts = judge(wanted, given_)
        for side, sentence in (("gold", wanted), ("predicted", given_)):
            figure = re.search(f'<figure data-side="{side}">.*?</figure>', article, re.DOTALL)
            if verdicts.correct and side == "gold":
                assert figure is None
                continue
            assert figure
            for task, items, judged in (
                ("entity", sentence.entities, verdicts.entities),
                ("relation", sentence.relations, verdicts.relations),
            ):
                drawn = re.findall(rf'<g class="{task} kind-\d( mark-\w+)?" data-{task}="(\d+)"', figure[0])
                wrong = {getattr(v, side) for v in judged if v.kind is not Kind.CORRECT} - {None}
                assert sorted(int(index) for _, index in drawn) == list(range(len(items)))
                assert {int(index) for mark, index in drawn if mark} == wrong


@settings(max_examples=20)
@given(predicted_corpora(max_sentences=3))
def test_counts_of_filters_and_cells_add_up(corpora: tuple[list[Sentence], ...]) -> None:
    gold, predicted = corpora
    text = page(gold, predicted)
    sheet = score(gold, predicted)
    shown = {
        (task, kind): int(count)
        for task, kind, count in re.findall(
            r'data-task="(\w+)" data-kind="([^"]+)" aria-pressed.*?<output>(\d+)</output>', text
        )
    }
    for task, path in (("entity", ("ner", "micro")), ("relation", ("re", "strict", "micro"))):
        pairs = sum(
            n for (of, kind), n in shown.items() if of == task and kind != "missing" and kind != "spurious"
        )
        assert shown[task, "correct"] == sheet[path].correct
        assert pairs + shown[task, "missing"] == sheet[path].gold
        assert pairs + shown[task, "spurious"] == sheet[path].predicted
