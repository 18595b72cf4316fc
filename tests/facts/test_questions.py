from __future__ import annotations

import json

import pytest

from biaffinity import facts
from biaffinity.errors import UsageError
from biaffinity.facts import Facts
from biaffinity.facts import path as path_module
from facts.invented import document, write


def said(found: list[facts.Fact]) -> list[tuple[str, str, str]]:
    return [(fact.head.name, fact.relation, fact.tail.name) for fact in found]


def test_an_entity_is_found_by_name_by_part_of_it_and_with_a_slip(news_facts: Facts) -> None:
    for text in (
        "Norvik Oil",
        "norvik",
        "nor",
        "oil norv",
        "nrvik",
        "norvik oill",
        "NOC",
        "The Norvik Oil, Inc.",
    ):
        assert news_facts.search(text)[0].entity.name == "Norvik Oil Company", text
    assert news_facts.search("Okafor")[0].name == "Okafor"
    assert news_facts.search("okafr")[0].entity.name == "Paul Okafor"
    assert news_facts.search("xyzzy") == []


def test_a_search_can_be_of_one_type_and_go_on(news_facts: Facts) -> None:
    both = news_facts.search("Solund")
    assert [each.entity.type for each in both] == ["Loc", "Org"]
    assert [each.entity.type for each in news_facts.search("Solund", type="Org")] == ["Org"]
    assert news_facts.search("Solund", limit=1, offset=1) == both[1:]


def test_about_an_entity_are_its_facts_by_relation(news_facts: Facts) -> None:
    answer = news_facts.about("Paul Okafor")
    assert [(g.relation, g.role, g.total) for g in answer.groups] == [
        ("Work_For", "head", 2),
        ("Live_In", "head", 1),
    ]
    assert said([*answer.groups[0].facts])[0] == ("Paul Okafor", "Work_For", "Norvik Oil Company")
    first = news_facts.about("Paul Okafor", limit=1).groups[0]
    assert (first.total, len(first.facts)) == (2, 1)
    assert [g.relation for g in news_facts.about("Solund", type="Loc").groups] == ["Live_In", "OrgBased_In"]
    assert news_facts.about("Paul Okafor", relation="Kill").groups == ()


def test_about_an_entity_are_all_its_names_those_of_some_documents_last(news_facts: Facts) -> None:
    assert news_facts.about("Norvik Oil").names == ("Norvik Oil Company", "NOC")
    assert news_facts.about("Salima Murad").names == ("Salima Mourad", "Salima Murad")
    news_facts.split("Norvik Oil", "NOC")
    assert news_facts.about("Norvik Oil").names == ("Norvik Oil Company",)
    assert news_facts.about("NOC").names == ("NOC",)
    news_facts.merge("Norvik Oil", "NOC")
    assert sorted(news_facts.about("NOC").names) == ["NOC", "Norvik Oil Company"]


def test_a_sentence_tells_where_its_two_names_are(news_facts: Facts) -> None:
    (fact,) = news_facts.find(head="Paul Okafor", relation="Live_In")
    (evidence,) = fact.evidence
    assert evidence.sentence[slice(evidence.head.start, evidence.head.end)] == "Okafor"
    assert evidence.sentence[slice(evidence.tail.start, evidence.tail.end)] == "Solund"
    text = news_facts.text(evidence.document)
    assert text.text[evidence.start :].startswith(evidence.sentence)
    assert {each.entity for each in text.mentions} == {
        fact.head.id,
        fact.tail.id,
        news_facts.entity("NOC").id,
    }


def test_sentences_come_best_first_as_many_as_are_asked_for(news_facts: Facts) -> None:
    (fact,) = news_facts.find(head="Paul Okafor", tail="NOC", sentences=2)
    assert [each.score for each in fact.evidence] == [0.8, 0.5]
    assert [each.score for each in news_facts.evidence(fact.id)] == [0.8, 0.5, 0.5]
    assert [each.score for each in news_facts.evidence(fact.id, limit=1, offset=1)] == [0.5]
    assert news_facts.fact(fact.id, sentences=0).evidence == ()


