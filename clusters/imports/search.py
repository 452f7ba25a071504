"""Searching one region: clusters are listed before they are described, both within the rate limit, and every batch is kept at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from django.db import connection

from clusters import tags
from clusters.choices import SearchState
from clusters.models import FoundCluster, FoundHyperPod, SearchedRegion
from clusters.models.found import EVERYWHERE
from clusters.reading.plain import plain
from clusters.reading.reader import READ_ERRORS
from instantstart import cloud
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError
from operations import clock, errors, events
from operations.observing import writing

AnyFound = TypeVar("AnyFound", FoundCluster, FoundHyperPod)
AT_ONCE = 4
"""Descriptions under way at once, for each of EKS and SageMaker; the rate limit says how many a second."""
BATCH = 20
LONGEST_SECONDS = 40.0
"""A search that takes longer goes on with the next look, where this one ended."""


@dataclass(frozen=True)
class Listed:
    account: str
    eks: list[str]
    hyperpods: list[str]


def search(row: SearchedRegion) -> bool:
    """Reads what is left to be read of the region. Whether that was all. CloudError when clusters can't be listed."""
    until = time.monotonic() + LONGEST_SECONDS
    account = row.asked_account or row.account or cloud.connect(row.region, background=True).identity().account
    aws = cloud.connect(row.region, account, background=True)
    listed = Listed(
        account,
        sorted(aws.pages("eks", "list_clusters", "clusters")),
        sorted(item["ClusterName"] for item in aws.pages("sagemaker", "list_clusters", "ClusterSummaries")),
    )
    _keep_listed(row, listed)
    left_eks, left_hyperpods = _left(FoundCluster, row, account), _left(FoundHyperPod, row, account)
    networks = _networks(aws) if left_eks else {}
    while (left_eks or left_hyperpods) and time.monotonic() < until:
        eks, left_eks = left_eks[:BATCH], left_eks[BATCH:]
        hyperpods, left_hyperpods = left_hyperpods[:BATCH], left_hyperpods[BATCH:]
        _keep(row, account, networks, *_described(aws, eks, hyperpods))
    done = not (left_eks or left_hyperpods)
    if done:
        _end(row, SearchState.DONE, "")
    return done


def unreadable(row: SearchedRegion, message: str) -> None:
    """The region could not be searched; what an earlier search found stays, with its age."""
    _end(row, SearchState.UNREADABLE, message)


def _left(model: type[FoundCluster] | type[FoundHyperPod], row: SearchedRegion, account: str) -> list[str]:
    rows = model.objects.filter(account=account, region=row.region).exclude(read_at__gte=row.asked_at)
    return sorted(rows.values_list("name", flat=True))


def _keep_listed(row: SearchedRegion, listed: Listed) -> None:
    """Names are shown at once; what is not listed any more goes."""
    with writing():
        _names(FoundCluster, listed.account, row.region, listed.eks)
        _names(FoundHyperPod, listed.account, row.region, listed.hyperpods)
        row.account, row.state, row.message = listed.account, SearchState.READING, ""
        row.clusters = len(listed.eks) + len(listed.hyperpods)
        _progress(row)


def _names(model: type[AnyFound], account: str, region: str, names: Sequence[str]) -> None:
    known = model._default_manager.filter(account=account, region=region)
    known.exclude(name__in=names).delete()
    there = set(known.values_list("name", flat=True))
    fresh = [model(account=account, region=region, name=name) for name in names if name not in there]
    model._default_manager.bulk_create(fresh, ignore_conflicts=True)


def _networks(aws: Aws) -> dict[str, Any]:
    """Subnets by id and VPCs' ranges by id, of the whole region: two calls, however many clusters. {} when they can't be read."""
    try:
        subnets = {item["SubnetId"]: item for item in aws.pages("ec2", "describe_subnets", "Subnets")}
        vpcs = {item["VpcId"]: item["CidrBlock"] for item in aws.pages("ec2", "describe_vpcs", "Vpcs")}
    except CloudError:
        return {}
    return {"subnets": subnets, "vpcs": vpcs}


@dataclass(frozen=True)
class Said:
    """What a description said of the cluster of that name: body, or None when it is gone, or why it could not be read."""

    name: str
    body: dict[str, Any] | None
    problem: str
    at: datetime


