from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.extraction.thresholds import Thresholds
from biaffinity.serve import Settings, create_app
from biaffinity.serve.logs import JsonLines
from biaffinity.serve.problems import ServiceError
from biaffinity.serve.reading import CrowdedError, Reader, Task
from biaffinity.serve.schemas import GivenEntity
from biaffinity.show.palette import Palette

TEXT = "Ilka Roe lives in Ghent."
POISON = "Ilka Roe drank hemlock"


class Poisonable(Extractor):
    """An extractor that chokes on one text, and says so with that text in its message."""

    def __init__(self, whole: Extractor) -> None:
        self.__dict__.update(whole.__dict__)

    def stream(self, texts: Iterable[Any], **options: Any) -> Iterator[Any]:  # type: ignore[override]
        for document in super().stream(texts, **options):
            if document.text == POISON:
                raise ZeroDivisionError(POISON)
            yield document


def test_one_poisonous_text_does_not_fail_its_neighbours(extractor: Extractor) -> None:
    reader = Reader(Poisonable(extractor), Settings())
    first, failed, last = reader.read([Task("Ghent"), Task(POISON), Task("Lyon", id="x")])
    assert isinstance(failed, ServiceError)
    assert failed.status == 500
    assert isinstance(first, bytes)
    assert isinstance(last, bytes)
    assert (json.loads(first)["text"], json.loads(last)["id"]) == ("Ghent", "x")


def test_of_texts_with_too_many_pairs_together_the_light_ones_are_read(extractor: Extractor) -> None:
    reader = Reader(extractor, Settings())
    crowd = Task("Ilka Roe met Ana Ruiz in Oslo, Bergen, Ghent, Lima, Paris and Rome. " * 2)
    tasks = [crowd, Task(TEXT), crowd, crowd]
    assert all(isinstance(answer, bytes) for answer in reader.read(tasks, most_pairs=1_000))
    left, read, *others = reader.read(tasks, most_pairs=10)
    assert all(isinstance(answer, CrowdedError) for answer in (left, *others))
    assert isinstance(read, bytes)
    assert json.loads(read)["text"] == TEXT
    assert isinstance(reader.read([crowd], most_pairs=10)[0], CrowdedError)


def test_every_drawing_has_the_colours_of_the_model_s_types(extractor: Extractor) -> None:
    reader = Reader(extractor, Settings())
    entities, relations = extractor.entity_types, extractor.relation_types
    reader.palette = Palette(dict.fromkeys(entities, 6), dict.fromkeys(relations, 7))
    [answer] = reader.read([Task(TEXT, width=800)])
    assert isinstance(answer, bytes)
    drawn = json.loads(answer)["svg"]
    kinds = set(re.findall(r'class="(entity|relation) kind-(\d)"', drawn))
    assert kinds == {("entity", "6"), ("relation", "7")}


def test_a_failure_is_logged_without_the_text(extractor: Extractor, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with TestClient(create_app(Settings(), Poisonable(extractor))) as client:
        assert client.post("/v1/extract", json={"text": POISON}).status_code == 500
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    assert any(line.get("error") == "ZeroDivisionError" for line in lines)
    for line in lines:
        assert "hemlock" not in json.dumps(line)


def test_texts_with_entities_are_read_together_with_others(
    extractor: Extractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, sizes = extractor._predictor.network, []
    emissions = network.emissions
    monkeypatch.setattr(
        network, "emissions", lambda batch: sizes.append(len(batch.lengths)) or emissions(batch)
    )
    person = [GivenEntity(start_char=0, end_char=8, type="Peop")]
    given = [Task(TEXT, entities=person), Task(TEXT), Task(TEXT, id="x", entities=[])]
    one, all_, none = (json.loads(answer) for answer in Reader(extractor, Settings()).read(given))  # type: ignore[arg-type]
    assert sizes == [3]
    assert [entity["text"] for entity in one["entities"]] == ["Ilka Roe"]
    assert [entity["text"] for entity in all_["entities"]] == ["Ilka Roe", "Ghent"]
    assert (none["id"], none["entities"]) == ("x", [])


def test_entities_that_cannot_be_given_are_told_by_their_own_place_and_fail_no_neighbour(
    extractor: Extractor,
) -> None:
    beyond = [GivenEntity(start_char=0, end_char=99)]
    first, failed, last = Reader(extractor, Settings()).read(
        [Task(TEXT), Task(TEXT, entities=beyond), Task("Lyon")]
    )
    assert isinstance(failed, ServiceError)
    assert (failed.status, failed.where) == (422, "entities[0]")
    assert isinstance(first, bytes)
    assert isinstance(last, bytes)


def test_a_least_score_leaves_given_entities_alone(extractor: Extractor) -> None:
    strict = Thresholds.read(1.0, extractor.entity_types, extractor.relation_types)
    person = [GivenEntity(start_char=0, end_char=8)]
    [answer] = Reader(extractor, Settings()).read([Task(TEXT, entities=person, thresholds=strict)])
    assert isinstance(answer, bytes)
    assert [entity["text"] for entity in json.loads(answer)["entities"]] == ["Ilka Roe"]


def test_scores_are_asked_for_text_by_text_within_one_batch(extractor: Extractor) -> None:
    strict = Thresholds.read(1.0, extractor.entity_types, extractor.relation_types)
    loose, none = Reader(extractor, Settings()).read([Task(TEXT), Task(TEXT, thresholds=strict)])
    assert isinstance(loose, bytes)
    assert isinstance(none, bytes)
    assert json.loads(loose)["entities"]
    assert not json.loads(none)["entities"]
