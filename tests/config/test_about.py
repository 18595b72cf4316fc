"""What somebody wrote of a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biaffinity.config.about import About, Meaning, read_about
from biaffinity.errors import DataError


def test_a_folder_without_it_says_nothing(tmp_path: Path) -> None:
    assert read_about(tmp_path) == About()


def test_types_have_meanings_and_ids(tmp_path: Path) -> None:
    born = {"meaning": "a person was born in a place", "id": "P19"}
    (tmp_path / "about.json").write_text(json.dumps({"relation_types": {"place of birth": born}}))
    assert read_about(tmp_path).relation_types == {"place of birth": Meaning(**born)}


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ({"sumary": "x"}, "sumary"),
        ({"relation_types": {"spouse": {"id": "P26"}}}, "relation_types.spouse.meaning"),
        ({"scores": {"test": {"entities": 90.1}}}, "scores.test.relations"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, content: object, place: str) -> None:
    (tmp_path / "about.json").write_text(json.dumps(content))
    with pytest.raises(DataError, match=rf"about\.json: {place}: "):
        read_about(tmp_path)
