"""A cheap AWS and Kubernetes for very many clusters: canned replies by call, and a count of the calls by second. No check of anything.

`python -m bench.fake_aws WORLD.json` listens on a free port of loopback and prints it. The world: {"eks": {path: reply},
"sagemaker": {"Operation/cluster": reply}, "cloudformation": {"Action/stack": XML}, "kube": {path: reply}}; `{path}` of Kubernetes
begins with the cluster's name. What is not in it is answered as not found.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from aiohttp import web

COLLECTIONS = ("secrets", "serviceaccounts", "pods")
"""Of Kubernetes: a list of them is empty where nothing is known, and not missing."""
Counts = Counter[tuple[int, str, str]]


class World:
    def __init__(self, replies: dict[str, dict[str, Any]]) -> None:
        self.replies = {part: {key: _bytes(reply) for key, reply in known.items()} for part, known in replies.items()}
        self.counts: Counts = Counter()

    def count(self, service: str, operation: str) -> None:
        self.counts[int(time.time()), service, operation] += 1

    async def answer(self, request: web.Request) -> web.Response:
        if request.path == "/_counts":
            return web.json_response([[*key, count] for key, count in self.counts.items()])
        if request.path.startswith("/kube/"):
            return self._kube(request.path.removeprefix("/kube/"))
        if request.path.startswith("/clusters"):
            self.count(
                "eks",
                {2: "ListClusters", 3: "DescribeCluster", 4: "ListAddons", 5: "DescribeAddon"}.get(len(request.path.split("/")), "other"),
            )
            found = self.replies["eks"].get(request.path)
            missing = b'{"message": "No such thing."}'
            return _json(found) if found else _json(missing, 404, {"x-amzn-ErrorType": "ResourceNotFoundException"})
        body = await request.read()
        target = request.headers.get("X-Amz-Target", "")
        if target.startswith("SageMaker."):
            return self._sagemaker(target.removeprefix("SageMaker."), json.loads(body))
        params = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        return self._iam(params) if params.get("Version") == "2010-05-08" else self._cloudformation(params)

    def _kube(self, path: str) -> web.Response:
        name, _, rest = path.partition("/")
        self.count("kubernetes", name)
        found = self.replies["kube"].get(f"{name}/{rest}")
        if not found and rest.rpartition("/")[2] in COLLECTIONS:
            found = b'{"items": [], "metadata": {}}'
        return _json(found) if found else _json(b'{"kind": "Status", "reason": "NotFound", "message": "no", "code": 404}', 404)

    def _sagemaker(self, operation: str, params: dict[str, Any]) -> web.Response:
        self.count("sagemaker", operation)
        found = self.replies["sagemaker"].get(f"{operation}/{params.get('ClusterName', '')}")
        return _json(found) if found else _json(b'{"__type": "ResourceNotFound", "Message": "no"}', 400)

    def _cloudformation(self, params: dict[str, str]) -> web.Response:
        action = params.get("Action", "")
        self.count("cloudformation", action)
        found = self.replies["cloudformation"].get(f"{action}/{params.get('StackName', '')}")
        error = b"<Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack does not exist</Message></Error>"
        wrong = b"<ErrorResponse>" + error + b"</ErrorResponse>"
        return web.Response(body=found or wrong, status=200 if found else 400, content_type="text/xml")

    def _iam(self, params: dict[str, str]) -> web.Response:
        self.count("iam", params.get("Action", ""))
        error = b"<Error><Type>Sender</Type><Code>NoSuchEntity</Code><Message>No such role.</Message></Error>"
        return web.Response(body=b"<ErrorResponse>" + error + b"</ErrorResponse>", status=404, content_type="text/xml")


def _bytes(reply: Any) -> bytes:
    return reply.encode() if isinstance(reply, str) else json.dumps(reply).encode()


def _json(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(body=body, status=status, content_type="application/json", headers=headers)


async def serve(told: str) -> None:
    # Every address is known before the port is: the world names clusters' endpoints by the placeholder.
    application = web.Application()
    runner = web.AppRunner(application, access_log=None)
    world = World({"eks": {}, "sagemaker": {}, "cloudformation": {}, "kube": {}})
    application.router.add_route("*", "/{any:.*}", world.answer)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    endpoint = f"http://127.0.0.1:{runner.addresses[0][1]}"
    world.replies = World(json.loads(told.replace("http://fake", endpoint))).replies
    print(endpoint, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]).read_text()))