def test_facts_are_found_by_what_is_given_of_them(news_facts: Facts) -> None:
    assert said(news_facts.find(relation="Work_For", tail="Norvik Oil", min_score=0.5)) == [
        ("Paul Okafor", "Work_For", "Norvik Oil Company")
    ]
    assert news_facts.find(relation="Work_For", tail="Norvik Oil", min_score=0.95) == []
    assert len(news_facts.find()) == 6
    assert [fact.relation for fact in news_facts.find(entity="Harrow")] == ["Work_For", "OrgBased_In"]
    assert len(news_facts.find(head="Paul Okafor", entity="Paul Okafor")) == 3
    assert said(news_facts.find(head="Paul Okafor", entity="Harrow")) == [
        ("Paul Okafor", "Work_For", "Harrow")
    ]
    assert news_facts.find(head="Paul Okafor", tail="Harrow", entity="Tove Lind") == []
    ordered = news_facts.find(limit=6)
    assert [fact.score or 0 for fact in ordered] == sorted(
        (fact.score or 0 for fact in ordered), reverse=True
    )
    assert news_facts.find(limit=2, offset=2) == ordered[2:4]


def test_facts_of_a_time_are_those_stated_in_it(news_facts: Facts) -> None:
    assert len(news_facts.find(since="2020-01-01", until="2999-12-31")) == 6
    assert news_facts.find(since="2999-01-01") == news_facts.find(until="2020-01-01T12:00") == []
    today = news_facts.find()[0].last_time[:10]
    assert len(news_facts.find(since=today, until=today)) == 6


@pytest.mark.parametrize("asked", [{"since": "soon"}, {"min_score": 2.0}, {"limit": 0}, {"offset": -1}])
def test_what_cannot_be_asked_is_told(news_facts: Facts, asked: dict) -> None:
    with pytest.raises(UsageError, match=r"\(.+\)"):
        news_facts.find(**asked)


def test_a_way_leads_over_facts_in_either_direction(news_facts: Facts) -> None:
    way = news_facts.path("Salima Murad", "Harrow")
    assert (way.found, way.complete) == (True, True)
    assert said([*way.facts]) == [("Salima Mourad", "Live_In", "Solund"), ("Harrow", "OrgBased_In", "Solund")]
    assert news_facts.path("NOC", "Salima Murad", longest=2).found is False
    assert len(news_facts.path("NOC", "Salima Murad").facts) == 3
    same = news_facts.path("NOC", "Norvik Oil")
    assert (same.found, same.facts) == (True, ())


def test_where_there_is_no_way_that_is_the_answer(news_facts: Facts) -> None:
    way = news_facts.path("Tove Lind", "Paul Okafor", longest=10)
    assert (way.found, way.facts, way.complete) == (False, (), True)
    assert news_facts.path("Salima Murad", "Harrow", min_score=0.5).found is True
    assert news_facts.path("Salima Murad", "Harrow", min_score=0.5, longest=2).found is False


def test_of_two_shortest_ways_the_likelier_is_shown(store: str) -> None:
    ways = [("Ana", "Ivo", 0.5), ("Ivo", "Bo", 0.5), ("Ana", "Eva", 0.9), ("Eva", "Bo", 0.4)]
    relations = [
        document(f"{n}", f"[{h}/P] met [{t}/P]", ("Met", 0, 1, s)) for n, (h, t, s) in enumerate(ways)
    ]
    write(store, *relations)
    with facts.open(store) as opened:
        opened.update()
        assert said([*opened.path("Ana", "Bo").facts]) == [("Ana", "Met", "Eva"), ("Eva", "Met", "Bo")]


