"""One AWS request from bytes to bytes: identify, authenticate, parse, meet faults, perform, serialise, log."""

from __future__ import annotations

import asyncio
import gzip
import logging
import uuid
import zlib
from dataclasses import dataclass, replace
from typing import Any

from sandbox.aws import authentication, chunked, dispatch, endpoint, sigv4
from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.protocol import replies, requests
from sandbox.aws.protocol.wire import Reply, Request
from sandbox.identity import Principal
from sandbox.requests import digest_of
from sandbox.world import World

log = logging.getLogger(__name__)

_UNSIGNED = {("sts", "AssumeRoleWithWebIdentity"), ("sts", "AssumeRoleWithSAML")}
_MAX_UNZIPPED = 64 * 1024 * 1024


@dataclass(frozen=True)
class Answer:
    """`reply` is None when the connection is to be cut: "reset" before anything happened, "lost" after it did."""

    reply: Reply | None
    cut: str = ""


async def answer(world: World, request: Request) -> Answer:
    call = _Call(world, request)
    try:
        return await call.run()
    except AWSError as error:
        return Answer(call.failed(error))
    except Exception:
        # The last resort of a server: a defect in a handler answers one request with 500, as AWS does, and is traced.
        log.exception("%s:%s failed (request %s)", call.service, call.operation, call.request_id)
        return Answer(
            call.failed(AWSError("InternalFailure", f"The sandbox failed on this request: see its log for {call.request_id}.", 500))
        )


class _Call:
    def __init__(self, world: World, request: Request) -> None:
        self.world = world
        self.request = request
        self.request_id = str(uuid.uuid4())
        self.service = "s3"
        self.operation = ""
        self.principal: Principal | None = None
        self.region = world.settings.region
        self.params: dict[str, Any] = {}
        self.fault = ""

    async def run(self) -> Answer:
        claim, refused = _claim(self.request)
        target = endpoint.find(self.request, claim, self.world.settings.region)
        self.service, self.region = target.service, target.region
        if not target.known:
            self.operation = self.request.header("x-amz-target").rpartition(".")[2]
            raise AWSError("NotImplemented", f"The service {target.service} is not simulated by the sandbox.", 501)
        operation, labels = requests.find(self.service, self.request)
        self.operation = operation.name
        if refused is not None:
            raise authentication.refusal(self.service, refused) from refused
        if claim is not None or (self.service, operation.name) not in _UNSIGNED:
            self.principal = authentication.principal_of(self.world, self.service, self.request, claim)
        self.params = requests.parameters(operation, labels, _readable(self.request))
        context = self._context()
        fault = self.world.faults.take(self.service, operation.name)
        kind = self.fault = "" if fault is None else fault["kind"]
        if kind == "reset":
            self._log(0, "")
            return Answer(None, "reset")
        if fault is not None and (kind in ("throttle", "access_denied") or kind.startswith("error:")):
            raise dispatch.fault_error(context, fault)
        if kind.startswith("slow:"):
            await asyncio.sleep(float(kind.partition(":")[2]))
        result = dispatch.perform(context, self.params)
        if kind == "reply_lost":
            self._log(0, "")
            return Answer(None, "lost")
        if kind == "error_after":
            raise AWSError("InternalError" if self.service in ("s3", "ec2") else "InternalFailure", "An internal error has occurred.", 500)
        reply = replies.success(operation, result, self.request_id)
        self._log(reply.status, "")
        return Answer(reply)

    def failed(self, error: AWSError) -> Reply:
        reply = replies.failure(self.service, error, self.request_id, head=self.request.method == "HEAD")
        self._log(reply.status, error.code)
        return reply

    def _context(self) -> Context:
        principal = self.principal or Principal(arn="anonymous", account=self.world.settings.account, kind="anonymous")
        return Context(
            world=self.world,
            account=principal.account,
            region=self.region,
            principal=principal,
            request_id=self.request_id,
            service=self.service,
            operation=self.operation,
            source="api",
            headers=self.request.headers,
        )

    def _log(self, status: int, code: str) -> None:
        self.world.requests.add(
            request_id=self.request_id,
            service=self.service,
            operation=self.operation,
            principal=self.principal.arn if self.principal else "",
            digest=digest_of(self.params),
            status=status,
            code=code,
            fault=self.fault,
            account=self.principal.account if self.principal else "",
            region=self.region,
        )


def _claim(request: Request) -> tuple[sigv4.Signature | None, sigv4.Refused | None]:
    """A claim that cannot be read is refused only once the service is known, in its words."""
    try:
        return sigv4.claimed(request), None
    except sigv4.Refused as refused:
        return None, refused


def _readable(request: Request) -> Request:
    """The request without its transfer encodings."""
    if chunked.is_chunked(request):
        request = chunked.unwrapped(request)
    if request.header("content-encoding") == "gzip" and request.header("x-amz-target"):
        try:
            unzip = zlib.decompressobj(16 + zlib.MAX_WBITS)
            body = unzip.decompress(request.body, _MAX_UNZIPPED)
        except (zlib.error, gzip.BadGzipFile) as error:
            raise AWSError("SerializationException", "The body is not gzip.") from error
        request = replace(request, body=body)
    return request
