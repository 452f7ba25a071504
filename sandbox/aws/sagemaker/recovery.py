"""What HyperPod's health monitoring does about failed instances: labels them, and replaces them when NodeRecovery is Automatic.

The `node_failure` scenario strikes here. Plain CPU instances are marked and not replaced (aws.md §11).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.agenda import agenda_handler
from sandbox.aws.sagemaker import cluster_logs, events, node_life
from sandbox.aws.sagemaker import node as nodes
from sandbox.aws.sagemaker.cluster import find, lookup
from sandbox.aws.sagemaker.instance_types import facts
from sandbox.durations import duration

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_REASON = "XidHardwareFailure"


def watch(context: Context, cluster: dict[str, Any]) -> None:
    """Look for failed instances of the cluster from now on, for as long as it exists."""
    reference = {"cluster": cluster["name"], "id": cluster["id"]}
    service = context.as_source("service")
    service.schedule(context.now + duration("sagemaker.health"), "sagemaker.health", reference, background=True)


@agenda_handler("sagemaker.health")
def look(context: Context, reference: dict[str, Any]) -> None:
    cluster = lookup(context, reference["cluster"])
    if cluster is None or cluster["id"] != reference["id"]:
        return
    watch(context, cluster)
    if cluster["status"] != "InService":
        return
    for node in nodes.of_cluster(context, cluster):
        if node["status"] == "Running" and node["health"] == nodes.SCHEDULABLE:
            scenario = context.world.faults.scenario("node_failure", instance_id=node["instance_id"], group=node["group"])
            if scenario is not None:
                detect(context, cluster, node)


def detect(context: Context, cluster: dict[str, Any], node: dict[str, Any]) -> None:
    """A fault was found on a node that runs."""
    message = f"Health monitoring agent detected {_REASON} on instance {node['instance_id']}."
    node.update(health="UnschedulablePendingReplacement", message=message)
    nodes.save(context, node)
    cluster_logs.detection(context, cluster, node, _REASON)
    events.write(context, cluster, message, level="Error", node=node, metadata={"Instance": {"FailureMessage": message}})
    if cluster["node_recovery"] == "Automatic" and facts(node["instance_type"]).deep_checks:
        node_life.plan(context, node, "sagemaker.node.recover", duration("sagemaker.node.recovery"))


@agenda_handler("sagemaker.node.recover")
def recover(context: Context, reference: dict[str, Any]) -> None:
    node = nodes.get(context, reference["cluster_id"], reference["logical_id"])
    if node is None or node["life"] != reference["life"] or node["status"] != "Running":
        return
    node_life.replace(context, find(context, reference["cluster"]), node, f"{_REASON} was detected.")
