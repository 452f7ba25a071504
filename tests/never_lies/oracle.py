"""The oracle: of each phase of a cluster it says ready, not ready, gone or unknown, and which shown states would be true.

It knows the issue's definition of ready and reads `/_sandbox/`; it imports nothing of the product, so the two can only agree
by both being right.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tests.never_lies.world import World


class Verdict(StrEnum):
    READY = "ready"
    NOT_READY = "not ready"
    GONE = "gone"
    """AWS says, to whoever may ask, that it is not there."""
    UNKNOWN = "unknown"
    """What decides it can't be read with the credentials and the network that the product has."""


PHASES = ("control_plane", "select", "dependencies", "hyperpod", "storage")
ADDONS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "vpc-cni": (("DaemonSet", "kube-system", "aws-node"),),
    "kube-proxy": (("DaemonSet", "kube-system", "kube-proxy"),),
    "coredns": (("Deployment", "kube-system", "coredns"),),
    "eks-pod-identity-agent": (("DaemonSet", "kube-system", "eks-pod-identity-agent"),),
    "cert-manager": tuple(("Deployment", "cert-manager", f"cert-manager{end}") for end in ("", "-cainjector", "-webhook")),
    "aws-mountpoint-s3-csi-driver": (("DaemonSet", "kube-system", "s3-csi-node"),),
}
RELEASE = "hyperpod-dependencies"
CLAIM, VOLUME = "shared", "instantstart-shared"
COMPLETE = ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE")
BREAKS_READING = ("access_denied", "throttle", "reset", "reply_lost", "error_after", "error:")

SOURCES: dict[str, tuple[tuple[str, str], ...]] = {
    "stack": (("cloudformation", "DescribeStacks"),),
    "stack details": (("cloudformation", "ListStackResources"), ("cloudformation", "DescribeStackEvents")),
    "eks": (("eks", "DescribeCluster"),),
    "addons": (("eks", "ListAddons"),),
    "addon": (("eks", "DescribeAddon"),),
    "hyperpod": (("sagemaker", "DescribeCluster"),),
    "instances": (("sagemaker", "ListClusterNodes"),),
    "events": (("sagemaker", "ListClusterEvents"),),
    "kubernetes": (),
}


@dataclass(frozen=True)
class Judgement:
    """truth: how it is. needs: sources without which nobody can tell. uses: sources that a careful reader also asks;
    where one of those can't be read, unknown is honest as well."""

    truth: Verdict
    needs: frozenset[str]
    uses: frozenset[str]
    unreadable: frozenset[str]
    locked_out: bool = False
    """Whether it rests on Kubernetes, whose cluster has no access entry of ours: the API server may still know us for as long as it keeps
    who signed in, and then does not any more."""

    @property
    def verdict(self) -> Verdict:
        return Verdict.UNKNOWN if self.needs & self.unreadable else self.truth

    @property
    def unknown_is_honest(self) -> bool:
        return bool((self.needs | self.uses) & self.unreadable)


def judge(world: World, cluster: str) -> dict[str, Judgement]:
    """Of each phase."""
    blind = unreadable(world, cluster)
    found = {}
    for phase, decide in (
        ("control_plane", control_plane),
        ("select", select),
        ("dependencies", dependencies),
        ("hyperpod", hyperpod),
        ("storage", storage),
    ):
        truth, needs, uses = decide(world, cluster)
        locked_out = "kubernetes" in {*needs, *uses} and not _entered(world, cluster)
        found[phase] = Judgement(truth, frozenset(needs), frozenset(uses), blind, locked_out)
    return found


def _entered(world: World, cluster: str) -> bool:
    """Whether the cluster, if it is there, lets us in: the stack makes our entry after it and takes it away before it."""
    if world.one("eks.cluster", name=cluster) is None:
        return True
    return world.one("eks.access-entry", clusterName=cluster, type="STANDARD") is not None


