"""Every default decided, the same way each time for the same world: no clock, no chance, no order of replies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network
from typing import Any

from clusters import names
from clusters.catalog import addons, instance_types, versions
from clusters.checks.facts import Facts
from clusters.checks.registry import Existing
from clusters.resolved import Group, Network, ResolvedSpec, Storage, Subnet, Zone
from clusters.spec import Capacity, GroupInput
from instantstart.cloud.errors import CloudError

VPC_CANDIDATES = tuple(IPv4Network(f"10.{second}.0.0/16") for second in range(90, 191, 10))
SERVICE_CANDIDATES = (IPv4Network("172.20.0.0/16"), IPv4Network("10.100.0.0/16"), IPv4Network("192.168.0.0/16"))
"""EKS' own two choices first; it takes what does not meet the VPC."""
COMPUTE_PREFIX = 20
UNKNOWN_NETWORK = "0.0.0.0/32"
"""Stands where a network that exists could not be read; the check `existing_network` says so."""


def resolve(facts: Facts, existing: Existing) -> ResolvedSpec:
    """The specification with every default decided. CloudError when identity, zones, versions or VPCs can't be read."""
    spec = facts.spec
    previous = existing.previous
    identity = facts.identity
    version = spec.kubernetes_version or (previous.kubernetes_version if previous else "") or _version(facts.versions)
    facts.begin_addons(version)
    if spec.network.existing is not None:
        network = _existing_network(facts)
        zones = [network.compute.zone, *(subnet.zone for subnet in network.private if subnet.zone != network.compute.zone)][:2]
    else:
        zones = _zones(facts, previous)
        network = _new_network(facts, zones, previous)
    bucket = names.bucket(spec.name, identity.account, facts.aws.region)
    return ResolvedSpec(
        name=spec.name,
        account=identity.account,
        region=facts.aws.region,
        partition=identity.partition,
        kubernetes_version=version,
        zones=zones,
        network=network,
        group=group(spec.group),
        groups=[group(more) for more in spec.groups],
        bucket=bucket,
        storage=Storage(bucket=spec.storage.bucket or bucket, made=spec.storage.bucket in ("", bucket), claim=spec.storage.claim),
        deep_health_checks=list(spec.deep_health_checks),
        addons=_addons(facts),
        fsx=spec.fsx,
        kuberay=spec.kuberay,
        deletion_protection=spec.deletion_protection,
        tags=dict(spec.tags),
    )


def group(asked: GroupInput) -> Group:
    """Threads: the type's default, two with a training plan, unless given."""
    found = instance_types.find(asked.instance_type)
    threads = 2 if asked.capacity is Capacity.TRAINING_PLAN and (found is None or not found.arm) else 1
    if found is not None:
        threads = max(threads, found.threads_per_core)
    return Group(
        name=asked.name,
        instance_type=asked.instance_type,
        count=asked.count,
        capacity=asked.capacity,
        training_plan_arn=asked.training_plan_arn,
        volume_gb=asked.volume_gb,
        threads_per_core=asked.threads_per_core or threads,
        addresses_per_node=found.addresses if found is not None else None,
        deep_health_checks=asked.deep_health_checks,
    )


def _version(offered: Sequence[versions.KubernetesVersion]) -> str:
    chosen = versions.preferred(offered)
    if chosen is not None:
        return chosen.version
    # Nothing on offer is documented: the newest, about which the check speaks.
    return offered[0].version if offered else ""


def _addons(facts: Facts) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for addon in addons.wanted(fsx=facts.spec.fsx):
        try:
            offered = facts.wait(f"addon:{addon}")
        except CloudError:
            continue  # the check of the add-ons tells it
        if offered:
            chosen[addon] = offered[0]
    return chosen


# --- zones ---


def _zones(facts: Facts, previous: ResolvedSpec | None) -> list[Zone]:
    """Two zones, the nodes' first: the given ones, the half-made attempt's, the training plan's, those that offer the type."""
    known = facts.zones
    chosen = [_zone_named(name, known) for name in facts.spec.availability_zones]
    if not chosen and previous is not None and not previous.network.existing:
        return list(previous.zones)
    offering = _offering(facts)
    order = sorted(known, key=lambda zone: (zone.name not in offering, zone.name))
    if not chosen and facts.spec.group.capacity is Capacity.TRAINING_PLAN:
        chosen = _planned_zone(facts, known)
    for zone in order:
        if len(chosen) < 2 and zone.name not in {taken.name for taken in chosen}:
            chosen.append(zone)
    return chosen[:2]


def _zone_named(name: str, known: Iterable[Zone]) -> Zone:
    """A name that the region does not have stays without id; the check of the zones refuses it."""
    return next((zone for zone in known if zone.name == name), Zone(name=name, id=""))