def _described(aws: Aws, eks: Sequence[str], hyperpods: Sequence[str]) -> tuple[list[Said], list[Said]]:
    with ThreadPoolExecutor(AT_ONCE, "search-eks") as for_eks, ThreadPoolExecutor(AT_ONCE, "search-hyperpod") as for_hyperpods:
        first = [for_eks.submit(_ask, name, partial(_eks, aws, name)) for name in eks]
        second = [for_hyperpods.submit(_ask, name, partial(_hyperpod, aws, name)) for name in hyperpods]
        return [one.result() for one in first], [one.result() for one in second]


def _eks(aws: Aws, name: str) -> dict[str, Any]:
    found: dict[str, Any] = aws.read("eks", "describe_cluster", name=name)["cluster"]
    return found


def _hyperpod(aws: Aws, name: str) -> dict[str, Any]:
    return aws.read("sagemaker", "describe_cluster", ClusterName=name)


def _ask(name: str, read: Callable[[], dict[str, Any]]) -> Said:
    at = clock.now()
    try:
        return Said(name, plain(read()), "", at)
    except READ_ERRORS as error:
        if isinstance(error, CloudError) and error.missing:
            return Said(name, None, "", at)
        fault = errors.classify(error)
        return Said(name, {}, f"{fault.message} {fault.hint}".strip()[:1000], at)
    finally:
        connection.close()  # the thread's own, were there one


def _keep(row: SearchedRegion, account: str, networks: dict[str, Any], eks: list[Said], hyperpods: list[Said]) -> None:
    with writing():
        for said, model, fields in (
            *((one, FoundCluster, _of_eks(one.body or {}, networks)) for one in eks),
            *((one, FoundHyperPod, _of_hyperpod(one.body or {})) for one in hyperpods),
        ):
            found = model.objects.filter(account=account, region=row.region, name=said.name)  # type: ignore[attr-defined]
            if said.body is None:
                found.delete()
            elif said.problem:
                found.update(problem=said.problem, read_at=said.at)
            else:
                found.update(**fields, body=said.body, problem="", read_at=said.at)
        _progress(row)


def _of_eks(body: dict[str, Any], networks: dict[str, Any]) -> dict[str, Any]:
    network = body.get("resourcesVpcConfig") or {}
    return {
        "arn": body.get("arn", ""),
        "status": body.get("status", ""),
        "kubernetes_version": body.get("version", ""),
        "vpc_id": network.get("vpcId", ""),
        "owner": (body.get("tags") or {}).get(tags.CLUSTER, ""),
        "network": _network(network, networks),
    }


def _network(said: dict[str, Any], networks: dict[str, Any]) -> dict[str, Any]:
    """The VPC's range and subnets, by id: those of its HyperPod cluster are among them."""
    vpc = said.get("vpcId", "")
    if not networks or vpc not in networks["vpcs"]:
        return {}
    subnets = {key: item for key, item in networks["subnets"].items() if item["VpcId"] == vpc}
    return {
        "cidr": networks["vpcs"][vpc],
        "subnets": {
            key: {"zone": item["AvailabilityZone"], "zone_id": item.get("AvailabilityZoneId", ""), "cidr": item["CidrBlock"]}
            for key, item in subnets.items()
        },
    }


def _of_hyperpod(body: dict[str, Any]) -> dict[str, Any]:
    eks = (body.get("Orchestrator") or {}).get("Eks") or {}
    return {"arn": body.get("ClusterArn", ""), "status": body.get("ClusterStatus", ""), "orchestrator": eks.get("ClusterArn", "")}


def _progress(row: SearchedRegion) -> None:
    """Runs inside the caller's transaction."""
    row.read = sum(
        model.objects.filter(account=row.account, region=row.region, read_at__gte=row.asked_at).count()
        for model in (FoundCluster, FoundHyperPod)
    )
    # Who asks again meanwhile must be heard: then this is no longer the search that is shown.
    now = {name: getattr(row, name) for name in ("account", "state", "message", "clusters", "read", "ended_at")}
    SearchedRegion.objects.filter(pk=row.pk, asked_at=row.asked_at).update(**now)
    events.publish(
        EVERYWHERE,
        "region",
        {"region": row.region, "account": row.account, "state": str(row.state), "read": row.read, "clusters": row.clusters},
    )


def _end(row: SearchedRegion, state: SearchState, message: str) -> None:
    with writing():
        row.state, row.message, row.ended_at = state, message[:1000], clock.now()
        _progress(row)
