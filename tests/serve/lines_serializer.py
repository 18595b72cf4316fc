"""For schemathesis, which knows no lines of JSON: a value is sent as it is, or as one line.

On the command line: SCHEMATHESIS_HOOKS=tests/serve/lines_serializer.py schemathesis run ...
"""

from __future__ import annotations

import json
from typing import Any

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def as_lines(context: Any, value: Any) -> bytes:
    return value.encode(errors="replace") if isinstance(value, str) else json.dumps(value).encode()
