from __future__ import annotations

from biaffinity.annotation import Entity, Judged, Relation, Sentence
from biaffinity.corpus import Problem, check
from biaffinity.corpus.damage import DAMAGE
from biaffinity.corpus.problem import SEVERITIES
from biaffinity.formats.report import Report

SOUND = [
    Sentence(
        [name, "lives", "in", town],
        [Entity(0, 1, "Peop"), Entity(3, 4, "Loc")],
        [Relation("Live_In", 0, 1)],
        id=f"{name}-{town}",
    )
    for name in ("Anna", "Bo")
    for town in ("Oslo", "Rome")
]
ELSEWHERE = [
    Sentence(["Cy", *s.tokens], [Entity(1, 2, "Peop"), Entity(4, 5, "Loc")], s.relations, id=f"c-{s.id}")
    for s in SOUND
]


def found(code: str, **splits: list[Sentence]) -> Problem:
    (problem,) = [p for p in check(splits).problems if p.code == code]
    return problem


def counts(problem: Problem) -> dict[str, int]:
    return {name: finding.count for name, finding in problem.splits.items()}


def test_sound_data_gives_no_finding() -> None:
    assert check({"train": SOUND, "dev": ELSEWHERE}).problems == []


def test_a_split_without_sentences_is_an_error() -> None:
    problem = found("no-sentences", train=SOUND, dev=[])
    assert problem.severity == "error"
    assert counts(problem) == {"dev": 0}


def test_training_data_without_entities_is_an_error() -> None:
    problem = found("no-entities", train=[Sentence(["a"])], dev=SOUND)
    assert problem.severity == "error"
    assert counts(problem) == {"train": 0}


def test_training_data_without_relations_is_a_warning() -> None:
    problem = found("no-relations", train=[s.annotated(s.entities) for s in SOUND])
    assert problem.severity == "warning"


def test_another_split_without_relations_is_a_note() -> None:
    problem = found("no-relations-to-score", train=SOUND, norel=[s.annotated(s.entities) for s in ELSEWHERE])
    assert problem.severity == "note"
    assert counts(problem) == {"norel": 0}


def test_sentences_that_repeat_an_earlier_split_are_a_warning() -> None:
    problem = found("repeated-across-splits", test=[*ELSEWHERE, SOUND[0]], train=SOUND)
    assert problem.severity == "warning"
    assert counts(problem) == {"test": 1}
    assert problem.splits["test"].examples == ["Anna-Oslo (= train Anna-Oslo)"]


def test_sentences_that_repeat_their_own_split_are_a_note() -> None:
    problem = found("repeated-within-split", train=[*SOUND, SOUND[0]])
    assert problem.severity == "note"
    assert counts(problem) == {"train": 1}


def test_repeats_with_another_annotation_are_a_warning() -> None:
    problem = found("repeated-differently", train=[*SOUND, SOUND[0].annotated(SOUND[0].entities)])
    assert problem.severity == "warning"
    assert counts(problem) == {"train": 1}


def test_ids_that_repeat_in_a_split_are_a_warning() -> None:
    problem = found("repeated-id", train=[*SOUND, Sentence(["x"], id="Bo-Rome")])
    assert problem.severity == "warning"
    assert problem.splits["train"].examples == ["Bo-Rome"]


def test_ids_that_an_earlier_split_has_are_a_note() -> None:
    problem = found(
        "shared-id", train=SOUND, dev=[Sentence(["x"], id="Bo-Rome")], test=[Sentence(["y"], id="Bo-Rome")]
    )
    assert problem.severity == "note"
    assert counts(problem) == {"dev": 1, "test": 1}


def test_overlapping_entities_are_a_warning_that_says_what_is_lost() -> None:
    nested = Sentence(
        ["a", "b"], [Entity(0, 2, "Peop"), Entity(1, 2, "Loc")], [Relation("Live_In", 0, 1)], id="n"
    )
    problem = found("overlapping-entities", train=[*SOUND, nested])
    assert problem.severity == "warning"
    assert problem.splits["train"].examples == ["n"]
    assert problem.advice == (
        "1 pair nested; a flat tagger that keeps the outermost loses 1 entity and 1 relation"
    )


def test_several_relations_of_a_pair_are_a_warning() -> None:
    both = SOUND[0].annotated(SOUND[0].entities, [Relation("Live_In", 0, 1), Relation("Die_In", 0, 1)])
    assert found("several-relations", train=[*SOUND[1:], both]).severity == "warning"


def test_every_kind_of_damage_is_a_warning_of_its_own() -> None:
    damaged = Sentence(["\ufffd", "Ã©", "&eacute;", "\x00", "\u200b", "\ud800", "¨", "a b"], id="x")
    problems = {p.code: p for p in check({"train": [*SOUND, damaged]}).problems}
    assert problems.keys() >= DAMAGE.keys()
    assert {problems[kind].severity for kind in DAMAGE} == {"warning"}
    assert problems["html-entity"].splits["train"].examples == ["x: &eacute;"]


def test_neighbours_of_one_type_and_punctuation_at_borders_are_notes() -> None:
    odd = Sentence(["(", "Anna"], [Entity(0, 1, "Peop"), Entity(1, 2, "Peop")])
    assert found("adjacent", train=[*SOUND, odd]).severity == "note"
    assert found("punctuation", train=[*SOUND, odd]).severity == "note"


def test_sentences_without_tokens_are_a_warning() -> None:
    assert found("no-tokens", train=[*SOUND, Sentence([])]).severity == "warning"


def test_what_a_reader_changed_is_a_warning_with_its_places() -> None:
    changes = {"train": Report(), "dev": Report()}
    changes["dev"].note("entity widened to whole tokens", "dev.ann:3")
    (problem,) = check({"train": SOUND, "dev": ELSEWHERE}, changes).problems
    assert (problem.severity, problem.code) == ("warning", "changed-in-reading")
    assert problem.message == "times in reading: entity widened to whole tokens"
    assert problem.splits["dev"].examples == ["dev.ann:3"]


def test_errors_come_before_warnings_and_warnings_before_notes() -> None:
    odd = Sentence(["(", "a b"], [Entity(0, 1, "X")])
    severities = [p.severity for p in check({"train": [odd], "dev": []}).problems]
    assert set(severities) == set(SEVERITIES)
    assert severities == sorted(severities, key=SEVERITIES.index)


def test_partly_judged_sentences_are_counted_and_types_that_nothing_has_are_named() -> None:
    entities = [Entity(0, 1, "Peop"), Entity(1, 2, "Peop")]
    judged = Judged(relations=["Kill", "Kil"])
    sentence = Sentence(["Ana", "Bo"], entities, [Relation("Kill", 0, 1)], id="1", judged=judged)
    assert counts(found("partly-judged", train=[sentence])) == {"train": 1}
    assert found("unknown-judged-type", train=[sentence]).splits["train"].examples == ["Kil x 1"]
