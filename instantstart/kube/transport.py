"""HTTP to a Kubernetes API: TLS by the cluster's own CA, bearer token, JSON in and out, errors as KubeError.

urllib3 is used directly: the generated client validates every reply with pydantic and refuses objects that a newer server
or a custom resource makes; nothing here needs its models.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import ssl
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import urllib3
from django.conf import settings
from django.db import connection

from instantstart.kube import errors
from instantstart.kube.errors import KubeError
from instantstart.kube.target import KubeTarget, bearer_token

_pools: dict[tuple[str, str], urllib3.PoolManager] = {}
_lock = threading.Lock()
_MOST_POOLS = 512


def _pool(target: KubeTarget) -> urllib3.PoolManager:
    key = (target.endpoint, hashlib.sha256(target.ca_data.encode()).hexdigest())
    with _lock:
        pool = _pools.get(key)
        if pool is None:
            try:
                context = ssl.create_default_context(cadata=base64.b64decode(target.ca_data, validate=True).decode())
            except (binascii.Error, UnicodeDecodeError, ssl.SSLError) as error:
                raise KubeError(
                    "connect", errors.TLS_FAILED, f"The certificate authority of {target.name} is not a PEM: {error}", sent=False
                ) from error
            if len(_pools) >= _MOST_POOLS:
                _pools.pop(next(iter(_pools))).clear()
            pool = _pools[key] = urllib3.PoolManager(num_pools=2, maxsize=16, ssl_context=context, retries=False)
    return pool


class Transport:
    """Requests to one cluster. Threads may share it."""

    def __init__(self, target: KubeTarget) -> None:
        self.target = target

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        accept: str = "application/json",
        timeout: float | None = None,
        stream: bool = False,
    ) -> urllib3.BaseHTTPResponse:
        """The answer, whose status is below 400. timeout: seconds without a byte. KubeError otherwise."""
        if any(not getattr(block, "_from_testcase", False) for block in connection.atomic_blocks):
            raise RuntimeError(f"{method} {path} was called inside a database transaction")
        answer = self._send(method, path, query, body, content_type, accept, timeout, stream, fresh_token=False)
        if answer.status == 401:
            # Refused before anything was done, so sending it again under a new token is safe.
            answer.drain_conn()
            answer = self._send(method, path, query, body, content_type, accept, timeout, stream, fresh_token=True)
        if answer.status >= 400:
            raise self._refused(f"{method} {path}", answer)
        return answer

    def json(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        """The answer's JSON object. KubeError."""
        answer = self.request(method, path, **options)
        try:
            said = json.loads(answer.data)
        except ValueError as error:
            raise KubeError(f"{method} {path}", errors.UNREADABLE_REPLY, f"The answer is not JSON: {error}", answer.status) from error
        if not isinstance(said, dict):
            raise KubeError(f"{method} {path}", errors.UNREADABLE_REPLY, "The answer is not a JSON object.", answer.status)
        return said

    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None,
        body: Any,
        content_type: str,
        accept: str,
        timeout: float | None,
        stream: bool,
        *,
        fresh_token: bool,
    ) -> urllib3.BaseHTTPResponse:
        operation = f"{method} {path}"
        url = self.target.endpoint.rstrip("/") + path + (f"?{urlencode(query)}" if query else "")
        headers = {
            "Authorization": f"Bearer {bearer_token(self.target, fresh=fresh_token)}",
            "Accept": accept,
            "User-Agent": "instantstart",
        }
        if body is not None:
            headers["Content-Type"] = content_type
        try:
            return _pool(self.target).request(
                method,
                url,
                body=None if body is None else json.dumps(body).encode(),
                headers=headers,
                timeout=urllib3.Timeout(connect=settings.AWS_CONNECT_TIMEOUT, read=timeout or settings.AWS_READ_TIMEOUT),
                preload_content=not stream,
                redirect=False,
            )
        except (
            urllib3.exceptions.NewConnectionError,
            urllib3.exceptions.ConnectTimeoutError,
            urllib3.exceptions.NameResolutionError,
        ) as error:
            raise KubeError(
                operation, errors.UNREACHABLE, f"The Kubernetes API at {self.target.endpoint} can't be reached: {error}", sent=False
            ) from error
        except urllib3.exceptions.ReadTimeoutError as error:
            raise KubeError(operation, errors.TIMEOUT, f"The Kubernetes API at {self.target.endpoint} did not answer in time.") from error
        except urllib3.exceptions.SSLError as error:
            raise KubeError(
                operation, errors.TLS_FAILED, f"The Kubernetes API at {self.target.endpoint} did not prove who it is: {error}"
            ) from error
        except urllib3.exceptions.HTTPError as error:
            raise KubeError(operation, errors.CONNECTION_RESET, f"The connection to {self.target.endpoint} broke: {error}") from error

    def _refused(self, operation: str, answer: urllib3.BaseHTTPResponse) -> KubeError:
        try:
            said = json.loads(answer.data)
        except (ValueError, urllib3.exceptions.HTTPError):
            said = None
        if isinstance(said, dict) and said.get("kind") == "Status":
            reason = str(said.get("reason") or f"Http{answer.status}")
            return KubeError(operation, reason, str(said.get("message") or reason), answer.status, sent=True)
        # Not the API server's way to answer: a proxy, or a path that it does not know at all.
        text = bytes(answer.data or b"")[:200].decode(errors="replace").strip()
        code = errors.UNREADABLE_REPLY if answer.status != 401 else "Unauthorized"
        return KubeError(operation, code, f"HTTP {answer.status}: {text}", answer.status, sent=True if answer.status < 500 else None)
