"""One POST to an address that somebody else chose: pinned, short, and nothing of the answer believed but its status and Retry-After."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from operations import clock
from operations.alerts import addresses

SECONDS = 10.0
"""For everything after the name was looked up, however slowly the other side talks."""


@dataclass(frozen=True)
class Answer:
    """retry_after: seconds that the receiver asks to wait, None when it asks for none."""

    status: int
    retry_after: float | None = None


class NotDelivered(Exception):
    """A sentence that says why no answer came."""


def post(url: str, headers: Mapping[str, str], body: bytes, seconds: float = SECONDS) -> Answer:
    """The answer; redirects are not followed. Raises NotDelivered."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        pinned = addresses.pin(parts)
    except addresses.NotAllowed as refused:
        raise NotDelivered(str(refused)) from None
    except OSError:
        raise NotDelivered(f"The name {parts.hostname} is not known.") from None
    connection = _Pinned(parts.hostname or "", parts.port, pinned, seconds, tls=parts.scheme == "https")
    timer = threading.Timer(seconds, connection.cut)
    timer.daemon = True
    timer.start()
    try:
        connection.request("POST", path, body, dict(headers))
        response = connection.getresponse()
        return Answer(response.status, _retry_after(response.getheader("Retry-After", "")))
    except ssl.SSLCertVerificationError as error:
        raise NotDelivered(f"The certificate of {parts.hostname} is not valid: {error.verify_message}.") from None
    except (OSError, http.client.HTTPException) as error:
        why = f"gave no answer within {seconds:g} s" if connection.was_cut or isinstance(error, TimeoutError) else _why(error)
        raise NotDelivered(f"{parts.hostname} {why}.") from None
    finally:
        timer.cancel()
        connection.close()


def _retry_after(said: str) -> float | None:
    """Seconds, or the time until a date; None for what is neither, and for what lies behind us."""
    said = said.strip()
    if said.isascii() and said.isdecimal():
        return float(said[:9]) or None
    try:
        moment = parsedate_to_datetime(said)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    left = (moment - clock.now()).total_seconds()
    return left if left > 0 else None


def _why(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "refused the connection"
    if isinstance(error, (ConnectionResetError, BrokenPipeError, http.client.RemoteDisconnected)):
        return "broke the connection off"
    return f"could not be reached ({type(error).__name__})"


class _Pinned(http.client.HTTPConnection):
    """Connects to the addresses that were checked, never to what the name means by then; TLS still proves the name."""

    def __init__(self, host: str, port: int | None, pinned: list[addresses.Place], seconds: float, *, tls: bool) -> None:
        super().__init__(host, port or (443 if tls else 80), timeout=seconds)
        self._pinned, self._tls = pinned, tls
        self.was_cut = False

    def connect(self) -> None:
        trouble: OSError | None = None
        for family, place in self._pinned:
            self.sock = socket.socket(family, socket.SOCK_STREAM)
            try:
                self.sock.settimeout(self.timeout)
                self.sock.connect(place)
                break
            except OSError as error:
                self.sock.close()
                trouble = error
        else:
            raise trouble or OSError("no address")
        if self._tls:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)

    def cut(self) -> None:
        """Ends it from another thread, whatever it waits for."""
        self.was_cut = True
        try:
            if self.sock is not None:
                self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
