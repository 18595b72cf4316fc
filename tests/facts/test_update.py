from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from biaffinity import facts
from biaffinity.errors import UsageError
from biaffinity.facts import Facts
from biaffinity.facts import update as module
from biaffinity.store import open_store
from facts.invented import NEWS, Relation, StoredDocument, document, everything, names, remove, write

PEOPLE = [
    "Paul Okafor",
    "Okafor",
    "Tove Lindqvist",
    "Tove Lindqvst",
    "Tove Lindkvist",
    "Lindqvist",
    "Mr. Okafor",
]
FIRMS = [
    "Norvik Shipping",
    "Norvik Shiping",
    "the Norvik Shipping Co.",
    "Harrow Bank",
    "NS",
    "Norvik Shipping (NS)",
]


def some_document(chance: Random, name: str) -> StoredDocument:
    mentions = [f"[{one}/Peop]" for one in chance.sample(PEOPLE, 3)]
    mentions += [
        "[Norvik Shipping/Org] ([NS/Org])" if "(" in firm else f"[{firm}/Org]"
        for firm in chance.sample(FIRMS, 2)
    ]
    count = sum(each.count("/Peop") + each.count("/Org") for each in mentions)
    relations: list[Relation] = [
        ("Work_For", *chance.sample(range(count), 2), chance.choice([None, 0.25, 0.5, 1.0]))
        for _ in range(chance.randint(0, 4))
    ]
    return document(name, " met ".join(mentions) + f" {chance.random()}", *relations)


def test_mentions_become_entities_and_facts(news_facts: Facts) -> None:
    entities, told = everything(news_facts)
    paul = frozenset({("paul okafor", "Peop")})
    norvik = frozenset({("norvik oil", "Org")})
    salima = frozenset({("salima mourad", "Peop"), ("salima murad", "Peop")})
    assert entities[paul] == ("Paul Okafor", "Peop", 3, 2, 3)
    assert entities[norvik] == ("Norvik Oil Company", "Org", 3, 2, 1)
    assert entities[salima] == ("Salima Mourad", "Peop", 2, 1, 1)
    # Of one document the best score counts, documents count as if they did not know of each other.
    mentions, documents, best, score, first, last, _ = told[paul, "Work_For", norvik]
    assert (mentions, documents, best, score) == (3, 2, 0.8, pytest.approx(1 - 0.2 * 0.5))
    assert (first, last) == ("a", "b")


def test_the_same_name_of_another_type_is_somebody_else(news_facts: Facts) -> None:
    kinds = {e.type: e.mentions for e in news_facts.entities() if e.name == "Solund"}
    assert kinds == {"Loc": 3, "Org": 1}


def test_a_fact_without_scores_has_none(news_facts: Facts) -> None:
    (fact,) = news_facts.find(head="Tove Lind")
    assert (fact.best, fact.score, fact.mentions) == (None, None, 1)
    assert fact.evidence[0].score is None


def test_of_what_hundreds_of_documents_state_there_is_no_doubt(store: str) -> None:
    with facts.open(_made(store)) as opened:
        for batch in range(3):
            said = [
                document(f"{batch} {n}", "[Bo/Peop] at [Norvik/Org]", ("Work_For", 0, 1, 0.99))
                for n in range(90)
            ]
            write(store, *said)
            opened.update()
        (fact,) = opened.find()
        assert (fact.documents, fact.score) == (270, 1.0)


def _made(store: str) -> str:
    """A store that is there, and empty."""
    open_store(store).close()
    return store


def test_an_update_without_news_changes_nothing(news_facts: Facts) -> None:
    before = everything(news_facts), names(news_facts.database)
    done = news_facts.update()
    assert (done.documents, done.mentions) == (0, 0)
    assert (everything(news_facts), names(news_facts.database)) == before


