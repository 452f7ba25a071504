"""Bytes between two connections, both ways, until one side ends; a gate can hold them back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

Gate = Callable[[], Awaitable[None]]

_CHUNK = 65_536


async def _open_gate() -> None:
    return


async def pipe(
    first: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    second: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    gate: Gate = _open_gate,
) -> None:
    """Return when both directions have ended. `gate` is awaited before each chunk goes on."""
    try:
        await asyncio.gather(_copy(first[0], second[1], gate), _copy(second[0], first[1], gate))
    finally:
        first[1].close()
        second[1].close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, gate: Gate) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(_CHUNK):
            await gate()
            writer.write(chunk)
            await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        if writer.can_write_eof():
            writer.write_eof()
