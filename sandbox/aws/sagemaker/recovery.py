"""What HyperPod's health monitoring does about failed instances: labels them, and replaces them when NodeRecovery is Automatic.

The scenarios `node_failure`, `spot_reclaim` and `training_plan_ended` strike here.
Plain CPU instances are marked and not replaced (aws.md §11).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.agenda import agenda_handler
from sandbox.aws.sagemaker import cluster_logs, events, node_life, training_plan
from sandbox.aws.sagemaker import node as nodes
from sandbox.aws.sagemaker.cluster import find, group_of, lookup
from sandbox.aws.sagemaker.instance_types import facts
from sandbox.durations import duration

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_REASON = "XidHardwareFailure"
_REPLACEMENT = "UnschedulablePendingReplacement"


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
            _look_at(context, cluster, node)


def _look_at(context: Context, cluster: dict[str, Any], node: dict[str, Any]) -> None:
    place = {"instance_id": node["instance_id"], "group": node["group"]}
    group = group_of(cluster, node["group"])
    arn = group["spec"].get("TrainingPlanArn") if group is not None else None
    plan = training_plan.lookup_arn(context, arn) if arn else None
    if plan is not None and training_plan.over(context, plan):
        message = f"Training plan {plan['name']} has expired: its capacity ended and instance {node['instance_id']} is terminated."
        events.write(context, cluster, message, level="Error", node=node, metadata={"Instance": {"FailureMessage": message}})
        node_life.replace(context, cluster, node, message)
        return
    if node["capacity_type"] == "Spot" and context.world.faults.scenario("spot_reclaim", **place) is not None:
        _reclaim(context, cluster, node)
        return
    scenario = context.world.faults.scenario("node_failure", **place)
    if scenario is not None:
        detect(context, cluster, node, scenario)


def detect(context: Context, cluster: dict[str, Any], node: dict[str, Any], scenario: dict[str, Any]) -> None:
    """A fault was found on a node that runs: labelled, told, and where the node is to be rebooted or replaced, so it is later."""
    reason = scenario.get("reason") or _REASON
    message = f"Health monitoring agent detected {reason} on instance {node['instance_id']}."
    fault = {"fault-types": scenario.get("fault_type") or "NvidiaErrors", "fault-reasons": reason}
    node.update(health=scenario.get("health") or _REPLACEMENT, message=message, fault=fault)
    nodes.save(context, node)
    cluster_logs.detection(context, cluster, node, reason)
    events.write(context, cluster, message, level="Error", node=node, metadata={"Instance": {"FailureMessage": message}})
    if cluster["node_recovery"] == "Automatic" and facts(node["instance_type"]).deep_checks:
        node_life.plan(context, node, "sagemaker.node.recover", duration("sagemaker.node.recovery"))


def _reclaim(context: Context, cluster: dict[str, Any], node: dict[str, Any]) -> None:
    """Spot capacity is taken back with two minutes' notice: tainted now, another instance asked for then."""
    message = f"Spot instance {node['instance_id']} received an interruption notice: its Spot capacity is reclaimed in 2 minutes."
    node.update(health="Unschedulable", message=message)
    nodes.save(context, node)
    events.write(context, cluster, message, level="Warn", node=node, metadata={"Instance": {"FailureMessage": message}})
    node_life.plan(context, node, "sagemaker.node.reclaimed", duration("sagemaker.spot.notice"))


@agenda_handler("sagemaker.node.reclaimed")
def end_reclaim(context: Context, reference: dict[str, Any]) -> None:
    node = nodes.get(context, reference["cluster_id"], reference["logical_id"])
    if node is not None and node["life"] == reference["life"] and node["status"] == "Running":
        node_life.replace(context, find(context, reference["cluster"]), node, "Its Spot capacity was reclaimed.")


@agenda_handler("sagemaker.node.recover")
def recover(context: Context, reference: dict[str, Any]) -> None:
    node = nodes.get(context, reference["cluster_id"], reference["logical_id"])
    if node is None or node["life"] != reference["life"] or node["status"] != "Running":
        return
    cluster = find(context, reference["cluster"])
    if node["health"] == "UnschedulablePendingReboot":
        node_life.reboot(context, cluster, node)
    else:
        node_life.replace(context, cluster, node, f"{node.get('fault', {}).get('fault-reasons', _REASON)} was detected.")
