"""The score sheet: worked by hand, by loops, by seqeval, and by what must always hold."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import seqeval.metrics
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.scoring import Score, score
from scoring.naive import naive_sheet
from scoring.predictions import predicted_corpora
from strategies import corpora as random_corpora

# Ida Moor(Peop) of Calder Mills(Org) left Port Vane(Loc) . / Vane(Loc) fell in June(Other)
GOLD = [
    Sentence(
        ["Ida", "Moor", "of", "Calder", "Mills", "left", "Port", "Vane", "."],
        [Entity(0, 2, "Peop"), Entity(3, 5, "Org"), Entity(6, 8, "Loc")],
        [Relation("Work_For", 0, 1), Relation("Live_In", 0, 2)],
        id="a",
    ),
    Sentence(
        ["Vane", "fell", "in", "June"],
        [Entity(0, 1, "Loc"), Entity(3, 4, "Other")],
        [Relation("Located_In", 0, 1)],
        id="b",
    ),
]
# Mills is taken for a Loc, and June for "in June"; all relations are there.
PREDICTED = [
    GOLD[0].annotated([Entity(0, 2, "Peop"), Entity(3, 5, "Loc"), Entity(6, 8, "Loc")], GOLD[0].relations),
    GOLD[1].annotated([Entity(0, 1, "Loc"), Entity(2, 4, "Other")], GOLD[1].relations),
]


# precision, recall, F1, gold, predicted, correct
WORKED = {
    ("ner", "micro"): (3 / 5, 3 / 5, 3 / 5, 5, 5, 3),
    ("ner", "macro"): ((1 + 2 / 3) / 4, 2 / 4, 1.8 / 4, 5, 5, 3),
    ("ner", "macro_no_other"): ((1 + 2 / 3) / 3, 2 / 3, 1.8 / 3, 4, 4, 3),
    ("ner", "boundaries"): (4 / 5, 4 / 5, 4 / 5, 5, 5, 4),
    ("ner", "per_type", "Loc"): (2 / 3, 1, 0.8, 2, 3, 2),
    ("ner", "per_type", "Org"): (0, 0, 0, 1, 0, 0),
    ("ner", "per_type", "Other"): (0, 0, 0, 1, 1, 0),
    ("ner", "per_type", "Peop"): (1, 1, 1, 1, 1, 1),
    ("ec", "micro"): (4 / 5, 4 / 5, 4 / 5, 5, 5, 4),
    ("ec", "macro"): ((2 + 2 / 3) / 4, 3 / 4, 2.8 / 4, 5, 5, 4),
    ("ec", "macro_no_other"): ((1 + 2 / 3) / 3, 2 / 3, 1.8 / 3, 4, 4, 3),
    ("ec", "per_type", "Other"): (1, 1, 1, 1, 1, 1),
    ("re", "strict", "micro"): (1 / 3, 1 / 3, 1 / 3, 3, 3, 1),
    ("re", "strict", "macro"): (1 / 3, 1 / 3, 1 / 3, 3, 3, 1),
    ("re", "strict", "macro_no_other"): (1 / 3, 1 / 3, 1 / 3, 3, 3, 1),
    ("re", "strict", "per_type", "Live_In"): (1, 1, 1, 1, 1, 1),
    ("re", "strict", "per_type", "Work_For"): (0, 0, 0, 1, 1, 0),
    ("re", "boundaries", "micro"): (2 / 3, 2 / 3, 2 / 3, 3, 3, 2),
    ("re", "boundaries", "macro"): (2 / 3, 2 / 3, 2 / 3, 3, 3, 2),
    ("re", "boundaries", "per_type", "Work_For"): (1, 1, 1, 1, 1, 1),
    ("re", "boundaries", "per_type", "Located_In"): (0, 0, 0, 1, 1, 0),
    ("paper", "ner"): ((1 + 2 / 3) / 3, 2 / 3, 1.8 / 3, 4, 4, 3),
    ("paper", "ec"): ((1 + 2 / 3) / 3, 2 / 3, 1.8 / 3, 4, 4, 3),
    ("paper", "rc"): (1 / 3, 1 / 3, 1 / 3, 3, 3, 1),
    ("paper", "rc_released"): (1, 1, 1, 3, 3, 3),
}


@pytest.mark.parametrize(("path", "expected"), WORKED.items(), ids=map(".".join, WORKED))
def test_every_cell_worked_by_hand(path, expected):
    cell = score(GOLD, PREDICTED)[path]
    assert (cell.precision, cell.recall, cell.f1) == pytest.approx(expected[:3])
    assert (cell.gold, cell.predicted, cell.correct) == expected[3:]


def test_the_headline_is_the_mean_of_the_papers_entity_and_relation_scores():
    split = GOLD[0].annotated([Entity(0, 1, "Peop")])
    sheet = score(GOLD, [split, GOLD[1]])
    assert sheet.headline() == pytest.approx(((0 + 0 + 2 / 3) / 3 + 1 / 3) / 2)
    assert sheet.headline(boundaries_given=True) == pytest.approx(((1 + 0 + 2 / 3) / 3 + 1 / 3) / 2)


def test_an_empty_prediction_scores_zero_and_keeps_the_gold_counts():
    sheet = score(GOLD, [s.annotated([]) for s in GOLD])
    assert sheet["ner", "micro"] == Score(0.0, 0.0, 0.0, gold=5, predicted=0, correct=0)
    assert sheet["paper", "rc"] == Score(0.0, 0.0, 0.0, gold=3, predicted=0, correct=0)


def test_empty_gold_scores_zero_and_keeps_the_predicted_counts():
    sheet = score([s.annotated([]) for s in GOLD], GOLD)
    assert sheet["ner", "micro"] == Score(0.0, 0.0, 0.0, gold=0, predicted=5, correct=0)
    assert sheet["ec", "micro"] == Score(0.0, 0.0, 0.0, gold=0, predicted=5, correct=0)


def test_no_sentences_at_all_give_a_whole_sheet_of_zeros():
    sheet = score([], [])
    assert sheet.sentences == 0
    assert set(sheet.scores.values()) == {Score(0.0, 0.0, 0.0, 0, 0, 0)}
    assert sheet.to_dict()["re"]["strict"]["per_type"] == {}


def test_a_type_that_is_only_predicted_pulls_the_macro_average_down():
    gold = Sentence(["Vane"], [Entity(0, 1, "Loc")])
    sheet = score([gold], [gold.annotated([Entity(0, 1, "Loc"), Entity(0, 1, "Planet")])])
    assert sheet["ner", "per_type", "Planet"] == Score(0.0, 0.0, 0.0, gold=0, predicted=1, correct=0)
    assert sheet["ner", "macro"].f1 == 0.5


def test_which_types_are_other_is_an_option():
    sheet = score(GOLD, PREDICTED, other=["Other", "Org"])
    assert sheet["paper", "ner"].f1 == pytest.approx((1 + 0.8) / 2)
    assert sheet["ner", "macro"] == score(GOLD, PREDICTED)["ner", "macro"]


def test_excluded_sentences_are_not_scored():
    sheet = score(GOLD, PREDICTED, exclude=["a"])
    assert sheet.scores == score(GOLD[1:], PREDICTED[1:]).scores
    assert sheet.sentences == 1


def test_the_record_has_the_published_keys_and_each_leaf_all_six_values():
    record = score(GOLD, PREDICTED).to_dict()
    averages = {"micro", "macro", "macro_no_other", "per_type"}
    assert set(record) == {"sentences", "other", "ner", "ec", "re", "paper"}
    assert set(record["ner"]) == averages | {"boundaries"}
    assert set(record["ec"]) == set(record["re"]["strict"]) == set(record["re"]["boundaries"]) == averages
    assert set(record["paper"]) == {"ner", "ec", "rc", "rc_released"}
    leaf = {"precision", "recall", "f1", "gold", "predicted", "correct"}
    assert all(set(cell) == leaf for cell in _leaves(record))
    assert json.loads(json.dumps(record)) == record


def test_streams_are_scored_as_lists_are():
    assert score(iter(GOLD), iter(PREDICTED)) == score(GOLD, PREDICTED)


@given(predicted_corpora(), st.sets(st.sampled_from(["Other", "Loc", "Kill"])))
def test_every_leaf_equals_that_of_plain_loops(pair, other):
    record = score(*pair, other=other).to_dict()
    for key in ("sentences", "other"):
        del record[key]
    assert _flat(record) == pytest.approx(_flat(naive_sheet(*pair, other)))


@given(predicted_corpora(overlapping=False))
def test_entities_equal_seqeval(pair):
    gold, predicted = ([_tags(s) for s in sentences] for sentences in pair)
    sheet = score(*pair)
    if not any(tag != "O" for tags in gold + predicted for tag in tags):
        assert sheet["ner", "micro"].f1 == 0
        return
    report = seqeval.metrics.classification_report(gold, predicted, output_dict=True, zero_division=0)
    averages = {"micro avg": ("micro",), "macro avg": ("macro",), "weighted avg": None}
    for name, row in report.items():
        path = averages.get(name, ("per_type", name))
        if path:
            cell = sheet[("ner", *path)]
            expected = (row["precision"], row["recall"], row["f1-score"], row["support"])
            assert (cell.precision, cell.recall, cell.f1, cell.gold) == pytest.approx(expected)


@given(predicted_corpora(), st.randoms(use_true_random=False))
def test_the_order_of_sentences_does_not_matter(pair, random):
    order = list(range(len(pair[0])))
    random.shuffle(order)
    assert score(*pair) == score(*([side[i] for i in order] for side in pair))


@given(predicted_corpora())
def test_swapping_gold_and_prediction_swaps_precision_and_recall(pair):
    gold, predicted = pair
    there, back = score(gold, predicted), score(predicted, gold)
    # EC judges gold entities, so it alone has a side.
    for path, cell in there.scores.items():
        if "ec" not in path:
            mirrored = back[path]
            assert (cell.precision, cell.recall) == (mirrored.recall, mirrored.precision)
            assert (cell.f1, cell.gold, cell.predicted) == (mirrored.f1, mirrored.predicted, mirrored.gold)


@given(random_corpora())
def test_a_perfect_prediction_scores_one_in_every_cell_that_has_gold(gold):
    for cell in score(gold, gold).scores.values():
        assert (cell.precision, cell.recall, cell.f1) == ((1, 1, 1) if cell.gold else (0, 0, 0))
        assert cell.gold == cell.predicted == cell.correct


@given(predicted_corpora())
def test_every_rate_is_a_fraction_and_nothing_is_more_often_right_than_it_occurs(pair):
    for cell in score(*pair).scores.values():
        assert 0 <= cell.precision <= 1
        assert 0 <= cell.recall <= 1
        assert 0 <= cell.f1 <= 1
        assert cell.correct <= min(cell.gold, cell.predicted)


@given(predicted_corpora())
def test_looser_matching_never_finds_less(pair):
    sheet = score(*pair)
    assert sheet["ec", "micro"].correct >= sheet["ner", "micro"].correct
    for name in ("gold", "predicted"):
        strict, loose = (getattr(sheet["re", kind, "micro"], name) for kind in ("strict", "boundaries"))
        assert strict >= loose  # relations that differ in argument types alone become one


@given(random_corpora(overlapping=False), st.data())
def test_on_given_boundaries_ec_is_the_f1_of_a_classifier(gold, data):
    """Every gold span gets one type or none, so EC must be plain multi-class precision and recall."""
    types = st.sampled_from(["Loc", "Org", "Other", "Peop", None])
    chosen = [[data.draw(types) for _ in s.entities] for s in gold]
    predicted = [
        s.annotated([Entity(e.start, e.end, t) for e, t in zip(s.entities, row, strict=True) if t])
        for s, row in zip(gold, chosen, strict=True)
    ]
    pairs = [
        (e.type, t) for s, row in zip(gold, chosen, strict=True) for e, t in zip(s.entities, row, strict=True)
    ]
    sheet = score(gold, predicted)
    right = Counter(true for true, said in pairs if true == said)
    wanted, given_ = Counter(true for true, _ in pairs), Counter(said for _, said in pairs if said)
    for type_ in {*wanted, *given_}:
        cell = sheet["ec", "per_type", type_]
        assert (cell.gold, cell.predicted, cell.correct) == (wanted[type_], given_[type_], right[type_])


class TestConll04:
    """The counts of the corpus, as every paper reports them."""

    def test_the_test_set_has_1079_entities_and_422_relations(self, corpora: Path):
        test = _read(corpora / "conll04" / "test.jsonl")
        sheet = score(test, test)
        assert sheet.sentences == 288
        assert sheet["ner", "micro"] == Score(1.0, 1.0, 1.0, 1079, 1079, 1079)
        assert sheet["re", "strict", "micro"] == Score(1.0, 1.0, 1.0, 422, 422, 422)
        assert sheet["paper", "rc_released"].gold == 422

    def test_types_over_all_parts(self, corpora: Path):
        parts = [_read(corpora / "conll04" / f"{part}.jsonl") for part in ("train", "dev", "test")]
        sentences = [sentence for part in parts for sentence in part]
        sheet = score(sentences, sentences)
        assert sheet.sentences == 1441
        assert _support(sheet, "ner") == {"Loc": 1968, "Peop": 1691, "Org": 984, "Other": 706}
        assert _support(sheet, "ec") == {"Loc": 1968, "Peop": 1691, "Org": 984, "Other": 706}
        relations = {"Live_In": 521, "OrgBased_In": 452, "Located_In": 406, "Work_For": 401, "Kill": 268}
        assert _support(sheet, "re", "strict") == relations
        assert _support(sheet, "re", "boundaries") == relations

    def test_the_repeated_sentences_can_be_left_out(self, corpora: Path):
        test = _read(corpora / "conll04" / "test.jsonl")
        ids = json.loads((corpora / "conll04" / "test_ids_duplicated_in_train_or_dev.json").read_text())
        sheet = score(test, test, exclude=ids)
        assert (sheet.sentences, sheet["re", "strict", "micro"].gold) == (264, 397)


def _read(path: Path) -> list[Sentence]:
    return [Sentence.from_dict(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def _support(sheet, *metric: str) -> dict[str, int]:
    return {path[-1]: cell.gold for path, cell in sheet.scores.items() if path[:-1] == (*metric, "per_type")}


def _tags(sentence: Sentence) -> list[str]:
    tags = ["O"] * len(sentence)
    for e in sentence.entities:
        tags[e.start : e.end] = [f"B-{e.type}"] + [f"I-{e.type}"] * (e.end - e.start - 1)
    return tags


def _leaves(record: Any) -> list[dict[str, Any]]:
    if not isinstance(record, dict):
        return []
    return [record] if "f1" in record else [leaf for value in record.values() for leaf in _leaves(value)]


def _flat(record: dict[str, Any], place: str = "") -> dict[str, float]:
    values: dict[str, float] = {}
    for key, value in record.items():
        name = f"{place}/{key}"
        values |= _flat(value, name) if isinstance(value, dict) else {name: value}
    return values
