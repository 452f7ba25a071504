"""Where webhooks may go: an address that somebody typed must not reach what only this machine can reach."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from instantstart.problem import FieldError

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Place = tuple[socket.AddressFamily, Any]
"""Where a socket connects to: family and address, as the look-up gave them."""
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_TO_ALLOW = "An administrator can allow networks by INSTANTSTART_WEBHOOK_NETWORKS."


class NotAllowed(Exception):
    """A sentence that says why the address is refused."""


def fault(url: str) -> FieldError | None:
    """What is wrong with the address as such, without asking anybody: names are looked up when a message is sent."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return FieldError("url", "invalid_url", "This is no address.", "Give one like https://example.com/hooks.")
    if parts.scheme not in ("https", "http") or not parts.hostname or port == 0 or not url.isascii() or any(sign <= " " for sign in url):
        return FieldError("url", "invalid_url", "This is no web address.", "Give one like https://example.com/hooks.")
    if parts.username is not None or parts.password is not None:
        return FieldError("url", "credentials_in_url", "The address holds a password.", "Leave it out: messages are signed instead.")
    if parts.scheme == "http" and not settings.WEBHOOK_NETWORKS:
        return FieldError(
            "url", "not_encrypted", "Plain HTTP can be read and changed on the way.", f"Give an https:// address. {_TO_ALLOW}"
        )
    try:
        address = ipaddress.ip_address(parts.hostname)
    except ValueError:
        return None
    try:
        check(address, parts.scheme)
    except NotAllowed as refused:
        return FieldError("url", "address_not_allowed", str(refused), "Give an address on the internet.")
    return None


def pin(parts: SplitResult) -> list[Place]:
    """The addresses to connect to: the name is looked up once, here, and what is not allowed is left out.

    Raises NotAllowed when nothing is left, OSError when the name is not known.
    """
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    found = [(entry[0], entry[4]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    refused: NotAllowed | None = None
    allowed: list[Place] = []
    for family, place in found:
        try:
            check(ipaddress.ip_address(str(place[0]).partition("%")[0]), parts.scheme)
            allowed.append((family, place))
        except NotAllowed as error:
            refused = error
    if refused is not None and not allowed:
        raise refused
    return allowed


def check(address: IPAddress, scheme: str) -> None:
    """Raises NotAllowed for what is not on the internet, unless a setting allows its network; plain HTTP needs the setting, too."""
    inner = _inner(address)
    networks = [ipaddress.ip_network(text) for text in settings.WEBHOOK_NETWORKS]
    if any(inner.version == network.version and inner in network for network in networks):
        return
    if not inner.is_global or inner.is_multicast or inner.is_reserved or _tunnel(inner):
        raise NotAllowed(f"{address} is not an address on the internet. {_TO_ALLOW}")
    if scheme != "https":
        raise NotAllowed(f"Plain HTTP to {address} can be read and changed on the way. {_TO_ALLOW}")


def _inner(address: IPAddress) -> IPAddress:
    """The IPv4 address that an IPv6 one stands for."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address.sixtofour is not None:
            return address.sixtofour
        if address in _NAT64:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _tunnel(address: IPAddress) -> bool:
    return isinstance(address, ipaddress.IPv6Address) and address.teredo is not None
