"""The kubelet's HTTPS API, as far as an apiserver uses it: logs, exec, attach."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from aiohttp import web

from sandbox.kube.kubelet.exec import attach, execute
from sandbox.kube.kubelet.logs import LogQuery
from sandbox.kube.kubelet.times import seconds_of

if TYPE_CHECKING:
    from sandbox.kube.kubelet.cluster import ClusterKubelet
    from sandbox.kube.kubelet.container import Container
    from sandbox.kube.kubelet.pod import PodWorker

KUBELET: web.AppKey[ClusterKubelet] = web.AppKey("kubelet")


def application(kubelet: ClusterKubelet) -> web.Application:
    app = web.Application()
    app[KUBELET] = kubelet
    app.router.add_get("/containerLogs/{namespace}/{pod}/{container}", _logs)
    for method in ("GET", "POST"):
        app.router.add_route(method, "/exec/{namespace}/{pod}/{container}", _execute)
        app.router.add_route(method, "/attach/{namespace}/{pod}/{container}", _attach)
        app.router.add_route(method, "/portForward/{namespace}/{pod}", _port_forward)
    app.router.add_get("/healthz", _healthz)
    return app


async def _healthz(request: web.Request) -> web.Response:
    return web.Response(text="ok")


async def _logs(request: web.Request) -> web.StreamResponse:
    worker, container = _find(request)
    previous = request.query.get("previous") == "true"
    if previous and not container.restarts:
        text = f'previous terminated container "{container.name}" in pod "{worker.name}" not found'
        raise web.HTTPBadRequest(text=text)
    waiting = container.state.get("waiting")
    if not previous and waiting is not None and not container.restarts:
        text = f'container "{container.name}" in pod "{worker.name}" is waiting to start: {waiting.get("reason", "ContainerCreating")}'
        raise web.HTTPBadRequest(text=text)
    restart = container.restarts - 1 if previous else container.restarts
    query = log_query(request)
    response = web.StreamResponse()
    response.content_type = "text/plain"
    await response.prepare(request)
    async for chunk in container.log(restart).read(query):
        await response.write(chunk)
    await response.write_eof()
    return response


def log_query(request: web.Request) -> LogQuery:
    """The options as the apiserver passes them on, already validated there."""
    query = request.query
    since = None
    if query.get("sinceSeconds"):
        since = time.time() - float(query["sinceSeconds"])
    elif query.get("sinceTime"):
        since = seconds_of(query["sinceTime"])
    return LogQuery(
        follow=query.get("follow") == "true",
        timestamps=query.get("timestamps") == "true",
        tail=int(query["tailLines"]) if query.get("tailLines") else None,
        since=since,
        limit_bytes=int(query["limitBytes"]) if query.get("limitBytes") else None,
    )


async def _execute(request: web.Request) -> web.StreamResponse:
    _, container = _find(request)
    if container.play is None or not container.running:
        raise web.HTTPBadRequest(text=f'container not found ("{container.name}")')
    return await execute(request, container)


async def _attach(request: web.Request) -> web.StreamResponse:
    _, container = _find(request)
    if not container.running:
        raise web.HTTPBadRequest(text=f'container not found ("{container.name}")')
    return await attach(request, container)


async def _port_forward(request: web.Request) -> web.Response:
    text = "port-forward is not simulated by this sandbox"
    raise web.HTTPNotImplemented(text=text)


def _find(request: web.Request) -> tuple[PodWorker, Container]:
    kubelet, where = request.app[KUBELET], request.match_info
    worker = kubelet.worker(where["namespace"], where["pod"])
    if worker is None:
        raise web.HTTPNotFound(text=f'pod "{where["pod"]}" not found on this node')
    container = worker.container(where["container"])
    if container is None:
        raise web.HTTPNotFound(text=f"container {where['container']} is not valid for pod {where['pod']}")
    return worker, container
