"""Karpenter's objects in the cluster: the node class that names the groups, the pool that says which nodes and how they go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusters import names, tags
from clusters.choices import PartState
from clusters.features.node_autoscaling.scaling import config
from clusters.features.node_autoscaling.settings import plain
from clusters.features.part import ABSENT, Part, PartSeen
from clusters.groups.autoscaling import API_VERSION, KIND, elsewhere_fault, other_classes
from clusters.reading.reader import ClusterReader
from clusters.sentences import listing
from clusters.steps.base import Subject
from clusters.steps.storage import api
from operations.step import Fault, Outcome, Step, StepContext

CORE_API, POOL, CLAIM = "karpenter.sh/v1", "NodePool", "NodeClaim"
POOL_LABEL = "karpenter.sh/nodepool"
DEFINITION = "apiextensions.k8s.io/v1", "CustomResourceDefinition", f"hyperpodnodeclasses.{API_VERSION.partition('/')[0]}"
"""It comes with HyperPod's Karpenter and goes with it; without it there are none of these objects."""
Chosen = Mapping[str, Any]


def defined(reader: ClusterReader) -> bool:
    return reader.object(*DEFINITION) is not None


def ours(item: Mapping[str, Any]) -> bool:
    return tags.LABEL_CLUSTER in (item["metadata"].get("labels") or {})


def foreign(reader: ClusterReader) -> list[str]:
    """Node classes of HyperPod's, and pools on them, that another hand made: "NodePool burst"."""
    if not defined(reader):
        return []
    pools = [item for item in reader.objects(CORE_API, POOL) if _reference(item).get("kind") == KIND]
    return [f"{item['kind']} {item['metadata']['name']}" for item in (*reader.objects(API_VERSION, KIND), *pools) if not ours(item)]


def claimed_nodes(reader: ClusterReader) -> list[str]:
    """Kubernetes' names of the nodes that our pool has."""
    return [name for claim in claims(reader) if (name := (claim.get("status") or {}).get("nodeName"))]


def claims(reader: ClusterReader) -> list[dict[str, Any]]:
    if not defined(reader):
        return []
    return [one for one in reader.objects(CORE_API, CLAIM) if (one["metadata"].get("labels") or {}).get(POOL_LABEL) == names.NODE_POOL]


