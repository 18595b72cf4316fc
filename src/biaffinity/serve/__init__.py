"""An HTTP service over an extractor, and its page; needs the extra ``serve``."""

from biaffinity.errors import MissingExtraError

try:
    import fastapi  # noqa: F401
    import prometheus_client  # noqa: F401
    import uvicorn  # noqa: F401
except ModuleNotFoundError as error:
    raise MissingExtraError("the service", "serve") from error

from biaffinity.serve.app import create_app
from biaffinity.serve.server import run
from biaffinity.serve.settings import Settings

__all__ = ["Settings", "create_app", "run"]
