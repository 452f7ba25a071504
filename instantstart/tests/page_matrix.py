"""Who gets what of the pages: every route outside of the API and the admin site × every kind of person, by exact status.

Columns: anonymous, viewer, operator, admin. A route that has no row fails `test_page_authorization.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

CALLERS = ("anonymous", "viewer", "operator", "admin")
Statuses = tuple[int, int, int, int]

SIGNED_IN: Statuses = (302, 200, 200, 200)
"""Anonymous people are taken to the sign-in."""
OPERATORS: Statuses = (302, 403, 200, 200)
ADMINS: Statuses = (302, 403, 403, 200)


@dataclass(frozen=True)
class Row:
    """route as the resolver knows it; url of something that is there; the status for each caller, in order, by method.

    body: of a POST that would succeed; {plan} stands for the plan that was seen. changes: whether that POST changes rows of ours;
    who is signed in and gets 302 for it has changed them.
    """

    route: str
    url: str
    get: Statuses
    post: Statuses
    body: dict[str, str] = field(default_factory=dict)
    changes: bool = False


def _page(route: str, url: str = "", get: Statuses = SIGNED_IN) -> Row:
    """A page to look at; a POST there is a look, too."""
    return Row(route, url or route, get, get)


def _safe(route: str, url: str = "", get: Statuses = SIGNED_IN) -> Row:
    """A page that takes nothing but GET."""
    return Row(route, url or route, get, tuple(405 if status == 200 else status for status in get))  # type: ignore[arg-type]


def _verb(route: str, url: str, body: dict[str, str] | None = None, *, get: Statuses = (302, 403, 405, 405), changes: bool = True) -> Row:
    """A button's target: operators and admins may press it, unless `get` tells of others."""
    return Row(route, url, get, tuple(302 if status in (200, 405) else status for status in get), body or {}, changes)  # type: ignore[arg-type]


