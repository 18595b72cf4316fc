"""What somebody wrote of a model, for people to read: about.json in its folder, if there is one."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, ValidationError

from biaffinity.config.folder import ABOUT
from biaffinity.encoders.section import Section
from biaffinity.errors import DataError
from biaffinity.files import read_json


class Meaning(Section):
    """What a type means; a relation's sentence has its head first and its tail last."""

    meaning: str
    #: Its id in Wikidata, if it has one: P19.
    id: str | None = None


class Scores(Section):
    """Strict micro F1 on some data, in percent."""

    entities: float
    relations: float


class About(Section):
    """All of it; every part may be absent."""

    #: One line: what the model is for.
    summary: str = ""
    entity_types: dict[str, Meaning] = Field(default_factory=dict)
    relation_types: dict[str, Meaning] = Field(default_factory=dict)
    #: By the name of the data.
    scores: dict[str, Scores] = Field(default_factory=dict)
    #: How fast it is, and on what.
    speed: str = ""
    #: A line for each source of the training data: what it is, whose, under which licence.
    data: list[str] = Field(default_factory=list)


def read_about(folder: Path) -> About:
    """What is written of the model in a folder; nothing where there is no such file."""
    path = folder / ABOUT
    if not path.exists():
        return About()
    try:
        return About.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(f"{place}: {first['msg'].lower()}", where=str(path)) from None
