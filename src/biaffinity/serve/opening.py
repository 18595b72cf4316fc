"""The page in the reader's browser, as soon as the service answers."""

from __future__ import annotations

import threading
import time
import webbrowser
from http.client import HTTPConnection, HTTPException

from biaffinity.serve.settings import Settings

_PATIENCE = 60.0  # seconds
_PAUSE = 0.1


def open_page(settings: Settings) -> None:
    """Wait in a thread until the service is up, then open its page: that of facts where there is a store."""
    threading.Thread(target=_open, args=(settings,), daemon=True, name="open").start()


def _open(settings: Settings) -> None:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # anywhere is here too
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        if _answers(host, settings.port):
            name = f"[{host}]" if ":" in host else host
            webbrowser.open(f"http://{name}:{settings.port}/{'facts' if settings.store else ''}")
            return
        time.sleep(_PAUSE)


def _answers(host: str, port: int) -> bool:
    connection = HTTPConnection(host, port, timeout=1)
    try:
        connection.request("GET", "/health/live")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
