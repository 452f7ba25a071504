"""One cluster's Kubernetes API: objects as plain dictionaries, as the server gives them."""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterator
from typing import Any, Literal

import urllib3

from instantstart.kube import errors, kinds
from instantstart.kube.errors import KubeError
from instantstart.kube.target import KubeTarget
from instantstart.kube.transport import Transport

FIELD_MANAGER = "instantstart"
_PAGE = 500


class Kube:
    """Threads may share an instance. Every method raises KubeError; signing in may raise CloudError."""

    def __init__(self, target: KubeTarget) -> None:
        self.target = target
        self.transport = Transport(target)

    def version(self) -> str:
        """The server's version ("v1.36.3"). An answer proves that the API is there and that it takes our token."""
        return str(self.transport.json("GET", "/version").get("gitVersion", ""))

    def get(self, api_version: str, kind: str, name: str, namespace: str = "") -> dict[str, Any] | None:
        """The object, None when the server says that it, its namespace or its kind does not exist."""
        try:
            found = self._resource(api_version, kind)
            self._needs_namespace(found, kind, namespace)
            return self.transport.json("GET", kinds.path(found, api_version, namespace, name))
        except KubeError as error:
            if error.missing:
                return None
            raise

    def list(self, api_version: str, kind: str, namespace: str = "", labels: str = "", fields: str = "") -> builtins.list[dict[str, Any]]:
        """All objects, read page by page; of every namespace when none is given; none when the kind does not exist.

        labels, fields: selectors in Kubernetes' own syntax. Items carry apiVersion and kind.
        """
        return self.list_with_version(api_version, kind, namespace, labels, fields)[0]

    def list_with_version(
        self, api_version: str, kind: str, namespace: str = "", labels: str = "", fields: str = ""
    ) -> tuple[builtins.list[dict[str, Any]], str]:
        """As list(), with the resource version that a watch goes on from ("" when the kind does not exist)."""
        try:
            found = self._resource(api_version, kind)
        except KubeError as error:
            if error.code == errors.NO_SUCH_KIND:
                return [], ""
            raise
        query: dict[str, Any] = {"limit": _PAGE}
        if labels:
            query["labelSelector"] = labels
        if fields:
            query["fieldSelector"] = fields
        items: builtins.list[dict[str, Any]] = []
        while True:
            try:
                page = self.transport.json("GET", kinds.path(found, api_version, namespace), query=query)
            except KubeError as error:
                if error.status == 404 and kinds.vanished(self.transport, api_version, kind):
                    return [], ""
                raise
            items += [{"apiVersion": api_version, "kind": kind, **item} for item in page.get("items") or []]
            metadata = page.get("metadata", {})
            if not metadata.get("continue"):
                return items, str(metadata.get("resourceVersion", ""))
            query["continue"] = metadata["continue"]

    def watch(
        self, api_version: str, kind: str, resource_version: str, *, namespace: str = "", fields: str = "", seconds: int = 45
    ) -> Iterator[dict[str, Any]]:
        """Events {type, object} from that version on, until the server ends the watch after `seconds`. fields: a selector.

        KubeError "Expired" or "Gone" when the version is too old.
        """
        found = self._resource(api_version, kind)
        path = kinds.path(found, api_version, namespace)
        query: dict[str, Any] = {
            "watch": "true",
            "resourceVersion": resource_version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": seconds,
        }
        if fields:
            query["fieldSelector"] = fields
        answer = self.transport.request("GET", path, query=query, stream=True, timeout=seconds + 10.0)
        try:
            for line in _lines(answer):
                event = json.loads(line)
                if event.get("type") == "ERROR":
                    status = event.get("object", {})
                    raise KubeError(
                        f"WATCH {path}",
                        str(status.get("reason") or "Unknown"),
                        str(status.get("message", "")),
                        status.get("code"),
                        sent=True,
                    )
                yield event
        except (urllib3.exceptions.HTTPError, ValueError) as error:
            raise KubeError(f"WATCH {path}", errors.CONNECTION_RESET, f"The watch broke: {error}") from error
        finally:
            answer.close()
            answer.release_conn()

    def apply(self, manifest: dict[str, Any], *, dry_run: bool = False) -> dict[str, Any]:
        """Server-side apply under our field manager; conflicts are won. Returns the object as it is now."""
        api_version, kind = str(manifest["apiVersion"]), str(manifest["kind"])
        metadata = manifest["metadata"]
        found = self._resource(api_version, kind)
        self._needs_namespace(found, kind, metadata.get("namespace", ""))
        query = {"fieldManager": FIELD_MANAGER, "force": "true", **({"dryRun": "All"} if dry_run else {})}
        path = kinds.path(found, api_version, metadata.get("namespace", ""), metadata["name"])
        return self.transport.json("PATCH", path, query=query, body=manifest, content_type="application/apply-patch+yaml")

    def patch(
        self,
        api_version: str,
        kind: str,
        name: str,
        changes: dict[str, Any],
        namespace: str = "",
        *,
        how: Literal["merge", "strategic"] = "merge",
    ) -> dict[str, Any]:
        """A merge patch (strategic: for built-in kinds, merges lists by key). Returns the object as it is now."""
        found = self._resource(api_version, kind)
        self._needs_namespace(found, kind, namespace)
        content_type = {"merge": "application/merge-patch+json", "strategic": "application/strategic-merge-patch+json"}[how]
        path = kinds.path(found, api_version, namespace, name)
        return self.transport.json("PATCH", path, query={"fieldManager": FIELD_MANAGER}, body=changes, content_type=content_type)

    def delete(
        self,
        api_version: str,
        kind: str,
        name: str,
        namespace: str = "",
        propagation: Literal["Background", "Foreground", "Orphan"] = "Background",
    ) -> bool:
        """Asks for deletion; False when there was nothing to delete."""
        try:
            found = self._resource(api_version, kind)
            self._needs_namespace(found, kind, namespace)
            self.transport.json("DELETE", kinds.path(found, api_version, namespace, name), body={"propagationPolicy": propagation})
        except KubeError as error:
            if error.missing:
                return False
            raise
        return True

    def evict(self, namespace: str, pod: str) -> bool:
        """Asks for the pod's eviction, which disruption budgets may refuse (KubeError TooManyRequests); False when it is not there."""
        path = f"{kinds.path(kinds.BUILT_IN[('v1', 'Pod')], 'v1', namespace, pod)}/eviction"
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": namespace}}
        try:
            self.transport.json("POST", path, body=body)
        except KubeError as error:
            if error.missing:
                return False
            raise
        return True

    def logs(self, namespace: str, pod: str, container: str = "", tail: int | None = None, *, previous: bool = False) -> str:
        """A container's log, the last `tail` lines when given."""
        query: dict[str, Any] = {}
        if container:
            query["container"] = container
        if tail is not None:
            query["tailLines"] = tail
        if previous:
            query["previous"] = "true"
        found = kinds.BUILT_IN[("v1", "Pod")]
        answer = self.transport.request("GET", f"{kinds.path(found, 'v1', namespace, pod)}/log", query=query, accept="*/*")
        return answer.data.decode(errors="replace")

    def _resource(self, api_version: str, kind: str) -> kinds.Resource:
        return kinds.resource(self.transport, api_version, kind)

    @staticmethod
    def _needs_namespace(found: kinds.Resource, kind: str, namespace: str) -> None:
        if found.namespaced and not namespace:
            raise ValueError(f"{kind} lives in a namespace: name it")


def _lines(answer: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    """Whole lines of a chunked answer, as they come."""
    rest = b""
    for piece in answer.stream(None, decode_content=True):
        *whole, rest = (rest + piece).split(b"\n")
        yield from (line for line in whole if line)
