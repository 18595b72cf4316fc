from __future__ import annotations

import re
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import biaffinity
from biaffinity.annotation import Document, Entity, Relation, Sentence
from biaffinity.config.folder import read_examples
from biaffinity.extraction.loading import model_folder
from biaffinity.show import STYLE, svg
from biaffinity.show.arcs import DENSE
from biaffinity.show.layout import lay_out
from show.drawn import NAMESPACE, Drawn, dense_sentences, odd_sentences, said_by, words
from strategies import sentences

WIDTHS = st.sampled_from([360, 600, 800])
FOSTER = Sentence(
    ["Ida", "Moor", "of", "Calder", "Mills", "lives", "in", "Oss", "."],
    [Entity(0, 2, "Peop", 0.99), Entity(3, 5, "Org", 0.5), Entity(7, 8, "Loc")],
    [Relation("Work_For", 0, 1, 0.92), Relation("Live_In", 0, 2)],
)


@given(odd_sentences(), WIDTHS)
def test_any_characters_give_xml_that_says_all_of_the_text(sentence: Sentence, width: int) -> None:
    drawn = Drawn(sentence, width)
    said = "".join(word.replace("␣", "") for row in drawn.rows() for _, word, _ in row)
    assert said == words(sentence.with_text().text).replace("␣", "")


@given(sentences(scores=True), WIDTHS)
def test_every_entity_and_relation_is_a_group_that_carries_it(sentence: Sentence, width: int) -> None:
    document = Document([sentence.with_text(), sentence.with_text()])
    drawn = Drawn(document, width)
    mentions, relations = document.entities, document.relations
    entities = {int(g.get("data-entity", "")): g for g in drawn.groups("entity")}
    assert sorted(entities) == list(range(len(mentions)))
    for index, group in entities.items():
        assert group.get("data-type") == mentions[index].type
        assert float(group.get("data-score", "")) == pytest.approx(mentions[index].score, abs=1e-4)
    assert [int(g.get("data-relation", "")) for g in drawn.groups("relation")] == list(range(len(relations)))
    for relation, group in zip(relations, drawn.groups("relation"), strict=True):
        assert mentions[int(group.get("data-head", ""))] == relation.head
        assert mentions[int(group.get("data-tail", ""))] == relation.tail
        assert group.get("data-type") == relation.type


@given(dense_sentences(), WIDTHS)
def test_words_never_lie_on_each_other(sentence: Sentence, width: int) -> None:
    places = [place for row in Drawn(sentence, width).rows() for place, _, _ in row]
    assert not any(one.meets(other) for one, other in combinations(places, 2))


@given(dense_sentences(), WIDTHS)
def test_a_box_holds_its_words_and_no_others(sentence: Sentence, width: int) -> None:
    drawn = Drawn(sentence, width)
    boxes = {
        group.get("data-entity"): parts
        for group, parts in zip(drawn.groups("entity"), drawn.rectangles("entity"), strict=True)
    }
    for row in drawn.rows():
        for place, _, mentions in row:
            for entity, parts in boxes.items():
                if entity in mentions.split():
                    assert any(part.holds(place) for part in parts)
                elif "محمد" not in sentence.tokens:  # a box may be torn where the direction changes
                    assert not any(part.meets(place) for part in parts)


@given(dense_sentences(), WIDTHS)
def test_labels_of_relations_lie_neither_on_each_other_nor_on_boxes(sentence: Sentence, width: int) -> None:
    drawn = Drawn(sentence, width)
    labels = [label for parts in drawn.rectangles("relation") for label in parts]
    boxes = [box for parts in drawn.rectangles("entity") for box in parts]
    assert not any(one.meets(other) for one, other in combinations(labels, 2))
    assert not any(label.meets(box) for label in labels for box in boxes)


@given(dense_sentences(), WIDTHS)
def test_no_leg_of_an_arc_runs_through_a_label(sentence: Sentence, width: int) -> None:
    drawn = Drawn(sentence, width)
    labels = [label for parts in drawn.rectangles("relation") for label in parts]
    assert not any(leg.meets(label) for leg in drawn.legs() for label in labels)


@given(dense_sentences(), WIDTHS)
def test_everything_is_inside_the_drawing_and_that_no_wider_than_asked(
    sentence: Sentence, width: int
) -> None:
    drawn = Drawn(sentence, width)
    assert drawn.paper.right <= width
    parts = [part for kind in ("entity", "relation") for group in drawn.rectangles(kind) for part in group]
    parts += [place for row in drawn.rows() for place, _, _ in row]
    assert all(drawn.paper.holds(part) for part in parts)


