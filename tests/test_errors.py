from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from biaffinity import errors
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


@pytest.mark.parametrize(
    ("python", "shown"),
    [
        ("{first}", "python -m pip install"),
        ("{here}/.venv/bin/python", ".venv/bin/python -m pip install"),
        ("/opt/a b/python3", "'/opt/a b/python3' -m pip install"),
    ],
)
def test_a_missing_extra_is_installed_by_the_python_that_misses_it(
    python: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = shutil.which("python")
    if first is None:
        pytest.skip("needs a python on the path")
    monkeypatch.setattr(sys, "executable", python.format(first=first, here=Path.cwd()))
    error = MissingExtraError("training", "train")
    assert isinstance(error, BiaffinityError)
    assert isinstance(error, ImportError)
    assert str(error) == f"training needs an extra that is not installed (run: {shown} 'biaffinity[train]')"


def test_an_environment_without_pip_is_uvs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "executable", "/opt/python")
    assert "uv pip install --python /opt/python 'biaffinity[hub]'" in str(MissingExtraError("it", "hub"))
