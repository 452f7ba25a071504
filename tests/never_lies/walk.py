"""A random walk through what people, AWS and the network do; the same seed makes the same choices."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from clusters.reading.reader import ClusterReader
from tests.never_lies.referee import Referee
from tests.never_lies.rig import CLUSTER, Rig

READS = (
    ("cloudformation", "DescribeStacks"),
    ("cloudformation", "ListStackResources"),
    ("cloudformation", ""),
    ("eks", "DescribeCluster"),
    ("eks", "ListAddons"),
    ("eks", "DescribeAddon"),
    ("eks", ""),
    ("sagemaker", "DescribeCluster"),
    ("sagemaker", "ListClusterNodes"),
    ("sagemaker", "ListClusterEvents"),
    ("sagemaker", ""),
)
WRITES = (
    ("cloudformation", "CreateStack"),
    ("cloudformation", "DeleteStack"),
    ("eks", "CreateAddon"),
    ("eks", "DeleteAddon"),
    ("sagemaker", "CreateCluster"),
    ("sagemaker", "DeleteCluster"),
    ("s3", "PutObject"),
)
PASSING = ("throttle", "reply_lost", "error_after", "reset", "error:InternalFailure", "access_denied")
LASTING = ("access_denied", "error:ServiceUnavailable", "reset")
ADDONS = ("vpc-cni", "kube-proxy", "coredns", "eks-pod-identity-agent", "cert-manager", "aws-mountpoint-s3-csi-driver")
MOST_FAULTS = 3
QUIET_BEGINNING = 40
"""Steps before the first trouble: not enough for a whole creation."""
LOOK_AFTER, LOOK_AFTER_TROUBLE = 0.06, 0.25
"""How likely the observer looks after a step: seldom while only time passes and operations go on with nothing in their way."""


class Walk:
    """steps: how many were taken; taken: of which kind."""

    def __init__(self, rig: Rig, referee: Referee, seed: int) -> None:
        self.rig, self.referee = rig, referee
        self.random = random.Random(seed)
        self.taken: Counter[str] = Counter()
        self._calm = 0
        self._choices: tuple[tuple[Callable[[], str], float], ...] = (
            (self.let_time_pass, 36),
            (self.drive, 20),
            (self.passing_fault, 3),
            (self.lasting_fault, 3),
            (self.scenario, 2),
            (self.heal, 8),
            (self.calm, 0.6),
            (self.submit_create, 3),
            (self.submit_delete, 0.5),
            (self.submit_retry, 2),
            (self.cancel, 0.4),
            (self.delete_addon, 0.7),
            (self.delete_hyperpod, 0.3),
            (self.lose_node, 0.7),
            (self.delete_claim, 0.3),
            (self.delete_eks, 0.1),
        )

    @property
    def steps(self) -> int:
        return sum(self.taken.values())

    def take(self, steps: int, quiet: int = QUIET_BEGINNING) -> None:
        """So many steps, looks apart. Begins with a creation, the first `quiet` steps without trouble."""
        acts, weights = zip(*self._choices, strict=True)
        self._calm = quiet
        self.rig.submit("cluster.create", name=CLUSTER)
        for _ in range(steps):
            act = self.random.choices(acts, weights)[0]
            if self._calm > 0:
                self._calm -= 1
                act = self.random.choice((self.let_time_pass, self.drive, self.drive))
            note = act()
            self.taken[act.__name__] += 1
            self.referee.history.append(note)
            quiet = act in (self.let_time_pass, self.drive) and all(fault["count"] is not None for fault in self.rig.faults())
            if self.random.random() < (LOOK_AFTER if quiet else LOOK_AFTER_TROUBLE):
                self.look()

    def look(self) -> None:
        self.referee.check()
        self.referee.history.append("look")

    def let_time_pass(self) -> str:
        target: float | str = self.random.choice(("next", "next", 5.0, 30.0, 120.0, 600.0))
        self.rig.forward(target)
        return f"time {target}"

    def drive(self) -> str:
        ticks = self.random.randint(1, 3)
        self.rig.drive(ticks)
        return f"drive {ticks}"

    def calm(self) -> str:
        """No trouble for a while, so that something gets done."""
        for fault in self.rig.faults():
            self.rig.remove_fault(fault["id"])
        self._calm = self.random.randint(20, 50)
        self.rig.submit("cluster.create", name=CLUSTER)
        return f"calm {self._calm}"

    def passing_fault(self) -> str:
        service, operation = self.random.choice(READS + WRITES)
        kind = self.random.choice(PASSING)
        return self._fault(kind=kind, service=service, operation=operation, count=self.random.randint(1, 3))

    def lasting_fault(self) -> str:
        service, operation = self.random.choice(READS)
        return self._fault(kind=self.random.choice(LASTING), service=service, operation=operation, count=None)

    def scenario(self) -> str:
        chosen: dict[str, Any] = self.random.choice(
            (
                {"scenario": "kube_partition", "cluster": CLUSTER},
                {"scenario": "expired_credentials"},
                {"scenario": "addon_degraded", "addon": self.random.choice(ADDONS), "code": "AccessDenied", "message": "no"},
                {"scenario": "node_failure", "group": "workers"},
                {"scenario": "capacity_shortage", "instance_type": "ml.g5.8xlarge"},
                {"scenario": "lifecycle_failure", "group": "workers"},
            )
        )
        return self._fault(**chosen)

    def _fault(self, **fault: Any) -> str:
        if len(self.rig.faults()) >= MOST_FAULTS:
            return self.heal()
        self.rig.add_fault(**fault)
        return f"fault {fault}"

    def heal(self) -> str:
        found = self.rig.faults()
        if not found:
            return "nothing to heal"
        chosen = self.random.choice(found)
        self.rig.remove_fault(chosen["id"])
        return f"healed {chosen.get('kind') or chosen.get('scenario')} {chosen.get('service', '')}:{chosen.get('operation', '')}"

    def submit_create(self) -> str:
        return f"create {self.rig.submit('cluster.create', name=CLUSTER)}"

    def submit_delete(self) -> str:
        return f"delete {self.rig.submit('cluster.delete', name=CLUSTER, confirm=CLUSTER)}"

    def submit_retry(self) -> str:
        phase = self.random.choice(("control_plane", "select", "dependencies", "hyperpod", "storage"))
        return f"retry {phase} {self.rig.submit('phase.retry', name=CLUSTER, phase=phase)}"

    def cancel(self) -> str:
        self.rig.cancel()
        return "cancel"

    def delete_addon(self) -> str:
        addon = self.random.choice(ADDONS)
        done = self.rig.outside("eks", "delete_addon", clusterName=CLUSTER, addonName=addon)
        return f"outside: deleted {addon} {done is not None}"

    def delete_hyperpod(self) -> str:
        done = self.rig.outside("sagemaker", "delete_cluster", ClusterName=CLUSTER)
        return f"outside: deleted HyperPod {done is not None}"

    def delete_eks(self) -> str:
        done = self.rig.outside("eks", "delete_cluster", name=CLUSTER)
        return f"outside: deleted EKS {done is not None}"

    def lose_node(self) -> str:
        found = self.rig.outside("sagemaker", "list_cluster_nodes", ClusterName=CLUSTER) or {}
        ids = [node["InstanceId"] for node in found.get("ClusterNodeSummaries", []) if node.get("InstanceId")]
        if not ids:
            return "no node to lose"
        verb = self.random.choice(("batch_reboot_cluster_nodes", "batch_replace_cluster_nodes"))
        done = self.rig.outside("sagemaker", verb, ClusterName=CLUSTER, NodeIds=ids[:1])
        return f"outside: {verb} {done is not None}"

    def delete_claim(self) -> str:
        if any(fault["count"] is None for fault in self.rig.faults()):
            return "no way to the claim"
        api = ClusterReader(CLUSTER, "us-west-2").kube
        done = api is not None and api.delete("v1", "PersistentVolumeClaim", "shared", "default")
        return f"outside: deleted the claim {done}"
