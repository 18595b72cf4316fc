from __future__ import annotations

from pathlib import Path

import pytest

from biaffinity import facts
from biaffinity.errors import DataError, UsageError
from biaffinity.facts import Facts, Reason
from facts.invented import NEWS, document, everything, remove, write


def test_why_tells_every_reason(news_facts: Facts) -> None:
    assert news_facts.why("Salima Murad").reasons == (
        Reason("similar", "Salima Mourad", "Salima Murad", True, similarity=0.923),
    )
    norvik = news_facts.why("Norvik Oil")
    assert norvik.reasons == (
        Reason("acronym", "NOC", "Norvik Oil Company", True, documents=1, document="a"),
    )
    assert set(norvik.names[0].written) == {"the Norvik Oil Company", "Norvik Oil Ltd."}
    (reason,) = news_facts.why("Paul Okafor").reasons
    assert (reason.rule, reason.name, reason.other) == ("short name", "Okafor", "Paul Okafor")


def test_what_was_split_stays_so(news_facts: Facts) -> None:
    left, out = news_facts.split("Salima Mourad", "Salima Murad")
    assert (left.name, out.name) == ("Salima Mourad", "Salima Murad")
    assert (left.facts, out.facts) == (0, 1)
    write(_store(news_facts), document("e", "[Salima Murad/Peop] sang."))
    news_facts.update()
    assert news_facts.entity("Salima Murad").id == out.id != news_facts.entity("Salima Mourad").id
    reasons = {reason.rule: reason.together for reason in news_facts.why("Salima Murad").reasons}
    assert reasons == {"split": False, "similar": False}


def test_a_split_is_taken_back_by_a_merge_and_the_other_way_about(news_facts: Facts) -> None:
    before = everything(news_facts)
    news_facts.split("Salima Mourad", "Salima Murad")
    news_facts.merge("Salima Mourad", "Salima Murad")
    assert everything(news_facts) == before
    news_facts.merge("Harrow", "Norvik Oil")
    assert news_facts.entity("Harrow").id == news_facts.entity("NOC").id
    news_facts.split("Harrow", "Harrow")
    assert everything(news_facts) == before


def test_a_short_name_can_be_split_off_and_given_back(news_facts: Facts) -> None:
    left, out = news_facts.split("Paul Okafor", "Okafor")
    assert (left.mentions, out.mentions) == (2, 1)
    assert [fact.head.id for fact in news_facts.find(relation="Live_In", tail="#5")] == [
        news_facts.entity("Salima Murad").id,
        out.id,
    ]
    merged = news_facts.merge("Paul Okafor", "Okafor")
    assert (merged.mentions, merged.facts) == (3, 3)
    assert [reason.rule for reason in news_facts.why("Okafor").reasons] == ["merged"]


def test_a_merge_joins_facts_documents_and_ids(store: str) -> None:
    said = [("Ana", "Norvik", 0.5), ("Ana", "Nordvig", 0.5), ("Bo", "Nordvig", 0.9)]
    write(
        store,
        *(
            document(f"{n}", f"[{h}/Peop] at [{t}/Org]", ("Work_For", 0, 1, s))
            for n, (h, t, s) in enumerate(said)
        ),
        document(
            "both",
            "[Ana/Peop] at [Norvik/Org], [Nordvig/Org]",
            ("Work_For", 0, 1, 0.5),
            ("Work_For", 0, 2, 0.8),
        ),
    )
    with facts.open(store) as opened:
        opened.update()
        one, other = opened.entity("Norvik"), opened.entity("Nordvig")
        merged = opened.merge("Norvik", "Nordvig")
        assert merged.id == min(one.id, other.id)
        assert opened.entity(one.id) == opened.entity(other.id) == merged  # old links still lead there
        assert (merged.mentions, merged.documents, merged.facts) == (5, 4, 2)
        (fact,) = opened.find(head="Ana")
        assert (fact.mentions, fact.documents, fact.best) == (4, 3, 0.8)
        assert fact.score == pytest.approx(1 - 0.5 * 0.5 * 0.2)
        assert opened.entity("Ana").facts == 1


