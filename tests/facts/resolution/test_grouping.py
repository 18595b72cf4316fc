from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from biaffinity.facts.resolution.grouping import Decision, Link, group

ids = st.integers(1, 8)
pair = st.tuples(ids, ids).filter(lambda pair: pair[0] < pair[1])
links = st.lists(
    st.builds(lambda p, r, s: Link(*p, r, s), pair, st.sampled_from(["alias", "similar"]), st.floats(0.9, 1))
)
decisions = st.dictionaries(pair, st.booleans()).map(lambda d: [Decision(*p, t) for p, t in d.items()])


@given(links, decisions, st.integers())
def test_the_outcome_does_not_depend_on_the_order(
    links: list[Link], decisions: list[Decision], seed: int
) -> None:
    chance = Random(seed)
    found = group(range(1, 9), links, decisions)
    other = group(
        chance.sample(range(1, 9), 8),
        chance.sample(links, len(links)),
        chance.sample(decisions, len(decisions)),
    )
    assert found == other


@given(links, decisions)
def test_an_entity_is_the_least_of_names_that_hang_together(
    links: list[Link], decisions: list[Decision]
) -> None:
    found = group(range(1, 9), links, decisions)
    for name, entity in found.items():
        assert entity == min(other for other in found if found[other] == found[name])
    for one, other, together in decisions:
        assert together or found[one] != found[other]
    if all(decision.together for decision in decisions):
        assert all(found[link.one] == found[link.other] for link in links)
        assert all(found[decision.one] == found[decision.other] for decision in decisions)


def test_a_person_is_listened_to_first() -> None:
    links = [Link(1, 2, "alias"), Link(2, 3, "similar", 0.99)]
    assert group([1, 2, 3], links, [Decision(1, 2, False)]) == {1: 1, 2: 2, 3: 2}
    assert group([1, 2, 3], links, [Decision(1, 3, False)]) == {1: 1, 2: 1, 3: 3}
    assert group([1, 2, 3], [], [Decision(1, 3, True)]) == {1: 1, 2: 2, 3: 1}
