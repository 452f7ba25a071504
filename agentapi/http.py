"""/mcp: streamable HTTP, stateless, one JSON answer a call; who may come in, and the way from there to REST in the same process."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import parse_qs

import httpx2
from django.conf import settings
from django.http.request import split_domain_port, validate_host
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings

from agentapi.caller import Caller, at_hand
from agentapi.errors import Refused, ToolError
from agentapi.limits import Limits, TooMany
from agentapi.rest import Rest
from agentapi.server import build
from agentapi.toolsets import HEADER, IN_ADDRESS, IN_HEADER, READ_ONLY_HEADER, choice_of
from instantstart.live.origin import is_ours

Application = Callable[[Any, Any, Any], Awaitable[None]]
PATH = "/mcp"
CALLER = "instantstart.mcp.caller"
HOW_TO_COME_IN = (
    "Make a token marked agent: on the page /account/tokens/, or with POST /api/v1/tokens/ and the body "
    '{"name": "my-agent", "agent": true}. Send it as "Authorization: Bearer <token>". There is no OAuth here: no sign-in can be started.'
)


class Door:
    """The ASGI application of /mcp, and of the server's lifespan. server: another one than ours behind the same door."""

    def __init__(self, django: Application, server: Server[Any] | None = None) -> None:
        self._django = django
        self._limits = Limits(settings.MCP_CALLS_A_MINUTE, settings.MCP_CALLS_AT_ONCE, settings.MCP_CALLS_IN_ALL)
        self._mcp = (server or build(_caller_of)).streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=True,
            json_response=True,
            max_request_body_size=settings.MCP_LARGEST_BODY,
            # Host and Origin are looked at here, by the installation's own settings.
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._mcp(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope.get("headers", ())}
        refusal = _stranger(scope, headers)
        if refusal is not None:
            await refusal(send)
            return
        token = headers["authorization"].partition(" ")[2].strip()
        try:
            with self._limits.held(hashlib.sha256(token.encode()).hexdigest()):
                await self._answer(scope, headers, token, receive, send)
        except TooMany as many:
            detail = Refusal(429, many.code, many.sentence, "Wait as long as Retry-After says.", {"Retry-After": str(many.retry_after)})
            await detail(send)

    async def _answer(self, scope: dict[str, Any], headers: dict[str, str], token: str, receive: Any, send: Any) -> None:
        rest = self._rest(scope, headers, token)
        try:
            me = await rest.get("me/")
            query = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
            toolsets = [(IN_ADDRESS, value) for value in query.get("toolsets", [])]
            toolsets += [(IN_HEADER, headers[HEADER])] if HEADER in headers else []
            read_only = query.get("read_only", []) + ([headers[READ_ONLY_HEADER]] if READ_ONLY_HEADER in headers else [])
            choice = choice_of(toolsets, read_only).narrowed(me)
        except Refused as refused:
            await _refusal_of(refused)(send)
        except ToolError as error:
            await Refusal(400, error.code, error.sentence, error.fix)(send)
        else:
            if not me.get("agent"):
                sentence = "This address takes only tokens that are marked agent; this one is not."
                await Refusal(403, "not_an_agents_token", sentence, HOW_TO_COME_IN)(send)
                return
            inner = {**scope, "path": PATH, "raw_path": PATH.encode(), CALLER: Caller(rest, me, choice)}
            await self._mcp(inner, receive, send)
        finally:
            await rest.close()

    def _rest(self, scope: dict[str, Any], headers: dict[str, str], token: str) -> Rest:
        client = tuple(scope.get("client") or ("127.0.0.1", 0))
        transport = httpx2.ASGITransport(self._django, raise_app_exceptions=False, client=client)
        more = {name: value for name, value in headers.items() if name in ("x-request-id", "x-forwarded-proto")}
        return Rest(f"{scope.get('scheme', 'http')}://{headers['host']}", token, transport, more)


def _caller_of(context: Any) -> AbstractAsyncContextManager[Caller]:
    caller: Caller = context.request.scope[CALLER]
    return at_hand(caller)


class Refusal:
    """A problem (RFC 9457) as an ASGI answer."""

    def __init__(self, status: int, code: str, detail: str, hint: str, headers: dict[str, str] | None = None) -> None:
        self._status = status
        self._headers = {"Content-Type": "application/problem+json", **(headers or {})}
        title = code.replace("_", " ").capitalize()
        body = {"type": f"/problems/{code}", "title": title, "status": status, "code": code, "detail": detail, "hint": hint}
        self._body = json.dumps(body).encode()

    async def __call__(self, send: Any) -> None:
        headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in self._headers.items()]
        headers.append((b"content-length", str(len(self._body)).encode()))
        await send({"type": "http.response.start", "status": self._status, "headers": headers})
        await send({"type": "http.response.body", "body": self._body})


def _stranger(scope: dict[str, Any], headers: dict[str, str]) -> Refusal | None:
    """The refusal of a request that gets no further than the door."""
    host, origin = headers.get("host", ""), headers.get("origin")
    domain, _ = split_domain_port(host)
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return Refusal(421, "unknown_host", "This installation does not answer to that host name.", "See INSTANTSTART_ALLOWED_HOSTS.")
    if origin is not None and not is_ours(origin, host):
        hint = "Call it from a program, or add the page's origin to INSTANTSTART_TRUSTED_ORIGINS."
        return Refusal(403, "wrong_origin", "Pages of other origins may not call this address.", hint)
    if scope["path"].rstrip("/") != PATH:
        return Refusal(404, "not_found", "There is no such address.", f"The MCP server is at {PATH}.")
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        return _unknown("This address needs a token.")
    if scope["method"] != "POST":
        # Nothing is kept between calls: there is no stream to listen to and no session to end.
        return Refusal(405, "method_not_allowed", "This address takes POST alone.", "Send MCP messages with POST.", {"Allow": "POST"})
    return None


def _unknown(sentence: str) -> Refusal:
    return Refusal(401, "token_needed", sentence, HOW_TO_COME_IN, {"WWW-Authenticate": "Bearer"})


def _refusal_of(refused: Refused) -> Refusal:
    problem = refused.problem
    if refused.status == 401:
        return _unknown(str(problem.get("detail") or "The token is unknown, expired or revoked."))
    return Refusal(refused.status, str(problem.get("code", "refused")), str(problem.get("detail", "")), str(problem.get("hint", "")))