def test_whatever_comes_changes_and_goes_in_whatever_order_the_outcome_is_that_of_reading_it_at_once(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_DOCUMENTS", 3)
    chance = Random(11)
    held: dict[str, StoredDocument] = {}
    for _ in range(8):
        fresh = {f"{n}": some_document(chance, f"{n}") for n in chance.sample(range(12), 4)}
        gone = [name for name in held if chance.random() < 0.2 and name not in fresh]
        held = {name: each for name, each in held.items() if name not in gone} | fresh
        write(store, *fresh.values())
        remove(store, *gone)
        with facts.open(store) as opened:
            opened.update()
            found = everything(opened)
            assert opened.waiting() == 0
    other = str(tmp_path / "other.db")
    with open_store(store) as database:
        order = [name for (name,) in database.select("SELECT name FROM documents ORDER BY added, id")]
    write(other, *(held[name] for name in order))
    with facts.open(other) as opened:
        opened.update()
        expected = everything(opened)
    assert _without_shown_names(found) == _without_shown_names(expected)


def _without_shown_names(found: tuple) -> tuple:
    """How a name is written first, and what came first in one second, depend on the order."""
    entities, told = found
    return (
        {own: cells[1:] for own, cells in entities.items()},
        {key: (*cells[:4], cells[6]) for key, cells in told.items()},
    )


def counted(opened: Facts) -> tuple[dict, dict]:
    """Entities and facts counted from the mentions, by brute force."""
    entities: dict[int, tuple[int, set[int]]] = {}
    of = {}
    for mention, where, entity in opened.database.select(
        "SELECT m.mention, m.document, names.entity "
        "FROM entity_mentions AS m JOIN names ON names.id = m.means"
    ):
        of[mention] = entity
        mentions, documents = entities.get(entity, (0, set()))
        entities[entity] = mentions + 1, documents | {where}
    told: dict[tuple[int, str, int], dict[int, list[float | None]]] = {}
    for head, type, tail, score, where in opened.database.select(
        "SELECT head, type, tail, score, document FROM relation_mentions"
    ):
        told.setdefault((of[head], type, of[tail]), {}).setdefault(where, []).append(score)
    facts = {}
    for key, documents in told.items():
        best = [max((s for s in scores if s is not None), default=None) for scores in documents.values()]
        doubt = 1.0
        for score in best:
            doubt *= 1 - (score or 0)
        known = [score for score in best if score is not None]
        mentions = sum(map(len, documents.values()))
        facts[key] = (
            mentions,
            len(documents),
            max(known, default=None),
            round(1 - doubt, 6) if known else None,
        )
    ends = [{head, tail} for head, _, tail in facts]
    return {
        entity: (mentions, len(documents), sum(entity in each for each in ends))
        for entity, (mentions, documents) in entities.items()
    }, facts


@pytest.mark.parametrize("seed", range(4))
def test_whatever_people_decide_all_is_counted_right(store: str, seed: int) -> None:
    chance = Random(seed)
    with facts.open(_made(store)) as opened:
        for step in range(12):
            if step % 3 == 0:
                write(store, *(some_document(chance, f"{n}") for n in chance.sample(range(15), 6)))
                opened.update()
            else:
                with suppress(UsageError):  # what cannot be decided
                    one, other = chance.sample([each.id for each in opened.entities()], 2)
                    if chance.random() < 0.5:
                        opened.merge(one, other)
                    else:
                        names = [each.id for each in opened.why(one).names]
                        opened.split(one, chance.choice(names))
            entities, told = counted(opened)
            assert {e.id: (e.mentions, e.documents, e.facts) for e in opened.entities()} == entities
            assert {
                (f.head.id, f.relation, f.tail.id): (f.mentions, f.documents, f.best, f.score)
                for f in opened.facts()
            } == told


def test_entities_keep_their_ids_when_all_is_read_again(store: str) -> None:
    write(store, *NEWS)
    with facts.open(store) as opened:
        opened.update()
        before = {entity.name: entity.id for entity in opened.entities()}
    write(store, *(StoredDocument(d.name, d.text + " ", d.mentions, d.relations) for d in reversed(NEWS)))
    with facts.open(store) as opened:
        assert opened.update().documents == len(NEWS)
        assert {entity.name: entity.id for entity in opened.entities()} == before


def test_what_no_text_speaks_of_any_more_is_gone(store: str) -> None:
    write(store, *NEWS)
    with facts.open(store) as opened:
        opened.update()
    remove(store, *(each.name for each in NEWS))
    with facts.open(store) as opened:
        assert opened.waiting() == len(NEWS)
        assert opened.update() == facts.Updated(len(NEWS), 0)
        assert opened.summary() == facts.Summary(0, 0, 0, 0, (), ())
        assert opened.search("norvik") == []
        for table in (
            "names",
            "entities",
            "words",
            "name_blocks",
            "links",
            "entity_mentions",
            "fact_mentions",
        ):
            assert opened.database.select(f"SELECT count(*) FROM {table}") == [(0,)], table


def test_a_word_that_others_bear_is_no_slip(store: str) -> None:
    write(store, document("a", "[Maria Lindgren/Peop] met [Marit Lindgren/Peop]"))
    with facts.open(store) as opened:
        opened.update()
        assert len(list(opened.entities())) == 1
    write(store, document("b", "[Marit Solberg/Peop] met [Maria Solberg/Peop]"))
    with facts.open(store) as opened:
        opened.update()
        assert len(list(opened.entities())) == 4
    remove(store, "b")
    with facts.open(store) as opened:
        opened.update()
        assert len(list(opened.entities())) == 1


def test_a_store_of_the_first_version_is_read_whole(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from biaffinity.store import tables

    with monkeypatch.context() as patch:
        patch.setattr(tables, "VERSIONS", tables.VERSIONS[:1])
        write(store, *NEWS)
    with facts.open(store) as opened:
        assert opened.update().documents == len(NEWS)
        assert opened.entity("Paul Okafor").facts == 3
