"""The addresses of a store of facts, and what the OpenAPI document says of them."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.responses import Response

from biaffinity.serve.bodies import JSON
from biaffinity.serve.facts.endpoints import FactsService
from biaffinity.serve.facts.questions import QUESTIONS
from biaffinity.serve.facts.schemas import MergeAnswer, MergeRequest, SplitAnswer, SplitRequest
from biaffinity.serve.openapi import answer, body, errors, ref

#: What is sent and so no answer of an operation names: its schemas must be added.
SENT = (MergeRequest, SplitRequest)
_READ = (413, 422, 429, 500, 503, 504)


def add_facts_operations(app: FastAPI, service: FactsService) -> None:
    """Give the application the addresses of its store."""
    for question in QUESTIONS:
        app.add_api_route(
            question.path,
            service.answering(question),
            operation_id=f"facts_{question.method}",
            tags=["facts"],
            summary=_first_words(question.asked),
            responses={**answer(question.answer), **errors(*_READ)},
            openapi_extra={"parameters": _parameters(question.asked)},
            response_class=Response,
        )
    for change, endpoint, sent, given, example in (
        ("merge", service.merge, MergeRequest, MergeAnswer, {"one": 12, "other": 31}),
        ("split", service.split, SplitRequest, SplitAnswer, {"entity": 12, "name": "NOA"}),
    ):
        app.add_api_route(
            f"/v1/facts/{change}",
            endpoint,
            methods=["POST"],
            operation_id=f"facts_{change}",
            tags=["facts"],
            summary=_first_words(sent),
            description="What a person decides holds for good. Only a service with keys lets itself be told.",
            responses={**answer(given), **errors(400, 403, 408, 415, *_READ)},
            openapi_extra={"requestBody": body(JSON[0], ref(sent), example)},
            response_class=Response,
        )


def _first_words(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").rstrip(".")


def _parameters(asked: type[BaseModel]) -> list[dict[str, Any]]:
    """The fields of a question as parameters of an address."""
    schema = asked.model_json_schema()
    return [
        {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "description": details.pop("description", ""),
            "schema": details,
        }
        for name, details in schema["properties"].items()
    ]
