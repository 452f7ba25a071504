"""What an agent is told of a node: well only when HyperPod and Kubernetes both say so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import ApiToken, User
from agentapi.tests.calling import told
from clusters.models import Node
from clusters.tests.rows import make_cluster

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("seen", "headline"),
    [
        ({"status": "Running", "ready": True}, "is well."),
        ({"status": "Running", "ready": None}, "runs, says HyperPod; whether it is Ready in Kubernetes is unknown."),
        ({"status": "Running", "ready": False}, "is not well; next: analyse."),
        ({"status": "Pending", "ready": None}, "is Pending."),
        ({"status": "Pending", "ready": True}, "is Pending."),
    ],
)
def test_the_headline_of_a_node_says_no_more_than_is_known(
    viewer: User, make_token: Callable[..., tuple[ApiToken, str]], seen: dict[str, object], headline: str
) -> None:
    make_cluster()
    node = Node.objects.first()
    assert node is not None
    Node.objects.filter(pk=node.pk).update(health="", **seen)
    _, secret = make_token(viewer, agent=True)
    _, text = told(secret, "node_get", cluster="demo", node=node.key)
    assert text.startswith(f"{node.key} {headline}")
