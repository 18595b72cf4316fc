"""Hypothesis strategies: gold with a prediction on the same tokens, near enough to be right at times."""

from __future__ import annotations

from hypothesis import strategies as st

from biaffinity.annotation import Entity, Relation, Sentence
from strategies import ENTITY_TYPES, RELATION_TYPES, corpora


@st.composite
def predictions(draw: st.DrawFn, gold: Sentence, *, overlapping: bool = True) -> Sentence:
    """Gold entities kept, retyped, grown or lost, and new ones; relations likewise."""
    drafts = []
    for entity in gold.entities:
        fate = draw(st.sampled_from(["keep", "keep", "retype", "grow", "lose"]))
        if fate != "lose":
            end = min(entity.end + (fate == "grow"), len(gold))
            drafts.append(
                (entity.start, end, draw(st.sampled_from(ENTITY_TYPES)) if fate == "retype" else entity.type)
            )
    extra = st.tuples(
        st.integers(0, len(gold) - 1), st.integers(1, 3), st.sampled_from((*ENTITY_TYPES, "New"))
    )
    drafts += [
        (start, min(start + length, len(gold)), type_)
        for start, length, type_ in draw(st.lists(extra, max_size=2))
    ]
    entities: list[Entity] = []
    for entity in (Entity(*draft) for draft in draw(st.permutations(list(dict.fromkeys(drafts))))):
        if overlapping or not any(entity.overlaps(kept) for kept in entities):
            entities.append(entity)
    places = {entity.start: index for index, entity in enumerate(entities)}
    links = set()
    for relation in gold.relations:
        head = places.get(gold.entities[relation.head].start)
        tail = places.get(gold.entities[relation.tail].start)
        if head is not None and tail is not None and head != tail and draw(st.booleans()):
            links.add((relation.type, head, tail))
    pairs = [(h, t) for h in range(len(entities)) for t in range(len(entities)) if h != t]
    if pairs:
        link = st.tuples(st.sampled_from((*RELATION_TYPES, "New")), st.sampled_from(pairs))
        links |= {(type_, head, tail) for type_, (head, tail) in draw(st.lists(link, max_size=2))}
    return gold.annotated(entities, [Relation(*link) for link in sorted(links)])


@st.composite
def predicted_corpora(
    draw: st.DrawFn, *, systems: int = 1, max_sentences: int = 5, overlapping: bool = True
) -> tuple[list[Sentence], ...]:
    """A gold corpus and the predictions of some systems on it."""
    gold = draw(corpora(max_sentences=max_sentences, overlapping=overlapping))
    return gold, *([draw(predictions(s, overlapping=overlapping)) for s in gold] for _ in range(systems))
