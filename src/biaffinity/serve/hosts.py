"""The names that a service goes by: a page elsewhere can have its own name lead to this machine.

The browser then takes the service for a part of that page and lets it read every answer. But it sends the
name, in the header ``Host``, and by that it is known.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

ANY = "*"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Hosts:
    """Names and addresses, without ports; none at all means that the name is not looked at.

    >>> hosts = Hosts(["localhost", "::1"])
    >>> [hosts.know(host) for host in (b"localhost:8000", b"[::1]", b"LOCALHOST", b"evil.example", b"")]
    [True, True, True, False, False]
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = frozenset(name.lower() for name in names)
        self._any = not names or ANY in names
        self._any_address = ADDRESSES in names

    def know(self, host: bytes) -> bool:
        """Whether a header ``Host`` names the service."""
        if self._any:
            return True
        name = host.decode("latin-1").lower()
        name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
        return name in self._names or (self._any_address and _is_address(name))


#: Stands for any address in numbers: no name leads to another machine by that.
ADDRESSES = "any address"


def default_hosts(host: str) -> tuple[str, ...]:
    """The names of a service that listens at an address: this machine's own, and that address.

    One that listens at all of them is also known by any address in numbers; its names must be told.
    """
    if _is_address(host) and ipaddress.ip_address(host).is_unspecified:
        return (*LOOPBACK, ADDRESSES)
    return (*LOOPBACK, host)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
