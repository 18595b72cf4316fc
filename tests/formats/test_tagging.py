from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Sentence
from biaffinity.formats.tagging import Scheme, iob2, is_tag, scheme_of, spans
from strategies import sentences

LETTERS = st.sampled_from("BILUES")
TAGS = st.lists(
    st.just("O") | st.builds("{}-{}".format, LETTERS, st.sampled_from(["Loc", "A-B"])), max_size=8
)
FLAT = sentences(overlapping=False, relations=False)


def tagged(sentence: Sentence, scheme: Scheme) -> list[str]:
    """The tags of a sentence, token by token, as the scheme's definition says."""
    tags = []
    for position in range(len(sentence)):
        entity = next((e for e in sentence.entities if e.start <= position < e.end), None)
        if entity is None:
            tags.append("O")
            continue
        is_first, is_last = position == entity.start, position == entity.end - 1
        touches = any(e.end == entity.start and e.type == entity.type for e in sentence.entities)
        if scheme is Scheme.IOB1:
            letter = "B" if is_first and touches else "I"
        elif scheme is Scheme.IOB2:
            letter = "B" if is_first else "I"
        else:
            letter = "U" if is_first and is_last else "B" if is_first else "L" if is_last else "I"
        tags.append(f"{letter}-{entity.type}")
    return tags


def entities(tags: list[str]) -> tuple[Entity, ...]:
    return tuple(Entity(span.start, span.end, span.type) for span in spans(tags))


@given(FLAT, st.sampled_from(Scheme))
def test_spans_are_those_the_tags_were_made_of(sentence, scheme):
    assert entities(tagged(sentence, scheme)) == sentence.entities


@given(FLAT)
def test_e_and_s_mean_l_and_u(sentence):
    tags = [tag.replace("L-", "E-").replace("U-", "S-") for tag in tagged(sentence, Scheme.BILOU)]
    assert entities(tags) == sentence.entities


@given(FLAT)
def test_iob2_tags_follow_the_definition(sentence):
    assert iob2(len(sentence), sentence.entities) == tagged(sentence, Scheme.IOB2)


@given(FLAT, st.sampled_from(Scheme))
def test_every_scheme_fits_its_own_tags(sentence, scheme):
    assert all(span.fits(scheme) for span in spans(tagged(sentence, scheme)))


@given(FLAT, st.sampled_from(Scheme))
def test_a_scheme_recognised_is_one_that_writes_these_tags(sentence, scheme):
    tags = tagged(sentence, scheme)
    assert tagged(sentence, scheme_of(spans(tags))) == tags


@given(TAGS)
def test_whatever_the_tags_spans_cover_each_tagged_token_once(tags):
    covered = [position for span in spans(tags) for position in range(span.start, span.end)]
    assert covered == [position for position, tag in enumerate(tags) if tag != "O"]


@given(TAGS)
def test_whatever_the_tags_a_span_has_one_type(tags):
    for span in spans(tags):
        assert {tag.partition("-")[2] for tag in tags[span.start : span.end]} == {span.type}


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        (["O", "I-Loc", "B-Loc"], Scheme.IOB1),
        (["O", "B-Loc", "I-Loc"], Scheme.IOB2),
        (["O", "B-Loc", "L-Loc"], Scheme.BILOU),
        (["O", "S-Loc"], Scheme.BILOU),
        (["O"], Scheme.IOB2),
        # One slip does not make it IOB1.
        (["B-Loc", "O", "I-Loc"], Scheme.IOB2),
    ],
)
def test_schemes_are_told_apart(tags, scheme):
    assert scheme_of(spans(tags)) is scheme


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        (["I-Loc"], Scheme.IOB2),
        (["B-Loc", "I-Org"], Scheme.IOB2),
        (["B-Loc"], Scheme.BILOU),
        (["I-Loc", "L-Loc"], Scheme.BILOU),
        (["B-Loc", "I-Loc", "O"], Scheme.BILOU),
        (["B-Loc"], Scheme.IOB1),
    ],
)
def test_tags_against_a_schemes_rules_are_seen(tags, scheme):
    assert not all(span.fits(scheme) for span in spans(tags))


@pytest.mark.parametrize("text", ["", "B", "B-", "X-Loc", "o", "Loc", "B- Loc", "[0]"])
def test_other_text_is_no_tag(text):
    assert not is_tag(text)
