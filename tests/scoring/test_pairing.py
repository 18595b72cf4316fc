"""Gold and prediction in step: the first difference is named."""

from __future__ import annotations

import pytest

from biaffinity.annotation import Entity, Sentence
from biaffinity.scoring import MismatchError
from biaffinity.scoring.pairing import paired


def sentence(id_: str, *tokens: str) -> Sentence:
    return Sentence(tokens, id=id_)


SAME = " (both must hold the same sentences in the same order)"
ON_GOLD = " (score predictions made on the gold tokens)"
GOLD = [sentence("a", "Ida", "left"), sentence("b", "Vane", "fell"), sentence("c", "June", "came")]


def first_difference(predicted: list[Sentence]) -> str:
    with pytest.raises(MismatchError) as caught:
        list(paired(GOLD, predicted))
    return str(caught.value)


def test_the_same_sentences_are_paired_whatever_their_annotation():
    predicted = [s.annotated([Entity(0, 1, "Loc")]) for s in GOLD]
    assert list(paired(GOLD, predicted)) == list(zip(GOLD, predicted, strict=True))


def test_another_order_is_named_by_place_and_both_ids():
    message = first_difference([GOLD[0], GOLD[2], GOLD[1]])
    assert message == "sentence 2: has id 'b' in gold but 'c' in the prediction" + SAME


def test_another_token_is_named_by_place_id_index_and_both_values():
    message = first_difference([GOLD[0], sentence("b", "Vane", "fall"), GOLD[2]])
    what = "token 1 is 'fell' in gold but 'fall' in the prediction"
    assert message == f"sentence 2 (id 'b'): {what}{ON_GOLD}"


@pytest.mark.parametrize(("tokens", "number"), [(("Vane",), 1), (("Vane", "fell", "."), 3)])
def test_more_or_fewer_tokens_are_counted(tokens, number):
    message = first_difference([GOLD[0], sentence("b", *tokens), GOLD[2]])
    what = f"has 2 tokens in gold but {number} in the prediction"
    assert message == f"sentence 2 (id 'b'): {what}{ON_GOLD}"


def test_a_prediction_that_ends_early_is_named_by_the_sentence_it_lacks():
    message = first_difference(GOLD[:2])
    assert message == "sentence 3: is in gold (id 'c') but the prediction ends before it" + SAME


def test_a_prediction_that_goes_on_is_named_by_the_sentence_it_adds():
    message = first_difference([*GOLD, sentence("d", "More")])
    assert message == "sentence 4: is in the prediction (id 'd') but gold ends before it" + SAME


def test_an_added_sentence_without_tokens_is_named_too():
    message = first_difference([*GOLD, sentence("d")])
    assert message == "sentence 4: is in the prediction (id 'd') but gold ends before it" + SAME


def test_the_first_of_several_differences_is_the_one_named():
    message = first_difference([sentence("a", "Ida", "ran"), sentence("x", "Vane", "fell")])
    assert message.startswith("sentence 1 ")
