"""The OpenAPI document for people, as HTML between headings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any

Json = dict[str, Any]
#: A heading of a level (2 or 3), with an anchor and its words, which are not escaped yet.
Heading = Callable[[int, str, str], str]


def sections(document: Json, heading: Heading) -> Iterator[str]:
    """What the service answers to, and the data that go in and out."""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            yield heading(2, operation["operationId"], f"`{method.upper()} {path}`")
            yield from _operation(operation)
    yield heading(2, "data", "Data")
    for name, schema in sorted(document["components"]["schemas"].items()):
        yield heading(3, name, name)
        yield from _schema(schema)


def _operation(operation: Json) -> Iterator[str]:
    yield f"<p><strong>{escape(operation['summary'])}.</strong></p>\n"
    if "security" in operation:
        yield "<p>Needs the header <code>Authorization: Bearer KEY</code>.</p>\n"
    description = operation.get("description", "")
    if description not in ("", f"{operation['summary']}."):
        for paragraph in description.split("\n\n"):
            yield f"<p>{_text(paragraph)}</p>\n"
    yield from _parameters(operation.get("parameters", ()))
    for type_, body in operation.get("requestBody", {}).get("content", {}).items():
        example = body["example"] if isinstance(body["example"], str) else json.dumps(body["example"])
        yield f"<p>Body: <code>{escape(type_)}</code>, {_type(body['schema'])}. For example:</p>\n"
        yield f"<pre><code>{escape(example)}</code></pre>\n"
    yield "<table>\n<thead><tr><th>Status</th><th>Answer</th><th>Meaning</th></tr></thead>\n<tbody>\n"
    for status, answer in sorted(operation["responses"].items()):
        kinds = ", ".join(_type(content["schema"]) for content in answer["content"].values())
        meaning = _text(answer["description"])
        yield f"<tr><td>{escape(status)}</td><td>{kinds}</td><td>{meaning}</td></tr>\n"
    yield "</tbody>\n</table>\n"


def _parameters(parameters: Sequence[Json]) -> Iterator[str]:
    if not parameters:
        return
    yield "<table>\n<thead><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr></thead>\n<tbody>\n"
    for each in parameters:
        mark = "" if each["required"] else " (optional)"
        yield f"<tr><td><code>{escape(each['name'])}</code>{mark}</td><td>{_type(each['schema'])}</td>"
        yield f"<td>{_text(each['description'])}</td></tr>\n"
    yield "</tbody>\n</table>\n"


def _schema(schema: Json) -> Iterator[str]:
    for paragraph in schema.get("description", "").split("\n\n"):
        yield f"<p>{_text(paragraph)}</p>\n"
    yield "<table>\n<thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead>\n<tbody>\n"
    required = schema.get("required", ())
    for field, details in schema.get("properties", {}).items():
        mark = "" if field in required else " (optional)"
        yield f"<tr><td><code>{escape(field)}</code>{mark}</td><td>{_type(details)}</td>"
        yield f"<td>{_text(details.get('description', ''))}</td></tr>\n"
    yield "</tbody>\n</table>\n"


def _type(schema: Json) -> str:
    """A schema in a few words, as HTML; objects are links to their tables."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    options = [option for option in (*schema.get("anyOf", ()), *schema.get("oneOf", ())) if not _none(option)]
    if options:
        return " or ".join(_type(option) for option in options)
    if "enum" in schema:
        return "one of " + ", ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    if schema.get("type") == "array":
        return "list of " + (_type(schema["items"]) if "items" in schema else "two numbers")
    if "additionalProperties" in schema:
        keys = f" by {_type(schema['propertyNames'])}" if "propertyNames" in schema else ""
        return f"object of {_type(schema['additionalProperties'])}{keys}"
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = (f" from {low}" if low is not None else "") + (f" to {high}" if high is not None else "")
    return escape(str(schema.get("type") or schema.get("title", "anything"))) + bounds


def _none(schema: Json) -> bool:
    return schema.get("type") == "null"


def _text(words: str) -> str:
    """Escaped words, with code between backquotes."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(" ".join(words.split())))
