"""What went wrong: hand-worked cases, one mistake each, and what must hold of any prediction."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.scoring import score
from biaffinity.scoring.mistakes import ENTITY_KINDS, RELATION_KINDS, Kind, Verdict, confusion, judge
from scoring.predictions import predicted_corpora

# Ida Moor(Peop) of Calder Mills(Org) left Port Vane(Loc) for Oss(Loc)
TOKENS = ["Ida", "Moor", "of", "Calder", "Mills", "left", "Port", "Vane", "for", "Oss"]
IDA, MILLS, VANE, OSS = Entity(0, 2, "Peop"), Entity(3, 5, "Org"), Entity(6, 8, "Loc"), Entity(9, 10, "Loc")
GOLD = Sentence(TOKENS, [IDA, MILLS, VANE, OSS], [Relation("Work_For", 0, 1)])


def entity_kinds(gold: list[Entity], predicted: list[Entity]) -> list[tuple[str, int | None, int | None]]:
    verdicts = judge(GOLD.annotated(gold), GOLD.annotated(predicted)).entities
    return [(v.kind.value, v.gold, v.predicted) for v in verdicts]


def relation_kinds(
    predicted: list[Relation], entities: list[Entity] = GOLD.entities, gold: Sentence = GOLD
) -> list[str]:
    return [v.kind.value for v in judge(gold, gold.annotated(entities, predicted)).relations]


class TestEntities:
    @pytest.mark.parametrize(
        ("predicted", "kind"),
        [
            (Entity(0, 2, "Peop"), "correct"),
            (Entity(0, 2, "Org"), "wrong type"),
            (Entity(0, 1, "Peop"), "wrong boundary"),
            (Entity(0, 3, "Peop"), "wrong boundary"),
            (Entity(1, 4, "Org"), "wrong boundary and type"),
        ],
    )
    def test_a_pair_is_one_verdict(self, predicted, kind):
        assert entity_kinds([IDA], [predicted]) == [(kind, 0, 0)]

    def test_entities_that_share_no_token_are_missing_and_spurious(self):
        assert entity_kinds([IDA], [Entity(2, 3, "Peop")]) == [("missing", 0, None), ("spurious", None, 0)]

    def test_an_entity_cut_in_two_is_a_wrong_boundary_and_a_spurious_one(self):
        halves = [Entity(0, 1, "Peop"), Entity(1, 2, "Peop")]
        assert entity_kinds([IDA], halves) == [("wrong boundary", 0, 0), ("spurious", None, 1)]

    def test_the_half_that_shares_more_is_the_one_paired(self):
        parts = [Entity(3, 4, "Org"), Entity(4, 7, "Org")]
        assert entity_kinds([Entity(3, 7, "Org")], parts) == [("wrong boundary", 0, 1), ("spurious", None, 0)]

    def test_the_right_type_goes_before_the_larger_overlap(self):
        parts = [Entity(3, 6, "Loc"), Entity(6, 7, "Org")]
        assert entity_kinds([Entity(3, 7, "Org")], parts) == [("wrong boundary", 0, 1), ("spurious", None, 0)]

    def test_a_correct_entity_inside_another_is_not_taken_by_it(self):
        predicted = [Entity(6, 10, "Loc"), VANE]
        assert entity_kinds([VANE, OSS], predicted) == [("correct", 0, 1), ("wrong boundary", 1, 0)]

    def test_two_types_on_one_span_are_paired_one_to_one(self):
        gold = [Entity(0, 2, "Peop"), Entity(0, 2, "Org")]
        predicted = [Entity(0, 2, "Loc"), Entity(0, 2, "Org")]
        assert entity_kinds(gold, predicted) == [("wrong type", 0, 0), ("correct", 1, 1)]


class TestRelations:
    @pytest.mark.parametrize(
        ("predicted", "kind"),
        [
            (Relation("Work_For", 0, 1), "correct"),
            (Relation("Live_In", 0, 1), "wrong type"),
            (Relation("Work_For", 1, 0), "wrong direction"),
            (Relation("Live_In", 1, 0), "wrong direction and type"),
            (Relation("Work_For", 0, 2), "other argument"),
            (Relation("Work_For", 2, 1), "other argument"),
        ],
    )
    def test_a_pair_is_one_verdict(self, predicted, kind):
        assert relation_kinds([predicted]) == [kind]

    @pytest.mark.parametrize(
        "predicted", [Relation("Work_For", 2, 3), Relation("Live_In", 0, 2), Relation("Work_For", 1, 2)]
    )
    def test_relations_with_too_little_in_common_are_missing_and_spurious(self, predicted):
        assert relation_kinds([predicted]) == ["missing", "spurious"]

    @pytest.mark.parametrize("argument", [Entity(3, 5, "Loc"), Entity(4, 5, "Org"), Entity(4, 6, "Loc")])
    def test_an_argument_with_a_wrong_type_or_boundary_is_a_wrong_argument(self, argument):
        assert relation_kinds([Relation("Work_For", 0, 1)], [IDA, argument]) == ["wrong argument"]

    def test_a_wrong_type_between_wrong_arguments_is_a_wrong_type(self):
        assert relation_kinds([Relation("Live_In", 0, 1)], [IDA, Entity(3, 5, "Loc")]) == ["wrong type"]

    def test_the_order_of_entities_does_not_matter(self):
        assert relation_kinds([Relation("Work_For", 1, 0)], [MILLS, IDA]) == ["correct"]

    def test_two_types_between_the_same_arguments_are_paired_one_to_one(self):
        gold = GOLD.annotated(GOLD.entities, [Relation("Kill", 0, 1), Relation("Live_In", 0, 1)])
        predicted = [Relation("Live_In", 0, 1), Relation("Work_For", 0, 1)]
        assert relation_kinds(predicted, gold=gold) == ["wrong type", "correct"]

    def test_a_wrong_direction_goes_before_another_argument(self):
        predicted = [Relation("Work_For", 0, 2), Relation("Work_For", 1, 0)]
        verdicts = judge(GOLD, GOLD.annotated(GOLD.entities, predicted)).relations
        assert verdicts[0] == Verdict(Kind.WRONG_DIRECTION, 0, 1, ("Work_For", "Work_For"))

    def test_of_two_with_one_shared_argument_that_with_a_correct_one_is_paired(self):
        entities = [IDA, Entity(3, 4, "Org"), OSS, Entity(0, 1, "Peop")]
        predicted = GOLD.annotated(entities, [Relation("Work_For", 3, 1), Relation("Work_For", 0, 2)])
        assert [(v.kind.value, v.gold, v.predicted) for v in judge(GOLD, predicted).relations] == [
            ("other argument", 0, 1),
            ("spurious", None, 0),
        ]


def test_confusion_counts_types_and_their_absence():
    predicted = GOLD.annotated([Entity(0, 2, "Org"), Entity(4, 5, "Org"), Entity(5, 6, "Loc"), OSS])
    assert confusion(judge(GOLD, predicted).entities) == {
        ("Peop", "Org"): 1,
        ("Org", "Org"): 1,
        ("Loc", None): 1,
        (None, "Loc"): 1,
        ("Loc", "Loc"): 1,
    }


def test_a_sentence_is_correct_only_without_a_mistake():
    assert judge(GOLD, GOLD).correct
    assert not judge(GOLD, GOLD.annotated(GOLD.entities)).correct


@given(predicted_corpora())
def test_every_item_has_one_verdict(corpora):
    for gold, predicted in zip(*corpora, strict=True):
        verdicts = judge(gold, predicted)
        for side in ("gold", "predicted"):
            sentence = {"gold": gold, "predicted": predicted}[side]
            for judged, items in (
                (verdicts.entities, sentence.entities),
                (verdicts.relations, sentence.relations),
            ):
                places = [getattr(v, side) for v in judged if getattr(v, side) is not None]
                assert sorted(places) == list(range(len(items)))


@given(predicted_corpora())
def test_the_verdict_is_true_of_the_items(corpora):
    """The definitions of the module once more, checked pair by pair."""
    for gold, predicted in zip(*corpora, strict=True):
        verdicts = judge(gold, predicted)
        paired = {(v.gold, v.predicted) for v in verdicts.entities}
        for v in verdicts.entities:
            assert v.kind is _entity_kind(gold, predicted, v)
        for v in verdicts.relations:
            assert v.kind is _relation_kind(gold, predicted, v, paired)


def _entity_kind(gold: Sentence, predicted: Sentence, v: Verdict) -> Kind:
    if v.gold is None or v.predicted is None:
        return Kind.SPURIOUS if v.gold is None else Kind.MISSING
    g, p = gold.entities[v.gold], predicted.entities[v.predicted]
    assert g.overlaps(p)
    span, type_ = (g.start, g.end) == (p.start, p.end), g.type == p.type
    return {
        (True, True): Kind.CORRECT,
        (True, False): Kind.WRONG_TYPE,
        (False, True): Kind.WRONG_BOUNDARY,
        (False, False): Kind.WRONG_BOUNDARY_AND_TYPE,
    }[span, type_]


def _relation_kind(gold: Sentence, predicted: Sentence, v: Verdict, paired: set) -> Kind:
    if v.gold is None or v.predicted is None:
        return Kind.SPURIOUS if v.gold is None else Kind.MISSING
    g, p = gold.relations[v.gold], predicted.relations[v.predicted]
    same_type = g.type == p.type
    straight = [(g.head, p.head) in paired, (g.tail, p.tail) in paired]
    crossed = [(g.head, p.tail) in paired, (g.tail, p.head) in paired]
    if all(straight):
        ends = [(gold.entities[a], predicted.entities[b]) for a, b in ((g.head, p.head), (g.tail, p.tail))]
        right = all((a.start, a.end, a.type) == (b.start, b.end, b.type) for a, b in ends)
        return Kind.WRONG_TYPE if not same_type else Kind.CORRECT if right else Kind.WRONG_ARGUMENT
    if all(crossed):
        return Kind.WRONG_DIRECTION if same_type else Kind.WRONG_DIRECTION_AND_TYPE
    assert same_type
    assert any(straight)
    return Kind.OTHER_ARGUMENT


@given(predicted_corpora())
def test_what_is_missing_and_spurious_could_not_have_been_paired(corpora):
    for gold, predicted in zip(*corpora, strict=True):
        verdicts = judge(gold, predicted).entities
        missing = [gold.entities[v.gold] for v in verdicts if v.kind is Kind.MISSING]
        spurious = [predicted.entities[v.predicted] for v in verdicts if v.kind is Kind.SPURIOUS]
        assert not any(a.overlaps(b) for a in missing for b in spurious)


@given(predicted_corpora())
def test_the_correct_ones_are_those_of_the_score_sheet(corpora):
    gold, predicted = corpora
    sheet = score(gold, predicted)
    verdicts = [judge(g, p) for g, p in zip(gold, predicted, strict=True)]
    for path, judged in (
        (("ner",), [v for each in verdicts for v in each.entities]),
        (("re", "strict"), [v for each in verdicts for v in each.relations]),
    ):
        right = Counter(v.types[0] for v in judged if v.kind is Kind.CORRECT)
        table = confusion(judged)
        names = {name for types in table for name in types if name is not None}
        for name in names:
            cell = sheet[(*path, "per_type", name)]
            row = sum(n for (wanted, _), n in table.items() if wanted == name)
            column = sum(n for (_, given), n in table.items() if given == name)
            assert (row, column, right[name]) == (cell.gold, cell.predicted, cell.correct)


@given(predicted_corpora())
def test_swapping_gold_and_prediction_swaps_missing_and_spurious(corpora):
    swap = {Kind.MISSING: Kind.SPURIOUS, Kind.SPURIOUS: Kind.MISSING}
    for gold, predicted in zip(*corpora, strict=True):
        there, back = judge(gold, predicted), judge(predicted, gold)
        for forward, backward in ((there.entities, back.entities), (there.relations, back.relations)):
            turned = {(swap.get(v.kind, v.kind), v.predicted, v.gold, v.types[::-1]) for v in forward}
            assert turned == {(v.kind, v.gold, v.predicted, v.types) for v in backward}


@given(predicted_corpora())
def test_the_order_of_items_does_not_matter(corpora):
    for gold, predicted in zip(*corpora, strict=True):
        last = len(predicted.entities) - 1
        turned = predicted.annotated(
            reversed(predicted.entities),
            [Relation(r.type, last - r.head, last - r.tail) for r in reversed(predicted.relations)],
        )
        one, other = judge(gold, predicted), judge(gold, turned)
        assert Counter((v.kind, v.types) for v in one.entities) == Counter(
            (v.kind, v.types) for v in other.entities
        )
        assert Counter((v.kind, v.types) for v in one.relations) == Counter(
            (v.kind, v.types) for v in other.relations
        )


@given(predicted_corpora())
def test_kinds_stay_within_their_lists(corpora):
    for gold, predicted in zip(*corpora, strict=True):
        verdicts = judge(gold, predicted)
        assert {v.kind for v in verdicts.entities} <= set(ENTITY_KINDS)
        assert {v.kind for v in verdicts.relations} <= set(RELATION_KINDS)
