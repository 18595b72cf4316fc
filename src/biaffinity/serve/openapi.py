"""The service's operations, and the OpenAPI document that describes each of their answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.responses import Response

from biaffinity.extraction.thresholds import KINDS
from biaffinity.serve.bodies import JSON, LINES
from biaffinity.serve.endpoints import Service
from biaffinity.serve.models import Models
from biaffinity.serve.problems import MEANINGS
from biaffinity.serve.schemas import (
    DocumentRecord,
    ErrorAnswer,
    ExtractAnswer,
    HealthAnswer,
    ManyTexts,
    ModelAnswer,
    ModelsAnswer,
    OneText,
    StreamError,
)

#: What may be answered at every address, before it is looked at.
_ANYWHERE = (421, 431)
_REF = "#/components/schemas/{model}"
_RETRY = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}}
#: Of a body in lines no schema says more than that.
_LINES = {"title": "lines of JSON"}
_READ_ALL = """The documents come in the order of the texts. Either every text is answered or none is: \
where one of several cannot be read, the error names it."""
_READ_LINES = """A line of the body is a JSON string, or an object like that of `/v1/extract` with one \
text. For each there is a line in the answer, in the same order: a document, or an object with `line` and \
`error` in its place. Blank lines are passed over.

The answer begins before the body has ended, and the body is read no faster than the answer is: a client \
must read while it sends, as `curl -N -T FILE` does."""


def add_operations(app: FastAPI, service: Service, text: str) -> None:
    """Give the application its documented addresses; ``text`` is what the examples ask about."""
    example = {"text": text, "min_score": 0.5}
    app.add_api_route(
        "/v1/extract",
        service.extract,
        methods=["POST"],
        operation_id="extract",
        tags=["texts"],
        summary="Entities and relations of one text or of several",
        description=_READ_ALL,
        responses={**answer(ExtractAnswer), **errors(400, 408, 413, 415, 422, 429, 500, 503, 504)},
        openapi_extra={"requestBody": body(JSON[0], {"oneOf": [ref(OneText), ref(ManyTexts)]}, example)},
        response_class=Response,
    )
    app.add_api_route(
        "/v1/extract/stream",
        service.stream,
        methods=["POST"],
        operation_id="stream",
        tags=["texts"],
        summary="The same for any number of texts, line by line",
        description=_READ_LINES,
        responses={
            200: {
                "description": "Lines of JSON, each a `DocumentRecord` or a `StreamError`.",
                "content": {LINES[0]: {"schema": _LINES}},
            },
            **errors(415, 429, 500, 503),
        },
        openapi_extra={"requestBody": body(LINES[0], _LINES, json.dumps(example) + "\n")},
        response_class=Response,
    )
    app.add_api_route(
        "/v1/model",
        service.model,
        operation_id="model",
        tags=["service"],
        summary="The model that reads where none is named, and the service's bounds",
        responses={**answer(ModelAnswer), **errors(500)},
        response_class=Response,
    )
    app.add_api_route(
        "/v1/models",
        service.models,
        operation_id="models",
        tags=["service"],
        summary="All models that a request can name: what they are for, their types, texts to try them on",
        responses={**answer(ModelsAnswer), **errors(500)},
        response_class=Response,
    )
    for name, endpoint, summary in (
        ("live", service.live, "Whether the process answers"),
        ("ready", service.ready, "Whether texts are read"),
    ):
        app.add_api_route(
            f"/health/{name}",
            endpoint,
            operation_id=name,
            tags=["service"],
            summary=summary,
            responses={**answer(HealthAnswer), **errors(500, 503)},
            response_class=Response,
        )
    app.add_api_route(
        "/metrics",
        service.metrics,
        operation_id="metrics",
        tags=["service"],
        summary="Counters, for Prometheus",
        responses={
            200: {
                "description": "Prometheus' text format.",
                "content": {"text/plain": {"schema": {"type": "string"}}},
            },
            **errors(500),
        },
        response_class=Response,
    )


def describe(
    app: FastAPI, models: Models, *, with_keys: bool, sent: Sequence[type[BaseModel]] = ()
) -> dict[str, Any]:
    """The OpenAPI document, with what these models know; ``sent`` are further bodies of requests."""
    document = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    named = (OneText, ManyTexts, DocumentRecord, StreamError, ErrorAnswer, *sent)
    kinds = [(model, "validation") for model in named]
    _, definitions = models_json_schema(kinds, ref_template=_REF)  # type: ignore[arg-type]
    schemas = document["components"]["schemas"]
    schemas.update(definitions["$defs"])
    types = sorted({*KINDS, *models.entity_types, *models.relation_types})
    for model in ("OneText", "ManyTexts"):
        _name_the_keys(schemas[model]["properties"]["min_score"], types)
        _name_the_values(schemas[model]["properties"]["model"], [served.name for served in models])
    _name_the_values(schemas["GivenEntity"]["properties"]["type"], models.entity_types)
    for operations in document["paths"].values():
        for operation in operations.values():
            operation["responses"] |= {str(status): _error(status) for status in _ANYWHERE}
    if with_keys:
        document["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        for path, operations in document["paths"].items():
            if path.startswith("/v1/") or path == "/metrics":
                for operation in operations.values():
                    operation["security"] = [{"key": []}]
                    operation["responses"]["401"] = _error(401)
    return document


def _name_the_keys(schema: dict[str, Any], names: list[str]) -> None:
    """Say which keys a mapping of scores may have."""
    for option in [*schema.get("anyOf", ()), *schema.get("oneOf", ())]:
        _name_the_keys(option, names)
    if "additionalProperties" in schema:
        schema["propertyNames"] = {"enum": names}


def _name_the_values(schema: dict[str, Any], names: list[str]) -> None:
    """Say which values a string may have."""
    for option in schema["anyOf"]:
        if option["type"] == "string":
            option["enum"] = names


def ref(model: type[Any]) -> dict[str, str]:
    """Where the schema of a model stands."""
    return {"$ref": _REF.format(model=model.__name__)}


def body(type_: str, schema: dict[str, Any], example: object) -> dict[str, Any]:
    """The body of a request."""
    return {"required": True, "content": {type_: {"schema": schema, "example": example}}}


def answer(model: type[Any]) -> dict[int | str, dict[str, Any]]:
    """What is answered when all is well."""
    return {200: {"model": model, "description": model.__doc__}}


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What else may be answered."""
    return {status: _error(status) for status in statuses}


def _error(status: int) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "description": MEANINGS[status][1],
        "content": {"application/json": {"schema": ref(ErrorAnswer)}},
    }
    return {**answer, "headers": _RETRY} if status == 429 else answer
