"""What a pod asks of a node: resources, labels, taints it bears. Affinity to other pods and spread are not looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sandbox.kube.controllers.karpenter.amounts import Amounts, numbers, total
from sandbox.kube.protocol import Manifest

_HARD = ("NoSchedule", "NoExecute")

Taint = Mapping[str, str]


def waits(pod: Manifest) -> bool:
    """The scheduler found no node for it."""
    if pod["spec"].get("nodeName") or pod["metadata"].get("deletionTimestamp") or _of_daemon(pod):
        return False
    return any(
        one["type"] == "PodScheduled" and one["status"] == "False" and one.get("reason") == "Unschedulable"
        for one in pod.get("status", {}).get("conditions", [])
    )


def occupies(pod: Manifest) -> bool:
    """It keeps its node from being idle: neither ended, nor a DaemonSet's, nor the node's own."""
    return lives(pod) and not _of_daemon(pod) and "kubernetes.io/config.mirror" not in (pod["metadata"].get("annotations") or {})


def lives(pod: Manifest) -> bool:
    return pod.get("status", {}).get("phase") not in ("Succeeded", "Failed")


def _of_daemon(pod: Manifest) -> bool:
    return any(owner["kind"] == "DaemonSet" for owner in pod["metadata"].get("ownerReferences", []))


def requests(spec: Mapping[str, Any]) -> Amounts:
    """Of a pod's spec: its containers together, or its largest init container where that is more; and the pod itself."""
    beside = [one for one in spec.get("initContainers", []) if one.get("restartPolicy") == "Always"]
    running = total(_of_container(one) for one in [*spec.get("containers", []), *beside])
    for one in spec.get("initContainers", []):
        if one.get("restartPolicy") != "Always":
            for name, amount in _of_container(one).items():
                running[name] = max(running.get(name, 0.0), amount)
    return total([running, numbers(spec.get("overhead")), {"pods": 1.0}])


def _of_container(container: Mapping[str, Any]) -> Amounts:
    resources = container.get("resources") or {}
    return numbers({**(resources.get("limits") or {}), **(resources.get("requests") or {})})


def fits(spec: Mapping[str, Any], labels: Mapping[str, str], taints: Iterable[Taint]) -> bool:
    """Whether a pod of this spec may run on a node with these labels and taints."""
    if any(labels.get(name) != value for name, value in (spec.get("nodeSelector") or {}).items()):
        return False
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution")
    if required and not any(_term(term, labels) for term in required["nodeSelectorTerms"]):
        return False
    return all(bears(spec, taint) for taint in taints if taint["effect"] in _HARD)


def _term(term: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    if term.get("matchFields") or not term.get("matchExpressions"):
        return False  # a node by its name; an empty term matches nothing
    return all(matches(one, labels) for one in term["matchExpressions"])


def matches(requirement: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """A requirement {key, operator, values} on labels."""
    value, values = labels.get(requirement["key"]), requirement.get("values") or []
    match requirement["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Gte" | "Lt" | "Lte" as comparison:
            return value is not None and value.isdigit() and _compares(int(value), comparison, int(values[0]))
        case other:
            raise ValueError(f"unknown operator {other}")


def _compares(one: int, comparison: str, other: int) -> bool:
    return {"Gt": one > other, "Gte": one >= other, "Lt": one < other, "Lte": one <= other}[comparison]


def bears(spec: Mapping[str, Any], taint: Taint) -> bool:
    """Whether one of its tolerations covers the taint."""
    return any(_covers(one, taint) for one in spec.get("tolerations") or [])


def _covers(toleration: Mapping[str, Any], taint: Taint) -> bool:
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    key = toleration.get("key", "")
    if toleration.get("operator", "Equal") == "Exists":
        return key in ("", taint["key"])
    return bool(key == taint["key"] and toleration.get("value", "") == taint.get("value", ""))