def unreadable(world: World, cluster: str) -> frozenset[str]:
    """Sources that lasting faults cut off. Those that strike a few times and are over are not among them."""
    blind = set()
    for fault in world.faults:
        if fault["count"] is not None:
            continue
        if fault.get("scenario") == "expired_credentials":
            return frozenset(SOURCES)
        if fault.get("scenario") == "kube_partition" and fault.get("cluster") in (None, "", cluster):
            blind.add("kubernetes")
        if fault.get("kind", "").startswith(BREAKS_READING):
            blind |= {
                source
                for source, calls in SOURCES.items()
                if any(fault["service"] in ("", service) and fault["operation"] in ("", operation) for service, operation in calls)
            }
    return frozenset(blind)


Decision = tuple[Verdict, Iterable[str], Iterable[str]]


def control_plane(world: World, cluster: str) -> Decision:
    stack = world.one("cloudformation.stack", name=f"instantstart-{cluster}-control-plane")
    eks = world.one("eks.cluster", name=cluster)
    uses = ("stack", "eks", "stack details")
    if stack is None:
        return (Verdict.GONE if eks is None else Verdict.NOT_READY), ("stack", "eks"), uses
    if stack["status"] not in COMPLETE:
        return Verdict.NOT_READY, ("stack",), uses
    well = eks is not None and eks["status"] in ("ACTIVE", "UPDATING") and not (eks.get("health") or {}).get("issues")
    return (Verdict.READY if well else Verdict.NOT_READY), ("stack", "eks"), uses


def _without_kubernetes(world: World, cluster: str) -> Verdict | None:
    """The verdict of what lives in Kubernetes while there is none; None when there is one."""
    eks = world.one("eks.cluster", name=cluster)
    if eks is None:
        return Verdict.GONE
    if eks["status"] == "DELETING":
        return Verdict.NOT_READY
    return None if eks.get("endpoint") else Verdict.GONE


def select(world: World, cluster: str) -> Decision:
    early = _without_kubernetes(world, cluster)
    if early is not None:
        return early, ("eks",), ()
    return Verdict.READY, ("eks", "kubernetes"), ()


def dependencies(world: World, cluster: str) -> Decision:
    early = _without_kubernetes(world, cluster)
    if early is not None:
        return early, ("eks",), ()
    addons = _addons(world, cluster)
    needs = ("eks", "addons", "kubernetes", *(["addon"] if addons else []))
    release = _release_status(world)
    if not addons and release is None:
        return Verdict.GONE, needs, ()
    nodes = bool(_ready_nodes(world))
    installed = release == "deployed" and all(_installed(addons.get(name), nodes=nodes) for name in ADDONS)
    return (Verdict.READY if installed else Verdict.NOT_READY), needs, ()


def hyperpod(world: World, cluster: str) -> Decision:
    found = world.one("sagemaker.cluster", name=cluster)
    uses = ("instances", "events", "eks", "addons", "addon", "kubernetes")
    if found is None:
        return Verdict.GONE, ("hyperpod",), ()
    if found["status"] in ("Creating", "Deleting", "Failed"):
        return Verdict.NOT_READY, ("hyperpod",), uses
    if found["status"] != "InService":
        return Verdict.NOT_READY, ("hyperpod",), uses
    nodes = [row for row in world.aws["sagemaker.node"] if row["cluster_id"] == found["id"]]
    ready = _ready_nodes(world)
    for group in found["groups"]:
        mine = [row for row in nodes if row["group"] == group["name"] and row["status"] == "Running"]
        if sum(1 for row in mine if f"hyperpod-{row['instance_id']}" in ready) < group["target"]:
            return Verdict.NOT_READY, ("hyperpod", "instances", "eks", "kubernetes"), uses
    addons = _addons(world, cluster)
    without_nodes = not any(group["target"] for group in found["groups"])
    running = _release_status(world) == "deployed" and all(
        _installed(addons.get(name), nodes=not without_nodes) and (without_nodes or _run(world, workloads))
        for name, workloads in ADDONS.items()
    )
    running = running and (without_nodes or _all_ready(_of_release(world)))
    needs = ("hyperpod", "instances", "eks", "addons", "kubernetes", *(["addon"] if addons else []))
    return (Verdict.READY if running else Verdict.NOT_READY), needs, uses