def test_what_was_decided_survives_that_all_documents_go_and_come_again(store: str) -> None:
    write(store, *NEWS)
    with facts.open(store) as opened:
        opened.update()
        opened.merge("Harrow", "Norvik Oil")
        opened.split("Salima Mourad", "Salima Murad")
        before = everything(opened)
        remove(store, *(each.name for each in NEWS))
        opened.update()
        assert list(opened.entities()) == []
        write(store, *NEWS)
        opened.update()
        assert everything(opened) == before


def test_a_merge_that_would_loop_is_refused_and_harmless(news_facts: Facts) -> None:
    news_facts.merge("Harrow", "Norvik Oil")
    news_facts.merge("Norvik Oil", news_facts.entity("Solund", type="Org").id)
    before = everything(news_facts)
    for one, other in (("Harrow", "Norvik Oil"), ("Norvik Oil", "Norvik Oil"), ("Harrow", "NOC")):
        with pytest.raises(UsageError, match="they are one already"):
            news_facts.merge(one, other, type="Org")
    assert everything(news_facts) == before


def test_entities_of_two_types_are_not_merged(news_facts: Facts) -> None:
    with pytest.raises(
        UsageError, match=r"Tove Lind is of the type Peop, .* of Org \(only entities of one type"
    ):
        news_facts.merge("Tove Lind", "Harrow")


def test_what_is_not_its_name_cannot_be_split_off(news_facts: Facts) -> None:
    with pytest.raises(
        UsageError, match=r"is not called 'Bo' \(its names are Salima Mourad \(#\d+\), Salima M"
    ):
        news_facts.split("Salima Murad", "Bo")
    with pytest.raises(UsageError, match="is not called '#²'"):
        news_facts.split("Salima Murad", "#²")
    with pytest.raises(UsageError, match="has that name alone"):
        news_facts.split("Harrow", "Harrow")


def test_names_of_an_alias_list_are_one(news_facts: Facts, tmp_path: Path) -> None:
    aliases = tmp_path / "names.txt"
    aliases.write_text("# ours\n\nOrg: Norvik Oil Company = Harrow = Nobody\nTove Lind = Paul Okafor\n")
    before = everything(news_facts)
    news_facts.update(aliases=aliases)
    assert news_facts.entity("Harrow").id == news_facts.entity("Norvik Oil").id
    assert news_facts.entity("Tove Lind").id == news_facts.entity("Paul Okafor").id
    assert Reason("alias", "Norvik Oil Company", "Harrow", True) in news_facts.why("Harrow").reasons
    write(_store(news_facts), document("e", "[Nobody/Org] met [Nobody/Peop]"))
    news_facts.update()
    assert news_facts.entity("Nobody", type="Org").id == news_facts.entity("Harrow").id
    assert news_facts.entity("Nobody", type="Peop").mentions == 1
    aliases.write_text("")
    remove(_store(news_facts), "e")
    news_facts.update(aliases=aliases)
    assert everything(news_facts) == before


def test_a_person_overrules_the_alias_list(news_facts: Facts, tmp_path: Path) -> None:
    aliases = tmp_path / "names.txt"
    aliases.write_text("Norvik Oil = Harrow\n")
    news_facts.update(aliases=aliases)
    news_facts.split("Harrow", "Harrow")
    news_facts.update(aliases=aliases)
    assert news_facts.entity("Harrow").id != news_facts.entity("Norvik Oil").id


@pytest.mark.parametrize("line", ["Norvik Oil", "Norvik Oil =", "Org: = Norvik", "= ="])
def test_a_line_that_says_nothing_is_told(news_facts: Facts, tmp_path: Path, line: str) -> None:
    aliases = tmp_path / "names.txt"
    aliases.write_text(f"A = B\n{line}\n")
    with pytest.raises(DataError, match=r"names\.txt:2: names of one entity .*write it so: Org: Norvik"):
        news_facts.update(aliases=aliases)


def _store(opened: Facts) -> str:
    """The name of a store that is open."""
    return opened.database.title
