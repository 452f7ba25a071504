"""The HyperPod cluster as its Karpenter sees it, and what it asks of it under the cluster's role."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sandbox.agenda import agenda_handler
from sandbox.aws.errors import AWSError
from sandbox.aws.sagemaker import auto_scaling, network
from sandbox.aws.sagemaker import cluster as clusters
from sandbox.aws.sagemaker import node as nodes
from sandbox.aws.sagemaker.group import network_of
from sandbox.kube.controllers.karpenter.offerings import Offering, Subnet

if TYPE_CHECKING:
    from sandbox.aws.context import Context
    from sandbox.world import World

_WAKE = "sagemaker.autoscaling.wake"


@agenda_handler(_WAKE)
def wake(context: Context, payload: dict[str, Any]) -> None:
    """A moment that a node's or an offering's time is up: the controller looks by itself, a jump of the clock must stop here."""


class HyperPod:
    def __init__(self, world: World, scope: str, name: str) -> None:
        self._world, self._scope, self._name = world, scope, name
        self._account, _, self._region = scope.partition("/")

    @property
    def _context(self) -> Context:
        return self._world.context("sagemaker", "Karpenter", account=self._account, region=self._region)

    @property
    def now(self) -> float:
        """Virtual seconds."""
        return self._world.clock.now()

    def cluster(self) -> dict[str, Any] | None:
        """The HyperPod cluster of this EKS cluster, where autoscaling is in service."""
        context = self._context
        arn = context.arn("eks", f"cluster/{self._name}")
        for row in clusters.clusters(context):
            if row["eks_cluster_arn"] == arn and row["status"] != "Deleting" and (row["auto_scaling"] or {}).get("Status") == "InService":
                return row
        return None

    def nodes(self, cluster: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """By logical id."""
        return {row["logical_id"]: row for row in nodes.of_cluster(self._context, cluster)}

    def subnets(self, cluster: dict[str, Any], group: dict[str, Any]) -> list[Subnet]:
        found = network.subnets(self._context, network_of(group, cluster))
        return [{"id": one["SubnetId"], "zone": one["AvailabilityZone"], "zoneId": one["AvailabilityZoneId"]} for one in found]

    def add(self, cluster: dict[str, Any], offering: Offering, token: str) -> str:
        """Logical id of a new node of the offering, the same one for the same token. AWSError where HyperPod adds none."""
        item: dict[str, Any] = {"InstanceGroupName": offering.group, "IncrementTargetCountBy": 1}
        if offering.flexible:
            item |= {"AvailabilityZones": [offering.zone], "InstanceTypes": [offering.instance_type]}
        answer = self._call(cluster, "BatchAddClusterNodes", {"ClientToken": token, "NodesToAdd": [item]})
        if answer["Failed"]:
            raise AWSError(answer["Failed"][0]["ErrorCode"], answer["Failed"][0]["Message"])
        return str(answer["Successful"][0]["NodeLogicalId"])

    def delete(self, cluster: dict[str, Any], logical_ids: Iterable[str]) -> None:
        self._call(cluster, "BatchDeleteClusterNodes", {"NodeLogicalIds": [*logical_ids]})

    def vanished(self) -> None:
        """The service has nothing left in Kubernetes."""
        with self._world.acting(self._context), self._world.database.transaction():
            auto_scaling.vanished(self._context, self._name)

    def wake_at(self, moment: float) -> None:
        with self._world.acting(self._context), self._world.database.transaction():
            self._context.schedule(moment, _WAKE, {"cluster": self._name})

    def _call(self, cluster: dict[str, Any], operation: str, params: dict[str, Any]) -> dict[str, Any]:
        principal = auto_scaling.assumed(self._context, cluster)
        if principal is None:
            raise AWSError("AccessDenied", f"The cluster role {cluster['cluster_role']} cannot be assumed by {auto_scaling.SERVICE}.")
        context = self._world.context("sagemaker", operation, account=self._account, region=self._region, principal=principal, source="api")
        return context.call("sagemaker", operation, {"ClusterName": cluster["name"], **params})
