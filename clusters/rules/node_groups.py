"""Rules about EKS node groups: their counts, their capacity, EFA."""

from __future__ import annotations

from clusters.rules.facts import NodeGroupFacts
from clusters.rules.rule import Noun, Rule, each_node_group
from operations.choices import Severity

BLOCK = "capacity-block"
_API = "EKS API reference, CreateNodegroup"


def _block_without_reservation(group: NodeGroupFacts) -> bool:
    return group.capacity == BLOCK and not group.capacity_reservation


def _efa_without_interfaces(group: NodeGroupFacts) -> bool:
    return group.efa and group.efa_interfaces == 0


ROWS: tuple[Rule, ...] = (
    Rule(
        "node_group_counts",
        Noun.GROUP,
        Severity.ERROR,
        each_node_group(lambda group: not group.minimum <= group.desired <= group.maximum),
        "EKS takes no node group with a minimum of {node_group.minimum}, {node_group.desired} desired and a maximum of "
        "{node_group.maximum} nodes.",
        "Let minimum ≤ desired ≤ maximum.",
        "desired",
        f"{_API}: scalingConfig",
    ),
    Rule(
        "spot_with_capacity_block",
        Noun.GROUP,
        Severity.ERROR,
        each_node_group(lambda group: bool(group.capacity_reservation) and group.capacity != BLOCK),
        "The reservation {node_group.capacity_reservation} of a Capacity Block goes with no other capacity: {node_group.capacity} is asked "
        "for.",
        "Ask for the capacity capacity-block, or leave the reservation away.",
        "capacity_reservation",
        f"{_API}: capacityType is one of ON_DEMAND, SPOT and CAPACITY_BLOCK",
    ),
    Rule(
        "capacity_block_without_reservation",
        Noun.GROUP,
        Severity.ERROR,
        each_node_group(_block_without_reservation),
        "A node group of capacity-block needs the reservation that it runs in.",
        "Give the id of the Capacity Block (cr-…).",
        "capacity_reservation",
        "EKS user guide, managed node groups with Capacity Blocks: the launch template targets the reservation",
    ),
    Rule(
        "capacity_block_types",
        Noun.GROUP,
        Severity.ERROR,
        each_node_group(lambda group: group.capacity == BLOCK and len(group.instance_types) > 1),
        "A Capacity Block is of one instance type; {node_group.types} are asked for.",
        "Give the type of the Capacity Block alone.",
        "instance_types",
        "EC2 user guide, Capacity Blocks for ML",
    ),
    Rule(
        "node_group_without_efa",
        Noun.GROUP,
        Severity.ERROR,
        each_node_group(_efa_without_interfaces),
        "{node_group.types} has no EFA interfaces.",
        "Choose a type that has them, or leave efa away.",
        "efa",
        "EC2 API, DescribeInstanceTypes: NetworkInfo.EfaInfo",
    ),
    Rule(
        "node_group_efa_zones",
        Noun.GROUP,
        Severity.ERROR,
        each_node_group(lambda group: group.efa and len(group.zones) > 1),
        "Nodes with EFA must be in one Availability Zone, and the subnets are in several.",
        "Give subnets of one zone.",
        "subnets",
        "EC2 user guide, EFA limitations: traffic stays within an Availability Zone",
    ),
)
