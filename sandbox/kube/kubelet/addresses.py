"""Addresses of pods: each node's pods get theirs from the node's subnet, as with the VPC CNI."""

from __future__ import annotations

import ipaddress

# the first four addresses and the last of a subnet are AWS's own
_RESERVED_FIRST = 4


class AddressesExhausted(Exception):
    """No address is left in the subnet."""


class AddressPool:
    """The addresses of one subnet; nodes' own addresses are taken from it too."""

    def __init__(self, cidr: str) -> None:
        self.network = ipaddress.ip_network(cidr)
        self._taken: set[int] = set()
        self._next = _RESERVED_FIRST

    def take(self) -> str:
        size = self.network.num_addresses
        for _ in range(size):
            offset = self._next
            self._next = self._next + 1 if self._next < size - 2 else _RESERVED_FIRST
            if offset not in self._taken:
                self._taken.add(offset)
                return str(self.network[offset])
        raise AddressesExhausted(f"no address is left in subnet {self.network}")

    def claim(self, address: str) -> None:
        """An address that is in use already."""
        self._taken.add(self._offset(address))

    def give_back(self, address: str) -> None:
        self._taken.discard(self._offset(address))

    def __contains__(self, address: str) -> bool:
        return ipaddress.ip_address(address) in self.network

    def _offset(self, address: str) -> int:
        return int(ipaddress.ip_address(address)) - int(self.network.network_address)


class Addresses:
    """The subnets of a cluster's nodes."""

    def __init__(self) -> None:
        self._pools: dict[str, AddressPool] = {}

    def claim(self, cidr: str, address: str) -> None:
        pool = self._pool(cidr)
        if address in pool:
            pool.claim(address)

    def take(self, cidr: str) -> str:
        return self._pool(cidr).take()

    def give_back(self, cidr: str, address: str) -> None:
        pool = self._pool(cidr)
        if address in pool:
            pool.give_back(address)

    def clear(self) -> None:
        self._pools.clear()

    def _pool(self, cidr: str) -> AddressPool:
        if cidr not in self._pools:
            self._pools[cidr] = AddressPool(cidr)
        return self._pools[cidr]