@given(odd_sentences())
def test_nothing_needs_a_content_policy_to_be_lax(sentence: Sentence) -> None:
    drawn = Drawn(sentence)
    allowed = {"svg", "desc", "style", "rect", "g", "title", "text", "tspan", "path"}
    for element in drawn.root.iter():
        assert element.tag.removeprefix(NAMESPACE) in allowed
        names = set(element.keys())
        assert not names & {"style", "id", "href"}
        assert not any(name.startswith("on") for name in names)


def test_words_stand_in_the_order_of_the_text_with_their_spaces() -> None:
    text = "Ida Moor (of Calder\tMills)\n lives."
    spans = [m.span() for m in re.finditer(r"\w+|[^\w\s]", text)]
    sentence = Sentence([text[a:b] for a, b in spans], [Entity(4, 6, "Org")], text=text, token_spans=spans)
    row = Drawn(sentence).root.find(f"{NAMESPACE}text")
    assert row is not None
    assert said_by(row) == "Ida Moor (of Calder Mills) lives."


def test_tooltips_and_the_description_tell_in_words() -> None:
    drawn = Drawn(FOSTER)
    told = [group.findtext(f"{NAMESPACE}title") for group in drawn.groups("entity")]
    assert sorted(str(t) for t in told) == ["Loc: Oss", "Org: Calder Mills (0.50)", "Peop: Ida Moor (0.99)"]
    relations = [group.findtext(f"{NAMESPACE}title") for group in drawn.groups("relation")]
    assert relations == ["Work_For: Ida Moor → Calder Mills (0.92)", "Live_In: Ida Moor → Oss"]
    assert drawn.root.findtext(f"{NAMESPACE}desc") == "; ".join(map(str, relations))
    assert drawn.root.get("aria-label") == "Text with 3 entities and 2 relations"


def test_an_unknown_score_is_left_out() -> None:
    scores = {g.get("data-type"): g.get("data-score") for g in Drawn(FOSTER).groups("entity")}
    assert scores == {"Peop": "0.99", "Org": "0.5", "Loc": None}


@pytest.mark.parametrize(("head", "tail"), [(0, 1), (1, 0)])
def test_the_arrow_head_is_at_the_tail(head: int, tail: int) -> None:
    sentence = Sentence(
        ["Ida", "and", "Oss"], [Entity(0, 1, "A"), Entity(2, 3, "B")], [Relation("R", head, tail)]
    )
    drawn = Drawn(sentence)
    arrow = drawn.groups("relation")[0].find(f"{NAMESPACE}path[@class='arrow']")
    assert arrow is not None
    x, y = map(float, re.findall(r"[\d.]+", arrow.get("d", ""))[:2])
    group = [g.get("data-entity") for g in drawn.groups("entity")].index(str(tail))
    box = drawn.rectangles("entity")[group][0]
    assert box.left < x < box.right
    assert y == box.top


def test_a_relation_across_rows_has_a_part_in_each_that_names_the_far_end() -> None:
    between = ["word"] * 30
    sentence = Sentence(
        ["Ida", *between, "Oss"], [Entity(0, 1, "A"), Entity(31, 32, "B")], [Relation("R", 0, 1)]
    )
    drawn = Drawn(sentence, 400)
    (group,) = drawn.groups("relation")
    assert [text.text for text in group.findall(f"{NAMESPACE}text")] == ["R → Oss", "R ← Ida"]
    arcs = [path.get("d", "") for path in group.findall(f"{NAMESPACE}path[@class='arc']")]
    assert arcs[0].endswith("H400")
    assert arcs[1].startswith("M0 ")
    assert len(group.findall(f"{NAMESPACE}path[@class='arrow']")) == 1


def test_a_box_within_another_is_drawn_over_it_and_inside() -> None:
    sentence = Sentence(["New", "York", "Press"], [Entity(0, 2, "Loc"), Entity(0, 3, "Org")])
    drawn = Drawn(sentence)
    assert [g.get("data-type") for g in drawn.groups("entity")] == ["Org", "Loc"]
    (outer,), (inner,) = drawn.rectangles("entity")
    assert outer.holds(inner)
    assert outer.right > inner.right


def test_an_entity_longer_than_a_row_is_drawn_in_parts() -> None:
    drawn = Drawn(Sentence(["lengthy"] * 40, [Entity(0, 40, "Title")]), 300)
    (parts,) = drawn.rectangles("entity")
    assert len(parts) == len(drawn.rows()) > 2


def test_an_entity_of_white_space_is_seen() -> None:
    drawn = Drawn(Sentence(["a", " ", "b"], [Entity(1, 2, "Blank")]))
    assert [word for row in drawn.rows() for _, word, mentions in row if mentions] == ["␣"]


