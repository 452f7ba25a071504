"""A node's life: Pending → instance launched → lifecycle script → (DeepHealthCheckInProgress) → Running; ShuttingDown → gone.

Every step is an event on the agenda that names the node and which of its instances (`life`) it is meant for, so that an event that
was overtaken (by a deletion, a replacement) finds nothing to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.agenda import agenda_handler
from sandbox.aws.eks import addon_health
from sandbox.aws.errors import AWSError
from sandbox.aws.sagemaker import cluster as clusters
from sandbox.aws.sagemaker import cluster_logs, cluster_progress, events, network, placement
from sandbox.aws.sagemaker import node as nodes
from sandbox.aws.sagemaker.group import capacity_type, network_of
from sandbox.aws.sagemaker.instance_types import facts
from sandbox.durations import duration
from sandbox.spread import spread

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_NO_EFA = (
    "EFA health checks did not run successfully. Ensure that your VPC and security groups are properly configured before attempting to "
    "create a new cluster."
)  # aws.md §16

_Found = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]  # cluster, group, node


def plan(context: Context, node: dict[str, Any], what: str, seconds: float) -> None:
    """Put a step of this node's present instance on the agenda."""
    reference = {"cluster": node["cluster"], "cluster_id": node["cluster_id"], "logical_id": node["logical_id"], "life": node["life"]}
    context.as_source("service").schedule(context.now + seconds, what, reference)


def _referred(context: Context, reference: dict[str, Any], *statuses: str) -> _Found | None:
    cluster = clusters.lookup(context, reference["cluster"])
    node = nodes.get(context, reference["cluster_id"], reference["logical_id"])
    if cluster is None or node is None or cluster["id"] != reference["cluster_id"]:
        return None
    group = clusters.group_of(cluster, node["group"])
    if group is None or node["life"] != reference["life"] or node["status"] not in statuses:
        return None
    return cluster, group, node


@agenda_handler("sagemaker.node.launch")
def launch(context: Context, reference: dict[str, Any]) -> None:
    found = _referred(context, reference, "Pending", "Failure")
    if found is None:
        return
    cluster, group, node = found
    place = placement.find(context, cluster, group, node)
    if isinstance(place, str):
        _cannot_launch(context, cluster, group, node, place)
        return
    instance_type, subnet = place
    node["instance_type"] = instance_type
    try:
        network.attach(context, node, subnet, network_of(group, cluster)["SecurityGroupIds"])
    except AWSError as error:
        _cannot_launch(context, cluster, group, node, error.message)
        return
    node.update(
        instance_id=context.new_id("i"),
        launched_at=context.timestamp,
        capacity_type=capacity_type(group["spec"]),
        status="Pending",
        message="",
        release=group["release"],
        image=group["image"],
    )
    nodes.save(context, node)
    events.write(
        context,
        cluster,
        f"Instance {node['instance_id']} was launched in {node['zone_id']}.",
        node=node,
        metadata={
            "Instance": {"CustomerEni": node["interfaces"][0], "AdditionalEnis": {"EfaEnis": node["interfaces"][1:]}, **_lcs(node, "")}
        },
    )
    total = spread(node["logical_id"], duration("sagemaker.node.create") * 0.75, duration("sagemaker.node.create") * 1.8)
    plan(context, node, "sagemaker.node.lifecycle", total * 0.6)
    plan(context, node, "sagemaker.node.join", total)


def _lcs(node: dict[str, Any], state: str) -> dict[str, Any]:
    return {"NodeLogicalId": node["logical_id"], **({"LcsExecutionState": state} if state else {})}


def _cannot_launch(context: Context, cluster: dict[str, Any], group: dict[str, Any], node: dict[str, Any], message: str) -> None:
    node.update(message=message, attempt=node["attempt"] + 1)
    nodes.save(context, node)
    if not cluster["continuous"]:
        _take_back(context, cluster, message)
        return
    events.write(
        context,
        cluster,
        f"Failed to launch an instance of instance group {group['name']}: {message}",
        level="Error",
        group=group["name"],
        metadata={"InstanceGroupScaling": {"TargetCount": group["target"], "MinCount": group["minimum"], "FailureMessage": message}},
    )
    plan(context, node, "sagemaker.node.launch", duration("sagemaker.node.retry"))