def storage(world: World, cluster: str) -> Decision:
    early = _without_kubernetes(world, cluster)
    if early is not None:
        return early, ("eks",), ()
    claim = next((one for one in world.objects("v1/PersistentVolumeClaim") if _named(one, "default", CLAIM)), None)
    volume = next((one for one in world.objects("v1/PersistentVolume") if _named(one, "", VOLUME)), None)
    if claim is None:
        return (Verdict.GONE if volume is None else Verdict.NOT_READY), ("eks", "kubernetes"), ()
    bound = (claim.get("status") or {}).get("phase") == "Bound" and not claim["metadata"].get("deletionTimestamp")
    return (Verdict.READY if bound else Verdict.NOT_READY), ("eks", "kubernetes"), ()


def _addons(world: World, cluster: str) -> dict[str, dict[str, Any]]:
    return {row["addonName"]: row for row in world.aws["eks.addon"] if row["clusterName"] == cluster and row["addonName"] in ADDONS}


def _installed(addon: dict[str, Any] | None, *, nodes: bool) -> bool:
    """ACTIVE, or DEGRADED for nothing but missing replicas while there is no Ready node."""
    if addon is None:
        return False
    codes = {issue["code"] for issue in addon["health"]["issues"]}
    waits = addon["status"] == "DEGRADED" and not nodes and codes == {"InsufficientNumberOfReplicas"}
    return addon["status"] == "ACTIVE" or waits


def _release_status(world: World) -> str | None:
    """Of the newest revision, as Helm labels it; None when there is no release."""
    labels = [one["metadata"].get("labels") or {} for one in world.objects("v1/Secret") if one.get("type") == "helm.sh/release.v1"]
    mine = sorted((one for one in labels if one.get("name") == RELEASE), key=lambda one: int(one["version"]))
    return str(mine[-1]["status"]) if mine and mine[-1]["status"] != "uninstalled" else None


def _ready_nodes(world: World) -> set[str]:
    return {
        node["metadata"]["name"]
        for node in world.objects("v1/Node")
        for one in (node.get("status") or {}).get("conditions") or ()
        if one["type"] == "Ready" and one["status"] == "True"
    }


def _named(item: dict[str, Any], namespace: str, name: str) -> bool:
    return (item["metadata"].get("namespace", ""), item["metadata"]["name"]) == (namespace, name)


def _run(world: World, workloads: Iterable[tuple[str, str, str]]) -> bool:
    found = []
    for kind, namespace, name in workloads:
        item = next((one for one in world.objects(f"apps/v1/{kind}") if _named(one, namespace, name)), None)
        if item is None:
            return False
        found.append((kind, item))
    return _all_ready(found)


def _of_release(world: World) -> list[tuple[str, dict[str, Any]]]:
    return [
        (kind, one)
        for kind in ("Deployment", "DaemonSet")
        for one in world.objects(f"apps/v1/{kind}")
        if (one["metadata"].get("annotations") or {}).get("meta.helm.sh/release-name") == RELEASE
    ]


def _all_ready(workloads: Iterable[tuple[str, dict[str, Any]]]) -> bool:
    for kind, item in workloads:
        status = item.get("status") or {}
        if status.get("observedGeneration", 0) < item["metadata"].get("generation", 0):
            return False
        wanted = item["spec"].get("replicas", 1) if kind == "Deployment" else status.get("desiredNumberScheduled", 0)
        ready = status.get("readyReplicas", 0) if kind == "Deployment" else status.get("numberReady", 0)
        if ready < wanted:
            return False
    return True


HONEST: dict[Verdict, frozenset[str]] = {
    Verdict.READY: frozenset({"ready"}),
    Verdict.NOT_READY: frozenset({"pending", "running", "degraded", "failed", "cancelled", "deleting"}),
    Verdict.GONE: frozenset({"gone"}),
    Verdict.UNKNOWN: frozenset({"unknown"}),
}
NEVER_MADE = frozenset({"pending", "running", "failed", "cancelled", "gone"})
"""Honest for what is not there and never was ready."""
MADE_AGAIN = frozenset({"gone", "running"})
"""Honest for what was ready once, is not there, and that an operation may be making again."""