class ScalingObjectPart(Part):
    """One of the two; both have our one name. `needed` only where groups were chosen: another hand's own are left to it."""

    create_api = "kubernetes:apply"
    delete_api = "kubernetes:delete"
    api_version: str
    typical_seconds = 10

    def __init__(self, groups: list[str]) -> None:
        self.groups = groups
        self.name = names.NODE_POOL

    def found(self, reader: ClusterReader) -> dict[str, Any] | None:
        return reader.object(self.api_version, self.resource_type, self.name) if defined(reader) else None

    def fields(self, found: Mapping[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def spec(self) -> dict[str, Any]:
        raise NotImplementedError

    def read(self, reader: ClusterReader) -> PartSeen:
        found = self.found(reader)
        if found is None or not ours(found):
            return ABSENT
        common: dict[str, Any] = {"fields": self.fields(found), "made_by": found["metadata"]["labels"].get(tags.LABEL_OPERATION, "")}
        if found["metadata"].get("deletionTimestamp"):
            return PartSeen(PartState.REMOVING, f"{self.resource_type} {self.name} is being deleted", **common)
        conditions = _conditions(found)
        ready = conditions.get("Ready", {}).get("status")
        if ready == "True":
            return PartSeen(PartState.READY, self.told(reader), **common)
        if ready != "False":
            return PartSeen(PartState.MOVING, f"Karpenter has not judged {self.resource_type} {self.name} yet", **common)
        reasons = [one.get("message") or kind for kind, one in conditions.items() if one.get("status") == "False" and kind != "Ready"]
        message = f"{self.resource_type} {self.name} is not ready: {'; '.join(reasons) or 'Karpenter gives no reason'}"
        hint = "Name groups that there are, each in one zone; until then no nodes are added."
        return PartSeen(PartState.BROKEN, message, faults=(Fault("nodes_not_scaled", f"{message}.", hint),), **common)

    def told(self, reader: ClusterReader) -> str:
        return ""

    def needed(self, reader: ClusterReader) -> bool:
        return bool(self.groups) or not foreign(reader)

    def busy(self, reader: ClusterReader) -> str:
        """HyperPod takes these objects only while its Karpenter is in service."""
        if config(reader).get("Status") != "InService":
            return f"HyperPod's autoscaling is {config(reader).get('Status', 'off')}; it takes a {self.resource_type} when it is in service"
        definition = reader.object(*DEFINITION)
        if definition is not None and definition["metadata"].get("deletionTimestamp"):
            return f"Kubernetes still takes {KIND} away, which an earlier Karpenter brought; it takes none until that has ended"
        established = _conditions(definition or {}).get("Established", {}).get("status") == "True"
        return "" if established else f"Kubernetes does not know {KIND} yet: it comes with HyperPod's Karpenter"

    def refused(self, reader: ClusterReader) -> Fault | None:
        found = self.found(reader)
        return taken_fault(self.resource_type) if found is not None and not ours(found) else None

    def create(self, subject: Subject, context: StepContext, step: Step) -> Outcome:
        metadata = {"name": self.name, "labels": subject.labels()}
        manifest = {"apiVersion": self.api_version, "kind": self.resource_type, "metadata": metadata, "spec": self.spec()}
        made = api(subject).apply(manifest)
        return Outcome(made["metadata"].get("resourceVersion", ""), f"Wrote {self.resource_type} {self.name}")

    def delete(self, subject: Subject, context: StepContext, step: Step, seen: PartSeen) -> Outcome:
        api(subject).delete(self.api_version, self.resource_type, self.name)
        return Outcome(message=f"Deleted {self.resource_type} {self.name}")


class NodeClassPart(ScalingObjectPart):
    key = "class"
    resource_type = KIND
    api_version = API_VERSION

    def fields(self, found: Mapping[str, Any]) -> dict[str, Any]:
        return {"instanceGroups": sorted((found.get("spec") or {}).get("instanceGroups") or ())}

    def wanted(self, reader: ClusterReader) -> Mapping[str, Any]:
        return {"instanceGroups": sorted(self.groups)}

    def spec(self) -> dict[str, Any]:
        return {"instanceGroups": sorted(self.groups)}

    def refused(self, reader: ClusterReader) -> Fault | None:
        """Two classes that name one group would undo each other's nodes."""
        for group in self.groups:
            if classes := other_classes(reader, group):
                return elsewhere_fault(group, classes)
        return super().refused(reader)


class NodePoolPart(ScalingObjectPart):
    """Gone when its nodes are: Karpenter drains and deletes them first."""

    key = "pool"
    resource_type = POOL
    api_version = CORE_API
    typical_seconds = 60

    def __init__(self, settings: Chosen) -> None:
        super().__init__(list(settings["groups"]))
        self.settings = settings

    def read(self, reader: ClusterReader) -> PartSeen:
        seen = super().read(reader)
        if not seen.there and (left := claims(reader)):
            nodes = claimed_nodes(reader) or [claim["metadata"]["name"] for claim in left]
            message = f"Karpenter drains and deletes {listing(nodes)}; a disruption budget, or a pod that does not end, can hold that up"
            return PartSeen(PartState.REMOVING, message)
        return seen

    def told(self, reader: ClusterReader) -> str:
        count = len(claims(reader))
        return f"Karpenter keeps {count} {'node' if count == 1 else 'nodes'} in {', '.join(self.groups) or 'no group'}"

    def fields(self, found: Mapping[str, Any]) -> dict[str, Any]:
        spec = found.get("spec") or {}
        template, disruption = (spec.get("template") or {}).get("spec") or {}, spec.get("disruption") or {}
        return {
            "nodeClass": _reference(found).get("name"),
            "limits": {name: str(amount) for name, amount in (spec.get("limits") or {}).items()},
            "requirements": plain(template.get("requirements") or ()),
            "consolidationPolicy": disruption.get("consolidationPolicy"),
            "consolidateAfter": disruption.get("consolidateAfter"),
            "budgets": plain(disruption.get("budgets") or ()),
            "expireAfter": template.get("expireAfter"),
        }

    def wanted(self, reader: ClusterReader) -> Mapping[str, Any]:
        return self.fields({"spec": self.spec()})

    def spec(self) -> dict[str, Any]:
        chosen = self.settings
        return {
            "template": {
                "spec": {
                    "nodeClassRef": {"group": API_VERSION.partition("/")[0], "kind": KIND, "name": names.NODE_POOL},
                    "requirements": plain(chosen["requirements"]),
                    "expireAfter": chosen["expire_after"],
                }
            },
            "disruption": {
                "consolidationPolicy": chosen["consolidation_policy"],
                "consolidateAfter": chosen["consolidate_after"],
                "budgets": plain(chosen["budgets"]),
            },
            **({"limits": dict(chosen["limits"])} if chosen["limits"] else {}),
        }


def taken_fault(kind: str) -> Fault:
    return Fault(
        "name_taken",
        f"There is a {kind} {names.NODE_POOL} that another hand made.",
        f"Delete it, or give it another name: node autoscaling keeps its own under {names.NODE_POOL}.",
    )


def _reference(pool: Mapping[str, Any]) -> Mapping[str, Any]:
    return (((pool.get("spec") or {}).get("template") or {}).get("spec") or {}).get("nodeClassRef") or {}


def _conditions(found: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """By type; those of an earlier generation say nothing of this one."""
    generation = found.get("metadata", {}).get("generation", 0)
    items = (found.get("status") or {}).get("conditions") or ()
    return {one["type"]: one for one in items if one.get("observedGeneration", generation) >= generation}
