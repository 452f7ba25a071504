"""`/_sandbox/`: the clock, faults, request log, ledger and state of this sandbox, as JSON. No credentials: it is on loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from inspect import isawaitable
from typing import Any
from urllib.parse import unquote

from sandbox import facts, others
from sandbox.aws.errors import AWSError
from sandbox.aws.protocol.wire import Reply, Request
from sandbox.kube.protocol import KubeError
from sandbox.world import World

_MAX_LIMIT = 10_000
_PORT = re.compile(r":\d+$")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "")


class _Bad(Exception):
    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


Handler = Callable[[World, Request], Any]


async def answer(world: World, request: Request) -> Reply:
    path = unquote(request.raw_path).removeprefix("/_sandbox").strip("/")
    # A page in a browser can reach loopback, and by a name of its own that points there.
    foreign = _PORT.sub("", request.header("host")) not in _LOOPBACK
    if foreign or (request.header("origin") and request.method != "GET") or request.header("sec-fetch-site") == "cross-site":
        return _reply(403, {"error": "The control API is not for web pages."})
    handler = _ROUTES.get((request.method, path.partition("/")[0]))
    if handler is None:
        known = sorted({f"{method} /_sandbox/{name}" for method, name in _ROUTES})
        return _reply(404, {"error": f"There is no {request.method} /_sandbox/{path}.", "known": known})
    try:
        result = handler(world, request)
        return _reply(200, await result if isawaitable(result) else result)
    except _Bad as bad:
        return _reply(bad.status, {"error": bad.message})
    except ValueError as error:
        return _reply(400, {"error": str(error)})


def _status(world: World, request: Request) -> Any:
    world.settle()
    status = world.describe()
    kube = world.kube
    status["kube"] = {"available": kube.available(), "progress": kube.progress()} if kube is not None else None
    return status


def _clock(world: World, request: Request) -> Any:
    world.settle()
    return world.describe_clock()


def _set_clock(world: World, request: Request) -> Any:
    body = _document(request)
    unknown = set(body) - {"speed", "pause", "resume", "fast_forward"}
    if unknown:
        raise _Bad(f"The clock has no {', '.join(sorted(unknown))}: give speed, pause, resume or fast_forward.")
    if "speed" in body:
        world.settle()
        world.clock.set_speed(_number(body["speed"], "speed"))
    if body.get("pause"):
        world.clock.pause()
    if body.get("resume"):
        world.clock.resume()
    jumped = 0.0
    if "fast_forward" in body:
        target = body["fast_forward"]
        jumped = world.fast_forward(target if isinstance(target, str) else _number(target, "fast_forward"))
    return {**world.describe_clock(), "jumped": jumped}


def _faults(world: World, request: Request) -> Any:
    return {"faults": world.faults.list()}


def _add_fault(world: World, request: Request) -> Any:
    return world.faults.add(_document(request))


def _remove_faults(world: World, request: Request) -> Any:
    fault_id = unquote(request.raw_path).removeprefix("/_sandbox/faults").strip("/") or dict(request.query).get("id", "")
    if not fault_id:
        world.faults.clear()
    elif not world.faults.remove(fault_id):
        raise _Bad(f"There is no fault {fault_id}.", 404)
    return {"faults": world.faults.list()}


def _requests(world: World, request: Request) -> Any:
    query = dict(request.query)
    since, limit = _page(query)
    entries = world.requests.entries(since, limit, query.get("service", ""), query.get("operation", ""))
    return {"requests": entries, "next": entries[-1]["sequence"] if entries else since}


def _ledger(world: World, request: Request) -> Any:
    world.settle()
    query = dict(request.query)
    since, limit = _page(query)
    alive = {"true": True, "false": False}.get(query.get("alive", ""))
    entries = world.ledger.entries(since, limit, query.get("kind", ""), alive)
    return {"ledger": entries, "next": entries[-1]["sequence"] if entries else since}


def _state(world: World, request: Request) -> Any:
    world.settle()
    query = dict(request.query)
    kind = query.get("kind", "")
    if not kind:
        return {"kinds": [name for name in world.store.kinds() if not name.startswith("_")]}
    found = []
    for one in kind.split(","):
        if one.startswith("_identity"):
            raise _Bad("Keys are not shown.", 403)
        found += facts.resources(world, one, query.get("scope", ""))
    return {"now": world.clock.now(), "state": found}


async def _kubernetes(world: World, request: Request) -> Any:
    world.settle()
    query = dict(request.query)
    kinds = [one.rpartition("/")[::2] for one in query.get("kind", "").split(",") if one]
    if not kinds or not all(api_version and kind for api_version, kind in kinds):
        raise _Bad("kind must be apiVersion/kind, several with commas between: v1/Node,apps/v1/Deployment.")
    try:
        return {"objects": await facts.objects(world, query.get("cluster", ""), kinds)}
    except LookupError as error:
        raise _Bad(str(error), 404) from error
    except KubeError as error:
        raise _Bad(str(error), 503) from error


def _accounts(world: World, request: Request) -> Any:
    return {"accounts": [value["account"] for value in world.store.list("_account", "*")]}


def _add_account(world: World, request: Request) -> Any:
    body = _document(request)
    account = body.get("account", "")
    if not (isinstance(account, str) and len(account) == 12 and account.isascii() and account.isdigit()):
        raise _Bad(f"account must be 12 digits, not {account!r}.")
    world.add_account(account, str(body.get("access_key", "")), str(body.get("secret_key", "")))
    return world.store.get("_account", "*", account)


def _add_interface(world: World, request: Request) -> Any:
    body = _document(request)
    groups = body.get("security_groups", [])
    if not isinstance(groups, list) or not isinstance(body.get("subnet_id"), str):
        raise _Bad("subnet_id must be text and security_groups a list.")
    world.settle()
    try:
        return {"id": others.make_interface(world, body["subnet_id"], groups, str(body.get("description", "ELB net/outside")))}
    except AWSError as error:
        raise _Bad(error.message) from error


def _remove_interface(world: World, request: Request) -> Any:
    interface_id = unquote(request.raw_path).removeprefix("/_sandbox/interfaces").strip("/")
    if not others.remove_interface(world, interface_id):
        raise _Bad(f"There is no interface {interface_id}.", 404)
    return {"id": interface_id}


async def _reset(world: World, request: Request) -> Any:
    if world.kube is not None:
        await world.kube.reset()
    world.reset()
    return world.describe()


_ROUTES: dict[tuple[str, str], Handler] = {
    ("GET", "status"): _status,
    ("GET", "clock"): _clock,
    ("POST", "clock"): _set_clock,
    ("GET", "faults"): _faults,
    ("POST", "faults"): _add_fault,
    ("DELETE", "faults"): _remove_faults,
    ("GET", "requests"): _requests,
    ("GET", "ledger"): _ledger,
    ("GET", "state"): _state,
    ("GET", "kubernetes"): _kubernetes,
    ("GET", "accounts"): _accounts,
    ("POST", "accounts"): _add_account,
    ("POST", "interfaces"): _add_interface,
    ("DELETE", "interfaces"): _remove_interface,
    ("POST", "reset"): _reset,
}


def _document(request: Request) -> dict[str, Any]:
    try:
        document = json.loads(request.body or b"{}")
    except (ValueError, RecursionError) as error:
        raise _Bad("The body is not JSON.") from error
    if not isinstance(document, dict):
        raise _Bad("The body must be a JSON object.")
    return document


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Bad(f"{name} must be a number, not {value!r}.")
    return float(value)


def _page(query: dict[str, str]) -> tuple[int, int]:
    try:
        since, limit = int(query.get("since") or 0), int(query.get("limit") or 1000)
    except ValueError as error:
        raise _Bad("since and limit must be whole numbers.") from error
    if not 0 <= since < 2**62:
        raise _Bad("since must be a sequence number.")
    return since, max(1, min(limit, _MAX_LIMIT))


def _reply(status: int, document: Any) -> Reply:
    return Reply(status, {"content-type": "application/json"}, json.dumps(document, default=str).encode())