@agenda_handler("sagemaker.node.lifecycle")
def run_lifecycle_script(context: Context, reference: dict[str, Any]) -> None:
    found = _referred(context, reference, "Pending")
    if found is None:
        return
    cluster, group, node = found
    script = (group["spec"].get("LifeCycleConfig") or {}).get("OnCreate", "")
    scenario = context.world.faults.scenario("lifecycle_failure", group=group["name"])
    if scenario is None:
        cluster_logs.lifecycle(context, cluster, node, script or "on_create.sh")
        return
    cluster_logs.lifecycle(context, cluster, node, script or "on_create.sh", failure="command not found")
    stream = f"{cluster_logs.group_name(cluster)}, log stream LifecycleConfig/{group['name']}/{node['instance_id']}"
    message = f"Lifecycle script execution failed on instance {node['instance_id']}. See the log group {stream}."
    fail(context, cluster, node, message, state="Failed")


def fail(context: Context, cluster: dict[str, Any], node: dict[str, Any], message: str, *, state: str = "") -> None:
    """The launch did not work: Failure now, a new instance after a while; without Continuous provisioning the cluster rolls back."""
    node.update(status="Failure", message=message, attempt=node["attempt"] + 1, joined=False)
    nodes.save(context, node)
    metadata = {"Instance": {"FailureMessage": message, **_lcs(node, state)}}
    events.write(context, cluster, message, level="Error", node=node, metadata=metadata)
    if cluster["continuous"] or cluster["status"] == "InService":
        plan(context, node, "sagemaker.node.renew", duration("sagemaker.node.retry"))
    else:
        _take_back(context, cluster, message)


def _take_back(context: Context, cluster: dict[str, Any], message: str) -> None:
    """Have the cluster's whole creation or update rolled back, right after this."""
    payload = {"cluster": cluster["name"], "id": cluster["id"], "message": message}
    context.as_source("service").schedule(context.now, "sagemaker.cluster.failed", payload)


@agenda_handler("sagemaker.node.renew")
def renew(context: Context, reference: dict[str, Any]) -> None:
    found = _referred(context, reference, "Failure")
    if found is not None:
        cluster, _, node = found
        replace(context, cluster, node, "The failed instance is replaced.")


def replace(context: Context, cluster: dict[str, Any], node: dict[str, Any], reason: str) -> None:
    """Give the instance back and launch another one in its place; logical id, group and configuration stay."""
    events.write(context, cluster, f"Instance {node['instance_id']} is being replaced: {reason}", level="Warn", node=node)
    network.detach(context, node)
    nodes.strip(node)
    nodes.save(context, node)
    plan(context, node, "sagemaker.node.launch", spread(f"{node['logical_id']}/{node['life']}", 30, 60))
    _tell_addons(context, cluster)


@agenda_handler("sagemaker.node.join")
def join(context: Context, reference: dict[str, Any]) -> None:
    """The instance becomes a member of the Kubernetes cluster, behind a taint while deep health checks run."""
    found = _referred(context, reference, "Pending")
    if found is None:
        return
    cluster, group, node = found
    if facts(node["instance_type"]).efa and context.world.faults.scenario("efa_failure", group=group["name"]) is not None:
        fail(context, cluster, node, _NO_EFA)
        return
    node["joined"] = True
    checks = group["spec"].get("OnStartDeepHealthChecks", [])
    if checks:
        node.update(status="DeepHealthCheckInProgress", health="Unschedulable", deep_check="InProgress")
        nodes.save(context, node)
        events.write(
            context, cluster, f"Deep health checks of instance {node['instance_id']} have started: {', '.join(checks)}.", node=node
        )
        longest = duration("sagemaker.node.deep-check")
        plan(context, node, "sagemaker.node.deep-checked", spread(f"{node['logical_id']}/deep", longest * 0.5, longest))
    else:
        _run(context, cluster, node)
    _advance(context, cluster)


def _run(context: Context, cluster: dict[str, Any], node: dict[str, Any]) -> None:
    node.update(status="Running", message="", health=nodes.SCHEDULABLE, fault={}, attempt=0)
    nodes.save(context, node)
    metadata = {"Instance": _lcs(node, "Succeeded")}
    events.write(context, cluster, f"Instance {node['instance_id']} is Running.", node=node, metadata=metadata)