@pytest.mark.parametrize("annotated", [Document([]), Sentence([]), Sentence([], text=" \n", token_spans=[])])
def test_nothing_is_drawn_too(annotated: Document | Sentence) -> None:
    drawn = Drawn(annotated)
    assert drawn.rows() == []
    assert drawn.root.get("aria-label") == "Text with 0 entities and 0 relations"


def test_a_text_without_entities_is_drawn() -> None:
    drawn = Drawn(Sentence(["It", "rained", "."]))
    assert [word for _, word, _ in drawn.rows()[0]] == ["It", "rained", "."]


def test_a_document_of_ten_thousand_tokens_is_drawn() -> None:
    entities = [Entity(i, i + 2, f"T{i % 3}") for i in range(0, 9_996, 4)]
    relations = [Relation("R", i, i + 1) for i in range(len(entities) - 1)]
    drawn = Drawn(Sentence(["token"] * 10_000, entities, relations))
    assert sum(map(len, drawn.rows())) == 10_000
    assert len(drawn.groups("relation")) == len(relations)


def test_lines_and_paragraphs_of_a_document_begin_rows() -> None:
    def part(text: str) -> Sentence:
        spans = [m.span() for m in re.finditer(r"\w+", text)]
        return Sentence([text[a:b] for a, b in spans], text=text, token_spans=spans)

    rows = Drawn(Document([part("One two "), part("three\n"), part("four\nfive\n\n"), part("six")])).rows()
    assert [[word for _, word, _ in row] for row in rows] == [
        ["One", "two", "three"],
        ["four", "five"],
        ["six"],
    ]
    first, second, third = (row[0][0].top for row in rows)
    assert third - second > second - first


def test_arabic_is_set_from_the_right_and_names_in_it_from_the_left() -> None:
    tokens = ["قال", "أحمد", "إن", "Norvik", "Oil", "هنا"]
    (row,) = Drawn(Sentence(tokens, [Entity(3, 5, "Org")])).rows()
    seen = [word for _, word, _ in sorted(row, key=lambda piece: piece[0].left)]
    assert seen == ["هنا", "Norvik", "Oil", "إن", "أحمد", "قال"]


def test_rows_of_chinese_break_between_characters_but_not_before_a_full_stop() -> None:
    drawn = Drawn(Sentence(["日" * 41 + "。"]), 200)
    assert len(drawn.rows()) > 3
    assert all(row[0][1] != "。" for row in drawn.rows())


def test_several_arcs_at_one_entity_stand_apart() -> None:
    sentence = Sentence(
        ["A", "b", "C", "d", "E"],
        [Entity(0, 1, "X"), Entity(2, 3, "X"), Entity(4, 5, "X")],
        [Relation("R", 0, 1), Relation("S", 1, 0), Relation("R", 2, 1), Relation("R", 1, 2)],
    )
    legs = sorted(leg.left for leg in Drawn(sentence).legs())
    assert min(b - a for a, b in pairwise(legs)) > 5


def test_style_is_left_out_if_asked() -> None:
    assert STYLE in svg(FOSTER)
    plain = ElementTree.fromstring(svg(FOSTER, style=False))
    assert plain.find(f"{NAMESPACE}style") is None


@given(sentences(scores=True))
def test_the_same_is_drawn_each_time(sentence: Sentence) -> None:
    assert svg(sentence) == svg(sentence)


def test_the_drawing_in_the_documentation_is_the_model_s_own_output(samples: Path) -> None:
    text = next(iter(read_examples(model_folder(None)).values()))
    shown = (samples.parent / "docs" / "images" / "example.svg").read_text(encoding="utf-8")
    drawn = svg(biaffinity.load()(text)) + "\n"
    without_scores = partial(re.sub, r"\b[01]\.\d+\b", "score")  # which differ a little between machines
    assert without_scores(shown) == without_scores(drawn), "run: python docs/images/make.py"


def test_a_dense_row_is_drawn_in_levels_that_do_not_meet() -> None:
    count = 40
    entities = [Entity(i, i + 1, "Org") for i in range(count)]
    relations = [Relation("Near", head, tail) for head in range(0, count, 2) for tail in range(1, count, 2)]
    layout = lay_out(Document([Sentence(["Oslo"] * count, entities, relations).with_text()]), 100_000)
    [line] = layout.lines
    assert len(line.arcs) == len(relations) > DENSE
    for one, other in combinations(line.arcs, 2):
        apart = one.reach[1] <= other.reach[0] or other.reach[1] <= one.reach[0]
        assert apart or one.level != other.level
    reaches = [arc.reach for arc in line.arcs]
    deepest = max(sum(left <= x < right for left, right in reaches) for x, _ in reaches)
    assert max(arc.level for arc in line.arcs) == deepest - 1  # no level more than needed
