"""The reference of the HTTP service, from its own OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from starlette.testclient import TestClient

from biaffinity.serve import Settings, create_app

Json = dict[str, Any]
_HEAD = """# HTTP

{description} How to start and use the service is in [Service](../service.md); a running one has this page \
at `/docs` and the document behind it at `/openapi.json`. The types named here are those of the news model.

"""


def http_service() -> str:
    """The page, as Markdown."""
    document = TestClient(create_app(Settings())).get("/openapi.json").json()
    lines = [_HEAD.format(**document["info"])]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            lines += _operation(method.upper(), path, operation)
    lines.append("## Data\n")
    for name, schema in sorted(document["components"]["schemas"].items()):
        lines += _schema(name, schema)
    return "\n".join(lines)


def _operation(method: str, path: str, operation: Json) -> Iterator[str]:
    yield f"## {method} {path}\n"
    yield f"{operation['summary']}.\n"
    if operation["description"] != f"{operation['summary']}.":
        yield f"{operation['description']}\n"
    for kind, body in operation.get("requestBody", {}).get("content", {}).items():
        example = body["example"] if isinstance(body["example"], str) else json.dumps(body["example"])
        yield f"Body: `{kind}`, {_type(body['schema'])}. For example:\n"
        yield f"```json\n{example.strip()}\n```\n"
    yield "| status | answer | meaning |\n|---|---|---|"
    for status, answer in sorted(operation["responses"].items()):
        kinds = ", ".join(_type(content["schema"]) for content in answer["content"].values())
        yield f"| {status} | {kinds} | {_cell(answer['description'])} |"
    yield ""


def _schema(name: str, schema: Json) -> Iterator[str]:
    yield f"### {name}\n"
    yield f"{schema.get('description', '')}\n"
    yield "| field | type | |\n|---|---|---|"
    for field, details in schema.get("properties", {}).items():
        mark = "" if field in schema.get("required", ()) else " (optional)"
        yield f"| `{field}`{mark} | {_type(details)} | {_cell(details.get('description', ''))} |"
    yield ""


def _type(schema: Json) -> str:
    """A schema in a few words; objects are links to their tables."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    options = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if options:
        return " or ".join(_type(option) for option in options if option.get("type") != "null")
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}" if "items" in schema else "list of two numbers"
    if "additionalProperties" in schema:
        keys = f" by {_type(schema['propertyNames'])}" if "propertyNames" in schema else ""
        return f"object of {_type(schema['additionalProperties'])}{keys}"
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = (f" from {low:g}" if low is not None else "") + (f" to {high:g}" if high is not None else "")
    return f"{schema.get('type') or schema.get('title', 'anything')}{bounds}"


def _cell(words: str) -> str:
    return " ".join(words.split()).replace("|", "\\|")
