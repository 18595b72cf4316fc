"""``POST /v1/extract`` against what the extractor itself says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from biaffinity import Extractor, Sentence
from biaffinity.serve import Settings, create_app
from paragraph import triples

TEXT = "Ilka Roe of Brandel Corp. lives in Ghent. Tomas Quill was born in Utrecht."
OTHER = "The mayor of Lyon met Ada Norrin."


def refusal(client: TestClient, status: int, **request: Any) -> dict[str, str]:
    """The one shape of an error."""
    answer = client.post("/v1/extract", **request)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert list(body) == ["error"]
    problem: dict[str, str] = body["error"]
    assert {"code", "message", "remedy"} <= set(problem) <= {"code", "message", "remedy", "where"}
    return problem


def test_one_text_is_read_as_the_extractor_reads_it(client: TestClient, extractor: Extractor) -> None:
    answer = client.post("/v1/extract", json={"text": TEXT})
    assert answer.status_code == 200
    body = answer.json()
    assert body["model"] == "news"
    [document] = body["documents"]
    expected = extractor(TEXT).to_dict()
    assert expected["entities"]
    assert expected["relations"]
    assert without_scores(document) == without_scores(expected)


def test_a_relation_of_a_later_sentence_has_its_own_arguments(
    client: TestClient, extractor: Extractor
) -> None:
    [document] = client.post("/v1/extract", json={"text": TEXT}).json()["documents"]
    found = extractor(TEXT)
    assert any(relation.head.sentence == 1 for relation in found.relations)
    assert triples(document) == found.triples()


def without_scores(record: dict[str, Any]) -> dict[str, Any]:
    """The record without numbers that depend on the shape of a batch in their last digits."""
    parts = ("entities", "relations")
    return {**record, **{part: [{**one, "score": None} for one in record[part]] for part in parts}}


def test_several_texts_come_back_in_order_under_their_ids(client: TestClient) -> None:
    texts: list[Any] = [TEXT, {"text": OTHER, "id": "other"}, {"text": "", "id": 3}, " \n"]
    documents = client.post("/v1/extract", json={"texts": texts}).json()["documents"]
    assert [document["text"] for document in documents] == [TEXT, OTHER, "", " \n"]
    assert [document["id"] for document in documents] == ["", "other", "3", ""]
    assert documents[1]["sentences"][0]["id"] == "other:0"


def test_no_texts_have_no_documents(client: TestClient) -> None:
    assert client.post("/v1/extract", json={"texts": []}).json()["documents"] == []


@pytest.mark.parametrize("min_score", [0, 0.9, 1, {"relations": 0.99}, {"Peop": 1.0, "entities": 0.5}])
def test_the_least_score_is_the_extractors(client: TestClient, extractor: Extractor, min_score: Any) -> None:
    [document] = client.post("/v1/extract", json={"text": TEXT, "min_score": min_score}).json()["documents"]
    expected = extractor(TEXT, min_score=min_score).to_dict()
    assert without_scores(document) == without_scores(expected)


def test_given_entities_stay_and_only_relations_are_looked_for(
    client: TestClient, extractor: Extractor
) -> None:
    given = [{"start_char": 0, "end_char": 8}, {"start_char": 35, "end_char": 40, "type": "Loc"}]
    body = {"text": TEXT, "entities": given, "min_score": {"entities": 1}, "id": "x"}
    [document] = client.post("/v1/extract", json=body).json()["documents"]
    assert [(e["text"], e["type"]) for e in document["entities"]] == [("Ilka Roe", "Peop"), ("Ghent", "Loc")]
    assert document["id"] == "x"
    assert document["sentences"][0]["id"] == "x:0"
    expected = extractor(TEXT, entities=[(0, 8), (35, 40, "Loc")])
    assert [r["type"] for r in document["relations"]] == [relation.type for relation in expected.relations]


def test_entities_of_an_answer_can_be_given_again(client: TestClient) -> None:
    [found] = client.post("/v1/extract", json={"text": TEXT}).json()["documents"]
    body = {"texts": [{"text": TEXT, "entities": found["entities"]}]}
    [again] = client.post("/v1/extract", json=body).json()["documents"]
    keys = ("start_char", "end_char", "type")
    assert [[e[k] for k in keys] for e in again["entities"]] == [
        [e[k] for k in keys] for e in found["entities"]
    ]


def test_a_drawing_is_made_where_one_is_asked_for(client: TestClient) -> None:
    [plain] = client.post("/v1/extract", json={"text": TEXT}).json()["documents"]
    [drawn] = client.post("/v1/extract", json={"text": TEXT, "drawing": {"width": 500}}).json()["documents"]
    assert "svg" not in plain
    assert drawn["svg"].startswith("<svg")


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, "text"),
        ({"text": 5}, "text"),
        ({"text": None}, "text"),
        ({"txt": "a"}, "txt"),
        ({"texts": ["a", {"txt": "b"}]}, "texts[1].txt"),
        ({"text": "a", "texts": []}, "text"),
        ({"text": "a", "min_scores": 0.5}, "min_scores"),
        ({"text": "a", "min_score": 2}, "min_score"),
        ({"text": "a", "min_score": True}, "min_score"),
        ({"text": "a", "min_score": {"relations": -1}}, "min_score.relations"),
        ({"text": "a", "min_score": {"Person": 0.5}}, "min_score"),
        ({"text": "a", "drawing": {"width": 3}}, "drawing.width"),
        ({"text": "a", "entities": [{"start_char": 0}]}, "entities[0].end_char"),
        ({"text": "a", "entities": [{"start_char": 0, "end_char": 2}]}, "entities[0]"),
        ({"text": "a", "entities": [{"start_char": 0, "end_char": 1, "type": "Dog"}]}, "entities[0]"),
        ({"texts": "a"}, "texts"),
        ({"texts": ["a", 5]}, "texts[1]"),
        (
            {"texts": ["a", {"text": "b", "entities": [{"start_char": 1, "end_char": 9}]}]},
            "texts[1].entities[0]",
        ),
        ({"texts": ["a"] * 1025}, "texts"),
        ([], None),
        ("a", None),
    ],
)
def test_what_is_malformed_is_named(client: TestClient, body: Any, where: str | None) -> None:
    problem = refusal(client, 422, json=body)
    assert problem["code"] == "malformed"
    assert problem.get("where") == where


@pytest.mark.parametrize(
    ("body", "remedy"),
    [
        ({"txt": "a"}, "did you mean text?"),
        ({"texts": ["a", {"txt": "b"}]}, "did you mean texts[1].text?"),
        ({"text": "a", "colour": "red"}, "see /docs for what is expected"),
    ],
)
def test_a_field_that_is_unknown_is_told_what_was_meant(client: TestClient, body: Any, remedy: str) -> None:
    problem = refusal(client, 422, json=body)
    assert problem["message"].startswith("there is no such field")
    assert problem["remedy"] == remedy


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b'{"text": "\\ud800"}', b'{"text": "a"} x'])
def test_what_is_not_json_is_malformed(client: TestClient, content: bytes) -> None:
    problem = refusal(client, 422, content=content, headers={"content-type": "application/json"})
    assert problem["code"] == "malformed"


@pytest.mark.parametrize("body", [{"text": "a" * 2001}, {"texts": ["a" * 1000] * 3}])
def test_too_many_characters_are_too_large(client: TestClient, body: Any) -> None:
    assert refusal(client, 413, json=body)["code"] == "too_large"


# pytest undoes the service's own filter of these warnings.
@pytest.mark.filterwarnings("ignore::biaffinity.extraction.BiaffinityWarning")
def test_as_many_characters_as_are_allowed_are_read_even_as_one_monstrous_sentence(
    client: TestClient,
) -> None:
    text = "a " * 1000
    [document] = client.post("/v1/extract", json={"text": text}).json()["documents"]
    assert document["text"] == text


def test_a_body_that_never_ends_is_refused_before_it_is_whole(client: TestClient) -> None:
    def parts() -> Iterator[bytes]:
        for _ in range(1000):
            yield b" " * 10_000

    problem = refusal(client, 413, content=parts(), headers={"content-type": "application/json"})
    assert problem["code"] == "too_large"


@pytest.mark.parametrize("length", ["10000000", "9" * 5000])
def test_a_body_that_says_it_is_too_large_is_not_read(client: TestClient, length: str) -> None:
    headers = {"content-type": "application/json", "content-length": length}
    assert refusal(client, 413, content=b"{}", headers=headers)["code"] == "too_large"


@pytest.mark.parametrize("type_", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_that_is_not_declared_as_json_is_refused(client: TestClient, type_: str) -> None:
    problem = refusal(client, 415, content=b'{"text": "a"}', headers={"content-type": type_})
    assert "application/json" in problem["remedy"]


def test_an_address_that_is_not_there_is_told_in_the_same_shape(client: TestClient) -> None:
    answer = client.get("/v2")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_a_method_that_is_not_taken_is_told_in_the_same_shape(client: TestClient) -> None:
    answer = client.get("/v1/extract")
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")
    assert answer.headers["allow"] == "POST"


@pytest.fixture
def within(news: list[Sentence]) -> Iterator[TestClient]:
    """A client of a service whose model is given the boundaries of entities."""
    pytest.importorskip("torch", reason="makes the model")
    from biaffinity.model.network import TorchNetwork
    from model.tiny import tiny_model

    model = Extractor(TorchNetwork(tiny_model(news, boundaries="given")))
    with TestClient(create_app(Settings(), model)) as client:
        yield client


def test_a_model_that_finds_no_entities_says_that_it_must_be_given_them(within: TestClient) -> None:
    problem = refusal(within, 422, json={"text": "a"})
    assert "entities" in problem["remedy"]
    assert "where" not in problem


def test_of_several_texts_the_one_that_lacks_entities_is_named(within: TestClient) -> None:
    texts = [{"text": "Roe", "entities": [{"start_char": 0, "end_char": 3}]}, {"text": "Roe"}]
    assert refusal(within, 422, json={"texts": texts})["where"] == "texts[1]"


def test_a_model_that_is_given_entities_reads_texts_with_them(within: TestClient) -> None:
    body = {"text": "Roe left Ghent.", "entities": [{"start_char": 0, "end_char": 3}]}
    [document] = within.post("/v1/extract", json=body).json()["documents"]
    assert [entity["text"] for entity in document["entities"]] == ["Roe"]


def test_the_model_is_described(client: TestClient, extractor: Extractor) -> None:
    answer = client.get("/v1/model").json()
    assert answer["name"] == "news"
    assert answer["entity_types"] == list(extractor.entity_types)
    assert answer["relation_types"] == list(extractor.relation_types)
    assert answer["max_chars"] == 2000


def test_a_service_that_has_not_started_is_live_but_not_ready(extractor: Extractor) -> None:
    client = TestClient(create_app(Settings(), extractor))
    assert client.get("/health/live").status_code == 200
    assert client.get("/health/ready").status_code == 503
    assert client.post("/v1/extract", json={"text": "a"}).status_code == 503


def test_a_running_service_is_ready(client: TestClient) -> None:
    assert client.get("/health/ready").json() == {"status": "ready"}