_OPERATION = "operations/<uuid:pk>/"
_CLUSTER = "clusters/<slug:name>/"
EVERYBODY = (302, 405, 405, 405)
NEW_USER = {"username": "nora", "password": "a long enough sentence", "role": "viewer", "email": ""}
NEW_TOKEN = {"name": "another", "role": "viewer", "expires_in_days": "30"}
NEW_PASSWORD = {"old_password": "correct horse battery", "password": "a long enough sentence", "again": "a long enough sentence"}
SEEN = {"plan_fingerprint": "{plan}", "key": "a key of the page's own"}
NEW_GROUP = "name=more&instance_type=ml.g5.8xlarge&count=1&capacity=on-demand&volume_gb=500"
NEW_NODE_GROUP = "node_group=more&instance_types=m5.xlarge&minimum=0&desired=1&maximum=3&capacity=on-demand&volume_gb=200"
NEW_CLUSTER = {"stage": "confirm", "data": '{"name": "new"}', **SEEN}
GROUP = {"InstanceGroupName": "gpu", "InstanceType": "ml.p5.48xlarge", "InstanceCount": 2, "ExecutionRole": "arn:aws:iam::1:role/exec"}
EKS = {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:123456789012:cluster/old"}}
CONFIG = {"text": json.dumps({"ClusterName": "new", "InstanceGroups": [GROUP], "Orchestrator": EKS})}

ROWS = (
    Row("livez", "livez", (200, 200, 200, 200), (405, 405, 405, 405)),
    Row("readyz", "readyz", (503, 503, 503, 503), (405, 405, 405, 405)),
    Row("metrics", "metrics", (200, 200, 200, 200), (405, 405, 405, 405)),
    Row("api/docs/", "api/docs/", (200, 200, 200, 200), (405, 405, 405, 405)),
    Row("sign-in/", "sign-in/", (200, 302, 302, 302), (302, 302, 302, 302), {"username": "viewer", "password": "correct horse battery"}),
    Row("sign-out/", "sign-out/", (405, 405, 405, 405), (302, 302, 302, 302)),
    Row("account/tokens/", "account/tokens/", SIGNED_IN, SIGNED_IN, NEW_TOKEN),
    # The token is the viewer's.
    Row("account/tokens/<uuid:uid>/revoke/", "account/tokens/{token}/revoke/", EVERYBODY, (302, 302, 404, 404), changes=True),
    Row(
        "account/tokens/<uuid:uid>/limits/",
        "account/tokens/{token}/limits/",
        EVERYBODY,
        (302, 302, 404, 404),
        {"operations_per_hour": "5"},
        changes=True,
    ),
    Row("account/password/", "account/password/", SIGNED_IN, (302, 302, 302, 302), NEW_PASSWORD, changes=True),
    Row("users/", "users/", ADMINS, (302, 403, 403, 302), NEW_USER, changes=True),
    _verb("users/<int:pk>/", "users/{viewer}/", {"role": "operator"}, get=(302, 403, 403, 405)),
    _page("audit/", get=ADMINS),
    _page("operations/"),
    _page(_OPERATION, "operations/{running}/"),
    _verb(f"{_OPERATION}cancel/", "operations/{running}/cancel/"),
    _verb(f"{_OPERATION}retry/", "operations/{failed}/retry/"),
    _verb(f"{_OPERATION}approve/", "operations/{awaiting_approval}/approve/"),
    _verb(f"{_OPERATION}refuse/", "operations/{awaiting_approval}/refuse/"),
    _verb(f"{_OPERATION}resolve/", "operations/{unknown}/resolve/", {"outcome": "succeeded", "reason": "I looked."}),
    _page("notifications/"),
    _page("notifications/bell/"),
    _verb("notifications/dismiss/", "notifications/dismiss/", get=EVERYBODY),
    _page("approvals/"),
    _page("approvals/badge/"),
    _safe("agents/"),
    _verb("agents/cost/", "agents/cost/", {"approval_cost_per_hour": "50"}, get=(302, 403, 403, 405)),
    _verb("agents/stop/", "agents/stop/", {"reason": "Odd."}, get=(302, 403, 403, 405)),
    _verb("agents/start/", "agents/start/", get=(302, 403, 403, 405), changes=False),
    _page("alerts/"),
    _page("alerts/badge/"),
    _verb("alerts/<int:pk>/acknowledge/", "alerts/{alert}/acknowledge/"),
    _safe("aws-accounts/"),
    _page("aws-accounts/new/", get=ADMINS),
    _verb("aws-accounts/<slug:name>/test/", "aws-accounts/second/test/", SEEN, get=OPERATORS),
    _verb("aws-accounts/<slug:name>/remove/", "aws-accounts/second/remove/", SEEN, get=ADMINS),
    Row("alerts/webhooks/", "alerts/webhooks/", ADMINS, ADMINS, {"url": "https://example.com/new"}),
    _verb("alerts/webhooks/<uuid:pk>/", "alerts/webhooks/{webhook}/", {"url": "https://example.com/other"}, get=ADMINS),
    Row("alerts/webhooks/<uuid:pk>/secret/", "alerts/webhooks/{webhook}/secret/", (302, 403, 403, 405), ADMINS),
    _verb("alerts/webhooks/<uuid:pk>/turn/", "alerts/webhooks/{webhook}/turn/", {"enabled": "no"}, get=(302, 403, 403, 405)),
    _verb("alerts/webhooks/<uuid:pk>/test/", "alerts/webhooks/{webhook}/test/", get=(302, 403, 403, 405)),
    _verb("alerts/webhooks/<uuid:pk>/remove/", "alerts/webhooks/{webhook}/remove/", get=(302, 403, 403, 405)),
    _page("", "/"),
    _safe("rules/"),
    _safe("import/", get=OPERATORS),
    _verb("import/search/", "import/search/", {"region": "us-west-2"}),
    _verb("import/review/", "import/review/?cluster=us-west-2/prod", SEEN, get=OPERATORS),
    _verb(f"{_CLUSTER}adopt/", "clusters/demo/adopt/", SEEN, get=OPERATORS),
    _verb(f"{_CLUSTER}forget/", "clusters/demo/forget/", SEEN, get=OPERATORS),
    _safe("cost/"),
    _safe("training-plans/"),
    Row(
        "training-plans/buy/",
        "training-plans/buy/?plan=run&offering=tpo-1&instance_type=ml.p5.48xlarge&count=1&hours=24&fee=1.00",
        ADMINS,
        (302, 403, 403, 302),
        {"confirm": "run", **SEEN},
        changes=True,
    ),
    _safe("orphans/"),
    _verb("orphans/observe/", "orphans/observe/"),
    _verb("orphans/<int:orphan>/delete/", "orphans/{orphan}/delete/", {"confirm": "vpc-0", **SEEN}, get=OPERATORS),
    _safe("quotas/"),
    _verb("quotas/observe/", "quotas/observe/", SEEN, get=OPERATORS),
    _verb("quotas/<int:pk>/increase/", "quotas/{quota}/increase/?value=32", SEEN, get=OPERATORS),
    Row("new-cluster/", "new-cluster/", OPERATORS, (302, 403, 302, 302), NEW_CLUSTER, changes=True),
    Row("new-cluster/from-config/", "new-cluster/from-config/", OPERATORS, OPERATORS, CONFIG),
    _page(_CLUSTER, "clusters/demo/"),
    _page(f"{_CLUSTER}raw/", "clusters/demo/raw/"),
    _safe(f"{_CLUSTER}export/", "clusters/demo/export/"),
    _safe(f"{_CLUSTER}drift/", "clusters/demo/drift/"),
    _safe(f"{_CLUSTER}diagnosis/", "clusters/demo/diagnosis/"),
    _safe(f"{_CLUSTER}nodes/<slug:node>/diagnosis/", "clusters/demo/nodes/i-00000000000000000/diagnosis/"),
    _verb(f"{_CLUSTER}drift/observe/", "clusters/demo/drift/observe/"),
    _verb(f"{_CLUSTER}drift/<int:drift>/<slug:verb>/", "clusters/demo/drift/{drift}/accept/", SEEN, get=OPERATORS),
    _verb(f"{_CLUSTER}stacks/<slug:stack>/<slug:verb>/", "clusters/demo/stacks/control-plane/compare/", SEEN, get=OPERATORS),
    _verb(f"{_CLUSTER}groups/new/", f"clusters/demo/groups/new/?{NEW_GROUP}", SEEN, get=OPERATORS),
    _verb(f"{_CLUSTER}groups/<slug:group>/change/", "clusters/demo/groups/workers/change/?plan=1&volume_gb=600", SEEN, get=OPERATORS),
    _verb(
        f"{_CLUSTER}groups/<slug:group>/replace/",
        "clusters/demo/groups/workers/replace/?plan=1&capacity=spot",
        {"confirm": "workers", **SEEN},
        get=OPERATORS,
    ),
    _verb(f"{_CLUSTER}node-groups/new/", f"clusters/demo/node-groups/new/?{NEW_NODE_GROUP}", SEEN, get=OPERATORS),
    _verb(
        f"{_CLUSTER}node-groups/<slug:node_group>/scale/",
        "clusters/demo/node-groups/cpu/scale/?minimum=0&desired=2&maximum=3",
        SEEN,
        get=OPERATORS,
    ),
    _verb(
        f"{_CLUSTER}node-groups/<slug:node_group>/delete/",
        "clusters/demo/node-groups/cpu/delete/",
        {"confirm": "cpu", **SEEN},
        get=OPERATORS,
    ),
    _verb(f"{_CLUSTER}groups/<slug:group>/scale/", "clusters/demo/groups/workers/scale/?count=2", SEEN, get=OPERATORS),
    _verb(f"{_CLUSTER}groups/<slug:group>/delete/", "clusters/demo/groups/workers/delete/", {"confirm": "workers", **SEEN}, get=OPERATORS),
    _safe(f"{_CLUSTER}features/", "clusters/demo/features/"),
    _verb(f"{_CLUSTER}features/<slug:feature>/on/", "clusters/demo/features/metrics_server/on/", SEEN, get=OPERATORS),
    _verb(f"{_CLUSTER}features/<slug:feature>/off/", "clusters/demo/features/metrics_server/off/", SEEN, get=OPERATORS),
    _verb(f"{_CLUSTER}software/", "clusters/demo/software/", SEEN, get=OPERATORS),
    _safe(f"{_CLUSTER}nodes/", "clusters/demo/nodes/?show=unwell"),
    _safe(f"{_CLUSTER}nodes/<slug:node>/", "clusters/demo/nodes/i-00000000000000000/"),
    _verb(f"{_CLUSTER}nodes/<slug:node>/<slug:verb>/", "clusters/demo/nodes/i-00000000000000000/reboot/", SEEN, get=OPERATORS),
    _verb(f"{_CLUSTER}delete/", "clusters/demo/delete/", {"confirm": "demo", **SEEN}, get=OPERATORS),
    _verb(f"{_CLUSTER}phases/<slug:phase>/retry/", "clusters/demo/phases/hyperpod/retry/", SEEN, get=OPERATORS),
    _verb(f"{_CLUSTER}protect/", "clusters/demo/protect/", {"enabled": "yes"}),
    # What one works on is one's own affair.
    _verb(f"{_CLUSTER}prefer/", "clusters/demo/prefer/", get=EVERYBODY),
    _page("connection/"),
    _page("connection/trouble/"),
)
