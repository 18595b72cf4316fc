"""The service over a model that reads with a transformer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from biaffinity import Extractor
from biaffinity.errors import UsageError
from biaffinity.serve import Settings, create_app
from extraction.texts import ANA, TOVE
from paragraph import triples


def test_it_answers_as_the_extractor_does(transformer_folder: Path) -> None:
    expected = Extractor.load(transformer_folder)
    with TestClient(create_app(Settings(models=(str(transformer_folder),)))) as client:
        answer = client.post("/v1/extract", json={"texts": [ANA, TOVE]})
        body = "".join(json.dumps({"text": text}) + "\n" for text in (ANA, TOVE))
        lines = client.post(
            "/v1/extract/stream", content=body, headers={"content-type": "application/x-ndjson"}
        )
    assert answer.status_code == lines.status_code == 200
    documents = answer.json()["documents"]
    streamed = [json.loads(line) for line in lines.text.splitlines()]
    for text, document, line in zip((ANA, TOVE), documents, streamed, strict=True):
        assert triples(document) == triples(line) == expected(text).triples()
    assert triples(documents[0])


def test_a_device_that_is_not_there_is_told_when_it_starts(transformer_folder: Path) -> None:
    with pytest.raises(UsageError, match="PyTorch sees no device 'cuda:77'"):
        create_app(Settings(models=(str(transformer_folder),), device="cuda:77"))
