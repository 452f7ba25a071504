"""Who gets what: every route of the API × every kind of caller, by exact status.

Columns: anonymous, viewer, operator, admin, an admin's read-only token, an admin's token limited to another cluster than `demo`.
A route that has no row fails `test_authorization.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

CALLERS = ("anonymous", "viewer", "operator", "admin", "read_only", "other_cluster")


@dataclass(frozen=True)
class Row:
    """method and route as the resolver knows them; url and body of a call that would succeed; its status for each caller, in order."""

    method: str
    route: str
    url: str
    statuses: tuple[int, int, int, int, int, int]
    body: Any = None


def _read(route: str, url: str = "", *, reached: int = 200) -> Row:
    """Everybody signed in."""
    return Row("get", route, url or route, (401, reached, reached, reached, reached, reached))


def _read_of_cluster(route: str, url: str) -> Row:
    return Row("get", route, url, (401, 200, 200, 200, 200, 404))


def _change_of_cluster(method: str, route: str, url: str, body: Any = None) -> Row:
    return Row(method, route, url, (401, 403, 202, 202, 403, 404), body)


_OPERATION = "operations/<uuid:pk>/"
_CLUSTER = "clusters/<slug:name>/"
FEATURES = {"features": {"kuberay": {"enabled": True}}}
PURCHASE = {
    "plan": "run",
    "offering": "tpo-1",
    "instance_type": "ml.p5.48xlarge",
    "count": 1,
    "hours": 24,
    "fee": "1.00",
    "confirm": "run",
}
NEW_ACCOUNT = {"name": "third", "account_id": "333344445555", "role_arn": "arn:aws:iam::333344445555:role/portal"}
FOUND = {"region": "us-west-2", "eks_name": "prod"}
NEW_USER = {"username": "nora", "password": "a long enough sentence"}

ROWS = (
    _read("me/"),
    _read("tokens/"),
    Row("post", "tokens/", "tokens/", (401, 201, 201, 201, 403, 201), {"name": "another"}),
    # The token is the viewer's.
    Row("get", "tokens/<uuid:id>/", "tokens/{token}/", (401, 200, 404, 200, 200, 404)),
    Row("patch", "tokens/<uuid:id>/", "tokens/{token}/", (401, 200, 404, 200, 403, 404), {"operations_per_hour": 5}),
    Row("delete", "tokens/<uuid:id>/", "tokens/{token}/", (401, 204, 404, 204, 403, 404)),
    Row("get", "users/", "users/", (401, 403, 403, 200, 200, 200)),
    Row("post", "users/", "users/", (401, 403, 403, 201, 403, 403), NEW_USER),
    Row("get", "users/<str:username>/", "users/viewer/", (401, 403, 403, 200, 200, 200)),
    Row("patch", "users/<str:username>/", "users/viewer/", (401, 403, 403, 200, 403, 403), {"role": "operator"}),
    Row("get", "audit/", "audit/", (401, 403, 403, 200, 200, 200)),
    Row("get", "audit/<int:pk>/", "audit/{entry}/", (401, 403, 403, 200, 200, 404)),
    _read("operations/"),
    _read("rules/"),
    _read("skills/"),
    _read("skills/<slug:name>/", "skills/diagnose-node/"),
    _read("imports/"),
    _read("imports/clusters/"),
    Row("post", "imports/", "imports/", (401, 403, 202, 202, 403, 403), {}),
    Row("post", "imports/clusters/", "imports/clusters/", (401, 403, 202, 202, 403, 403), {"clusters": [FOUND]}),
    _change_of_cluster("post", f"{_CLUSTER}adopt/", "clusters/demo/adopt/", {}),
    _change_of_cluster("post", f"{_CLUSTER}forget/", "clusters/demo/forget/", {}),
    _read("cost/"),
    _read("catalog/training-plan-offers/", "catalog/training-plan-offers/?instance_type=ml.p5.48xlarge&count=1&hours=24", reached=503),
    Row("post", "training-plans/", "training-plans/", (401, 403, 403, 202, 403, 403), PURCHASE),
    _read("orphans/"),
    Row("post", "orphans/observe/", "orphans/observe/", (401, 403, 202, 202, 403, 403), {}),
    Row("get", "orphans/<int:orphan>/", "orphans/{orphan}/", (401, 200, 200, 200, 200, 404)),
    Row("delete", "orphans/<int:orphan>/", "orphans/{orphan}/", (401, 403, 202, 202, 403, 403), {"confirm": "vpc-0"}),
    _read("quotas/"),
    _read("quotas/fit/", "quotas/fit/?instance_type=ml.p5.48xlarge"),
    _read("quotas/<int:pk>/", "quotas/{quota}/"),
    Row("post", "quotas/observe/", "quotas/observe/", (401, 403, 202, 202, 403, 403), {}),
    Row("post", "quotas/<int:pk>/increase/", "quotas/{quota}/increase/", (401, 403, 202, 202, 403, 403), {"value": 32}),
    _read("agents/"),
    # Agents work on every cluster: nothing that a token of some decides.
    Row("patch", "agents/", "agents/", (401, 403, 403, 200, 403, 403), {"approval_cost_per_hour": 50}),
    Row("post", "agents/stop/", "agents/stop/", (401, 403, 403, 200, 403, 403), {"reason": "Odd."}),
    Row("post", "agents/start/", "agents/start/", (401, 403, 403, 200, 403, 403)),
    _read("alerts/"),
    _read_of_cluster("alerts/<int:pk>/", "alerts/{alert}/"),
    Row("post", "alerts/<int:pk>/acknowledge/", "alerts/{alert}/acknowledge/", (401, 403, 200, 200, 403, 404)),
    # Webhooks hear of every cluster: nothing for tokens of some.
    Row("get", "webhooks/", "webhooks/", (401, 403, 403, 200, 200, 200)),
    Row("post", "webhooks/", "webhooks/", (401, 403, 403, 201, 403, 403), {"url": "https://example.com/new"}),
    Row("get", "webhooks/<uuid:id>/", "webhooks/{webhook}/", (401, 403, 403, 200, 200, 404)),
    Row("patch", "webhooks/<uuid:id>/", "webhooks/{webhook}/", (401, 403, 403, 200, 403, 404), {"enabled": False}),
    Row("delete", "webhooks/<uuid:id>/", "webhooks/{webhook}/", (401, 403, 403, 204, 403, 404)),
    Row("post", "webhooks/<uuid:id>/test/", "webhooks/{webhook}/test/", (401, 403, 403, 201, 403, 404)),
    Row("get", "webhooks/<uuid:webhook_id>/deliveries/", "webhooks/{webhook}/deliveries/", (401, 403, 403, 200, 200, 404)),
    Row(
        "post",
        "cluster-configs/",
        "cluster-configs/",
        (401, 200, 200, 200, 403, 200),
        {"config": {"ClusterName": "a", "Orchestrator": {"Eks": {}}}},
    ),
    _read_of_cluster(_OPERATION, "operations/{running}/"),
    _read_of_cluster("operations/<uuid:operation_id>/events/", "operations/{running}/events/"),
    _change_of_cluster("post", f"{_OPERATION}cancel/", "operations/{running}/cancel/"),
    _change_of_cluster("post", f"{_OPERATION}retry/", "operations/{failed}/retry/"),
    _change_of_cluster("post", f"{_OPERATION}approve/", "operations/{awaiting_approval}/approve/", {}),
    _change_of_cluster("post", f"{_OPERATION}refuse/", "operations/{awaiting_approval}/refuse/", {}),
    _change_of_cluster("post", f"{_OPERATION}resolve/", "operations/{unknown}/resolve/", {"outcome": "succeeded", "reason": "I looked."}),
    _read("accounts/"),
    Row("post", "accounts/", "accounts/", (401, 403, 403, 202, 403, 403), NEW_ACCOUNT),
    # 503: let through, and AWS is not there in this test.
    Row("get", "accounts/trust/", "accounts/trust/?account_id=222233334444", (401, 403, 403, 503, 503, 503)),
    # No cluster that the last token may know of is in it.
    Row("get", "accounts/<slug:name>/", "accounts/second/", (401, 200, 200, 200, 200, 404)),
    Row("delete", "accounts/<slug:name>/", "accounts/second/", (401, 403, 403, 202, 403, 404)),
    Row("post", "accounts/<slug:name>/test/", "accounts/second/test/", (401, 403, 202, 202, 403, 404)),
    _read("clusters/"),
    Row("post", "clusters/", "clusters/", (401, 403, 202, 202, 403, 403), {"name": "new"}),
    _read_of_cluster(_CLUSTER, "clusters/demo/"),
    _change_of_cluster("delete", _CLUSTER, "clusters/demo/", {"confirm": "demo"}),
    *(
        _read_of_cluster(f"{_CLUSTER}{part}/", f"clusters/demo/{part}/")
        for part in ("export", "phases", "groups", "nodes", "events", "dependencies", "resources", "raw", "protection")
    ),
    _change_of_cluster("post", f"{_CLUSTER}groups/", "clusters/demo/groups/", {"groups": [{"name": "more"}]}),
    _read_of_cluster(f"{_CLUSTER}groups/<slug:group>/", "clusters/demo/groups/workers/"),
    _change_of_cluster("patch", f"{_CLUSTER}groups/<slug:group>/", "clusters/demo/groups/workers/", {"count": 2}),
    _change_of_cluster(
        "post",
        f"{_CLUSTER}groups/<slug:group>/replacement/",
        "clusters/demo/groups/workers/replacement/",
        {"capacity": "spot", "confirm": "workers"},
    ),
    _read_of_cluster(f"{_CLUSTER}node-groups/", "clusters/demo/node-groups/"),
    _change_of_cluster("post", f"{_CLUSTER}node-groups/", "clusters/demo/node-groups/", {"node_group": "more"}),
    _read_of_cluster(f"{_CLUSTER}node-groups/<slug:node_group>/", "clusters/demo/node-groups/cpu/"),
    _change_of_cluster("patch", f"{_CLUSTER}node-groups/<slug:node_group>/", "clusters/demo/node-groups/cpu/", {"desired": 2}),
    _change_of_cluster("delete", f"{_CLUSTER}node-groups/<slug:node_group>/", "clusters/demo/node-groups/cpu/", {"confirm": "cpu"}),
    _change_of_cluster("delete", f"{_CLUSTER}groups/<slug:group>/", "clusters/demo/groups/workers/", {"confirm": "workers"}),
    _read_of_cluster(f"{_CLUSTER}nodes/<slug:node>/", "clusters/demo/nodes/i-00000000000000000/"),
    _change_of_cluster("delete", f"{_CLUSTER}nodes/<slug:node>/", "clusters/demo/nodes/i-00000000000000000/"),
    _change_of_cluster("post", f"{_CLUSTER}nodes/<slug:node>/<slug:verb>/", "clusters/demo/nodes/i-00000000000000000/reboot/", {}),
    _change_of_cluster(
        "post", f"{_CLUSTER}nodes/batch/<slug:verb>/", "clusters/demo/nodes/batch/drain/", {"nodes": ["i-00000000000000000"]}
    ),
    _change_of_cluster("post", f"{_CLUSTER}software-updates/", "clusters/demo/software-updates/", {}),
    _change_of_cluster("post", f"{_CLUSTER}phases/<slug:phase>/retry/", "clusters/demo/phases/hyperpod/retry/", {}),
    _read_of_cluster(f"{_CLUSTER}features/", "clusters/demo/features/"),
    _read_of_cluster(f"{_CLUSTER}features/<slug:feature>/", "clusters/demo/features/kuberay/"),
    _change_of_cluster("patch", f"{_CLUSTER}features/", "clusters/demo/features/", FEATURES),
    _change_of_cluster("patch", f"{_CLUSTER}features/<slug:feature>/", "clusters/demo/features/kuberay/", {"enabled": True}),
    _read_of_cluster(f"{_CLUSTER}drift/", "clusters/demo/drift/"),
    _read_of_cluster(f"{_CLUSTER}diagnosis/", "clusters/demo/diagnosis/"),
    _read_of_cluster(f"{_CLUSTER}diagnosis/pods/", "clusters/demo/diagnosis/pods/"),
    _read_of_cluster(f"{_CLUSTER}nodes/<slug:node>/diagnosis/", "clusters/demo/nodes/i-00000000000000000/diagnosis/"),
    _change_of_cluster("post", f"{_CLUSTER}drift/observe/", "clusters/demo/drift/observe/", {}),
    _read_of_cluster(f"{_CLUSTER}drift/<int:drift>/", "clusters/demo/drift/{drift}/"),
    *(
        _change_of_cluster("post", f"{_CLUSTER}drift/<int:drift>/{verb}/", f"clusters/demo/drift/{{drift}}/{verb}/", {})
        for verb in ("accept", "ignore", "revert")
    ),
    _read_of_cluster(f"{_CLUSTER}stacks/", "clusters/demo/stacks/"),
    _read_of_cluster(f"{_CLUSTER}stacks/<slug:stack>/", "clusters/demo/stacks/control-plane/"),
    *(
        _change_of_cluster("post", f"{_CLUSTER}stacks/<slug:stack>/{verb}/", f"clusters/demo/stacks/control-plane/{verb}/", {})
        for verb in ("compare", "update", "discard")
    ),
    # What one works on is one's own affair.
    Row("post", f"{_CLUSTER}prefer/", "clusters/demo/prefer/", (401, 202, 202, 202, 403, 404), {}),
    _change_of_cluster("put", f"{_CLUSTER}protection/", "clusters/demo/protection/", {"enabled": True}),
    # 503: let through, and AWS is not there in this test.
    *(
        _read(f"catalog/{name}/", reached=503)
        for name in ("regions", "zones", "instance-types", "kubernetes-versions", "training-plans", "quotas")
    ),
    Row("get", "schema/", "schema/", (200, 200, 200, 200, 200, 200)),
)
