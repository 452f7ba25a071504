"""What goes wrong with add-ons, with the way to the cluster, and with our own operations."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import User
from accounts.principals import principal_for
from clusters.models import Cluster
from clusters.observers import ClusterObserver
from clusters.reading.pods import read_pods
from clusters.tests.diagnosis.conftest import Ill
from clusters.tests.diagnosis.shown import shows
from clusters.tests.diagnosis.test_pods import deployment
from clusters.tests.driving import begin, failure, run
from operations.cancel import cancel
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Operation

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ISSUES = {
    "addon_conflict": ("coredns", "ConfigurationConflict", "Conflicts found when trying to apply: ConfigMap coredns - .data.Corefile"),
    "addon_version_unsupported": (
        "kube-proxy",
        "UnsupportedAddonModification",
        "Addon version v1.20.0-eksbuild.1 is not supported on this cluster version",
    ),
    "addon_lacks_replicas": (
        "cert-manager",
        "InsufficientNumberOfReplicas",
        "The add-on is unhealthy because it doesn't have the desired number of replicas.",
    ),
    "permission_missing": (
        "vpc-cni",
        "AccessDenied",
        "User: arn:aws:sts::123456789012:assumed-role/node is not authorized to perform: ec2:AssignPrivateIpAddresses",
    ),
}
ADDONS = shows(*ISSUES)
WAY = shows("kubernetes_unreachable", "credentials_expired")
OPERATIONS = shows("quota_reached", "zone_without_subnet", "budget_blocks_drain")
MORE = {"groups": [{"name": "more", "instance_type": "ml.m5.xlarge", "count": 1}]}
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "never", "namespace": "default"},
    "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "held"}}},
}


def test_what_add_ons_say_and_what_could_not_be_read_is_told(ill: Ill, operator: User) -> None:
    for addon, code, message in ISSUES.values():
        ill.sandbox.fault(scenario="addon_degraded", addon=addon, code=code, message=message)
    found = ill.observed(*(set(ADDONS) - {"addon_lacks_replicas"}))
    conflict = found["addon_conflict"]
    assert ("addon coredns" in conflict["subjects"], conflict["confidence"]) == (True, "high")
    [retry] = conflict["actions"]
    assert (retry["kind"], retry["input"]) == ("phase.retry", {"name": "demo", "phase": "dependencies"})
    assert "addon_lacks_replicas" in ill.told("addon_lacks_replicas")

    page = Client()
    page.force_login(operator)
    shown = page.get("/clusters/demo/diagnosis/").content.decode()
    for words in (
        "Something else manages the add-on&#x27;s objects",
        "confidence: high",
        "See the plan of phase.retry",
        "ConfigurationConflict",
    ):
        assert words in shown, words

    ill.sandbox.no_faults()
    ill.sandbox.fault(scenario="kube_partition", cluster="demo")
    unreachable = ill.observed("kubernetes_unreachable")["kubernetes_unreachable"]
    assert unreachable["standing"] is True
    body = ill.ask()
    assert {part["state"] for part in body["unread"]} <= {"stale", "unreadable"}
    assert any(part["name"].startswith("phase") and part["sentence"] for part in body["unread"])
    assert "parts could not be read lately" in body["summary"]
    ill.sandbox.no_faults()
    ill.sandbox.fault(kind="error:ExpiredTokenException", service="sagemaker", count=None, message="The security token is expired")
    ill.observed("credentials_expired")
    ill.sandbox.no_faults()


def test_what_our_own_operations_ran_into_is_told(ill: Ill, operator: User, viewer: User) -> None:
    word = "Instance group more has no subnet in the Availability Zones usw2-az9."
    ill.sandbox.fault(kind="error:ValidationException", service="sagemaker", operation="UpdateCluster", message=word)
    refused = run(ill.sandbox, operator, "group.add", name="demo", **MORE)
    assert refused.state == OperationState.FAILED, failure(refused)
    ill.told("zone_without_subnet")

    ill.sandbox.fault(scenario="quota_reached", name="Roles per account")
    other = run(ill.sandbox, operator, "cluster.create", name="other")
    assert other.state == OperationState.FAILED, failure(other)
    ill.sandbox.no_faults()
    ClusterObserver().observe("other")
    client = ill.client
    body = client.get("/api/v1/clusters/other/diagnosis/?evidence_rows=50").json()
    quota = next(one for one in body["findings"] if one["code"] == "quota_reached")
    assert {row["source"] for row in quota["evidence"]} >= {"stack", "operation"}
    assert quota["confidence"] == "high"
    ill.found["quota_reached"] = quota

    ill.kube.apply(deployment("held", "default"))
    ill.kube.apply(BUDGET)
    [node] = ill.standing.nodes("workers")
    drive(lambda: any(pod.labels.get("app") == "held" and pod.phase == "Running" for pod in read_pods(ill.kube)), max_ticks=400)
    drain = begin(operator, "node.drain", name="demo", nodes=[node["InstanceId"]], disrupt=True)
    drive(lambda: "allows no disruption" in Operation.objects.get(pk=drain.pk).waiting_for, max_ticks=200)
    try:
        held = ill.told("budget_blocks_drain")["budget_blocks_drain"]
        assert "PodDisruptionBudget default/never" in held["evidence"][0]["text"]
        one = ill.ask(f"nodes/{node['InstanceId']}/diagnosis/")
        assert "budget_blocks_drain" in [finding["code"] for finding in one["findings"]]
        page = Client()
        page.force_login(viewer)
        shown = page.get(f"/clusters/demo/nodes/{node['InstanceId']}/diagnosis/").content.decode()
        assert ("A disruption budget holds a drain" in shown, "See the plan" in shown) == (True, False)
    finally:
        ill.kube.delete("policy/v1", "PodDisruptionBudget", "never", "default")
        ill.kube.delete("apps/v1", "Deployment", "held", "default")
        cancel(Operation.objects.get(pk=drain.pk), principal_for(operator))
        ill.kube.patch("v1", "Node", f"hyperpod-{node['InstanceId']}", {"spec": {"unschedulable": None}})
    assert Cluster.objects.filter(name="demo").exists()
