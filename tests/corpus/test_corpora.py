"""The published counts of three corpora, which are read from outside the repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biaffinity import formats
from biaffinity.corpus import CorpusReport, SplitProfile, check

SPLITS = ("train", "dev", "test")


def report_on(folder: Path) -> CorpusReport:
    return check({name: formats.read(folder / f"{name}.jsonl") for name in SPLITS})


@pytest.fixture(scope="module")
def conll04(corpora: Path) -> CorpusReport:
    return report_on(corpora / "conll04")


@pytest.fixture(scope="module")
def ade(corpora: Path) -> CorpusReport:
    return report_on(corpora / "ade")


@pytest.fixture(scope="module")
def scierc(corpora: Path) -> CorpusReport:
    return report_on(corpora / "scierc")


def counts(report: CorpusReport, code: str) -> dict[str, int]:
    (problem,) = [p for p in report.problems if p.code == code]
    return {name: finding.count for name, finding in problem.splits.items()}


def test_conll04_has_the_published_labels(conll04: CorpusReport) -> None:
    everything = SplitProfile.merged("all", conll04.splits)
    assert everything.entity_types == {"Loc": 1968, "Peop": 1691, "Org": 984, "Other": 706}
    assert everything.relation_types == {
        "Live_In": 521,
        "OrgBased_In": 452,
        "Located_In": 406,
        "Work_For": 401,
        "Kill": 268,
    }
    assert (everything.entities, everything.relations) == (5349, 2048)


def test_conll04_has_the_published_sizes(conll04: CorpusReport) -> None:
    assert [p.sentences for p in conll04.splits] == [910, 243, 288]
    assert [p.tokens for p in conll04.splits] == [26804, 6975, 8408]
    assert [p.entities for p in conll04.splits] == [3393, 877, 1079]
    assert [p.relations for p in conll04.splits] == [1273, 353, 422]
    assert not any(p.without_relation for p in conll04.splits)


def test_conll04_repeats_the_known_sentences(conll04: CorpusReport, corpora: Path) -> None:
    known = json.loads((corpora / "conll04" / "test_ids_duplicated_in_train_or_dev.json").read_text())
    found = [repeat.id for repeat in conll04.repeats.splits["test"].across]
    assert len(found) == 24
    assert sorted(found) == sorted(known)


def test_conll04_repeats_the_same_sentences_whatever_order_the_splits_come_in(corpora: Path) -> None:
    folder = corpora / "conll04"
    report = check({name: formats.read(folder / f"{name}.jsonl") for name in ("test", "dev", "train")})
    assert counts(report, "repeated-across-splits") == {"dev": 13, "test": 24}


def test_conll04_has_the_known_noise(conll04: CorpusReport) -> None:
    assert conll04.repeats.groups == 61
    assert sum(counts(conll04, "adjacent").values()) == 47
    assert sum(counts(conll04, "punctuation").values()) == 37
    assert counts(conll04, "html-entity") == {"test": 1}


def test_conll04_joins_one_pair_of_types_per_relation(conll04: CorpusReport) -> None:
    pairs = SplitProfile.merged("all", conll04.splits).pairs
    assert pairs.keys() == {
        ("Peop", "Live_In", "Loc"),
        ("Org", "OrgBased_In", "Loc"),
        ("Loc", "Located_In", "Loc"),
        ("Peop", "Work_For", "Org"),
        ("Peop", "Kill", "Peop"),
    }


def test_ade_has_the_published_counts(ade: CorpusReport) -> None:
    everything = SplitProfile.merged("all", ade.splits)
    assert everything.sentences == 4272
    assert everything.entity_types == {"Adverse-Effect": 5776, "Drug": 5063}
    assert everything.relations == 6821
    assert everything.pairs.keys() == {("Adverse-Effect", "Adverse-Effect", "Drug")}


def test_ade_has_119_sentences_with_overlapping_entities(ade: CorpusReport) -> None:
    assert sum(counts(ade, "overlapping-entities").values()) == 119


def test_scierc_has_the_published_sizes(scierc: CorpusReport) -> None:
    assert [p.sentences for p in scierc.splits] == [1861, 275, 551]
    assert [p.tokens for p in scierc.splits] == [45412, 6521, 13401]
    assert [p.entities for p in scierc.splits] == [5598, 811, 1685]


def test_all_three_can_be_trained_on(conll04: CorpusReport, ade: CorpusReport, scierc: CorpusReport) -> None:
    assert conll04.trainable
    assert ade.trainable
    assert scierc.trainable