@agenda_handler("sagemaker.node.deep-checked")
def end_deep_check(context: Context, reference: dict[str, Any]) -> None:
    found = _referred(context, reference, "DeepHealthCheckInProgress")
    if found is None:
        return
    cluster, group, node = found
    checks = group["spec"].get("OnStartDeepHealthChecks") or ["InstanceStress"]
    scenario = context.world.faults.scenario("deep_health_check_failure", group=group["name"], instance_id=node["instance_id"])
    cluster_logs.deep_check(context, cluster, node, checks, passed=scenario is None)
    if scenario is not None:
        message = f"Deep health checks of instance {node['instance_id']} failed: {checks[0]}."
        node.update(deep_check="Failed", health="UnschedulablePendingReplacement", message=message)
        events.write(
            context, cluster, message, level="Error", node=node, metadata={"Instance": {"FailureMessage": message, **_lcs(node, "")}}
        )
        replace(context, cluster, node, message)
        return
    node["deep_check"] = "Passed"
    _run(context, cluster, node)
    _advance(context, cluster)


def start_deep_check(context: Context, cluster: dict[str, Any], node: dict[str, Any]) -> None:
    """Deep health checks on demand, of a node that runs."""
    node.update(status="DeepHealthCheckInProgress", health="Unschedulable", deep_check="InProgress")
    nodes.save(context, node)
    events.write(context, cluster, f"Deep health checks of instance {node['instance_id']} have started.", node=node)
    longest = duration("sagemaker.node.deep-check")
    plan(context, node, "sagemaker.node.deep-checked", spread(f"{node['logical_id']}/deep", longest * 0.5, longest))


def reboot(context: Context, cluster: dict[str, Any], node: dict[str, Any]) -> None:
    node.update(status="Pending", message="The instance is rebooting.", health="UnschedulablePendingReboot")
    nodes.save(context, node)
    events.write(context, cluster, f"Instance {node['instance_id']} is rebooting.", node=node)
    plan(context, node, "sagemaker.node.rebooted", spread(f"{node['logical_id']}/{node['boots']}", 90, 240))


@agenda_handler("sagemaker.node.rebooted")
def end_reboot(context: Context, reference: dict[str, Any]) -> None:
    found = _referred(context, reference, "Pending")
    if found is not None:
        cluster, _, node = found
        node["boots"] += 1
        _run(context, cluster, node)
        _advance(context, cluster)


def shut_down(context: Context, cluster: dict[str, Any], node: dict[str, Any]) -> None:
    """Leave Kubernetes now, be gone after a while."""
    had_instance = bool(node["instance_id"])
    node.update(status="ShuttingDown", message="", joined=False)
    nodes.save(context, node)
    if had_instance:
        events.write(context, cluster, f"Instance {node['instance_id']} is shutting down.", node=node)
    plan(context, node, "sagemaker.node.gone", duration("sagemaker.node.delete") if had_instance else 1)
    _tell_addons(context, cluster)


@agenda_handler("sagemaker.node.gone")
def become_gone(context: Context, reference: dict[str, Any]) -> None:
    node = nodes.get(context, reference["cluster_id"], reference["logical_id"])
    if node is None or node["status"] != "ShuttingDown":
        return
    network.detach(context, node)
    nodes.delete(context, node)
    cluster = clusters.lookup(context, reference["cluster"])
    if cluster is not None and cluster["id"] == reference["cluster_id"]:
        if node["instance_id"]:
            events.write(context, cluster, f"Instance {node['instance_id']} was terminated.", node=node)
        _advance(context, cluster)


def _advance(context: Context, cluster: dict[str, Any]) -> None:
    cluster_progress.advance(context, cluster["name"])
    _tell_addons(context, cluster)


def _tell_addons(context: Context, cluster: dict[str, Any]) -> None:
    """Without a Kubernetes backend the add-ons' health follows from the nodes alone."""
    if context.world.kube is None:
        addon_health.assess_all(context, cluster["eks_cluster_arn"].rsplit("/", 1)[-1])
