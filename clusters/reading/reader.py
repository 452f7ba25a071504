"""One look at a cluster: each source is asked at most once, and a source that failed fails the same way for all who ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar, cast

from clusters import names
from clusters.reading.eks import AddonReading, EksReading, read_addon, read_addons, read_eks
from clusters.reading.hyperpod import (
    KUBERNETES_NAME_PREFIX,
    EventReading,
    HyperPodReading,
    InstanceReading,
    read_events,
    read_hyperpod,
    read_instances,
)
from clusters.reading.iam import RoleReading, read_association_role, read_role
from clusters.reading.kept import ADDONS, EVENTS, IDENTITIES, INSTANCES, NODE_GROUPS, STACK_RESOURCES, Keeper
from clusters.reading.kubernetes import NodeReading, Workload, read_nodes, read_workloads
from clusters.reading.node_groups import NodeGroupReading, read_node_group, read_node_groups
from clusters.reading.pods import BudgetReading, PodReading, read_budgets, read_pods
from clusters.reading.stack import StackReading, StackResource, read_stack, read_stack_resources
from instantstart import cloud, kube
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError
from instantstart.kube.client import Kube
from instantstart.kube.errors import TIMEOUT, UNREACHABLE, KubeError
from instantstart.kube.releases import Release, newest
from instantstart.kube.target import KubeTarget

if TYPE_CHECKING:
    from clusters.models import Cluster

T = TypeVar("T")
READ_ERRORS = (CloudError, KubeError)
WELL = frozenset({"", "Schedulable"})
"""Values of HyperPod's health label that hint at nothing."""
NO_ANSWER = (UNREACHABLE, TIMEOUT)


