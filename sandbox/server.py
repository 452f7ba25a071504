"""Serves a world on loopback until a signal: uvicorn, the agenda's timer, the Kubernetes backend."""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import logging
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from sandbox.app import App, json_line
from sandbox.kube.controllers.manager import Controllers
from sandbox.world import World

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
_TICK_SECONDS = 0.1
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class PortBusy(Exception):
    """Something else listens there."""


def bind(port: int) -> socket.socket:
    """A listening socket on loopback; port 0 takes a free one. Raises PortBusy."""
    # The protocol must be named: asyncio switches Nagle's algorithm off only where it is, and a call would take 45 ms instead of 2.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(512)
    except OSError as error:
        listener.close()
        raise PortBusy(f"Port {port} on {HOST} cannot be used ({error.strerror}): stop what listens there, or choose --port 0.") from error
    listener.set_inheritable(False)
    return listener


def serve(state_dir: Path, port: int, speed: float | None) -> int:
    """Run until SIGTERM or SIGINT. Raises PortBusy, StateFolderBusy."""
    listener = bind(port)
    world = World(state_dir, speed=speed)
    try:
        world.serve_at(f"http://{HOST}:{listener.getsockname()[1]}")
        asyncio.run(_run(world, listener))
    finally:
        world.close()
        listener.close()
    return 0


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, world: World) -> None:
        super().__init__(config)
        self._world = world

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """A signal only ends the serving: uvicorn would send it again, which kills the process before its children are stopped."""
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        settings = self._world.settings
        ready = {
            "endpoint": settings.endpoint,
            "account": settings.account,
            "region": settings.region,
            "state_dir": str(settings.state_dir),
            "speed": self._world.clock.speed,
        }
        sys.stdout.write(json_line(ready) + "\n")
        sys.stdout.flush()


async def _run(world: World, listener: socket.socket) -> None:
    config = uvicorn.Config(
        App(world),
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=2,
        ws="none",
        timeout_keep_alive=65,
        server_header=False,
    )
    kube = asyncio.create_task(_start_kube(world))
    ticking = asyncio.create_task(_tick(world))
    try:
        await _Server(config, world).serve(sockets=[listener])
    finally:
        ticking.cancel()
        kube.cancel()
        _, controllers = await asyncio.gather(ticking, kube, return_exceptions=True)
        if isinstance(controllers, Controllers):
            await controllers.stop()
        if world.kube is not None:
            await world.kube.stop()


async def _tick(world: World) -> None:
    """Runs what is due even when nobody asks, so that controllers see it."""
    while True:
        await asyncio.sleep(_TICK_SECONDS)
        try:
            world.settle()
        except Exception:
            log.exception("the agenda could not be run")


async def _start_kube(world: World) -> Controllers | None:
    """AWS answers whether or not Kubernetes can run here; the controllers at work if it can."""
    if importlib.util.find_spec("sandbox.kube.backend") is None:
        return None
    from sandbox.kube import backend

    try:
        created = backend.create(world)
        world.kube = await created if inspect.isawaitable(created) else created
        await world.kube.start()
        controllers = Controllers(world, world.kube)
        controllers.start()
    except asyncio.CancelledError:
        raise
    except Exception:
        log.exception("the Kubernetes backend did not start: clusters will have no control plane")
        return None
    return controllers