def test_hubs_are_left_out_where_there_is_too_much_to_follow(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_module, "_FACTS_OF_A_STEP", 8)
    met = [("Ana", "Hub"), *(("Hub", f"N{number}") for number in range(30)), ("Ana", "Ivo"), ("Ivo", "Eva")]
    write(
        store, *(document(f"{n}", f"[{h}/P] met [{t}/P]", ("Met", 0, 1, 0.5)) for n, (h, t) in enumerate(met))
    )
    with facts.open(store) as opened:
        opened.update()
        assert len(opened.path("Ana", "Eva").facts) == 2
        assert len(opened.path("N1", "N2").facts) == 2
        far = [("Far", "Port"), *(("Port", f"M{number}") for number in range(30))]
        write(store, *(document(h + t, f"[{h}/P] met [{t}/P]", ("Met", 0, 1, 0.5)) for h, t in far))
        opened.update()
        assert opened.path("Ana", "Far") == facts.Path(
            opened.entity("Ana"), opened.entity("Far"), (), False, False
        )


def test_top_is_what_the_most_documents_speak_of(news_facts: Facts) -> None:
    top = news_facts.top(limit=2)
    assert [(each.name, each.documents) for each in top.entities] == [
        ("Solund", 3),
        ("Norvik Oil Company", 2),
    ]
    assert said([*top.facts])[0] == ("Paul Okafor", "Work_For", "Norvik Oil Company")
    assert {each.type for each in news_facts.top(type="Peop").entities} == {"Peop"}
    assert {each.relation for each in news_facts.top(relation="Live_In").facts} == {"Live_In"}


def test_a_summary_counts(news_facts: Facts) -> None:
    summary = news_facts.summary()
    assert (summary.documents, summary.entities, summary.facts, summary.waiting) == (4, 7, 6, 0)
    assert summary.relations[0] == facts.Counted("Work_For", 3)
    assert sum(each.count for each in summary.types) == 7


def test_a_name_that_nobody_or_several_have_is_told_with_the_nearest(news_facts: Facts) -> None:
    with pytest.raises(UsageError, match=r"no entity is called 'okafr' \(the nearest are #\d+ Paul Okafor"):
        news_facts.about("okafr")
    with pytest.raises(UsageError, match=r"2 entities are called 'Solund': #\d+ Solund \(Loc\), #\d+ Solund"):
        news_facts.about("Solund")
    assert news_facts.entity("Solund", type="Org").type == "Org"
    for id in (0, -1, 10**30, "#999"):
        with pytest.raises(UsageError, match="no entity has the id"):
            news_facts.about(id)
    with pytest.raises(UsageError, match="no fact has the id 99"):
        news_facts.evidence(99)
    with pytest.raises(UsageError, match="no document is called 'x'"):
        news_facts.text("x")


def test_an_answer_is_json(news_facts: Facts) -> None:
    told = json.loads(json.dumps(news_facts.about("NOC").to_dict()))
    assert told["entity"].keys() == {"id", "name", "type", "mentions", "documents", "facts"}
    (fact,) = told["groups"][0]["facts"]
    assert (fact["head"]["name"], fact["relation"], fact["score"]) == ("Paul Okafor", "Work_For", 0.9)
    assert fact["evidence"][0]["head"] == {"start": 0, "end": 11}
    for answer in (
        news_facts.path("NOC", "Harrow"),
        news_facts.why("NOC"),
        news_facts.top(),
        news_facts.text("a"),
    ):
        assert json.dumps(answer.to_dict())


def test_a_name_means_the_entity_that_is_spoken_of_by_far_the_most(store: str) -> None:
    write(store, *(document(f"firm {number}", "[Norvik Oil/Org] drills.") for number in range(5)))
    write(store, document("slip", "[Norvik Oil/Loc] drills."))
    with facts.open(store) as opened:
        opened.update()
        assert opened.entity("Norvik Oil").type == "Org"
        write(store, document("another slip", "[Norvik Oil/Loc] drills."))
        opened.update()
        with pytest.raises(UsageError, match="2 entities are called 'Norvik Oil'"):
            opened.entity("Norvik Oil")
