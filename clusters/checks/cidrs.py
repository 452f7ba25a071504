"""The network's addresses against those of other VPCs and of Kubernetes' services."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from clusters import tags
from clusters.checks.registry import Subject, check, failed, passed, warning
from clusters.checks.resolve import UNKNOWN_NETWORK, VPC_CANDIDATES, vpc_networks
from operations.plan import Check

CODE, TITLE, FIELD = "cidrs", "Address ranges", "network.vpc_cidr"


@check(CODE, TITLE)
def ranges_do_not_meet(subject: Subject) -> Iterator[Check]:
    network = subject.spec.network
    if network.vpc_cidr == UNKNOWN_NETWORK:
        return  # the check of the existing network says that it is not there
    vpc, services = IPv4Network(network.vpc_cidr), IPv4Network(network.service_cidr)
    rows: list[Check] = []
    if vpc.overlaps(services):
        rows.append(
            failed(
                "service_cidr_overlaps",
                TITLE,
                f"Kubernetes' services would have {services}, which meets the VPC's {vpc}.",
                f"Choose another VPC CIDR, for example {VPC_CANDIDATES[0]}.",
                FIELD,
            )
        )
    previous = subject.existing.previous
    if previous is not None and subject.input.network.vpc_cidr not in (None, previous.network.vpc_cidr):
        rows.append(
            failed(
                "resume_differs",
                TITLE,
                f"The half-made attempt was begun with {previous.network.vpc_cidr}.",
                "Leave the CIDR away, or delete that attempt first.",
                FIELD,
            )
        )
    if not network.existing:
        rows += _other_vpcs(subject, vpc)
    yield from rows or [passed(CODE, TITLE, f"{vpc} meets no VPC of the region; services have {services}.")]


def _other_vpcs(subject: Subject, vpc: IPv4Network) -> Iterator[Check]:
    own = {found["VpcId"] for found in subject.facts.vpcs if tags.as_dict(found.get("Tags")).get(tags.CLUSTER) == subject.spec.name}
    meets = sorted(
        {f"{vpc_id} ({other})" for vpc_id, other in vpc_networks(subject.facts.vpcs) if other.overlaps(vpc) and vpc_id not in own}
    )
    if meets:
        yield warning(
            "vpc_cidr_overlaps",
            TITLE,
            f"{vpc} overlaps {', '.join(meets)}: these VPCs can never be peered with the cluster's.",
            "Leave the CIDR away to get a free one, or go on if they need not meet.",
            FIELD,
        )
