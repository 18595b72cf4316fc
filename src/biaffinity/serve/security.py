"""Keys, and the headers that every answer carries."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

from biaffinity.errors import DataError
from biaffinity.files import read_lines

_SHORTEST_KEY = 16

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
HEADERS = (
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class Keys:
    """The keys that open the service; none at all means that it is open."""

    def __init__(self, keys: list[str]) -> None:
        # Of equal length, so that a comparison does not tell the length of a key either.
        self._digests = [hashlib.sha256(key.encode()).digest() for key in keys]

    @classmethod
    def read(cls, path: Path | None) -> Keys:
        """A key per line; blank lines and those that begin with # are passed over."""
        if path is None:
            return cls([])
        keys = []
        for number, line in read_lines(path):
            key = line.strip()
            if not key or key.startswith("#"):
                continue
            if len(key) < _SHORTEST_KEY or not key.isascii() or " " in key:
                raise DataError(
                    f"a key has {_SHORTEST_KEY} characters at least, all ASCII, without spaces",
                    where=f"{path}:{number}",
                    remedy="make one with: openssl rand -hex 32",
                )
            keys.append(key)
        if not keys:
            raise DataError("holds no key", where=str(path), remedy="write one key per line")
        return cls(keys)

    def __bool__(self) -> bool:
        return bool(self._digests)

    def open(self, authorization: bytes) -> bool:
        """Whether a header ``Authorization: Bearer KEY`` holds one of the keys; every key is looked at."""
        scheme, _, key = authorization.partition(b" ")
        digest = hashlib.sha256(key.strip()).digest()
        found = False
        for own in self._digests:
            found |= hmac.compare_digest(own, digest)
        return found and scheme.lower() == b"bearer"
