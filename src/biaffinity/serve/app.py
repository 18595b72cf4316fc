"""The service as an ASGI application."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from fastapi import FastAPI, Request
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from biaffinity.extraction import Extractor
from biaffinity.serve.endpoints import Service
from biaffinity.serve.facts.endpoints import FactsService
from biaffinity.serve.facts.operations import SENT, add_facts_operations
from biaffinity.serve.gate import STREAM, Gate
from biaffinity.serve.hosts import Hosts
from biaffinity.serve.keeping import Keeper
from biaffinity.serve.metrics import Metrics
from biaffinity.serve.models import Models
from biaffinity.serve.openapi import add_operations, describe
from biaffinity.serve.places import Places
from biaffinity.serve.problems import ServiceError, fault
from biaffinity.serve.security import Keys
from biaffinity.serve.settings import Settings
from biaffinity.version import __version__

PAGE = Path(__file__).parent / "page"


def create_app(settings: Settings, extractor: Extractor | None = None) -> Gate:
    """The application; its models are loaded now.

    An extractor that is given is served alone, in the place of the first of them.
    """
    models = Models.load(settings, extractor)
    metrics, keys = Metrics(), Keys.read(settings.api_key_file)
    keeper = None
    if settings.sink is not None:
        keeper = Keeper(settings.sink, metrics)
    about_facts = None
    if settings.store is not None:
        about_facts = FactsService(settings.store, settings, with_keys=bool(keys))
    service = Service(settings, models, metrics, keeper, about_facts)
    app = FastAPI(
        title="Biaffinity",
        version=__version__,
        description="Text in, entities and typed, directed relations out.",
        lifespan=service.running,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,  # it would lead to the Host of the request
    )
    add_operations(app, service, next(iter(models.default.examples.values()), "A text of your own."))
    if about_facts is not None:
        add_facts_operations(app, about_facts)
        app.add_route("/facts", _page("facts.html"))
    description = describe(app, models, with_keys=bool(keys), sent=SENT if about_facts else ())
    app.add_route("/openapi.json", _always(Response(to_json(description), media_type="application/json")))
    app.add_route("/docs", _page("docs.html"))
    app.add_route("/", _page("index.html"))
    app.add_route("/page/drawing.css", _drawing_style)
    app.mount("/page", StaticFiles(directory=PAGE))
    pages = {"/", "/docs", "/openapi.json", *(["/facts"] if about_facts else [])}
    routes = frozenset({*description["paths"], *pages})
    app.add_exception_handler(HTTPException, partial(_refuse, routes))
    app.add_exception_handler(ServiceError, _answer_error)
    app.add_exception_handler(Exception, _answer_fault)
    return Gate(
        app,
        direct={("POST", "/v1/extract"): service.extract, ("POST", STREAM): service.stream},
        routes=routes,
        keys=keys,
        metrics=metrics,
        max_requests=settings.max_requests,
        hosts=Hosts(settings.allowed_hosts),
        streams=Places("streams", settings.max_streams, max(1, settings.max_streams // 2)),
        seconds_to_wait=service.seconds_to_wait,
    )


def _always(answer: Response) -> Callable[[Request], Awaitable[Response]]:
    async def give(request: Request) -> Response:
        return answer

    return give


def _page(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def give(request: Request) -> Response:
        return FileResponse(PAGE / name)

    return give


async def _drawing_style(request: Request) -> Response:
    from biaffinity.show import STYLE

    return Response(STYLE, media_type="text/css")


async def _answer_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ServiceError)
    return error.response()


async def _refuse(routes: frozenset[str], request: Request, error: Exception) -> Response:
    """What the router says, in our shape; a slash too many leads to the address without it."""
    assert isinstance(error, HTTPException)
    address = request.url.path.rstrip("/")
    if error.status_code == 404 and address in routes:
        return Response(status_code=307, headers={"Location": address})
    message = {404: "there is nothing at this address", 405: "this address does not take this method"}
    headers = dict(error.headers or {})
    said = message.get(error.status_code, str(error.detail))
    return ServiceError(error.status_code, said, remedy="see /docs", headers=headers).response()


async def _answer_fault(request: Request, error: Exception) -> Response:
    return fault().response()
