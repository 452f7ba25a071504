"""Free ports on 127.0.0.1."""

from __future__ import annotations

import random
import socket

# Below Linux' ephemeral range (32768 and up): a port that is kept for later starts must not be taken by somebody's outgoing connection.
KEPT = range(20_000, 32_000)

_random = random.SystemRandom()


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        # as servers do: a port in TIME_WAIT counts as free
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def choose(taken: frozenset[int] = frozenset()) -> int:
    """A port that is free now and that nothing else is likely to take; not one of `taken`."""
    for _ in range(1_000):
        port = _random.choice(KEPT)
        if port not in taken and is_free(port):
            return port
    raise OSError(f"no free port between {KEPT.start} and {KEPT.stop} on 127.0.0.1 after 1000 attempts")
