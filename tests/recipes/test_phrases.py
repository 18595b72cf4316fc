"""Sentences with gaps, filled with invented names."""

from __future__ import annotations

import random

import pytest
from tests.recipes.test_general_data import script

from biaffinity.annotation import Entity, Relation, Sentence

phrases, renaming, names = script("phrases"), script("renamed"), script("names")
KNOWN = {"person": ["Ada Roe"], "organisation": ["Norvik Oil"], "place": ["Bergen"]}


def test_every_phrase_states_what_a_model_has_types_for() -> None:
    found = phrases.read_phrases(phrases.PHRASES.read_text(encoding="utf-8"))
    assert len(found) > 250
    for model in phrases.TYPES:
        assert sum(phrase.fits(model) for phrase in found) > 200


@pytest.mark.parametrize("model", ["news", "general"])
def test_names_stand_where_the_gaps_were(model: str) -> None:
    phrase = phrases.Phrase(
        "{P1} left {B1} for the {L1}-based {O1}.", [("works", "P1", "O1"), ("based", "O1", "L1")]
    )
    numbers = random.Random(3)
    for number in range(40):
        sentence = phrases.fill(phrase, model, names.Names(numbers, KNOWN), numbers, str(number))
        if sentence is None:
            continue
        kinds = [entity.type for entity in sentence.entities]
        person, firm, place = (phrases.TYPES[model][kind] for kind in "POL")
        assert kinds.count(person) >= 1
        work, base, *_ = sentence.relations
        assert [kinds[work.head], kinds[work.tail]] == [person, firm]
        assert [kinds[base.head], kinds[base.tail]] == [firm, place]
        seat = sentence.entities[base.tail]
        assert sentence.tokens[seat.end : seat.end + 2] == ("-", "based")
        for entity in sentence.entities:
            assert sentence.tokens[entity.start].lower() != "the"


def test_a_fact_can_run_the_other_way_and_both_ways() -> None:
    numbers = random.Random(1)
    led = phrases.Phrase("{P1} runs {O1} with {P2}.", [("leads", "P1", "O1"), ("married", "P1", "P2")])
    sentence = phrases.fill(led, "general", names.Names(numbers, KNOWN), numbers, "1")
    [(job, _, _), (lead, _, _), *both] = [(r.type, r.head, r.tail) for r in sentence.relations][:4]
    assert [job, lead] == ["employer", "chief executive officer"]
    [(_, head, tail), back] = both
    assert back == ("spouse", tail, head)


def test_a_phrase_that_states_the_unknown_is_named() -> None:
    with pytest.raises(SystemExit, match="paints"):
        phrases.read_phrases("{P1} paints {W1}. | paints P1 W1\n")


def test_words_around_a_phrase_state_something_of_their_own() -> None:
    numbers, seen = random.Random(2), set()
    for _ in range(300):
        whole = phrases.surrounded(phrases.Phrase("It rained in {L1}.", []), numbers)
        seen.add((whole.text, *whole.stated))
    assert ("{P9} of {B9} said It rained in {L1}.", ("works", "P9", "B9")) in seen
    assert ("It rained in {L1}, said {P9} of {B9}.", ("works", "P9", "B9")) in seen
    assert ("It rained in {L1}.",) in seen


def test_other_names_keep_what_is_stated() -> None:
    gold = Sentence(
        ("Ada", "Roe", "of", "Norvik", "spoke", "in", "Bergen", "."),
        [Entity(6, 7, "Loc"), Entity(0, 2, "Peop"), Entity(3, 4, "Org")],
        [Relation("Work_For", 1, 2)],
    )
    numbers = random.Random(5)
    changed = 0
    for _ in range(30):
        other = renaming.renamed(gold, names.Names(numbers, {}), numbers)
        assert [entity.type for entity in other.entities] == ["Loc", "Peop", "Org"]
        assert other.relations == gold.relations
        person, firm = other.entities[1], other.entities[2]
        assert other.tokens[person.end : firm.start] == ("of",)
        assert other.tokens[firm.end : other.entities[0].start] == ("spoke", "in")
        changed += other.tokens != gold.tokens
    assert changed > 15
