"""Batches against arrays put together token by token and pairs found by two loops."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biaffinity.annotation import Entity, Relation, Sentence
from biaffinity.encoding.batches import Batch, Encoder, Pairs, shuffled_batches, sorted_batches
from biaffinity.encoding.labels import Spans, encode_boundaries
from biaffinity.encoding.normalisation import Normalisation, character_form, word_form
from biaffinity.encoding.vocabulary import NEGATIVE, Vocabulary
from strategies import ENTITY_TYPES, corpora, sentences

VOCABULARY = Vocabulary(
    words=["works", "in", "anna"],
    counts=[3, 2, 1],
    characters=sorted("Anworksi"),
    entity_types=list(ENTITY_TYPES),
    relation_types=["Kill", "Live_In", "Work_For"],
    pairs=[("Peop", "Loc"), ("Peop", "Org"), ("Peop", "Peop")],
)
Triple = tuple[int, int, int]


def encoder(
    *, scheme: str = "bilou", normalisation: Normalisation = "lower", all_pairs: bool = False
) -> Encoder:
    return Encoder(VOCABULARY, scheme=scheme, normalisation=normalisation, all_pairs=all_pairs)  # type: ignore[arg-type]


def batch_of(parts: list[Sentence], code: Encoder) -> Batch:
    return code.batch([code.encode(sentence) for sentence in parts])


def some() -> st.SearchStrategy[list[Sentence]]:
    return corpora().filter(len)


def triples(pairs: Pairs) -> list[Triple]:
    return list(zip(pairs.head.tolist(), pairs.tail.tolist(), pairs.relation.tolist(), strict=True))


def rows(spans: Spans) -> list[tuple[int, int, int, str]]:
    columns = (spans.sentence, spans.start, spans.end, spans.type)
    return [
        (s, a, b, ENTITY_TYPES[t])
        for s, a, b, t in zip(*(column.tolist() for column in columns), strict=True)
    ]


def naive_candidates(spans: Spans, *, all_pairs: bool) -> list[tuple[int, int]]:
    found = rows(spans)
    return [
        (h, t)
        for h in range(len(found))
        for t in range(len(found))
        if h != t
        and found[h][0] == found[t][0]
        and (all_pairs or (found[h][3], found[t][3]) in VOCABULARY.pairs)
    ]


def naive_relation(parts: list[Sentence], sentence: int, head_last: int, tail_last: int) -> int:
    """The first relation in the sentence between flat entities that end with these two tokens."""
    entities = parts[sentence].entities
    for relation in parts[sentence].relations:
        ends = entities[relation.head].end - 1, entities[relation.tail].end - 1
        if ends == (head_last, tail_last):
            return 1 + VOCABULARY.relation_types.index(relation.type)
    return NEGATIVE


@given(some(), st.sampled_from(["lower", "paper"]))
def test_every_token_has_its_word_and_its_characters_and_padding_is_zero(
    parts: list[Sentence], normalisation: Normalisation
) -> None:
    batch = batch_of(parts, encoder(normalisation=normalisation))
    size = max(map(len, parts))
    assert batch.words.shape == batch.form_index.shape == (len(parts), size)
    assert batch.lengths.tolist() == [len(sentence) for sentence in parts]
    for row, sentence in enumerate(parts):
        for column, token in enumerate(sentence.tokens):
            assert batch.words[row, column] == VOCABULARY.word(word_form(token, normalisation))
            form = batch.form_index[row, column]
            spelling = VOCABULARY.spell(character_form(token, normalisation))
            assert batch.characters[form, : batch.character_lengths[form]].tolist() == spelling
            assert not batch.characters[form, batch.character_lengths[form] :].any()
        assert not batch.words[row, len(sentence) :].any()


@given(some(), st.sampled_from(["lower", "paper"]))
def test_each_distinct_form_of_a_batch_is_read_once(
    parts: list[Sentence], normalisation: Normalisation
) -> None:
    code = encoder(normalisation=normalisation)
    code.encode(Sentence(["other", "words", "met", "before"]))
    batch = batch_of(parts, code)
    forms = {character_form(token, normalisation) for sentence in parts for token in sentence.tokens}
    assert len(batch.characters) == len(batch.character_lengths) == len(forms)
    assert batch.characters.shape[1] == 2 + max(map(len, forms))


@pytest.mark.parametrize("scheme", ["bilou", "types"])
@given(parts=st.lists(sentences(overlapping=False), min_size=1, max_size=4))
def test_labels_boundaries_and_spans_are_those_of_each_sentence(scheme: str, parts: list[Sentence]) -> None:
    code = encoder(scheme=scheme)
    batch = batch_of(parts, code)
    expected = []
    for row, sentence in enumerate(parts):
        n = len(sentence)
        assert batch.labels[row, :n].tolist() == code.labels.encode(n, sentence.entities).tolist()
        assert batch.boundaries[row, :n].tolist() == encode_boundaries(n, sentence.entities).tolist()
        assert not batch.labels[row, n:].any()
        assert not batch.boundaries[row, n:].any()
        expected += [(row, e.start, e.end, e.type) for e in sentence.entities]
    assert rows(batch.spans) == expected


@pytest.mark.parametrize("all_pairs", [False, True])
@given(parts=st.lists(sentences(overlapping=False), min_size=1, max_size=4))
def test_gold_pairs_are_the_candidates_with_the_first_relation_of_each(
    all_pairs: bool, parts: list[Sentence]
) -> None:
    batch = batch_of(parts, encoder(all_pairs=all_pairs))
    found = rows(batch.spans)
    expected = [
        (h, t, naive_relation(parts, found[h][0], found[h][2] - 1, found[t][2] - 1))
        for h, t in naive_candidates(batch.spans, all_pairs=all_pairs)
    ]
    assert triples(batch.pairs) == expected


@pytest.mark.parametrize("all_pairs", [False, True])
@given(parts=st.lists(sentences(overlapping=False, relations=False), min_size=1, max_size=4))
def test_candidates_have_no_class_yet(all_pairs: bool, parts: list[Sentence]) -> None:
    code = encoder(all_pairs=all_pairs)
    spans = batch_of(parts, code).spans
    expected = [(h, t, NEGATIVE) for h, t in naive_candidates(spans, all_pairs=all_pairs)]
    assert triples(code.candidates(spans)) == expected


@given(st.lists(sentences(overlapping=False), min_size=1, max_size=3), st.data())
def test_other_spans_get_the_gold_class_where_both_last_tokens_are_gold(
    parts: list[Sentence], data: st.DataObject
) -> None:
    code = encoder(all_pairs=True)
    found = [
        data.draw(
            sentences(overlapping=False, relations=False, max_tokens=len(gold)).filter(lambda s: s.entities)
        )
        for gold in parts
    ]
    spans = batch_of(found, code).spans
    pairs = code.matched_pairs(spans, batch_of(parts, code))
    table = rows(spans)
    expected = [
        (h, t, naive_relation(parts, table[h][0], table[h][2] - 1, table[t][2] - 1))
        for h, t in naive_candidates(spans, all_pairs=True)
    ]
    assert triples(pairs) == expected


def test_a_wrong_start_and_type_do_not_lose_the_relation_but_a_wrong_end_does() -> None:
    gold = Sentence(
        ["Ada", "Lee", "left", "Quell", "Bay"],
        [Entity(0, 2, "Peop"), Entity(3, 5, "Loc")],
        [Relation("Live_In", 0, 1)],
    )
    code = encoder(all_pairs=True)
    batch = batch_of([gold], code)

    def classes(*entities: Entity) -> list[Triple]:
        return triples(code.matched_pairs(batch_of([gold.annotated(entities)], code).spans, batch))

    assert classes(Entity(1, 2, "Org"), Entity(4, 5, "Loc")) == [(0, 1, 2), (1, 0, NEGATIVE)]
    assert classes(Entity(0, 2, "Peop"), Entity(3, 4, "Loc")) == [(0, 1, NEGATIVE), (1, 0, NEGATIVE)]


def test_no_spans_give_no_candidates() -> None:
    code = encoder()
    spans = batch_of([Sentence(["in"])], code).spans
    assert len(spans) == len(code.candidates(spans)) == 0


def test_of_overlapping_entities_the_outermost_stays_and_relations_of_others_go() -> None:
    sentence = Sentence(
        ["Ada", "of", "Quell", "Works", "in", "Oslo"],
        [Entity(0, 1, "Peop"), Entity(2, 3, "Loc"), Entity(2, 4, "Org"), Entity(5, 6, "Loc")],
        [Relation("Live_In", 0, 1), Relation("Work_For", 0, 2), Relation("Live_In", 0, 3)],
    )
    example = encoder().encode(sentence)
    assert example.entities == (Entity(0, 1, "Peop"), Entity(2, 4, "Org"), Entity(5, 6, "Loc"))
    assert example.relations == {(0, 1): 3, (0, 2): 2}


def test_of_two_relations_of_a_pair_the_first_stays() -> None:
    entities = [Entity(0, 1, "Peop"), Entity(1, 2, "Peop")]
    sentence = Sentence(["Ada", "Bo"], entities, [Relation("Work_For", 0, 1), Relation("Kill", 0, 1)])
    assert encoder().encode(sentence).relations == {(0, 1): 3}


def test_types_the_model_does_not_know_are_no_labels() -> None:
    entities = [Entity(0, 1, "Ship"), Entity(1, 2, "Peop"), Entity(2, 3, "Loc")]
    relations = [Relation("Kill", 1, 0), Relation("Sails", 1, 2), Relation("Live_In", 1, 2)]
    example = encoder().encode(Sentence(["Vasa", "Bo", "Oslo"], entities, relations))
    assert example.entities == tuple(entities[1:])
    assert example.relations == {(0, 1): 2}
    assert example.labels[0] == 0


def test_boundaries_are_given_by_entities_of_any_type() -> None:
    entities = [Entity(0, 2, "?"), Entity(3, 4, "Peop")]
    example = encoder(scheme="types").encode(Sentence(["The", "Vasa", "met", "Bo"], entities))
    assert example.boundaries.tolist() == encode_boundaries(4, entities).tolist()


lengths = st.lists(st.integers(1, 60), max_size=40)


@given(lengths, st.integers(1, 9), st.integers(0, 99))
def test_shuffled_batches_hold_every_sentence_once(sizes: list[int], size: int, seed: int) -> None:
    batches = list(shuffled_batches(sizes, size, np.random.default_rng(seed)))
    assert sorted(row for batch in batches for row in batch.tolist()) == list(range(len(sizes)))
    assert sum(len(batch) != size for batch in batches) <= 1
    assert all(1 <= len(batch) <= size for batch in batches)


def shuffled(seed_or_generator: int | np.random.Generator) -> list[list[int]]:
    generator = np.random.default_rng(seed_or_generator)
    sizes = [5 + row % 7 for row in range(30)]
    return [batch.tolist() for batch in shuffled_batches(sizes, 4, generator)]


def test_shuffled_batches_are_the_same_for_the_same_seed() -> None:
    assert shuffled(3) == shuffled(3)
    assert shuffled(3) != shuffled(4)


def test_shuffled_batches_differ_between_epochs_in_order_and_in_company() -> None:
    generator = np.random.default_rng(0)
    first, second = shuffled(generator), shuffled(generator)
    assert first != second
    assert {frozenset(batch) for batch in first} != {frozenset(batch) for batch in second}


def test_shuffled_batches_come_in_any_order_of_length() -> None:
    sizes = [10 * 2**row for row in range(8)]
    orders = set()
    for seed in range(5):
        batches = shuffled_batches(sizes, 1, np.random.default_rng(seed))
        orders.add(tuple(int(batch[0]) for batch in batches))
    assert len(orders) == 5


def test_shuffled_batches_mix_lengths_that_differ_by_less_than_a_tenth() -> None:
    sizes = [100, 105] * 8
    batches = shuffled_batches(sizes, 4, np.random.default_rng(2))
    assert any(len({sizes[row] for row in batch}) == 2 for batch in batches)


def test_shuffled_batches_keep_like_lengths_together() -> None:
    sizes = [3, 80] * 8
    for batch in shuffled_batches(sizes, 8, np.random.default_rng(1)):
        assert len({sizes[row] for row in batch}) == 1


@given(lengths, st.integers(1, 200))
def test_sorted_batches_hold_every_sentence_once_within_their_budget(sizes: list[int], tokens: int) -> None:
    batches = list(sorted_batches(sizes, tokens))
    assert sorted(row for batch in batches for row in batch.tolist()) == list(range(len(sizes)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(sizes[row] for row in batch) <= tokens


@given(lengths, st.integers(1, 200))
def test_sorted_batches_are_no_smaller_than_they_need_be(sizes: list[int], tokens: int) -> None:
    batches = list(sorted_batches(sizes, tokens))
    for batch in batches[:-1]:
        assert (len(batch) + 1) * max(sizes[row] for row in batch) > tokens


def test_candidates_of_one_sentence_are_its_ordered_pairs() -> None:
    sentence = Sentence(list("abcd"), [Entity(i, i + 1, "Peop") for i in range(4)])
    pairs = batch_of([sentence], encoder()).pairs
    assert [(h, t) for h, t, _ in triples(pairs)] == sorted(permutations(range(4), 2))


def test_a_monstrous_token_is_encoded_but_not_kept() -> None:
    code = encoder()
    tokens = ["Anna", "A" * 5000, "A" * 7000, "works"]
    batch = batch_of([Sentence(tokens)], code)
    assert code.remembered == 3  # both monsters have the same ends
    assert batch.form_index[0].tolist()[1] == batch.form_index[0].tolist()[2]
    kept = [*code._tokens, *code._forms]
    assert max(map(len, kept)) == 64


def test_monstrous_tokens_count_as_remembered() -> None:
    code = encoder()
    code.encode(Sentence([f"{number:06}" + "x" * 100 for number in range(50)]))
    assert code.remembered == 50
