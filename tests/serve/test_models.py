"""A service of several models: which one reads, and what is told of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.errors import UsageError
from biaffinity.extraction.loading import EMBEDDED
from biaffinity.serve import Settings, create_app
from biaffinity.serve.models import Models
from biaffinity.serve.reading import Readers, Task
from biaffinity.store import open_store
from paragraph import triples

TEXT = "Norvik Robotics was founded in 2009 by Ilka Roe, who lives in Ghent."


@pytest.fixture(scope="module")
def general() -> Extractor:
    return Extractor.load("general")


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """A client of a service as it is without options."""
    with TestClient(create_app(Settings())) as client:
        yield client


def test_without_a_name_news_reads_and_with_one_its_model(
    client: TestClient, extractor: Extractor, general: Extractor
) -> None:
    assert extractor(TEXT).triples() != general(TEXT).triples()
    for name, model in ((None, extractor), ("news", extractor), ("general", general)):
        for body in ({"text": TEXT}, {"texts": [TEXT, {"text": TEXT, "id": 7}]}):
            answer = client.post("/v1/extract", json={**body, **({"model": name} if name else {})}).json()
            assert answer["model"] == (name or "news")
            for document in answer["documents"]:
                assert triples(document) == model(TEXT).triples() != []


def test_the_lines_of_a_stream_have_a_model_each(
    client: TestClient, extractor: Extractor, general: Extractor
) -> None:
    asked: list[Any] = [
        TEXT,
        {"text": TEXT, "model": "general"},
        {"text": TEXT, "model": "genral", "id": "x"},
    ]
    asked += [
        {"text": TEXT, "model": "news"},
        {"text": TEXT, "model": "general", "min_score": {"child": 0.5}},
    ]
    answer = client.post(
        "/v1/extract/stream",
        content="\n".join(map(json.dumps, asked)),
        headers={"content-type": "application/x-ndjson"},
    )
    first, second, unknown, fourth, fifth = map(json.loads, answer.text.splitlines())
    assert [line["model"] for line in (first, second, fourth, fifth)] == [
        "news",
        "general",
        "news",
        "general",
    ]
    assert triples(first) == triples(fourth) == extractor(TEXT).triples()
    assert triples(second) == triples(fifth) == general(TEXT).triples()
    assert (unknown["line"], unknown["id"], unknown["error"]["where"]) == (3, "x", "model")


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("genral", "did you mean general? known are: news, general"),
        ("x", "known are: news, general"),
        ("", "known are: news, general"),
    ],
)
def test_an_unknown_model_is_told_which_there_are(client: TestClient, name: str, remedy: str) -> None:
    answer = client.post("/v1/extract", json={"text": TEXT, "model": name})
    assert answer.status_code == 422
    problem = answer.json()["error"]
    assert (problem["code"], problem["where"], problem["remedy"]) == ("malformed", "model", remedy)


def test_scores_by_type_are_read_with_the_types_of_the_model(client: TestClient) -> None:
    wanted = {"text": TEXT, "min_score": {"inception": 1.0}}
    [document] = client.post("/v1/extract", json={**wanted, "model": "general"}).json()["documents"]
    assert "inception" not in [relation["type"] for relation in document["relations"]]
    refused = client.post("/v1/extract", json=wanted)
    assert (refused.status_code, refused.json()["error"]["where"]) == (422, "min_score")


def test_all_models_are_listed_with_what_their_types_mean(client: TestClient, general: Extractor) -> None:
    news, other = client.get("/v1/models").json()["models"]
    assert [(model["name"], model["default"]) for model in (news, other)] == [
        ("news", True),
        ("general", False),
    ]
    assert other["summary"].startswith("people, organizations")
    assert list(other["entity_types"]) == list(general.entity_types)
    assert list(other["relation_types"]) == list(general.relation_types)
    born = {"meaning": "a person was born in a place", "id": "P19"}
    assert other["relation_types"]["place of birth"] == born
    assert news["relation_types"]["Kill"] == {"meaning": "a person killed a person"}
    assert other["examples"]
    assert client.get("/v1/model").json()["name"] == "news"


def test_the_models_and_the_types_of_all_of_them_are_in_the_description(client: TestClient) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    for request in ("OneText", "ManyTexts"):
        options = schemas[request]["properties"]["model"]["anyOf"]
        assert options[0]["enum"] == ["news", "general"]
    types = schemas["GivenEntity"]["properties"]["type"]["anyOf"][0]["enum"]
    assert {"Peop", "Person"} < set(types)


@pytest.mark.parametrize("mentions", ["Person", "Peop"])
def test_a_given_entity_has_a_type_of_its_model(client: TestClient, mentions: str) -> None:
    wanted = {"text": "Ilka Roe", "entities": [{"start_char": 0, "end_char": 8, "type": mentions}]}
    statuses = [client.post("/v1/extract", json={**wanted, "model": name}).status_code for name in MODELS]
    assert statuses == ([422, 200] if mentions == "Person" else [200, 422])


MODELS = ("news", "general")


class Echo:
    """A reader that answers with its own name, and writes down what it was given."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.batches: list[list[str]] = []

    def read(
        self, tasks: Sequence[Task], wanted: Callable[[], bool], most_pairs: int | None
    ) -> list[bytes | Exception]:
        self.batches.append([task.text for task in tasks])
        return [f"{self.name} {task.text}".encode() for task in tasks]


def test_of_a_batch_every_model_reads_its_own_texts_together() -> None:
    readers = {name: Echo(name) for name in "ab"}
    tasks = [Task(str(number), model="abbab"[number]) for number in range(5)]
    answers = Readers(readers).read(tasks, lambda: True)  # type: ignore[arg-type]
    assert answers == [b"a 0", b"b 1", b"b 2", b"a 3", b"b 4"]
    assert [reader.batches for reader in readers.values()] == [[["0", "3"]], [["1", "2", "4"]]]


def test_a_store_keeps_with_every_document_the_model_that_read_it_last(tmp_path: Path) -> None:
    store = str(tmp_path / "facts.db")
    with TestClient(create_app(Settings(sink=store))) as client:
        for name, model in (("a", "news"), ("b", "general"), ("c", "news"), ("c", "general")):
            asked = {"text": TEXT, "id": name, "model": model}
            assert client.post("/v1/extract", json=asked).status_code == 200
    with open_store(store) as database:
        kept = database.select(
            "SELECT documents.name, models.name FROM documents JOIN models ON documents.model = models.id"
        )
        types = database.select("SELECT DISTINCT document, type FROM relation_rows ORDER BY document")
    assert {name: model.split()[0] for name, model in kept} == {"a": "news", "b": "general", "c": "general"}
    assert {("a", "Live_In"), ("b", "inception"), ("c", "inception")} <= set(types)
    assert ("c", "Live_In") not in types


def test_the_first_that_is_asked_for_reads_where_none_is_named(extractor: Extractor) -> None:
    assert Models.load(Settings(models=("general", "news")), extractor).default.name == "general"


def test_two_models_of_one_name_cannot_be_told_apart(tmp_path: Path) -> None:
    (tmp_path / "news").symlink_to(EMBEDDED / "news")
    with pytest.raises(UsageError, match="two models are called 'news'"):
        Models.load(Settings(models=("news", str(tmp_path / "news"))))
