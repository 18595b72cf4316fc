"""A stand-in for a model whose process dies once."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from biaffinity.annotation import Document
from bulk.capitals import Capitals


class Mortal(Capitals):
    """Dies at Mort, unless the file that the text names is there already; Slow takes a moment."""

    def _read(self, text: str, name: str) -> Document:
        if text.startswith("Mort "):
            marker = Path(text.split()[1])
            if not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        if "Slow" in text:
            time.sleep(0.02)
        return super()._read(text.replace("Slow", "slow"), name)
