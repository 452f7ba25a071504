"""Karpenter's decisions, without a cluster: what fits where, which new nodes it takes, when idle ones go."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.kube.controllers.karpenter import disruption, packing, pods
from sandbox.kube.controllers.karpenter.amounts import number, shown
from sandbox.kube.controllers.karpenter.offerings import Offering, offerings
from sandbox.kube.controllers.karpenter.packing import Room

Pod = dict[str, Any]
SUBNETS = [{"id": "subnet-1", "zone": "us-west-2a", "zoneId": "usw2-az1"}]
TEAM = {"Key": "team", "Value": "a", "Effect": "NoSchedule"}


def pod(name: str = "p", gpus: int = 0, cpu: str = "1", **spec: Any) -> Pod:
    limits = {"nvidia.com/gpu": str(gpus)} if gpus else {}
    container = {"name": "main", "resources": {"requests": {"cpu": cpu}, "limits": limits}}
    return {"metadata": {"name": name}, "spec": {"containers": [container], **spec}}


def pool(name: str = "pool", *requirements: Any, **template: Any) -> dict[str, Any]:
    anything = {"key": "node.kubernetes.io/instance-type", "operator": "Exists"}
    return {"metadata": {"name": name}, "spec": {"template": {"spec": {"requirements": [*requirements] or [anything], **template}}}}


def offered(*groups: tuple[str, str, dict[str, Any]], of: dict[str, Any] | None = None) -> list[Offering]:
    rows = [{"name": name, "spec": {"InstanceType": kind, **more}} for name, kind, more in groups]
    return [one for row in rows for one in offerings(of or pool(), row, SUBNETS, "demo")]


def packed(waiting: list[Pod], *choices: list[Offering], rooms: list[Room] | None = None, daemons: Any = ()) -> list[str]:
    new = packing.pack(waiting, rooms or [], [*choices], [*daemons], lambda one, made: True)
    return [f"{offering.group}: {' '.join(taken['metadata']['name'] for taken in room.taken)}" for offering, room in new]


GPU, LARGE, CPU = ("gpu", "ml.g5.8xlarge", {}), ("large", "ml.p5.48xlarge", {}), ("cpu", "ml.m5.2xlarge", {})


def test_quantities_are_read_and_written() -> None:
    assert [number(text) for text in ("2", "100m", "1Gi", "1.5k", "1e3", 8)] == [2, 0.1, 2**30, 1500, 1000, 8]
    assert shown({"cpu": 0.5, "memory": 2.0**31, "nvidia.com/gpu": 8}) == {"cpu": "500m", "memory": "2048Mi", "nvidia.com/gpu": "8"}
    with pytest.raises(ValueError, match="no quantity"):
        number("many")


def test_the_smallest_node_that_will_do_is_taken_and_filled_before_another_one_is() -> None:
    assert packed([pod("a", gpus=1)], offered(LARGE, GPU, CPU)) == ["gpu: a"]
    assert packed([pod("a"), pod("b")], offered(LARGE, GPU, CPU)) == ["cpu: a b"]
    assert packed([pod("a", gpus=4), pod("b", gpus=4), pod("c", gpus=1)], offered(LARGE, GPU)) == ["large: a b", "gpu: c"]
    assert packed([pod("a", gpus=16)], offered(LARGE, GPU)) == []


def test_spot_comes_before_on_demand() -> None:
    spot = ("spot", "ml.p5.48xlarge", {"CapacityRequirements": {"Spot": {}}})
    assert packed([pod("a", gpus=1)], offered(GPU, spot)) == ["spot: a"]


def test_nodes_that_are_there_or_coming_are_filled_first() -> None:
    [offering] = offered(GPU)
    coming = packing.room_of(offering, [], "claim")
    assert packed([pod("a", gpus=1), pod("b", gpus=1)], [offering], rooms=[coming]) == ["gpu: b"]
    assert [taken["metadata"]["name"] for taken in coming.taken] == ["a"]


def test_what_the_nodes_own_daemons_take_is_not_there_for_pods() -> None:
    wanted = pod("a", cpu="7")
    assert packed([wanted], offered(CPU)) == ["cpu: a"]
    assert packed([wanted], offered(CPU), daemons=[pod(cpu="2")["spec"]]) == []


@pytest.mark.parametrize(
    ("spec", "fits"),
    [
        ({"nodeSelector": {"node.kubernetes.io/instance-type": "ml.g5.8xlarge"}}, True),
        ({"nodeSelector": {"kubernetes.io/hostname": "hyperpod-i-1"}}, False),
        ({"nodeSelector": {"karpenter.sh/nodepool": "pool", "team": "a"}}, True),
        ({"nodeSelector": {"topology.kubernetes.io/zone": "us-west-2b"}}, False),
        ({"affinity": [("sagemaker.amazonaws.com/instance-group-name", "In", ["other"]), ("team", "Exists", [])]}, True),
        ({"affinity": [("team", "DoesNotExist", [])]}, False),
        ({"affinity": [("team", "NotIn", ["a"])]}, False),
        ({"affinity": []}, False),
    ],
)
def test_selectors_and_required_affinity_are_kept(spec: dict[str, Any], fits: bool) -> None:
    if "affinity" in spec:
        terms = [{"matchExpressions": [{"key": key, "operator": operator, "values": values}]} for key, operator, values in spec["affinity"]]
        spec = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}}
    labelled = ("gpu", "ml.g5.8xlarge", {"KubernetesConfig": {"Labels": {"team": "a"}}})
    assert bool(packed([pod("a", gpus=1, **spec)], offered(labelled))) is fits


@pytest.mark.parametrize(
    ("toleration", "fits"),
    [
        (None, False),
        ({"key": "team", "value": "a"}, True),
        ({"key": "team", "value": "b"}, False),
        ({"key": "team", "operator": "Exists", "effect": "NoSchedule"}, True),
        ({"key": "team", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"operator": "Exists"}, True),
    ],
)
def test_taints_of_the_group_are_kept(toleration: dict[str, str] | None, fits: bool) -> None:
    tainted = ("gpu", "ml.g5.8xlarge", {"KubernetesConfig": {"Taints": [TEAM]}})
    waiting = pod("a", gpus=1, **({"tolerations": [toleration]} if toleration else {}))
    assert bool(packed([waiting], offered(tainted))) is fits


def test_a_pools_requirements_narrow_its_groups_and_capacity_type_is_not_honoured() -> None:
    only_cpu = pool("cpu", {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["ml.m5.2xlarge"]})
    assert [one.group for one in offered(GPU, CPU, of=only_cpu)] == ["cpu"]
    spot = pool("spot", {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]})
    assert [one.group for one in offered(GPU, of=spot)] == ["gpu"]


def test_the_first_pool_that_can_is_taken_and_a_limit_sends_pods_to_the_next() -> None:
    first, second = offered(GPU, of=pool("first")), offered(LARGE, of=pool("second"))
    waiting = [pod("a", gpus=1), pod("b", gpus=1)]
    assert packed(waiting, first, second) == ["gpu: a", "gpu: b"]

    def one_of_first(offering: Offering, made: list[Offering]) -> bool:
        return offering.pool != "first" or not any(one.pool == "first" for one in made)

    new = packing.pack(waiting, [], [first, second], [], one_of_first)
    assert [offering.pool for offering, _ in new] == ["first", "second"]


def test_a_pods_requests_are_its_containers_or_its_largest_init_container() -> None:
    spec = pod(cpu="2")["spec"] | {"initContainers": [{"resources": {"requests": {"cpu": "3"}}}], "overhead": {"cpu": "100m"}}
    assert pods.requests(spec) == {"cpu": 3.1, "pods": 1.0}


def budget(**disruption_: Any) -> dict[str, Any]:
    return {"spec": {"disruption": disruption_}}


@pytest.mark.parametrize(("given", "seconds"), [("0s", 0), ("30s", 30), ("1h30m", 5400), ("Never", None)])
def test_an_idle_node_stays_for_so_long(given: str, seconds: float | None) -> None:
    assert disruption.patience(budget(consolidateAfter=given)) == seconds


@pytest.mark.parametrize(
    ("budgets", "reason", "allowed"),
    [
        ([{"nodes": "10%"}], "Empty", 1),
        ([{"nodes": "50%"}], "Empty", 4),
        ([{"nodes": "0"}], "Empty", 0),
        ([{"nodes": "0", "reasons": ["Drifted"]}], "Empty", 9),
        ([{"nodes": "0", "reasons": ["Drifted"]}, {"nodes": "3"}], "Drifted", 0),
        ([{"nodes": "100%"}, {"nodes": "3"}], "Empty", 2),
    ],
)
def test_the_narrowest_budget_says_how_many_may_go_at_once(budgets: list[dict[str, Any]], reason: str, allowed: int) -> None:
    leaving = 0 if budgets[0]["nodes"] == "10%" else 1
    assert disruption.allowance(budget(budgets=budgets), reason, 10, leaving) == allowed
