"""The service as a process, or several that share an address."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
import tempfile
from contextlib import ExitStack
from functools import partial
from typing import Any

import uvicorn

from biaffinity import facts
from biaffinity.errors import DataError, UsageError
from biaffinity.serve.app import create_app
from biaffinity.serve.gate import Gate
from biaffinity.serve.hosts import default_hosts
from biaffinity.serve.logs import Refusals, config
from biaffinity.serve.metrics import FOLDER
from biaffinity.serve.models import Models
from biaffinity.serve.places import Places
from biaffinity.serve.protocol import BoundedProtocol
from biaffinity.serve.security import Keys
from biaffinity.serve.settings import Settings
from biaffinity.store import open_store

#: How the settings reach the worker processes.
VARIABLE = "BIAFFINITY_SERVE"
#: Of the seconds of grace, those for the end itself, when requests are given up.
_FOR_THE_END = 1.0
#: Files that a process has open beside its connections: the model, the log, its pipes, and some to spare.
_OTHER_FILES = 128


def run(settings: Settings) -> None:
    """Serve until a signal comes, and finish what was accepted by then.

    A model, key file or address that will not do is an error before anything starts.
    """
    if not settings.allowed_hosts:
        settings = settings.model_copy(update={"allowed_hosts": default_hosts(settings.host)})
    Keys.read(settings.api_key_file)
    if settings.sink is not None:
        open_store(settings.sink).close()
    if settings.store is not None:
        with facts.open(settings.store) as store:
            store.search("a", limit=1)  # an extra that is missing is told now, too
    _try_address(settings.host, settings.port)
    _allow_files(settings.max_connections)
    options = server_options(settings)
    if settings.workers == 1:
        uvicorn.run(create_app(settings), **options)
        return
    Models.load(settings)  # what is wrong with one is told now; every worker loads its own
    with ExitStack() as stack:
        if FOLDER not in os.environ:
            folder = tempfile.TemporaryDirectory(prefix="biaffinity-", ignore_cleanup_errors=True)
            os.environ[FOLDER] = stack.enter_context(folder)
        os.environ[VARIABLE] = settings.model_dump_json()
        uvicorn.run("biaffinity.serve.server:worker", factory=True, workers=settings.workers, **options)


def server_options(settings: Settings) -> dict[str, Any]:
    """How uvicorn is to serve the application."""
    return {
        "host": settings.host,
        "port": settings.port,
        "log_config": config(terminal=sys.stderr.isatty()),
        "access_log": False,
        "server_header": False,
        "http": partial(
            BoundedProtocol,
            places=Places("connections", settings.max_connections, settings.max_connections_per_address),
            refusals=Refusals(),
        ),
        "ws": "none",
        "proxy_headers": False,  # nothing here depends on who asks
        "timeout_graceful_shutdown": max(settings.grace - _FOR_THE_END, 0.0),
    }


def worker() -> Gate:
    """The application of one of several worker processes."""
    return create_app(Settings.model_validate_json(os.environ[VARIABLE]))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0")]
    [True, True, True, False]
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _allow_files(connections: int) -> None:
    """See that the process may have a file open for every connection: at that limit none is even told why."""
    try:
        import resource
    except ImportError:  # not known there: Windows has no such limit
        return
    needed = connections + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY not in (soft, hard) and hard < needed:
        raise UsageError(
            f"--max-connections {connections:,} needs {needed:,} open files, a process may have {hard:,}",
            remedy="ask for fewer, or raise the limit with ulimit -n",
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def _try_address(host: str, port: int) -> None:
    """See that nobody listens there yet; the server's own word for it would be a traceback or a log line."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(
            f"cannot listen there: {reason}", where=f"{host}:{port}", remedy="choose another --host or --port"
        ) from error
