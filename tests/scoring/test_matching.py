"""Hand-worked cases of what counts as correct, one trap each."""

from __future__ import annotations

from collections import Counter

import pytest

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.scoring.matching import (
    EC,
    METRICS,
    NER,
    NER_BOUNDARIES,
    RC_RELEASED,
    RE_BOUNDARIES,
    RE_STRICT,
    Cell,
    shared_keys,
    strict_relations,
)

# Ida Moor(Peop) of Calder Mills(Org) left Port Vane(Loc) .
TOKENS = ["Ida", "Moor", "of", "Calder", "Mills", "left", "Port", "Vane", "."]
IDA, MILLS, VANE = Entity(0, 2, "Peop"), Entity(3, 5, "Org"), Entity(6, 8, "Loc")
WORKS = Relation("Work_For", 0, 1)
GOLD = Sentence(TOKENS, [IDA, MILLS, VANE], [WORKS, Relation("Live_In", 0, 2)])


def found(metric: Cell, entities: list[Entity], relations: list[Relation] = (), gold: Sentence = GOLD):
    """(gold, predicted, correct) by type."""
    return tuple(Counter(types) for types in METRICS[metric](gold, gold.annotated(entities, relations)))


def correct(metric: Cell, entities: list[Entity], relations: list[Relation] = (), gold: Sentence = GOLD):
    return dict(found(metric, entities, relations, gold)[2])


class TestEntities:
    def test_strict_wants_boundaries_and_type(self):
        assert correct(NER, [IDA, MILLS, VANE]) == {"Peop": 1, "Org": 1, "Loc": 1}

    def test_right_boundaries_with_wrong_type_is_a_miss_and_a_false_alarm(self):
        gold, predicted, right = found(NER, [IDA, Entity(3, 5, "Loc")])
        assert (gold["Org"], predicted["Org"], right["Org"]) == (1, 0, 0)
        assert (gold["Loc"], predicted["Loc"], right["Loc"]) == (1, 1, 0)

    def test_right_boundaries_with_wrong_type_counts_for_boundaries(self):
        assert correct(NER_BOUNDARIES, [IDA, Entity(3, 5, "Loc")]) == {"": 2}

    @pytest.mark.parametrize("span", [(0, 1), (1, 2), (0, 3)])
    def test_wrong_boundaries_count_for_neither(self, span):
        assert correct(NER, [Entity(*span, "Peop")]) == {}
        assert correct(NER_BOUNDARIES, [Entity(*span, "Peop")]) == {}

    def test_two_types_on_one_span_are_two_entities_but_one_boundary(self):
        twice = GOLD.annotated([IDA, Entity(0, 2, "Org")])
        assert found(NER, [IDA], gold=twice)[0] == {"Peop": 1, "Org": 1}
        assert found(NER_BOUNDARIES, [IDA], gold=twice) == ({"": 1}, {"": 1}, {"": 1})

    def test_scores_of_predictions_do_not_matter(self):
        assert correct(NER, [Entity(0, 2, "Peop", 0.3)]) == {"Peop": 1}


class TestEntityClassification:
    def test_one_token_of_the_right_type_is_enough(self):
        mixed = [Entity(0, 1, "Org"), Entity(1, 2, "Peop")]
        assert found(EC, mixed)[1:] == ({"Peop": 1}, {"Peop": 1})

    def test_a_wrong_type_is_a_false_alarm_of_that_type(self):
        assert found(EC, [Entity(0, 2, "Loc")])[1:] == ({"Loc": 1}, {})

    def test_an_entity_wrong_in_two_ways_is_one_false_alarm_of_its_first_type(self):
        mixed = [Entity(1, 2, "Other"), Entity(0, 1, "Loc")]
        assert found(EC, mixed)[1:] == ({"Loc": 1}, {})

    def test_an_untyped_entity_is_a_miss_alone(self):
        assert found(EC, []) == ({"Peop": 1, "Org": 1, "Loc": 1}, {}, {})

    def test_a_first_token_without_a_type_is_passed_over(self):
        assert found(EC, [Entity(1, 2, "Org")])[1] == {"Org": 1}

    def test_a_prediction_outside_every_entity_is_a_false_alarm(self):
        assert found(EC, [Entity(2, 3, "Org")])[1:] == ({"Org": 1}, {})

    def test_a_long_prediction_types_every_entity_it_touches(self):
        predicted, right = found(EC, [Entity(0, 9, "Loc")])[1:]
        assert (predicted, right) == ({"Loc": 3}, {"Loc": 1})


