"""Quotas of what a new network takes: VPC, internet gateway, NAT gateway, address; and of EKS clusters."""

from __future__ import annotations

from collections.abc import Iterator

from clusters.catalog import quotas
from clusters.checks.registry import Subject, check, failed, passed, warning
from operations.plan import Check

CODE, TITLE = "network_quotas", "Network quotas"


@check(CODE, TITLE)
def quotas_allow_the_network(subject: Subject) -> Iterator[Check]:
    facts = subject.facts
    # service, name of the quota, in use, what to remove
    wanted: list[tuple[str, str, int, str]] = []
    if not subject.existing.eks:
        wanted.append(("eks", quotas.EKS_CLUSTERS, len(facts.wait("eks_clusters")), "an EKS cluster"))
    if not subject.spec.network.existing and not subject.existing.stands:
        zone = subject.spec.network.compute.zone.name
        gateways = [gateway for gateway in facts.wait("nat_gateways") if gateway["AvailabilityZone"] == zone]
        wanted += [
            ("vpc", quotas.VPCS, len(facts.vpcs), "a VPC"),
            ("vpc", quotas.INTERNET_GATEWAYS, len(facts.wait("internet_gateways")), "an internet gateway"),
            ("vpc", quotas.NAT_GATEWAYS, len(gateways), f"a NAT gateway of {zone}"),
            ("ec2", quotas.ADDRESSES, len(facts.wait("addresses")), "an Elastic IP address"),
        ]
    rows: list[Check] = []
    for service, name, used, thing in wanted:
        quota = facts.quotas(service).get(name)
        if quota is None:
            rows.append(
                warning("quota_unlisted", TITLE, f"Service Quotas does not list '{name}' of {service}.", "Look it up in the console.")
            )
        elif used + 1 > quota.value:
            rows.append(
                failed(
                    "quota_too_low",
                    TITLE,
                    f"The quota '{name}' is {quota.value:g}, and {used} are in use: one more is needed.",
                    f"Remove {thing}, or ask for {used + 1} in Service Quotas ({service}{f', {quota.code}' if quota.code else ''}).",
                )
            )
    if rows:
        yield from rows
    elif subject.spec.network.existing or subject.existing.stands:
        yield passed(CODE, TITLE, "No new network is made.")
    else:
        yield passed(CODE, TITLE, "There is room for one more VPC, internet gateway, NAT gateway and address.")
