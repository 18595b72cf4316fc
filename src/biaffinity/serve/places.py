"""Places that clients take, bounded in number and by address: connections, and streams."""

from __future__ import annotations

import ipaddress
from collections import Counter


class Places:
    """The places of one kind in one process."""

    def __init__(self, what: str, most: int, most_per_address: int) -> None:
        self.what = what
        self.most = most
        self.most_per_address = most_per_address
        self._by_address: Counter[str] = Counter()
        self._taken = 0

    def admit(self, address: str) -> str | None:
        """Take a place; where there is none it is not taken, and this says what there is too much of."""
        if self._taken >= self.most:
            return f"{self.most:,} {self.what}"
        if self._by_address[address] >= self.most_per_address:
            return f"{self.most_per_address:,} {self.what} from this address"
        self._taken += 1
        self._by_address[address] += 1
        return None

    def leave(self, address: str) -> None:
        """Give back a place that was taken."""
        self._taken -= 1
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]


def address_of(client: tuple[str, int] | None) -> str:
    """What counts as one address: of IPv6 the network of 64 bits, which a single client may have whole.

    >>> address_of(("127.0.0.1", 4711)), address_of(("2001:db8::1", 1)), address_of(None)
    ('127.0.0.1', '2001:db8::/64', '')
    """
    if client is None:
        return ""
    host = client[0].partition("%")[0]
    return str(ipaddress.ip_network(f"{host}/64", strict=False)) if ":" in host else host
