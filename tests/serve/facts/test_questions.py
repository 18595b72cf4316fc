"""Questions over HTTP: the answers of `Facts`, under the rules of the service."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from biaffinity import Extractor, facts
from biaffinity.errors import BiaffinityError, DataError, UsageError
from biaffinity.facts import Facts
from biaffinity.serve import Settings, create_app
from facts.told import told
from serve.facts.conftest import KEY


def as_json(answer: Any) -> Any:
    if isinstance(answer, list):
        return [as_json(each) for each in answer]
    return json.loads(json.dumps(answer.to_dict()))


@pytest.mark.parametrize(
    ("address", "asked", "expected"),
    [
        ("", {}, lambda store: store.summary()),
        ("/about", {"entity": "Norvik Oil"}, lambda store: store.about("Norvik Oil")),
        (
            "/about",
            {"entity": "Norvik Oil", "min_score": 0.65, "relation": "employer", "limit": 1, "sentences": 0},
            lambda store: store.about(
                "Norvik Oil", min_score=0.65, relation="employer", limit=1, sentences=0
            ),
        ),
        ("/path", {"start": "Ana Ruiz", "end": "Norway"}, lambda store: store.path("Ana Ruiz", "Norway")),
        ("/top", {"type": "Person", "limit": 2}, lambda store: store.top(type="Person", limit=2)),
        ("/why", {"entity": "Norvik Oil"}, lambda store: store.why("Norvik Oil")),
        ("/text", {"document": "wind.txt"}, lambda store: store.text("wind.txt")),
        ("/fact", {"fact": 1}, lambda store: store.fact(1)),
    ],
)
def test_an_answer_is_the_one_of_python(
    asker: TestClient, news_store: str, address: str, asked: dict[str, Any], expected: Any
) -> None:
    answer = asker.get(f"/v1/facts{address}", params=asked)
    assert answer.status_code == 200, answer.text
    with facts.open(news_store) as store:
        assert answer.json() == as_json(expected(store))


def test_lists_stand_in_a_field_and_are_read_on_by_their_offset(asker: TestClient, news_store: str) -> None:
    with facts.open(news_store) as store:
        every = as_json(store.find(relation="employer"))
        (fact,) = store.find(head="Ana Ruiz", relation="employer")
        evidence = as_json(store.evidence(fact.id))
        found = as_json(store.search("norvk oil"))
    assert asker.get("/v1/facts/find", params={"relation": "employer"}).json() == {"facts": every}
    some = [
        asker.get("/v1/facts/find", params={"relation": "employer", "limit": 1, "offset": offset}).json()
        for offset in range(len(every))
    ]
    assert [one for answer in some for one in answer["facts"]] == every
    assert asker.get("/v1/facts/evidence", params={"fact": fact.id}).json() == {"evidence": evidence}
    assert len(evidence) == 2
    assert asker.get("/v1/facts/search", params={"text": "norvk oil"}).json() == {"found": found}
    assert found[0]["entity"]["name"].startswith("Norvik Oil")


@pytest.mark.parametrize(
    ("address", "asked", "where"),
    [
        ("about", {}, "entity"),
        ("about", {"entity": 1, "min_scor": 1}, "min_scor"),
        ("about", {"entity": 1, "min_score": 2}, "min_score"),
        ("find", {"limit": 101}, "limit"),
        ("evidence", {"fact": "one"}, "fact"),
        ("evidence", {"fact": 2**70}, "fact"),
        ("search", {"text": "x" * 501}, "text"),
        ("path", {"start": 1, "end": 2, "longest": 0}, "longest"),
        ("about", {"entity": 1, "since": "yesterday"}, "since"),
    ],
)
def test_what_makes_no_question_is_refused_with_its_field(
    asker: TestClient, address: str, asked: dict[str, Any], where: str
) -> None:
    answer = asker.get(f"/v1/facts/{address}", params=asked)
    assert answer.status_code == 422
    assert answer.json()["error"]["where"] == where


HOSTILE = [
    "",
    " ",
    "'",
    '"; DROP TABLE entities; --',
    "Robert'); DROP TABLE entities;--",
    "<script>alert(1)</script>",
    "%",
    "_",
    "*",
    '"',
    "NEAR(",
    "a AND (",
    "\0",
    "\x1f",
    "\u202e\U0001f600",
    "x" * 500,
    "123456789012345678",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_is_more_than_a_name(asker: TestClient, news_store: str, name: str) -> None:
    for address, asked in (
        ("search", {"text": name}),
        ("about", {"entity": name}),
        ("find", {"relation": name}),
        ("find", {"tail": name}),
        ("path", {"start": name, "end": "Bergen"}),
        ("top", {"type": name}),
        ("text", {"document": name}),
        ("about", {"entity": "Norvik Oil", "since": name}),
    ):
        answer = asker.get(f"/v1/facts/{address}", params=asked)
        assert answer.status_code in (200, 422), (address, answer.text)
        if answer.status_code == 422:
            assert answer.json()["error"]["message"]
            assert news_store not in answer.text
    assert asker.get("/v1/facts").json()["entities"] > 5


def test_an_entity_that_is_called_by_markup_is_found_and_its_name_is_data(asker: TestClient) -> None:
    answer = asker.get("/v1/facts/about", params={"entity": "<img src=x onerror=alert(1)>"})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["entity"]["name"] == "<img src=x onerror=alert(1)>"


def test_without_a_store_nothing_is_there(client: TestClient) -> None:
    assert client.get("/v1/facts").status_code == 404
    assert client.get("/facts").status_code == 404
    assert client.get("/v1/model").json()["facts"] is False


def test_the_page_and_its_library_are_there_with_a_store(asker: TestClient) -> None:
    assert asker.get("/v1/model").json()["facts"] is True
    page = asker.get("/facts")
    assert "text/html" in page.headers["content-type"]
    assert "unsafe" not in page.headers["content-security-policy"]
    library = asker.get("/page/cytoscape/cytoscape.esm.min.mjs")
    assert library.status_code == 200
    assert "javascript" in library.headers["content-type"]
    assert "Cytoscape" in asker.get("/page/cytoscape/LICENSE").text


def test_nobody_changes_the_store_of_a_service_that_knows_nobody(asker: TestClient) -> None:
    answer = asker.post("/v1/facts/merge", json={"one": 1, "other": 2})
    assert answer.status_code == 403
    assert "--api-key-file" in answer.json()["error"]["remedy"]


def test_who_has_a_key_merges_and_splits(tmp_path: Path, keys: Path, extractor: Extractor) -> None:
    store = told(str(tmp_path / "facts.db"))
    settings = Settings(store=store, api_key_file=keys)
    with TestClient(create_app(settings, extractor)) as client:
        for send in (lambda: client.get("/v1/facts"), lambda: client.post("/v1/facts/merge", json={})):
            assert send().status_code == 401
        client.headers["Authorization"] = f"Bearer {KEY}"
        assert client.post("/v1/facts/merge", content=b"{}").status_code == 415
        assert client.post("/v1/facts/merge", json={"one": 1}).json()["error"]["where"] == "other"
        asked = {"one": "Ingrid Sørbø", "other": "Tomás Beltrán"}
        merged = client.post("/v1/facts/merge", json=asked).json()["entity"]
        about = client.get("/v1/facts/about", params={"entity": merged["id"]}).json()
        assert {"Ingrid Sørbø", "Tomás Beltrán"} <= set(about["names"])
        apart = client.post("/v1/facts/split", json={"entity": merged["id"], "name": "Tomás Beltrán"}).json()
        assert apart["split"]["name"] == "Tomás Beltrán"
        assert apart["entity"]["name"] == "Ingrid Sørbø"
        itself = client.post("/v1/facts/merge", json={"one": merged["id"], "other": merged["id"]})
        assert itself.status_code == 422, itself.text


@pytest.mark.parametrize("error", [DataError, UsageError])  # it has gone; another process keeps it locked
def test_a_store_that_cannot_be_used_is_told_without_its_name(
    asker: TestClient, news_store: str, monkeypatch: pytest.MonkeyPatch, error: type[BiaffinityError]
) -> None:
    def gone(self: Facts) -> None:
        raise error("cannot be used", where=news_store)

    with monkeypatch.context() as patch:
        patch.setattr(Facts, "summary", gone)
        answer = asker.get("/v1/facts")
    assert answer.status_code == 503
    assert news_store not in answer.text
    assert asker.get("/v1/facts").status_code == 200


def test_an_answer_that_is_too_large_is_refused(news_store: str, extractor: Extractor) -> None:
    class Narrow(Settings):
        @property
        def max_held(self) -> int:
            return 100

    with TestClient(create_app(Narrow(store=news_store), extractor)) as client:
        answer = client.get("/v1/facts/top")
    assert answer.status_code == 413
    assert "limit" in answer.json()["error"]["remedy"]


def test_requests_are_counted_by_their_question(asker: TestClient) -> None:
    asker.get("/v1/facts/why", params={"entity": "Bergen"})
    assert 'route="/v1/facts/why",status="200"' in asker.get("/metrics").text


@pytest.mark.parametrize("question", ["search", "about", "find", "path", "top"])
def test_the_description_holds_for_what_is_asked(asker: TestClient, question: str) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis")
    schema = schemathesis.openapi.from_dict(asker.get("/openapi.json").json())
    path = f"/v1/facts/{question}"
    asked = {
        "search": {"text": "norvik"},
        "about": {"entity": "Norvik Oil"},
        "find": {"relation": "employer"},
        "path": {"start": "Ana Ruiz", "end": "Norway"},
        "top": {},
    }[question]
    names = {each["name"] for each in schema[path]["GET"].definition.raw["parameters"]}
    assert set(asked) <= names
    schema[path]["GET"].Case(query=asked).validate_response(asker.get(path, params=asked))
