"""The specification of a cluster that was made elsewhere, from what AWS says of it: what is not told is left empty, never guessed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusters import names
from clusters.checks.resolve import UNKNOWN_NETWORK
from clusters.groups.existing import as_group
from clusters.imports.pairs import Pair
from clusters.reading.hyperpod import GroupReading, HyperPodReading, hyperpod_of
from clusters.resolved import Group, Network, ResolvedSpec, Storage, Subnet, Zone
from clusters.spec import Capacity

CLAIM = "shared"
NO_GROUP = Group(name="", instance_type="", count=0, capacity=Capacity.ON_DEMAND, volume_gb=0, threads_per_core=1)


def spec_of(name: str, pair: Pair) -> ResolvedSpec:
    """name: ours. The bucket is one of a name of our own, which need not exist: the buckets of an imported cluster are not told, and the
    one that holds its lifecycle scripts must not be written to."""
    eks = pair.eks
    hyperpod = hyperpod_of(pair.hyperpod.body) if pair.hyperpod is not None else None
    groups = [_group(group) for group in hyperpod.groups] if hyperpod is not None else []
    bucket = names.bucket(name, eks.account, eks.region)
    network = _network(eks.body, eks.network, hyperpod)
    return ResolvedSpec(
        name=name,
        eks_name=eks.name,
        hyperpod_name=hyperpod.name if hyperpod is not None else "",
        imported=True,
        account=eks.account,
        region=eks.region,
        partition=eks.arn.split(":")[1] if eks.arn else "aws",
        kubernetes_version=eks.kubernetes_version,
        zones=sorted({subnet.zone for subnet in network.private if subnet.zone.name}, key=lambda zone: zone.name),
        network=network,
        group=groups[0] if groups else NO_GROUP,
        groups=groups[1:],
        bucket=bucket,
        storage=Storage(bucket=bucket, made=False, claim=CLAIM),
    )


def _group(group: GroupReading) -> Group:
    volumes = [
        item["EbsVolumeConfig"].get("VolumeSizeInGB", 0)
        for item in group.raw.get("InstanceStorageConfigs") or ()
        if "EbsVolumeConfig" in item
    ]
    return as_group(group, group.target_count).model_copy(update={"volume_gb": sum(volumes)})


def _network(body: Mapping[str, Any], read: Mapping[str, Any], hyperpod: HyperPodReading | None) -> Network:
    said = body.get("resourcesVpcConfig") or {}
    known: Mapping[str, Any] = read.get("subnets") or {}
    private = [_subnet(one, known) for one in said.get("subnetIds") or ()]
    nodes = (hyperpod.raw.get("VpcConfig") or {}).get("Subnets") or () if hyperpod is not None else ()
    compute = next((_subnet(one, known) for one in (*nodes, *(said.get("subnetIds") or ()))), _subnet("", known))
    return Network(
        vpc_id=said.get("vpcId", ""),
        vpc_cidr=read.get("cidr", UNKNOWN_NETWORK),
        service_cidr=(body.get("kubernetesNetworkConfig") or {}).get("serviceIpv4Cidr", UNKNOWN_NETWORK),
        private=private,
        compute=compute,
        public_access_cidrs=list(said.get("publicAccessCidrs") or ()) if said.get("endpointPublicAccess") else [],
    )


def _subnet(subnet_id: str, known: Mapping[str, Any]) -> Subnet:
    said = known.get(subnet_id) or {}
    zone = Zone(name=said.get("zone", ""), id=said.get("zone_id", ""))
    return Subnet(zone=zone, cidr=said.get("cidr", UNKNOWN_NETWORK), id=subnet_id)
