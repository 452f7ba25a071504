"""HyperPod's managed Karpenter as a setting of the cluster (aws.md §3): Creating → InService or Failed; Deleting → gone.

The row's `auto_scaling` is {Mode, AutoScalerType, Status, FailureMessage, _since, _due}; None while it is off. _due: its time to go
is over, and Kubernetes still has something of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.agenda import agenda_handler
from sandbox.aws import roles
from sandbox.aws.eks.bookkeeping import KARPENTER
from sandbox.aws.sagemaker import cluster as clusters
from sandbox.aws.sagemaker import cluster_checks
from sandbox.aws.sagemaker.errors import conflict, invalid
from sandbox.durations import duration
from sandbox.identity import Principal

if TYPE_CHECKING:
    from sandbox.aws.context import Context

SERVICE = "hyperpod.sagemaker.amazonaws.com"
ACTIONS = ("sagemaker:BatchAddClusterNodes", "sagemaker:BatchDeleteClusterNodes")
_ON = ("Creating", "InService")


def check(context: Context, asked: dict[str, Any] | None, continuous: bool, role: str | None, recovery: str | None) -> None:
    """Karpenter needs Continuous provisioning, automatic recovery and a role that HyperPod may assume."""
    if not asked or asked["Mode"] != "Enable":
        return
    if not continuous:
        raise invalid("AutoScaling requires NodeProvisioningMode Continuous.")
    if recovery == "None":
        raise invalid("AutoScaling requires NodeRecovery Automatic.")
    if not role:
        raise invalid("ClusterRole is required when AutoScaling is enabled.")
    cluster_checks.check_role(context, role, SERVICE, "")


def is_on(cluster: dict[str, Any]) -> bool:
    return (cluster["auto_scaling"] or {}).get("Status") in _ON


def change(context: Context, cluster: dict[str, Any], asked: dict[str, Any] | None) -> None:
    """What was asked for begins; the row is changed, not saved. Asking for what is so already changes nothing."""
    if not asked:
        return
    now = cluster["auto_scaling"] or {}
    if asked["Mode"] == "Disable":
        if now and now["Status"] != "Deleting":
            cluster["auto_scaling"] = {**now, "Mode": "Disable", "Status": "Deleting"}
            _later(context, cluster, "sagemaker.autoscaling.disable")
        return
    if now.get("Status") == "Deleting":
        raise conflict(f"AutoScaling of cluster {cluster['name']} is being disabled.")
    if not is_on(cluster):
        scaler = {"AutoScalerType": "Karpenter", **asked}
        cluster["auto_scaling"] = {**scaler, "Status": "Creating"}
        _later(context, cluster, "sagemaker.autoscaling.enable")


def _later(context: Context, cluster: dict[str, Any], what: str) -> None:
    since = cluster["auto_scaling"]["_since"] = context.now
    reference = {"cluster": cluster["name"], "id": cluster["id"], "since": since}
    context.as_source("service").schedule(since + duration(what), what, reference)


def _referred(context: Context, reference: dict[str, Any], status: str) -> dict[str, Any] | None:
    cluster = clusters.lookup(context, reference["cluster"])
    if cluster is None or cluster["id"] != reference["id"]:
        return None
    scaling = cluster["auto_scaling"] or {}
    return cluster if scaling.get("_since") == reference["since"] and scaling.get("Status") == status else None


@agenda_handler("sagemaker.autoscaling.enable")
def enabled(context: Context, reference: dict[str, Any]) -> None:
    """In service, unless the role is gone by now or may not do what it is for."""
    cluster = _referred(context, reference, "Creating")
    if cluster is None:
        return
    problem = _problem(context, cluster)
    cluster["auto_scaling"]["Status"] = "Failed" if problem else "InService"
    if problem:
        cluster["auto_scaling"]["FailureMessage"] = problem
    clusters.save(context, cluster)


@agenda_handler("sagemaker.autoscaling.disable")
def disabled(context: Context, reference: dict[str, Any]) -> None:
    """Off, as soon as what it brought into Kubernetes is gone: who turns it on again then meets nothing that is still going."""
    cluster = _referred(context, reference, "Deleting")
    if cluster is None:
        return
    if _in_kubernetes(context, cluster):
        cluster["auto_scaling"]["_due"] = True
    else:
        cluster["auto_scaling"] = None
    clusters.save(context, cluster)


def _in_kubernetes(context: Context, cluster: dict[str, Any]) -> bool:
    name = cluster["eks_cluster_arn"].rsplit("/", 1)[-1]
    return bool(cluster["eks_cluster_arn"]) and context.world.store.get(KARPENTER, context.scope, name) is not None


def vanished(context: Context, eks_cluster: str) -> None:
    """The controllers see nothing of it in Kubernetes any more; what only waited for that is off now."""
    arn = context.arn("eks", f"cluster/{eks_cluster}")
    for cluster in clusters.clusters(context):
        scaling = cluster["auto_scaling"] or {}
        if cluster["eks_cluster_arn"] == arn and scaling.get("Status") == "Deleting" and scaling.get("_due"):
            cluster["auto_scaling"] = None
            clusters.save(context, cluster)


def _problem(context: Context, cluster: dict[str, Any]) -> str:
    principal = assumed(context, cluster)
    if principal is None:
        return f"The cluster role {cluster['cluster_role']} cannot be assumed by {SERVICE}."
    for action in ACTIONS:
        decision = context.world.identity.authorize(principal, action, cluster["arn"])
        if not decision.allowed:
            return f"The cluster role {cluster['cluster_role']} is not authorized to perform {action} on {cluster['arn']}."
    return ""


def assumed(context: Context, cluster: dict[str, Any]) -> Principal | None:
    """HyperPod under the cluster's role; None when there is no such role, or it does not trust HyperPod."""
    role = roles.find_role(context, cluster["cluster_role"])
    if role is None or not roles.trusts(role, SERVICE):
        return None
    session = "HyperPodKarpenter"
    return Principal(
        arn=f"arn:{context.partition}:sts::{context.account}:assumed-role/{role['RoleName']}/{session}",
        account=context.account,
        kind="assumed-role",
        user_id=f"{role['RoleId']}:{session}",
        role_arn=role["Arn"],
    )
