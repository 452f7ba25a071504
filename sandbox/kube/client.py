"""The Kubernetes API of one control plane, as `system:masters`. One aiohttp session, plain dicts in and out."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote, urlencode

import aiohttp

from sandbox.kube.pki import Pki
from sandbox.kube.protocol import KubeError, Manifest, PatchType
from sandbox.kube.watch import Watch

_TIMEOUT = aiohttp.ClientTimeout(total=30, connect=5)
_CONNECTIONS = 24
_PATCH_TYPES = {
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "json": "application/json-patch+json",
    "apply": "application/apply-patch+yaml",
}


Items = list[Manifest]


class Client:
    """Implements `protocol.KubeClient`. Make it inside a running event loop; `close` it."""

    def __init__(self, base_url: str, pki: Pki) -> None:
        tls = ssl.create_default_context(cafile=pki.certificate("ca"))
        tls.load_cert_chain(pki.certificate("admin"), pki.key("admin"))
        self._base = base_url
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=tls, limit=0), timeout=_TIMEOUT, headers={"User-Agent": "instantstart-sandbox"}
        )
        # watches stay open for ever, so the connector has no limit and the short calls have this one
        self._slots = asyncio.Semaphore(_CONNECTIONS)
        self._resources: dict[str, dict[str, tuple[str, bool]]] = {}

    @property
    def closed(self) -> bool:
        return self._session.closed

    async def close(self) -> None:
        await self._session.close()

    async def get(self, api_version: str, kind: str, name: str, namespace: str = "") -> Manifest | None:
        try:
            return await self.request("GET", await self.path(api_version, kind, namespace, name))
        except KubeError as error:
            if error.status == 404:
                return None
            raise

    async def list(self, api_version: str, kind: str, namespace: str = "", labels: str = "", fields: str = "") -> list[Manifest]:
        items, _ = await self.list_at(api_version, kind, namespace, labels, fields)
        return items

    async def list_at(self, api_version: str, kind: str, namespace: str = "", labels: str = "", fields: str = "") -> tuple[Items, str]:
        """The objects and the resource version from which a watch goes on."""
        path = await self.path(api_version, kind, namespace)
        query = selectors(labels, fields)
        answer = await self.request("GET", f"{path}?{urlencode(query)}" if query else path)
        items = answer.get("items") or []
        for item in items:  # lists leave these out
            item.setdefault("apiVersion", api_version)
            item.setdefault("kind", kind)
        return items, answer["metadata"].get("resourceVersion", "")

    async def create(self, manifest: Manifest) -> Manifest:
        metadata = manifest["metadata"]
        path = await self.path(manifest["apiVersion"], manifest["kind"], metadata.get("namespace", ""))
        return await self.request("POST", path, manifest)

    async def apply(self, manifest: Manifest, manager: str = "eks", force: bool = True) -> Manifest:
        metadata = manifest["metadata"]
        path = await self.path(manifest["apiVersion"], manifest["kind"], metadata.get("namespace", ""), metadata["name"])
        query = urlencode({"fieldManager": manager, "force": str(force).lower()})
        return await self.request("PATCH", f"{path}?{query}", manifest, content_type=_PATCH_TYPES["apply"])

    async def patch(
        self,
        api_version: str,
        kind: str,
        name: str,
        patch: Any,
        namespace: str = "",
        patch_type: PatchType = "merge",
        subresource: str = "",
    ) -> Manifest:
        path = await self.path(api_version, kind, namespace, name)
        if subresource:
            path = f"{path}/{subresource}"
        return await self.request("PATCH", path, patch, content_type=_PATCH_TYPES[patch_type])

    async def delete(self, api_version: str, kind: str, name: str, namespace: str = "", propagation: str = "Background") -> bool:
        path = await self.path(api_version, kind, namespace, name)
        try:
            await self.request("DELETE", path, {"propagationPolicy": propagation})
        except KubeError as error:
            if error.status == 404:
                return False
            raise
        return True

    async def evict(self, name: str, namespace: str) -> bool:
        path = await self.path("v1", "Pod", namespace, name)
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": namespace}}
        try:
            await self.request("POST", f"{path}/eviction", eviction)
        except KubeError as error:
            if error.status not in (404, 429):
                raise
            return False
        return True

    async def watch(
        self, api_version: str, kind: str, namespace: str = "", labels: str = "", fields: str = ""
    ) -> AsyncIterator[tuple[str, Manifest]]:
        async for event in Watch(self, api_version, kind, namespace, labels, fields).events():
            yield event

    async def path(self, api_version: str, kind: str, namespace: str = "", name: str = "") -> str:
        """The URL path of a kind's collection or of one object, by the API's own discovery."""
        known = self._resources.get(api_version)
        if known is None or kind not in known:
            known = self._resources[api_version] = await self._discover(api_version)
        if kind not in known:
            raise KubeError("NotFound", f"the server has no kind {kind} in {api_version}", 404)
        plural, namespaced = known[kind]
        parts = [_group_path(api_version)]
        if namespaced and namespace:
            parts += ["namespaces", quote(namespace)]
        parts.append(plural)
        if name:
            parts.append(quote(name, safe=""))
        return "/".join(parts)

    async def request(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Manifest:
        """One call; the answer's JSON. KubeError for everything that is not a success."""
        data = None if body is None else json.dumps(body)
        headers = {"Content-Type": content_type} if data is not None else {}
        if self.closed:
            raise KubeError("Unreachable", f"{method} {path}: the control plane has been stopped")
        try:
            async with self._slots, self._session.request(method, self._base + path, data=data, headers=headers) as response:
                content = await response.read()
                if response.status >= 400:
                    raise failure(response.status, content)
                answer: Manifest = json.loads(content)
                return answer
        except (aiohttp.ClientError, TimeoutError) as error:
            raise KubeError("Unreachable", f"{method} {path}: {type(error).__name__} {error}") from error

    async def healthy(self) -> bool:
        try:
            async with self._session.get(f"{self._base}/readyz", timeout=aiohttp.ClientTimeout(total=2)) as response:
                return response.status == 200
        except (aiohttp.ClientError, TimeoutError):
            return False

    def stream(self, path: str) -> Any:
        """A GET whose body goes on for as long as the server likes; to be used with `async with`."""
        if self.closed:
            raise KubeError("Unreachable", f"GET {path}: the control plane has been stopped")
        return self._session.get(self._base + path, timeout=aiohttp.ClientTimeout(total=None, connect=5, sock_read=None))

    async def _discover(self, api_version: str) -> dict[str, tuple[str, bool]]:
        try:
            answer = await self.request("GET", _group_path(api_version))
        except KubeError as error:
            if error.status == 404:
                return {}
            raise
        return {item["kind"]: (item["name"], item["namespaced"]) for item in answer["resources"] if "/" not in item["name"]}


def selectors(labels: str, fields: str) -> dict[str, str]:
    return {name: value for name, value in (("labelSelector", labels), ("fieldSelector", fields)) if value}


def failure(status: int, content: bytes) -> KubeError:
    """The Status object that the API answers with, as an exception."""
    try:
        answer = json.loads(content)
        return KubeError(answer.get("reason") or f"HTTP {status}", answer.get("message") or "", status)
    except (ValueError, AttributeError):
        return KubeError(f"HTTP {status}", content[:300].decode(errors="replace"), status)


def _group_path(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
