"""Gold and prediction, walked in step; the first difference between them is an error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from biaffinity.annotation import Sentence
from biaffinity.errors import DataError


class MismatchError(DataError):
    """Gold and prediction are not the same sentences in the same order."""


def paired(gold: Iterable[Sentence], predicted: Iterable[Sentence]) -> Iterator[tuple[Sentence, Sentence]]:
    """Each gold sentence with its prediction: same place, same id, same tokens.

    >>> list(paired([Sentence(["a"], id="7")], [Sentence(["b"], id="7")]))
    Traceback (most recent call last):
    ...
    biaffinity.scoring.pairing.MismatchError: sentence 1 (id '7'): token 0 is 'a' in gold but 'b' in ...
    """
    for number, (wanted, given) in enumerate(zip_longest(gold, predicted), start=1):
        if wanted is None or given is None:
            raise _uneven(number, wanted, given)
        if wanted.id != given.id:
            raise MismatchError(
                f"has id {wanted.id!r} in gold but {given.id!r} in the prediction",
                where=f"sentence {number}",
                remedy="both must hold the same sentences in the same order",
            )
        if wanted.tokens != given.tokens:
            raise _other_tokens(number, wanted, given)
        yield wanted, given


def _uneven(number: int, wanted: Sentence | None, given: Sentence | None) -> MismatchError:
    longer, shorter = ("gold", "the prediction") if given is None else ("the prediction", "gold")
    extra = given if wanted is None else wanted  # a sentence without tokens counts as false
    return MismatchError(
        f"is in {longer} (id {extra.id if extra is not None else ''!r}) but {shorter} ends before it",
        where=f"sentence {number}",
        remedy="both must hold the same sentences in the same order",
    )


def _other_tokens(number: int, wanted: Sentence, given: Sentence) -> MismatchError:
    place = f"sentence {number} (id {wanted.id!r})"
    remedy = "score predictions made on the gold tokens"
    for index, (token, other) in enumerate(zip(wanted.tokens, given.tokens, strict=False)):
        if token != other:
            what = f"token {index} is {token!r} in gold but {other!r} in the prediction"
            return MismatchError(what, where=place, remedy=remedy)
    what = f"has {len(wanted)} tokens in gold but {len(given)} in the prediction"
    return MismatchError(what, where=place, remedy=remedy)