class ClusterReader:
    """Pure reads of one cluster, by name and region; lazily, once. Raises CloudError or KubeError where it can't read.

    name: ours, of which the stack's is made. eks_name, hyperpod_name: AWS's, where they are not the same (None); hyperpod_name "": there
    is no HyperPod cluster, and none is asked for.

    background: calls wait their turn in the rate limit (observers); a step's or a person's reads borrow ahead.
    keeper: an observer's readings from one look to the next; without it everything is read anew.
    """

    def __init__(
        self,
        name: str,
        region: str,
        account: str = "",
        *,
        eks_name: str | None = None,
        hyperpod_name: str | None = None,
        background: bool = False,
        keeper: Keeper | None = None,
    ) -> None:
        self.name, self.region, self.account = name, region, account
        self.eks_name = name if eks_name is None else eks_name
        self.hyperpod_name = name if hyperpod_name is None else hyperpod_name
        self.background = background
        self.keeper = keeper
        self._kept: dict[str, tuple[Any, Exception | None]] = {}
        self._silent: KubeError | None = None

    @classmethod
    def of(cls, row: Cluster, *, background: bool = False, keeper: Keeper | None = None) -> ClusterReader:
        """The reader of that row's cluster."""
        return cls(row.name, row.region, row.account, eks_name=row.eks, hyperpod_name=row.hyperpod, background=background, keeper=keeper)

    def _once(self, key: str, read: Callable[[], T]) -> T:
        if key not in self._kept:
            try:
                self._kept[key] = (read(), None)
            except READ_ERRORS as error:
                self._kept[key] = (None, error)
        value, trouble = self._kept[key]
        if trouble is not None:
            raise trouble
        return cast(T, value)

    def _of_kubernetes(self, key: str, read: Callable[[], T]) -> T:
        """One read of the Kubernetes API. After one that got no answer the others fail at once: each would wait as long again."""
        if self._silent is not None and key not in self._kept:
            raise self._silent
        try:
            return self._once(key, read)
        except KubeError as error:
            if error.code in NO_ANSWER:
                self._silent = error
            raise

    @property
    def aws(self) -> Aws:
        return self._once("aws", lambda: cloud.connect(self.region, self.account, background=self.background))

    @property
    def stack(self) -> StackReading | None:
        return self._once("stack", lambda: read_stack(self.aws, names.stack(self.name)))

    @property
    def stack_resources(self) -> list[StackResource]:
        return self._once("stack_resources", self._stack_resources)

    def _stack_resources(self) -> list[StackResource]:
        stack, keeper = self.stack, self.keeper
        if keeper is None or stack is None or not stack.complete:
            return read_stack_resources(self.aws, names.stack(self.name))
        kept = keeper.earlier.get(STACK_RESOURCES)
        if kept is not None and kept.body["of"] == stack.version:
            return [StackResource(**item) for item in kept.body["items"]]
        found = read_stack_resources(self.aws, names.stack(self.name))
        keeper.keep(STACK_RESOURCES, {"of": stack.version, "items": [asdict(item) for item in found]})
        return found

    @property
    def eks(self) -> EksReading | None:
        return self._once("eks", lambda: read_eks(self.aws, self.eks_name))

    @property
    def addons(self) -> dict[str, AddonReading]:
        return self._once("addons", self._addons)

    def _addons(self) -> dict[str, AddonReading]:
        kept = self.keeper.young(ADDONS) if self.keeper else None
        if self.keeper is None or kept is None:
            found = read_addons(self.aws, self.eks_name)
            if self.keeper is not None and self.keeper.spare:
                self.keeper.keep(ADDONS, [one.as_json() for one in found.values()])
            return found
        self.keeper.used[ADDONS] = kept.read_at
        earlier = (AddonReading.from_json(item) for item in kept.body)
        readings = (one if one.settled else self.addon_again(one.name) for one in earlier)
        return {one.name: one for one in readings if one is not None}

    def addon_again(self, name: str) -> AddonReading | None:
        """What EKS says of the add-on now, where `addons` may be an earlier look's."""
        if self.keeper is None or ADDONS not in self.keeper.used:
            return self.addons.get(name)
        return self._once(f"addon/{name}", lambda: self._addon_again(name))

    def _addon_again(self, name: str) -> AddonReading | None:
        keeper = cast(Keeper, self.keeper)
        found = read_addon(self.aws, self.eks_name, name)
        kept = keeper.fresh.get(ADDONS) or keeper.earlier[ADDONS]
        others = [item for item in kept.body if item["name"] != name]
        keeper.amend(ADDONS, [*others, found.as_json()] if found else others, kept.read_at)
        return found

    def addon(self, name: str) -> AddonReading | None:
        """One add-on: of the list where that is read anyway, else it alone."""
        if self.keeper is not None or "addons" in self._kept:
            return self.addons.get(name)
        return self._once(f"addon/{name}", lambda: read_addon(self.aws, self.eks_name, name))

    @property
    def node_groups(self) -> list[NodeGroupReading]:
        """EKS's, all of the cluster."""
        return self._once("node_groups", self._node_groups)

    def _node_groups(self) -> list[NodeGroupReading]:
        keeper = self.keeper
        kept = keeper.young(NODE_GROUPS) if keeper else None
        if keeper is not None and kept is not None:
            earlier = [NodeGroupReading(item) for item in kept.body]
            if all(one.status == "ACTIVE" for one in earlier):
                keeper.used[NODE_GROUPS] = kept.read_at
                return earlier
        found = read_node_groups(self.aws, self.eks_name) if self.eks is not None else []
        if keeper is not None and keeper.spare:
            keeper.keep(NODE_GROUPS, [dict(one.raw) for one in found])
        return found

    def node_group(self, name: str) -> NodeGroupReading | None:
        """One of them, by a read of its own."""
        return self._once(f"node_group/{name}", lambda: read_node_group(self.aws, self.eks_name, name))

    def role(self, name: str) -> RoleReading | None:
        """An IAM role with its policies. Roles change seldom: an observer's look reads them as seldom (Keeper.identities)."""
        return self._once(f"role/{name}", lambda: self._role(name))

    def _role(self, name: str) -> RoleReading | None:
        kept = self._identity(f"role/{name}", lambda: _json(read_role(self.aws, name)))
        return RoleReading.from_json(kept) if kept is not None else None

    def association_role(self, arn: str) -> str | None:
        """ARN of the role that a pod identity association gives."""
        return self._once(arn, lambda: self._identity(arn, lambda: read_association_role(self.aws, self.eks_name, arn)))

    def _identity(self, key: str, read: Callable[[], T]) -> T:
        keeper = self.keeper
        if keeper is None:
            return read()
        kept = keeper.identities()
        if kept is not None and key in kept.body:
            keeper.used[IDENTITIES] = kept.read_at
            return cast(T, kept.body[key])
        found = read()
        known = keeper.fresh.get(IDENTITIES) or kept
        body = {**known.body, key: found} if known is not None else {key: found}
        if kept is None:
            keeper.keep(IDENTITIES, body)
        else:
            keeper.amend(IDENTITIES, body, kept.read_at)
        return found

    @property
    def hyperpod(self) -> HyperPodReading | None:
        return self._once("hyperpod", lambda: read_hyperpod(self.aws, self.hyperpod_name) if self.hyperpod_name else None)

    @property
    def instances(self) -> list[InstanceReading]:
        return self._once("instances", self._instances)

    def _instances(self) -> list[InstanceReading]:
        keeper, cluster = self.keeper, self.hyperpod
        if keeper is None or not keeper.spare or cluster is None:
            return read_instances(self.aws, self.hyperpod_name) if self.hyperpod_name else []
        kept = keeper.young(INSTANCES)
        if kept is not None and cluster.status == "InService" and kept.body["of"] == cluster.outline:
            found = [InstanceReading.from_json(item) for item in kept.body["items"]]
            if self._at_rest(found):
                keeper.used[INSTANCES] = kept.read_at
                return found
        found = read_instances(self.aws, self.hyperpod_name)
        keeper.keep(INSTANCES, {"of": cluster.outline, "items": [item.as_json() for item in found]})
        return found

    def _at_rest(self, instances: list[InstanceReading]) -> bool:
        """Whether Kubernetes agrees that all of these run, are well, and are all there are."""
        try:
            nodes = {node.name: node for node in self.nodes if node.name.startswith(KUBERNETES_NAME_PREFIX)}
        except READ_ERRORS:
            return False
        well = all(node.ready and node.schedulable and node.health in WELL for node in nodes.values())
        return well and nodes.keys() == {item.kubernetes_name for item in instances} and all(item.status == "Running" for item in instances)

    @property
    def events(self) -> list[EventReading]:
        return self._once("events", self._events)

    def _events(self) -> list[EventReading]:
        found = read_events(self.aws, self.hyperpod_name) if self.hyperpod_name else []
        if self.keeper is not None and self.keeper.spare:
            self.keeper.keep(EVENTS, len(found))
        return found

    @property
    def events_can_wait(self) -> bool:
        """Whether HyperPod's events were read lately and nothing hints at new ones."""
        return self.keeper is not None and self.keeper.young(EVENTS) is not None and INSTANCES in self.keeper.used

    @property
    def target(self) -> KubeTarget | None:
        """Where the Kubernetes API is; None while EKS has not told it (no cluster, or not ACTIVE yet)."""
        found = self.eks
        if found is None or not found.endpoint:
            return None
        return KubeTarget(self.eks_name, self.region, found.endpoint, found.ca_data, self.account, self.aws.role)

    @property
    def kube(self) -> Kube | None:
        """The Kubernetes API; None while there is none."""
        target = self.target
        return None if target is None else self._once("kube", lambda: kube.connect(target))

    @property
    def kube_version(self) -> str | None:
        api = self.kube
        return None if api is None else self._of_kubernetes("kube_version", api.version)

    @property
    def nodes(self) -> list[NodeReading]:
        """Kubernetes nodes; [] while there is no Kubernetes."""
        api = self.kube
        return [] if api is None else self._of_kubernetes("nodes", lambda: read_nodes(api))

    @property
    def pods(self) -> list[PodReading]:
        """Every pod; [] while there is no Kubernetes."""
        api = self.kube
        return [] if api is None else self._of_kubernetes("pods", lambda: read_pods(api))

    @property
    def budgets(self) -> list[BudgetReading]:
        """Every PodDisruptionBudget; [] while there is no Kubernetes."""
        api = self.kube
        return [] if api is None else self._of_kubernetes("budgets", lambda: read_budgets(api))

    @property
    def workloads(self) -> list[Workload]:
        api = self.kube
        return [] if api is None else self._of_kubernetes("workloads", lambda: read_workloads(api))

    def release(self, name: str, namespace: str) -> Release | None:
        api = self.kube
        return None if api is None else self._of_kubernetes(f"release/{namespace}/{name}", lambda: newest(api, name, namespace))

    def object(self, api_version: str, kind: str, name: str, namespace: str = "") -> dict[str, Any] | None:
        """One Kubernetes object; None when it is not there or there is no Kubernetes."""
        api = self.kube
        if api is None:
            return None
        return self._of_kubernetes(f"{api_version}/{kind}/{namespace}/{name}", lambda: api.get(api_version, kind, name, namespace))

    def objects(self, api_version: str, kind: str, namespace: str = "") -> list[dict[str, Any]]:
        """All objects of a kind, of every namespace when none is given; [] when there is no Kubernetes, or no such kind."""
        api = self.kube
        if api is None:
            return []
        return self._of_kubernetes(f"{api_version}/{kind}/{namespace}", lambda: api.list(api_version, kind, namespace))

    @property
    def has_ready_node(self) -> bool:
        return any(node.ready for node in self.nodes)


def _json(found: RoleReading | None) -> dict[str, Any] | None:
    return found.as_json() if found is not None else None
