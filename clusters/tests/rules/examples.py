"""For every rule a world in which it strikes and one, as near as possible, in which it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clusters.rules import EndpointFacts, Facts, GroupFacts, JobFacts, NodeGroupFacts
from clusters.spec import Capacity, DeepHealthCheck

PLAN = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/big-run-0001"
P5 = ("ml.p5.48xlarge",)
STRESS, CONNECTIVITY = (DeepHealthCheck.INSTANCE_STRESS,), (DeepHealthCheck.INSTANCE_CONNECTIVITY,)
TWO_ZONES = frozenset({"us-west-2a", "us-west-2b"})


def group(**fields: Any) -> Facts:
    return Facts(groups=(replace(GroupFacts(), **fields),))


def job(*groups: GroupFacts, **fields: Any) -> Facts:
    return Facts(jobs=(JobFacts(**fields),), groups=groups)


def node_group(**fields: Any) -> Facts:
    return Facts(node_groups=(NodeGroupFacts(**fields),))


SPOT = GroupFacts(capacity=Capacity.SPOT)
ON_DEMAND = GroupFacts()

EXAMPLES: dict[str, tuple[Facts, Facts]] = {
    "node_group_counts": (node_group(minimum=2, desired=1, maximum=3), node_group(minimum=1, desired=1, maximum=3)),
    "spot_with_capacity_block": (
        node_group(capacity="spot", capacity_reservation="cr-0123456789abcdef0"),
        node_group(capacity="capacity-block", capacity_reservation="cr-0123456789abcdef0"),
    ),
    "capacity_block_without_reservation": (
        node_group(capacity="capacity-block"),
        node_group(capacity="capacity-block", capacity_reservation="cr-0123456789abcdef0"),
    ),
    "capacity_block_types": (
        node_group(capacity="capacity-block", capacity_reservation="cr-0123456789abcdef0", instance_types=("a", "b")),
        node_group(capacity="capacity-block", capacity_reservation="cr-0123456789abcdef0", instance_types=("a",)),
    ),
    "node_group_without_efa": (node_group(efa=True, efa_interfaces=0), node_group(efa=True, efa_interfaces=1)),
    "node_group_efa_zones": (
        node_group(efa=True, efa_interfaces=1, zones=TWO_ZONES),
        node_group(efa=True, efa_interfaces=1, zones=frozenset({"us-west-2a"})),
    ),
    "cluster_name": (Facts(name="-demo"), Facts(name="demo")),
    "slurm_orchestrator": (Facts(orchestrator="slurm"), Facts(orchestrator="eks")),
    "too_many_groups": (Facts(group_count=101), Facts(group_count=100)),
    "too_many_restricted_groups": (Facts(restricted_count=101), Facts(restricted_count=100)),
    "group_names_twice": (Facts(groups=(ON_DEMAND, SPOT)), Facts(groups=(ON_DEMAND, replace(SPOT, name="spot")))),
    "too_many_tags": (Facts(tags=51), Facts(tags=50)),
    "group_name": (group(name="my_group"), group(name="my-group")),
    "group_count": (group(count=6759), group(count=6758)),
    "minimum_above_count": (group(minimum=3, count=2), group(minimum=2, count=2)),
    "minimum_needs_continuous": (replace(group(minimum=1), continuous=False), replace(group(minimum=1), continuous=True)),
    "no_instance_type": (group(instance_types=()), group()),
    "too_many_types": (group(instance_types=P5 * 21), group(instance_types=P5 * 20)),
    "volume_size": (group(volume_gb=16385), group(volume_gb=16384)),
    "too_many_volumes": (group(volumes=5), group(volumes=4)),
    "root_volume_with_size": (group(root_volume=True, root_volume_size=True), group(root_volume=True)),
    "root_volume_without_key": (group(root_volume=True, root_volume_key=False), group(root_volume=True)),
    "too_many_subnets": (group(subnets=17), group(subnets=16)),
    "too_many_security_groups": (group(security_groups=6), group(security_groups=5)),
    "too_many_labels": (group(labels=51), group(labels=50, taints=50)),
    "lifecycle_bucket_prefix": (group(lifecycle="s3://our-scripts/a"), group(lifecycle="s3://sagemaker-demo/a")),
    "image_id": (group(image_id="latest"), group(image_id="ami-0123456789abcdef0")),
    "spot_with_training_plan": (
        group(instance_types=P5, capacity=Capacity.SPOT, training_plan_arn=PLAN),
        group(instance_types=P5, capacity=Capacity.TRAINING_PLAN, training_plan_arn=PLAN),
    ),
    "training_plan_family": (
        group(capacity=Capacity.TRAINING_PLAN, training_plan_arn=PLAN),
        group(instance_types=P5, capacity=Capacity.TRAINING_PLAN, training_plan_arn=PLAN),
    ),
    "training_plan_zones": (
        group(instance_types=P5, capacity=Capacity.TRAINING_PLAN, training_plan_arn=PLAN, zones=TWO_ZONES),
        group(instance_types=P5, capacity=Capacity.TRAINING_PLAN, training_plan_arn=PLAN, zones=frozenset({"us-west-2a"})),
    ),
    "several_root_volumes": (group(root_volumes=2, root_volume=True), group(root_volumes=1, root_volume=True)),
    "several_data_volumes": (group(data_volumes=2), group(data_volumes=1)),
    "efa_across_zones": (group(zones=TWO_ZONES), group(instance_types=("ml.g5.xlarge",), zones=TWO_ZONES)),
    "two_threads_on_arm": (
        group(instance_types=("ml.c7g.large",), threads_per_core=2),
        group(instance_types=("ml.c7g.large",), threads_per_core=1),
    ),
    "restricted_group": (group(restricted=True), group()),
    "restricted_group_on_spot": (group(restricted=True, capacity=Capacity.SPOT), group(restricted=True)),
    "restricted_group_configured": (group(restricted=True, taints=1), group(restricted=True)),
    "restricted_group_flexible": (group(restricted=True, instance_types=P5 * 2), group(restricted=True, instance_types=P5)),
    "deep_checks_without_accelerator": (
        group(instance_types=("ml.m5.large",), deep_health_checks=STRESS),
        group(deep_health_checks=STRESS),
    ),
    "deep_checks_without_efa": (group(instance_types=("ml.g5.xlarge",), deep_health_checks=STRESS), group(deep_health_checks=STRESS)),
    "deep_checks_between_nodes": (group(deep_health_checks=CONNECTIVITY), group(deep_health_checks=CONNECTIVITY, count=2)),
    "deep_checks_take_long": (group(deep_health_checks=STRESS), group()),
    "deep_checks_on_spot": (group(deep_health_checks=STRESS, capacity=Capacity.SPOT), group(deep_health_checks=STRESS)),
    "deep_checks_with_taints": (group(deep_health_checks=STRESS, taints=1), group(taints=1)),
    "autoscaling_needs_continuous": (Facts(autoscaling=True, continuous=False), Facts(autoscaling=True, continuous=True)),
    "autoscaling_needs_recovery": (Facts(autoscaling=True, automatic_recovery=False), Facts(autoscaling=True, automatic_recovery=True)),
    "autoscaling_needs_role": (Facts(autoscaling=True, cluster_role=False), Facts(autoscaling=True, cluster_role=True)),
    "autoscaling_needs_eks": (Facts(autoscaling=True, orchestrator="slurm"), Facts(autoscaling=True, orchestrator="eks")),
    "node_class_too_large": (Facts(node_class_groups=11), Facts(node_class_groups=10)),
    "autoscaled_group_not_empty": (group(autoscaled=True, count=1), group(autoscaled=True, count=0)),
    "autoscaled_group_zones": (
        group(autoscaled=True, count=0, zones=TWO_ZONES),
        group(autoscaled=True, count=0, zones=frozenset({"us-west-2a"})),
    ),
    "autoscaled_group_on_plan": (
        group(autoscaled=True, instance_types=P5, training_plan_arn=PLAN),
        group(autoscaled=False, instance_types=P5, training_plan_arn=PLAN),
    ),
    "autoscaled_group_deep_checks": (group(autoscaled=True, deep_health_checks=STRESS), group(deep_health_checks=STRESS)),
    "autoscaled_group_on_arm": (group(autoscaled=True, instance_types=("ml.c7g.large",)), group(autoscaled=True)),
    "autoscaled_group_restricted": (group(autoscaled=True, restricted=True), group(autoscaled=True)),
    "tiered_memory_share": (Facts(tiered_percent=101), Facts(tiered_percent=100)),
    "tiered_memory_small": (Facts(tiered_percent=19), Facts(tiered_percent=20)),
    "tiered_needs_eks": (Facts(tiered_checkpointing=True, orchestrator="slurm"), Facts(tiered_checkpointing=True, orchestrator="eks")),
    "elastic_with_checkpointless": (job(elastic=True, checkpointless=True), job(checkpointless=True)),
    "elastic_with_tiered_checkpointing": (job(elastic=True, tiered=True), job(tiered=True)),
    "elastic_on_spot": (job(ON_DEMAND, SPOT, elastic=True), job(ON_DEMAND, elastic=True)),
    "elastic_needs_operator": (job(elastic=True, operator_version=(1, 1)), job(elastic=True, operator_version=(1, 2))),
    "elastic_sizes_out_of_order": (
        job(elastic=True, smallest=2, replicas=1, largest=4),
        job(elastic=True, smallest=1, replicas=1, largest=4),
    ),
    "elastic_step_and_sizes": (job(elastic=True, step=2, sizes=(2, 4)), job(elastic=True, sizes=(2, 4))),
    "elastic_sizes_outside": (
        job(elastic=True, smallest=2, largest=4, sizes=(2, 8)),
        job(elastic=True, smallest=2, largest=4, sizes=(2, 4)),
    ),
    "elastic_largest_differs": (
        job(elastic=True, largest=8, spec_largest=4),
        job(elastic=True, largest=8, spec_largest=8),
    ),
    "tiered_cache_needs_tiered_storage": (
        Facts(tiered_storage=False, endpoints=(EndpointFacts(cache_in_tiers=True),)),
        Facts(tiered_storage=True, endpoints=(EndpointFacts(cache_in_tiers=True),)),
    ),
    "checkpointless_type": (
        job(ON_DEMAND, checkpointless=True),
        job(replace(ON_DEMAND, instance_types=P5), checkpointless=True),
    ),
}
"""code → (strikes, does not strike)."""