def _offering(facts: Facts) -> frozenset[str]:
    try:
        return facts.offerings
    except CloudError:
        return frozenset()  # the check of the instance type tells it


def _planned_zone(facts: Facts, known: Sequence[Zone]) -> list[Zone]:
    try:
        plan = next((plan for plan in facts.training_plans if plan.arn == facts.spec.group.training_plan_arn), None)
    except CloudError:
        return []
    if plan is None:
        return []
    # Ids before names: the names of a shared plan may be another account's.
    return [zone for zone in known if zone.id in plan.zone_ids][:1] or [zone for zone in known if zone.name in plan.zones][:1]


# --- network ---


def vpc_networks(vpcs: Iterable[dict[str, Any]]) -> list[tuple[str, IPv4Network]]:
    """(VPC, network) for every IPv4 network of every VPC."""
    found = []
    for vpc in vpcs:
        associated = [item["CidrBlock"] for item in vpc.get("CidrBlockAssociationSet", []) if item.get("CidrBlock")]
        found += [(str(vpc["VpcId"]), IPv4Network(cidr)) for cidr in sorted({*associated, vpc["CidrBlock"]})]
    return found


def service_cidr(vpc: Sequence[IPv4Network]) -> str:
    """The first candidate that meets no network of the VPC."""
    free = (candidate for candidate in SERVICE_CANDIDATES if not any(candidate.overlaps(taken) for taken in vpc))
    return str(next(free, SERVICE_CANDIDATES[0]))


def _new_network(facts: Facts, zones: Sequence[Zone], previous: ResolvedSpec | None) -> Network:
    asked = facts.spec.network
    if asked.vpc_cidr is not None:
        vpc = IPv4Network(asked.vpc_cidr)
    elif previous is not None and not previous.network.existing:
        vpc = IPv4Network(previous.network.vpc_cidr)
    else:
        taken = [network for _, network in vpc_networks(facts.vpcs)]
        vpc = next((candidate for candidate in VPC_CANDIDATES if not any(candidate.overlaps(other) for other in taken)), VPC_CANDIDATES[0])
    return laid_out(vpc, zones, access_cidrs(facts, previous))


def laid_out(vpc: IPv4Network, zones: Sequence[Zone], public_access_cidrs: Sequence[str]) -> Network:
    """Subnets of a new VPC: /24 each for public and private ones in the first /20, the second /20 for the nodes; the rest of
    the network stays free for the compute subnets of other zones."""
    blocks = list(vpc.subnets(new_prefix=COMPUTE_PREFIX))
    small = list(blocks[0].subnets(new_prefix=24))
    return Network(
        vpc_cidr=str(vpc),
        service_cidr=service_cidr([vpc]),
        public=[Subnet(zone=zone, cidr=str(small[index])) for index, zone in enumerate(zones)],
        private=[Subnet(zone=zone, cidr=str(small[2 + index])) for index, zone in enumerate(zones)],
        compute=Subnet(zone=zones[0] if zones else Zone(name="", id=""), cidr=str(blocks[1])),
        public_access_cidrs=list(public_access_cidrs),
    )


def access_cidrs(facts: Facts, previous: ResolvedSpec | None) -> list[str]:
    """Who may reach the Kubernetes API from outside: as given, as begun, else our own address where it can be told."""
    if facts.spec.network.public_access_cidrs:
        return list(facts.spec.network.public_access_cidrs)
    if previous is not None:
        return list(previous.network.public_access_cidrs)
    own = facts.wait("public_address")
    return [f"{own}/32"] if own else []


def _existing_network(facts: Facts) -> Network:
    asked = facts.spec.network.existing
    if asked is None:
        raise AssertionError("only called for an existing network")
    found = facts.wait("network")
    subnets: dict[str, dict[str, Any]] = found["subnets"]
    zone_ids = {zone.name: zone.id for zone in facts.zones}

    def subnet(subnet_id: str) -> Subnet:
        said = subnets.get(subnet_id, {})
        name = str(said.get("AvailabilityZone", ""))
        zone = Zone(name=name, id=str(said.get("AvailabilityZoneId") or zone_ids.get(name, "")))
        return Subnet(zone=zone, cidr=str(said.get("CidrBlock", UNKNOWN_NETWORK)), id=subnet_id)

    of_vpc = [network for _, network in vpc_networks([found["vpc"]])] if found["vpc"] else []
    return Network(
        vpc_id=asked.vpc_id,
        vpc_cidr=str(found["vpc"]["CidrBlock"]) if found["vpc"] else UNKNOWN_NETWORK,
        service_cidr=service_cidr(of_vpc),
        private=[subnet(subnet_id) for subnet_id in asked.private_subnet_ids],
        compute=subnet(asked.compute_subnet_id),
        public_access_cidrs=access_cidrs(facts, None),
    )
