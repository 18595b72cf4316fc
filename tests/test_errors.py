from __future__ import annotations

import pytest

from biaffinity.errors import AnnotationError, BiaffinityError, DataError, MissingExtraError, UsageError


@pytest.mark.parametrize(
    ("where", "remedy", "line"),
    [
        (None, None, "is empty"),
        ("a.jsonl:3", None, "a.jsonl:3: is empty"),
        (None, "fill it", "is empty (fill it)"),
        ("a.jsonl:3", "fill it", "a.jsonl:3: is empty (fill it)"),
    ],
)
def test_an_error_reads_place_what_remedy(where: str | None, remedy: str | None, line: str) -> None:
    assert str(BiaffinityError("is empty", where=where, remedy=remedy)) == line


def test_a_place_goes_in_front_of_the_place_within() -> None:
    error = AnnotationError("is empty", where="entities[0]", remedy="fill it").at("a.jsonl:3")
    assert str(error) == "a.jsonl:3: entities[0]: is empty (fill it)"


def test_a_place_can_be_given_to_an_error_without_one() -> None:
    assert str(DataError("is empty").at("a.jsonl")) == "a.jsonl: is empty"


def test_placing_an_error_keeps_what_it_is() -> None:
    error = AnnotationError("is empty")
    assert error.at("a.jsonl") is error


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [(AnnotationError, ValueError), (DataError, ValueError), (UsageError, ValueError)],
)
def test_an_error_can_be_caught_as_pythons_own(kind: type[BiaffinityError], builtin: type[Exception]) -> None:
    assert issubclass(kind, BiaffinityError)
    assert issubclass(kind, builtin)


def test_a_missing_extra_says_how_to_install_it() -> None:
    error = MissingExtraError("training", "train")
    assert (
        str(error) == "training needs an extra that is not installed (run: pip install 'biaffinity[train]')"
    )
    assert isinstance(error, ImportError)
    assert isinstance(error, BiaffinityError)