class TestRelations:
    def test_strict_wants_the_type_of_both_arguments(self):
        retyped = [IDA, Entity(3, 5, "Loc"), VANE]
        assert correct(RE_STRICT, retyped, GOLD.relations) == {"Live_In": 1}

    def test_boundaries_do_not_want_the_type_of_arguments(self):
        retyped = [IDA, Entity(3, 5, "Loc"), VANE]
        assert correct(RE_BOUNDARIES, retyped, GOLD.relations) == {"Live_In": 1, "Work_For": 1}

    @pytest.mark.parametrize("metric", [RE_STRICT, RE_BOUNDARIES, RC_RELEASED])
    def test_direction_matters(self, metric):
        assert correct(metric, [IDA, MILLS], [Relation("Work_For", 1, 0)]) == {}

    @pytest.mark.parametrize("metric", [RE_STRICT, RE_BOUNDARIES, RC_RELEASED])
    def test_the_relation_type_matters(self, metric):
        assert correct(metric, [IDA, MILLS], [Relation("Live_In", 0, 1)]) == {}

    @pytest.mark.parametrize("metric", [RE_STRICT, RE_BOUNDARIES, RC_RELEASED])
    def test_the_order_of_the_entities_does_not_matter(self, metric):
        assert correct(metric, [MILLS, IDA], [Relation("Work_For", 1, 0)]) == {"Work_For": 1}

    @pytest.mark.parametrize("metric", [RE_STRICT, RE_BOUNDARIES])
    def test_a_wrong_boundary_of_an_argument_is_wrong(self, metric):
        assert correct(metric, [Entity(1, 2, "Peop"), MILLS], [WORKS]) == {}

    def test_as_released_wants_the_last_tokens_only(self):
        shrunk = [Entity(1, 2, "Other"), Entity(4, 5, "Loc")]
        assert correct(RC_RELEASED, shrunk, [WORKS]) == {"Work_For": 1}

    def test_as_released_a_wrong_last_token_is_wrong(self):
        assert correct(RC_RELEASED, [Entity(0, 1, "Peop"), MILLS], [WORKS]) == {}

    def test_relations_that_differ_in_argument_types_alone_are_one_relation_by_boundaries(self):
        both = [IDA, Entity(0, 2, "Org"), MILLS]
        doubled = [Relation("Work_For", 0, 2), Relation("Work_For", 1, 2)]
        assert found(RE_STRICT, both, doubled)[1:] == ({"Work_For": 2}, {"Work_For": 1})
        assert found(RE_BOUNDARIES, both, doubled)[1:] == ({"Work_For": 1}, {"Work_For": 1})
        assert found(RC_RELEASED, both, doubled)[1:] == ({"Work_For": 1}, {"Work_For": 1})


class TestSharedKeys:
    def test_items_go_by_the_last_of_their_key_and_are_right_where_both_sides_have_it(self):
        predicted = GOLD.annotated([IDA, MILLS, VANE], [WORKS, Relation("Kill", 1, 2)])
        wanted, given, right = shared_keys(strict_relations)(GOLD, predicted)
        assert sorted(wanted) == ["Live_In", "Work_For"]
        assert sorted(given) == ["Kill", "Work_For"]
        assert right == ["Work_For"]
