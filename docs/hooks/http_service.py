"""The reference of the HTTP service, from its own OpenAPI document."""

from __future__ import annotations

from openapi_sections import sections
from starlette.testclient import TestClient

from biaffinity.serve import Settings, create_app

_HEAD = """# HTTP

{description} How to start and use the service is in [Service](../service.md); a running one describes \
itself at `/docs`, where every request can be tried, and for programs at `/openapi.json`. The types named \
here are those of the models of the package; what begins with `/v1/facts` is there where it has a store.

"""


def http_service() -> str:
    """The page, as Markdown: headings for the table of contents, HTML below them."""
    document = TestClient(create_app(Settings(store="facts.db"))).get("/openapi.json").json()
    return _HEAD.format(**document["info"]) + "".join(sections(document, _heading))


def _heading(level: int, anchor: str, words: str) -> str:
    return f"\n{'#' * level} {words} {{#{anchor}}}\n\n"
