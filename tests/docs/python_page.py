"""Runs pieces of Python that share their names, one for each line of stdin; a program of its own.

A line is a piece as a JSON string; the answer is a line of JSON with what it printed and how it failed.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import traceback
from typing import Any

if __name__ == "__main__":
    names: dict[str, Any] = {"__name__": "__main__"}
    for line in sys.stdin:
        printed, failure = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(json.loads(line), "<block>", "exec"), names)
            except Exception:
                failure = traceback.format_exc()
        print(json.dumps({"printed": printed.getvalue(), "failure": failure}), flush=True)
