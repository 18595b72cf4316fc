from __future__ import annotations

from itertools import combinations

from hypothesis import given

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.formats.columns import cell, flat
from biaffinity.formats.report import Report
from strategies import sentences


@given(sentences())
def test_no_two_entities_overlap_and_they_are_in_text_order(sentence):
    kept = flat(sentence, Report(), "s").entities
    assert not any(a.overlaps(b) for a, b in combinations(kept, 2))
    assert list(kept) == sorted(kept, key=lambda entity: entity.start)


@given(sentences())
def test_relations_keep_their_arguments_and_losses_are_counted(sentence):
    report = Report()
    result = flat(sentence, report, "s")

    def facts(s: Sentence) -> set[tuple[str, Entity, Entity]]:
        return {(r.type, s.entities[r.head], s.entities[r.tail]) for r in s.relations}

    assert facts(result) == {f for f in facts(sentence) if {f[1], f[2]} <= set(result.entities)}
    left_out = len(sentence.entities) - len(result.entities) + len(sentence.relations) - len(result.relations)
    assert sum(finding.count for finding in report.findings.values()) == left_out


@given(sentences(overlapping=False))
def test_a_flat_sentence_stays_as_it_is(sentence):
    report = Report()
    assert flat(sentence, report, "s") == sentence
    assert not report


def test_the_longer_entity_stays_and_the_relation_of_the_shorter_goes():
    nested = Sentence(
        ["Bank", "of", "Solund", "in", "Bergen"],
        [Entity(2, 3, "Loc"), Entity(0, 3, "Org"), Entity(4, 5, "Loc")],
        [Relation("OrgBased_In", 1, 2), Relation("Located_In", 0, 2)],
    )
    report = Report()
    result = flat(nested, report, "s1")
    assert result.entities == (Entity(0, 3, "Org"), Entity(4, 5, "Loc"))
    assert result.relations == (Relation("OrgBased_In", 0, 1),)
    assert [(kind, finding.count) for kind, finding in report.findings.items()] == [
        ("entity left out: it overlaps a longer one", 1),
        ("relation left out: an argument overlaps a longer entity", 1),
    ]


def test_a_separator_in_a_cell_is_replaced_and_reported():
    report = Report()
    assert cell("a\tb c\n", report, "s1") == "a_b c_"
    assert str(report) == "1 x white space inside a token or label written as _ (e.g. s1)"


def test_a_plain_cell_is_left_alone():
    report = Report()
    assert cell("New York", report, "s1") == "New York"
    assert not report
