"""Hypothesis strategies: random annotated sentences and documents that obey every rule of the container."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from biaffinity.annotation import Document, Entity, Relation, Sentence

WORDS = st.sampled_from(
    ["Anna", "Lee", "works", "for", "Acme", "in", "Łódź", "U.S.", "(", "naïve", "日本", "😀", "'s", "."]
)
ENTITY_TYPES = ("Loc", "Org", "Other", "Peop")
RELATION_TYPES = ("Kill", "Live_In", "Work_For")


@st.composite
def annotations(
    draw: st.DrawFn, length: int, *, overlapping: bool = True, relations: bool = True, scores: bool = False
) -> tuple[list[Entity], list[Relation]]:
    """Entities among so many tokens (flat when not ``overlapping``), in text order, and relations."""
    if not length:
        return [], []
    spans = st.tuples(st.integers(0, length - 1), st.integers(1, 4), st.sampled_from(ENTITY_TYPES))
    score = st.floats(0, 1) if scores else st.none()
    entities: list[Entity] = []
    for start, size, type_ in sorted(set(draw(st.lists(spans, max_size=5)))):
        entity = Entity(start, min(start + size, length), type_, draw(score))
        same = any((e.start, e.end, e.type) == (entity.start, entity.end, type_) for e in entities)
        if not same and (overlapping or not any(entity.overlaps(e) for e in entities)):
            entities.append(entity)
    pairs = [(h, t) for h in range(len(entities)) for t in range(len(entities)) if h != t]
    links: list[Relation] = []
    if relations and pairs:
        choice = st.tuples(st.sampled_from(RELATION_TYPES), st.sampled_from(pairs))
        for type_, (head, tail) in sorted(set(draw(st.lists(choice, max_size=4)))):
            links.append(Relation(type_, head, tail, draw(score)))
    return entities, links


@st.composite
def sentences(draw: st.DrawFn, *, max_tokens: int = 12, identity: str = "s", **options: bool) -> Sentence:
    """A sentence with annotation; for ``options`` see `annotations`."""
    tokens = draw(st.lists(WORDS, min_size=1, max_size=max_tokens))
    return Sentence(tokens, *draw(annotations(len(tokens), **options)), id=identity)


@st.composite
def corpora(draw: st.DrawFn, max_sentences: int = 5, **options: bool) -> list[Sentence]:
    """A few sentences with distinct ids."""
    size = draw(st.integers(0, max_sentences))
    return [draw(sentences(identity=f"s{index}", **options)) for index in range(size)]


def whole_documents(**options: Any) -> st.SearchStrategy[Document]:
    """Documents of a few sentences with texts, which know where they belong; options are those of corpora."""
    return corpora(**options).map(
        lambda group: Document([replace(s.with_text(), document="d") for s in group], id="d")
    )
