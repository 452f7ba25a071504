"""A HyperPod cluster's life (aws.md §1.3).

Continuous: Creating for a moment, then InService while nodes come and go; only a MinInstanceCount keeps a group Creating.
Otherwise: Creating → InService when all nodes run, or RollingBack → Failed; Updating → InService, or RollingBack → InService.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.agenda import agenda_handler
from sandbox.aws.sagemaker import cluster as clusters
from sandbox.aws.sagemaker import events, node_life, orchestrator, provisioning, recovery
from sandbox.aws.sagemaker import node as nodes
from sandbox.aws.sagemaker.cluster_progress import advance
from sandbox.durations import duration

if TYPE_CHECKING:
    from sandbox.aws.context import Context


def begin(context: Context, cluster: dict[str, Any]) -> None:
    reference = {"cluster": cluster["name"], "id": cluster["id"]}
    service = context.as_source("service")
    service.schedule(context.now + duration("sagemaker.cluster.create"), "sagemaker.cluster.started", reference)


def _referred(context: Context, reference: dict[str, Any]) -> dict[str, Any] | None:
    cluster = clusters.lookup(context, reference["cluster"])
    return cluster if cluster is not None and cluster["id"] == reference["id"] else None


@agenda_handler("sagemaker.cluster.started")
def start(context: Context, reference: dict[str, Any]) -> None:
    cluster = _referred(context, reference)
    if cluster is None or cluster["status"] != "Creating":
        return
    entries = {"EksRoleAccessEntries": cluster["access_entries"], "SlrAccessEntry": cluster["service_role"]}
    events.write(context, cluster, f"Cluster {cluster['name']} was created.", metadata={"Cluster": entries})
    provisioning.reconcile(context, cluster)
    watch_minimums(context, cluster)
    recovery.watch(context, cluster)
    advance(context, cluster["name"])


def watch_minimums(context: Context, cluster: dict[str, Any]) -> None:
    """Groups with a MinInstanceCount have three hours to reach it."""
    for group in cluster["groups"]:
        if group["minimum"] and group["status"] in ("Creating", "Updating"):
            group["deadline"] = context.now + duration("sagemaker.group.minimum")
            reference = {"cluster": cluster["name"], "id": cluster["id"], "group": group["name"], "deadline": group["deadline"]}
            context.as_source("service").schedule(group["deadline"], "sagemaker.group.minimum", reference)
    clusters.save(context, cluster)


@agenda_handler("sagemaker.group.minimum")
def give_up_minimum(context: Context, reference: dict[str, Any]) -> None:
    """Not reached in time: a new group goes back to nothing, an existing one to its last counts, and the status is InService at once."""
    cluster = _referred(context, reference)
    group = clusters.group_of(cluster, reference["group"]) if cluster else None
    if (
        cluster is None
        or group is None
        or group.get("deadline") != reference["deadline"]
        or group["status"] not in ("Creating", "Updating")
    ):
        return
    before = next((one for one in cluster["previous"] or [] if one["name"] == group["name"]), None)
    message = f"Instance group {group['name']} did not reach its minimum of {group['minimum']} instances within 3 hours: it is rolled back."
    group.update(target=before["target"] if before else 0, minimum=before["minimum"] if before else 0, status="InService")
    events.write(
        context, cluster, message, level="Error", group=group["name"], metadata={"InstanceGroupScaling": {"FailureMessage": message}}
    )
    clusters.save(context, cluster)
    provisioning.reconcile(context, cluster)
    advance(context, cluster["name"])


@agenda_handler("sagemaker.cluster.failed")
def fail(context: Context, payload: dict[str, Any]) -> None:
    """Without Continuous provisioning one failed instance takes the whole creation or update back."""
    cluster, message = _referred(context, payload), payload["message"]
    if cluster is None or cluster["status"] not in ("Creating", "Updating"):
        return
    cluster.update(status="RollingBack", failure_message=message)
    before = {group["name"]: group for group in cluster["previous"] or []}
    for group in cluster["groups"]:
        if group["name"] in before:
            group["target"] = before[group["name"]]["target"]
        elif cluster["previous"] is not None:
            group.update(target=0, status="Deleting")
        else:
            group["target"] = 0
    clusters.save(context, cluster)
    provisioning.reconcile(context, cluster)
    advance(context, cluster["name"])


def begin_deletion(context: Context, cluster: dict[str, Any]) -> None:
    cluster["status"] = "Deleting"
    for group in cluster["groups"]:
        group["status"] = "Deleting"
    clusters.save(context, cluster)
    for node in nodes.of_cluster(context, cluster):
        if node["status"] != "ShuttingDown":
            node_life.shut_down(context, cluster, node)
    reference = {"cluster": cluster["name"], "id": cluster["id"]}
    context.as_source("service").schedule(context.now + duration("sagemaker.cluster.delete"), "sagemaker.cluster.gone", reference)


@agenda_handler("sagemaker.cluster.gone")
def become_gone(context: Context, reference: dict[str, Any]) -> None:
    """The cluster's row goes, and the access entries it made; its log group stays behind, as on AWS."""
    cluster = _referred(context, reference)
    if cluster is None:
        return
    if nodes.of_cluster(context, cluster):
        context.schedule(context.now + duration("sagemaker.node.delete"), "sagemaker.cluster.gone", reference)
        return
    orchestrator.dismiss(context, orchestrator.cluster_name(cluster["eks_cluster_arn"]), cluster["access_entries"])
    events.forget(context, cluster)
    context.world.store.delete(clusters.KIND, context.scope, cluster["name"])
